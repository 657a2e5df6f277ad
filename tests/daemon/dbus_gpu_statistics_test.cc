// SPDX-License-Identifier: BSD-2-Clause
// As dbus_statistics_test.cc, with all kernels on a GPU
// (tests/engine/fake_gpu.h) that shares the clients' buffers, measures motion
// and is wrong once.
#include <cstdlib>

#include "tests/daemon/property_checks.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

constexpr const char* kClip = "resilient_176x144.ivf";  // all frames are shown
constexpr uint32_t kSelfCheck = 4;

// The mean absolute difference of luma to the frame before.
class OwnMotion {
 public:
  void Add(const PictureView& picture) {
    const Plane& luma = picture.planes[kLuma];
    std::vector<uint8_t> now;
    for (uint32_t y = 0; y < luma.height; ++y)
      now.insert(now.end(), luma.Row<uint8_t>(y),
                 luma.Row<uint8_t>(y) + luma.width);
    for (size_t i = 0; i < last_.size(); ++i)
      sum_ += std::abs(now[i] - last_[i]);
    samples_ += last_.size();
    last_ = std::move(now);
  }
  double mean() const { return double(sum_) / double(samples_); }

 private:
  std::vector<uint8_t> last_;
  int64_t sum_ = 0;
  size_t samples_ = 0;
};

class DbusGpuStatisticsTest : public PropertiesFixture {
 protected:
  DbusGpuStatisticsTest() { FakeGpu().imports = true; }
  ~DbusGpuStatisticsTest() override {
    FakeGpu().imports = false;
    FakeGpu().wrong_kernel = -1;
  }
  EngineOptions Options() const override {
    EngineOptions options = DbusFixture::Options();
    EXPECT_TRUE(Recipe::Parse("vulkan", &options.recipe).ok());
    options.watch.on = true;
    options.self_check = kSelfCheck;
    return options;
  }

  // What the event loop does; seen on the bus when this returns.
  void OnLoop(const std::function<void()>& work) {
    {
      const Lock lock(mutex_);
      work();
    }
    Settle();
  }

  Checks DaemonChecks(const Player& player) {
    const NodeBackend& backend = player.backend();
    VariantsValue recipe;
    for (const KernelRow& row : KernelTable()) {
      const bool simd = row.cpu[size_t(Variant::kSimd)][0] != nullptr;
      recipe[row.key] = row.HasShader() ? "vulkan" : simd ? "simd" : "scalar";
    }
    const LimitsValue limits = {
        {"MaxWidth", 8192}, {"MaxHeight", 8192}, {"FramesInFlight", 3}};
    Checks checks = IdleDaemon();
    checks["Gpu"] = checks["GpuDriver"] = Is(std::string("fake"));
    checks["GpuType"] = Is(std::string("discrete"));
    checks["GpuNode"] = Is(std::string("/dev/dri/renderD200"));
    checks["GpuDrmDriver"] = Is(std::string("fake 1.0.0"));
    checks["GpuState"] = Is(std::string("ready"));
    checks["Recipe"] = Is(recipe);
    const std::string no_shaders = "no shaders";
    checks["CpuFrames"] = Is(
        VariantsValue{{"av1 frames with intrabc",
                       "blocks read what the frame's earlier blocks have left"},
                      {"av1 of 12 bit", no_shaders},
                      {"vp9 of 12 bit", no_shaders}});
    checks["Limits"] = Is(limits);
    checks["SessionsOpen"] = Is(1u);
    checks["Sessions"] = Is(uint64_t{1});
    checks["FramesDecoded"] = Is(backend.frames());
    checks["BytesIn"] = Is(backend.bytes());
    checks["Buffers"] = Is(uint32_t(host_->channel().buffers()));
    checks["BufferImports"] = Is(backend.bitstreams() + backend.pictures());
    checks["GpuImports"] = Is(backend.pictures());
    checks["GpuFrames"] = Is(backend.frames());
    checks["SelfChecks"] = Is((backend.frames() + kSelfCheck - 1) / kSelfCheck);
    checks["StageUSec"] = [](const sdbus::Variant&, const std::string&) {};
    return checks;
  }
};

TEST_F(DbusGpuStatisticsTest, AreWhatTheTestCounted) {
  OwnMotion motion;
  Player player(*this, kClip);
  player.playback().set_shown(
      [&](const PictureView& picture) { motion.Add(picture); });
  player.Finish();
  ASSERT_GT(motion.mean(), 0);
  ExpectAll(kDaemonPath, kDaemonInterface, DaemonChecks(player));
  const uint32_t id = player.backend().session();
  EXPECT_DOUBLE_EQ(Session<double>(id, "Motion"), motion.mean());
}

// Everything happens that is counted, so that a 0 is of the reset.
TEST_F(DbusGpuStatisticsTest, ResetSetsEveryCounterTo0) {
  FakeGpu().imports = false;
  Player refused(*this, "small_2x2.ivf");
  refused.Finish();

  FakeGpu().imports = true;
  FakeGpu().wrong_kernel = int(KernelId::kVp9InterPred);
  Player player(*this, kClip);
  const auto step = [&](int packets) {
    while (packets-- > 0) player.Step();
    player.Settle();
  };
  step(8);  // are decoded, and some found wrong
  host_->channel().set_answer_error(-ENOENT);
  step(3);  // are dropped
  host_->channel().set_answer_error(0);
  player.backend().set_truncate(1);
  step(3);  // fail

  const sdbus::ObjectPath path(SessionPath(player.backend().session()));
  auto [daemon, sessions] = Statistics();
  EXPECT_EQ(Counters(daemon, false), Names());
  EXPECT_EQ(Counters(sessions[path], false), Names());
  daemon_->callMethod("ResetStatistics").onInterface(kDaemonInterface);
  auto [new_daemon, new_sessions] = Statistics();
  EXPECT_EQ(Counters(new_daemon, true), Names());
  EXPECT_EQ(Counters(new_sessions[path], true), Names());
  EXPECT_EQ(Counters(new_daemon, false).size(), Counters(daemon, true).size());
}

TEST_F(DbusGpuStatisticsTest, CountWhatTheGpuGotWrong) {
  FakeGpu().wrong_kernel = int(KernelId::kVp9LoopFilter);
  Player player(*this, kClip);
  player.Finish();
  Settle();
  // The other kernels stay.
  EXPECT_EQ(Daemon<uint64_t>("SelfChecks"),
            (player.backend().frames() + kSelfCheck - 1) / kSelfCheck);
  EXPECT_EQ(Daemon<uint64_t>("SelfCheckFailures"), 1u);
  EXPECT_GE(Daemon<uint64_t>("GpuFramesRedone"), 1u);
  EXPECT_EQ(Daemon<VariantsValue>("Recipe").at("vp9_loop_filter"), "simd");
  EXPECT_EQ(Daemon<uint64_t>("FramesFailed"), 0u);
}

TEST_F(DbusGpuStatisticsTest, TheGpuIsLostWithItsNode) {
  Player player(*this, kClip);
  player.Step();
  OnLoop([&] { control_->GpuNodeRemoved("/dev/dri/renderD201"); });
  EXPECT_EQ(Daemon<std::string>("GpuState"), "ready") << "another's node";
  OnLoop([&] { control_->GpuNodeRemoved("/dev/dri/renderD200"); });
  EXPECT_EQ(Daemon<std::string>("GpuState"), "lost");
  EXPECT_EQ(Daemon<std::string>("Gpu"), "fake");
  EXPECT_EQ(Daemon<std::string>("GpuNode"), "");
  player.Finish();
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), player.backend().frames());
  EXPECT_EQ(Daemon<uint64_t>("FramesFailed"), 0u) << "the CPU goes on";
  OnLoop([&] { control_->GpuNodeAdded("/dev/dri/renderD200"); });
  EXPECT_EQ(Daemon<std::string>("GpuState"), "lost") << "until a new start";
}

// A daemon that was started without the GPU that its recipe wants.
class DbusLateGpuTest : public DbusGpuStatisticsTest {
 protected:
  DbusLateGpuTest() { FakeGpu().absent = true; }
  ~DbusLateGpuTest() override { FakeGpu().absent = false; }
};

TEST_F(DbusLateGpuTest, IsLookedForWhenANodeIsAdded) {
  EXPECT_EQ(Daemon<std::string>("GpuState"), "none");
  OnLoop([&] { control_->GpuNodeAdded("/dev/dri/renderD200"); });
  EXPECT_EQ(Daemon<std::string>("GpuState"), "none") << "it is still away";
  FakeGpu().absent = false;
  OnLoop([&] { control_->GpuNodeAdded("/dev/dri/renderD200"); });
  EXPECT_TRUE(WaitFor(
      [&] { return Daemon<std::string>("GpuNode") == "/dev/dri/renderD200"; }));
  EXPECT_EQ(Daemon<std::string>("GpuState"), "ready");
  EXPECT_EQ(Daemon<std::string>("RecipeSource"), "configured");
  Player player(*this, kClip);
  player.Finish();
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("GpuFrames"), player.backend().frames());
}

TEST_F(DbusGpuStatisticsTest, CountWhatTheGpuWouldNotHave) {
  FakeGpu().imports = false;
  Player player(*this, kClip);
  player.Finish();
  Settle();
  EXPECT_EQ(Daemon<uint64_t>("GpuImports"), 0u);
  EXPECT_EQ(Daemon<uint64_t>("GpuImportsRefused"), player.backend().pictures());
  EXPECT_EQ(Daemon<uint64_t>("GpuFrames"), 0u);
  EXPECT_EQ(Daemon<uint64_t>("FramesDecoded"), player.backend().frames());
}

}  // namespace
}  // namespace perdix
