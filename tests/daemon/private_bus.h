// SPDX-License-Identifier: BSD-2-Clause
// A dbus-daemon of the test's own, as the system bus of this process and of
// those it starts.
#ifndef PERDIX_TESTS_DAEMON_PRIVATE_BUS_H_
#define PERDIX_TESTS_DAEMON_PRIVATE_BUS_H_

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "daemon/unique_fd.h"

namespace perdix {

class PrivateBus {
 public:
  static constexpr const char* kProgram = "/usr/bin/dbus-daemon";
  static bool Available() { return access(kProgram, X_OK) == 0; }

  // Everyone may do everything.
  static constexpr const char* kOpen =
      "<policy context='default'><allow user='*'/><allow own='*'/>"
      "<allow send_type='method_call'/></policy>";
  // The policy of Debian's system.conf, and that of a file.
  static std::string SystemPolicy(const std::string& file) {
    return "<policy context='default'><allow user='*'/><deny own='*'/>"
           "<deny send_type='method_call'/>"
           "<allow send_destination='org.freedesktop.DBus'/></policy>"
           "<include>" +
           file + "</include>";
  }

  explicit PrivateBus(const std::string& policy)
      : folder_(testing::TempDir() + "perdix_bus_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    chmod(folder_.c_str(), 0755);
    std::ofstream(folder_ + "/bus.conf")
        << "<!DOCTYPE busconfig PUBLIC '-//freedesktop//DTD D-Bus Bus "
           "Configuration 1.0//EN' 'http://www.freedesktop.org/standards/dbus/"
           "1.0/busconfig.dtd'><busconfig><type>system</type>"
           "<listen>unix:path="
        << folder_ << "/socket</listen><auth>EXTERNAL</auth>"
        << "<policy context='default'><allow send_type='signal'/>"
           "<allow send_requested_reply='true' send_type='method_return'/>"
           "<allow send_requested_reply='true' send_type='error'/>"
           "<allow receive_type='method_call'/>"
           "<allow receive_type='method_return'/>"
           "<allow receive_type='error'/><allow receive_type='signal'/>"
           "</policy>"
        << policy << "</busconfig>\n";
    setenv("DBUS_SYSTEM_BUS_ADDRESS", address().c_str(), 1);
    Start();
  }
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;
  ~PrivateBus() {
    Stop();
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
    std::filesystem::remove_all(folder_);
  }

  std::string address() const { return "unix:path=" + folder_ + "/socket"; }

  // Returns when it listens.
  void Start() {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd output(ends[0]);
    UniqueFd input(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const std::string config = "--config-file=" + folder_ + "/bus.conf";
    const char* const argv[] = {kProgram, config.c_str(), "--nofork",
                                "--print-address", nullptr};
    ASSERT_EQ(posix_spawn(&pid_, kProgram, &actions, nullptr,
                          const_cast<char* const*>(argv), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
    input = UniqueFd();
    char address[256];
    ASSERT_GT(read(output.get(), address, sizeof(address)), 0)
        << "dbus-daemon did not start";
  }

  void Stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
    unlink((folder_ + "/socket").c_str());
  }

 private:
  const std::string folder_;
  pid_t pid_ = -1;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_PRIVATE_BUS_H_
