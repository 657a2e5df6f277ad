// SPDX-License-Identifier: BSD-2-Clause
// The program itself, without a module: it waits, and it ends as it should.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "daemon/unique_fd.h"

namespace perdix {
namespace {

class Perdixd {
 public:
  explicit Perdixd(std::vector<std::string> arguments) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    output_ = UniqueFd(ends[0]);
    const UniqueFd input(ends[1]);
    arguments.insert(arguments.begin(), PERDIXD);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
    posix_spawn_file_actions_adddup2(&actions, input.get(), 2);
    EXPECT_EQ(
        posix_spawn(&pid_, PERDIXD, &actions, nullptr, argv.data(), environ),
        0);
    posix_spawn_file_actions_destroy(&actions);
  }
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
      if (poll(&wait, 1, 20000) != 1) return false;
      const ssize_t bytes = read(output_.get(), buffer, sizeof(buffer));
      if (bytes <= 0) return false;
      said_.append(buffer, static_cast<size_t>(bytes));
    }
    return true;
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

TEST(PerdixdTest, WaitsForItsDeviceAndEndsOnASignal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Perdixd daemon({"--foreground", "--device", "/dev/no-such-perdix"});
    ASSERT_TRUE(daemon.Says("waiting for /dev/no-such-perdix"));
    daemon.Signal(signal);
    EXPECT_EQ(daemon.ExitCode(), EX_OK);
  }
}

TEST(PerdixdTest, RefusesADeviceThatIsNoChannel) {
  Perdixd daemon({"--foreground", "--device", "/dev/null"});
  EXPECT_TRUE(daemon.Says("/dev/null: not a perdix channel"));
  EXPECT_EQ(daemon.ExitCode(), EX_IOERR);
}

TEST(PerdixdTest, SaysItsVersion) {
  Perdixd daemon({"--version"});
  EXPECT_TRUE(daemon.Says("perdixd " PERDIX_VERSION));
  EXPECT_EQ(daemon.ExitCode(), EX_OK);
}

TEST(PerdixdTest, RefusesAnUnknownRecipe) {
  Perdixd daemon({"--foreground", "--recipe", "no_such_kernel=scalar"});
  EXPECT_TRUE(daemon.Says("no_such_kernel"));
  EXPECT_EQ(daemon.ExitCode(), EX_CONFIG);
}

TEST(PerdixdTest, GoesOnWithoutAGpu) {
  Perdixd daemon({"--foreground", "--device", "/dev/no-such-perdix", "--recipe",
                  "vulkan", "--gpu", "nosuchdevice"});
  EXPECT_TRUE(daemon.Says(": the CPU decodes\n"));
  ASSERT_TRUE(daemon.Says("waiting for /dev/no-such-perdix"));
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.ExitCode(), EX_OK);
}

}  // namespace
}  // namespace perdix
