// SPDX-License-Identifier: BSD-2-Clause
// perdixd itself on a private bus: it calibrates when told to, and goes on
// without a bus.
#include <sys/stat.h>
#include <sysexits.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/daemon/dbus_fixture.h"
#include "tests/daemon/perdixd_process.h"
#include "tests/tools/run_program.h"

namespace perdix {
namespace {

using std::chrono::milliseconds;

class DbusCalibrationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PrivateBus::Available()) GTEST_SKIP() << "no dbus-daemon here";
    bus_.emplace(PrivateBus::kOpen);
    folder_ =
        testing::TempDir() + "perdix_calibration_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    daemon_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // With that script in place of perdix-bench.
  void Start(const std::string& script) {
    const std::string program = folder_ + "/calibrator";
    std::ofstream(program) << "#!/bin/sh\n" << script << '\n';
    chmod(program.c_str(), 0700);
    daemon_.emplace(std::vector<std::string>{
        "--foreground", "--device", "/dev/no-such-perdix", "--gpu",
        "no such device", "--calibrate", "no", "--recipes",
        folder_ + "/recipes", "--calibrator", program});
    ASSERT_TRUE(daemon_->Says("serving as org.perdix.Decoder1"));
    client_.emplace();
    object_ = client_->Object(kDaemonPath);
    object_->uponSignal("CalibrationProgress")
        .onInterface(kDaemonInterface)
        .call([this](const double& fraction, const std::string& step) {
          progress_.emplace_back(fraction, step);
        });
    object_->uponSignal("CalibrationFinished")
        .onInterface(kDaemonInterface)
        .call([this](const bool& success, const std::string& message) {
          finished_.emplace_back(success, message);
        });
    bus::BeginSignals(*object_);
  }
  void Calibrate() {
    object_->callMethod("Calibrate").onInterface(kDaemonInterface);
  }
  void ProcessUntilFinished() {
    for (int i = 0; finished_.empty() && i < kPatienceMs / 100; ++i)
      client_->Process(milliseconds(100));
    ASSERT_EQ(finished_.size(), 1u);
    client_->Process(milliseconds(50));
  }
  std::string Text(const char* property) {
    return object_->getProperty(property)
        .onInterface(kDaemonInterface)
        .get<std::string>();
  }

  std::optional<PrivateBus> bus_;
  std::string folder_;
  std::optional<Perdixd> daemon_;
  std::optional<BusClient> client_;
  ProxyPtr object_;
  std::vector<std::pair<double, std::string>> progress_;
  std::vector<std::pair<bool, std::string>> finished_;
};

TEST_F(DbusCalibrationTest, TellsHowFarItIsAndWhyItFailed) {
  ASSERT_NO_FATAL_FAILURE(
      Start("echo progress 0.25 one; sleep 0.5; echo a table;"
            "echo progress 0.750 two, of 2; exit 3"));
  EXPECT_EQ(Text("CalibrationState"), "idle");
  EXPECT_EQ(Text("RecipeSource"), "default");
  Calibrate();
  EXPECT_EQ(Text("CalibrationState"), "running");
  try {
    Calibrate();
    ADD_FAILURE() << "two at once";
  } catch (const sdbus::Error& error) {
    EXPECT_EQ(std::string(error.getName()), "org.perdix.Decoder1.Error.Busy");
  }
  ASSERT_NO_FATAL_FAILURE(ProcessUntilFinished());
  EXPECT_EQ(progress_, (std::vector<std::pair<double, std::string>>{
                           {0.25, "one"}, {0.75, "two, of 2"}}));
  EXPECT_FALSE(finished_[0].first);
  EXPECT_EQ(finished_[0].second, "perdix-bench ended with 3");
  EXPECT_EQ(Text("CalibrationState"), "failed");
  EXPECT_EQ(Text("CalibrationMessage"), "perdix-bench ended with 3");
  EXPECT_EQ(Text("RecipeSource"), "default");
}

TEST_F(DbusCalibrationTest, UsesWhatItFound) {
  ASSERT_NO_FATAL_FAILURE(Start("exec " PERDIX_BENCH
                                " \"$@\" --quick --frames 1 " PERDIX_CLIPS
                                "/small_2x2.ivf"));
  Calibrate();
  ASSERT_NO_FATAL_FAILURE(ProcessUntilFinished());
  EXPECT_TRUE(finished_[0].first) << finished_[0].second;
  EXPECT_GE(progress_.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(progress_, {},
                                     &std::pair<double, std::string>::first));
  for (const auto& [fraction, step] : progress_) {
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    EXPECT_FALSE(step.empty());
  }
  EXPECT_EQ(Text("CalibrationState"), "done");
  EXPECT_EQ(Text("RecipeSource"), "calibrated");
  daemon_->Signal(SIGTERM);
  EXPECT_EQ(daemon_->ExitCode(), EX_OK);
}

TEST_F(DbusCalibrationTest, FailsWithoutItsProgram) {
  ASSERT_NO_FATAL_FAILURE(Start(""));
  std::filesystem::remove(folder_ + "/calibrator");
  Calibrate();
  ASSERT_NO_FATAL_FAILURE(ProcessUntilFinished());
  EXPECT_FALSE(finished_[0].first);
  EXPECT_EQ(Text("CalibrationState"), "failed");
}

TEST_F(DbusCalibrationTest, PerdixctlSaysWhatIsWrongWithARecipe) {
  ASSERT_NO_FATAL_FAILURE(Start(""));
  const Result result = RunProgram(PERDIXCTL, "recipe set vulkan");
  EXPECT_EQ(result.exit_code, EX_USAGE);
  EXPECT_NE(result.output.find("no GPU"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("allowed: scalar, simd"), std::string::npos);
  EXPECT_EQ(Text("RecipeSource"), "default");
  EXPECT_TRUE(daemon_->Says("no such device"));
}

TEST(PerdixdWithoutABusTest, SaysSoOnceAndWaitsForItsDevice) {
  setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
  Perdixd daemon(
      {"--foreground", "--device", "/dev/no-such-perdix", "--calibrate", "no"});
  EXPECT_TRUE(daemon.Says("no D-Bus: "));
  EXPECT_TRUE(daemon.Says("waiting for /dev/no-such-perdix"));
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.ExitCode(), EX_OK);
  Perdixd silent({"--foreground", "--device", "/dev/no-such-perdix",
                  "--calibrate", "no", "--dbus", "no"});
  EXPECT_TRUE(silent.Says("waiting for /dev/no-such-perdix"));
  silent.Signal(SIGTERM);
  EXPECT_EQ(silent.ExitCode(), EX_OK);
  EXPECT_FALSE(silent.Said("D-Bus"));
  unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

}  // namespace
}  // namespace perdix
