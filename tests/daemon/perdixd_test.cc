// SPDX-License-Identifier: BSD-2-Clause
// The program itself, without a module: it waits, and it ends as it should.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/daemon/perdixd_process.h"

namespace perdix {
namespace {

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

// A program in place of perdix-bench, and a folder for what it stores.
class CalibrationTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "perdixd_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Perdixd Start(const std::string& script, const std::string& recipe) const {
    const std::string program = folder_ + "/calibrator";
    std::ofstream(program) << "#!/bin/sh\n" << script << '\n';
    chmod(program.c_str(), 0700);
    return Perdixd({"--foreground", "--device", "/dev/no-such-perdix",
                    "--recipe", recipe, "--gpu", "no such device", "--recipes",
                    folder_ + "/recipes", "--calibrator", program});
  }

  std::string folder_;
};

TEST_F(CalibrationTest, StoresARecipeThatTheNextStartFinds) {
  const std::string script =
      "exec " PERDIX_BENCH " \"$@\" --quick --frames 1 " PERDIX_CLIPS
      "/small_2x2.ivf";
  {
    Perdixd daemon = Start(script, "auto");
    EXPECT_TRUE(daemon.Says("calibrating in the background"));
    EXPECT_TRUE(daemon.Says("calibrated: recipe vp9_inter_pred="));
    daemon.Signal(SIGTERM);
    EXPECT_EQ(daemon.ExitCode(), EX_OK);
  }
  Perdixd daemon = Start("exit 1", "auto");
  EXPECT_TRUE(daemon.Says("waiting for"));
  EXPECT_FALSE(daemon.Said("no stored recipe"));
}

TEST_F(CalibrationTest, SaysWhyThereIsNone) {
  Perdixd daemon = Start("exit 3", "auto");
  EXPECT_TRUE(daemon.Says("not calibrated: perdix-bench ended with 3"));
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.ExitCode(), EX_OK);
}

TEST_F(CalibrationTest, EndsWithTheDaemon) {
  Perdixd daemon = Start("echo $$; exec sleep 1000", "auto");
  EXPECT_TRUE(daemon.Says("calibrating in the background"));
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.ExitCode(), EX_OK);
  // Its end of the pipe is closed: nobody is left to say anything.
  EXPECT_FALSE(daemon.Says("never said"));
}

TEST_F(CalibrationTest, IsNotDoneForARecipeThatIsGiven) {
  Perdixd daemon = Start("exit 1", "scalar");
  EXPECT_TRUE(daemon.Says("waiting for"));
  EXPECT_FALSE(daemon.Said("calibrat"));
}

}  // namespace
}  // namespace perdix
