// SPDX-License-Identifier: BSD-2-Clause
// perdixd as a child, and what it says.
#ifndef PERDIX_TESTS_DAEMON_PERDIXD_PROCESS_H_
#define PERDIX_TESTS_DAEMON_PERDIXD_PROCESS_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "daemon/unique_fd.h"

namespace perdix {

// Calibration runs when nothing else wants the CPU: on a busy machine, late.
constexpr int kPatienceMs = 120'000;

class Perdixd {
 public:
  explicit Perdixd(std::vector<std::string> arguments) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    output_ = UniqueFd(ends[0]);
    const UniqueFd input(ends[1]);
    // PERDIXD may be a program and an emulator before it.
    arguments.insert(arguments.begin(),
                     {"sh", "-c", "exec " PERDIXD " \"$@\"", "perdixd"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
    posix_spawn_file_actions_adddup2(&actions, input.get(), 2);
    EXPECT_EQ(
        posix_spawn(&pid_, "/bin/sh", &actions, nullptr, argv.data(), environ),
        0);
    posix_spawn_file_actions_destroy(&actions);
  }
  Perdixd(const Perdixd&) = delete;
  Perdixd& operator=(const Perdixd&) = delete;
  ~Perdixd() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  void Signal(int signal) const { kill(pid_, signal); }

  // Reads what it says until the text comes, or it ends.
  bool Says(const std::string& text) {
    while (said_.find(text) == std::string::npos) {
      pollfd wait = {output_.get(), POLLIN, 0};
      char buffer[4096];
      if (poll(&wait, 1, kPatienceMs) != 1) return false;
      const ssize_t bytes = read(output_.get(), buffer, sizeof(buffer));
      if (bytes <= 0) return false;
      said_.append(buffer, static_cast<size_t>(bytes));
    }
    return true;
  }

  bool Said(const std::string& text) const {
    return said_.find(text) != std::string::npos;
  }

  int ExitCode() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    EXPECT_TRUE(WIFEXITED(status)) << said_;
    return WEXITSTATUS(status);
  }

 private:
  pid_t pid_ = -1;
  UniqueFd output_;
  std::string said_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_PERDIXD_PROCESS_H_
