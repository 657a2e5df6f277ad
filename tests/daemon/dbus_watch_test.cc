// SPDX-License-Identifier: BSD-2-Clause
// A clip that moves, stands still, moves, is black and moves, as the daemon
// tells of it on the bus: the same whoever decodes it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "daemon/metrics.h"
#include "tests/daemon/dbus_fixture.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

using std::chrono::milliseconds;

constexpr const char* kClip = "screen_96x72.webm";
constexpr uint32_t kBlackLevel = 32;
constexpr milliseconds kFrameTime{10};  // at least

// What the test sees of the shown pictures.
class OwnLuma {
 public:
  void Add(const PictureView& picture) {
    const Plane& luma = picture.planes[kLuma];
    std::vector<uint8_t> now;
    for (uint32_t y = 0; y < luma.height; ++y)
      now.insert(now.end(), luma.Row<uint8_t>(y),
                 luma.Row<uint8_t>(y) + luma.width);
    const auto samples = double(now.size());
    mean_ = dark_ratio_ = 0;
    for (const uint8_t sample : now) {
      mean_ += sample / samples;
      dark_ratio_ += (sample <= kBlackLevel) / samples;
    }
    for (size_t i = 0; i < last_.size(); ++i)
      difference_ += std::abs(now[i] - last_[i]) / samples;
    ++pictures_;
    last_ = std::move(now);
  }

  double mean() const { return mean_; }
  double dark_ratio() const { return dark_ratio_; }
  double motion() const { return difference_ / (pictures_ - 1); }
  int pictures() const { return pictures_; }

 private:
  std::vector<uint8_t> last_;
  double mean_ = 0;
  double dark_ratio_ = 0;
  double difference_ = 0;
  int pictures_ = 0;
};

class DbusWatchTest : public DbusFixture,
                      public testing::WithParamInterface<const char*> {
 protected:
  DbusWatchTest() { FakeGpu().imports = true; }
  ~DbusWatchTest() override { FakeGpu().imports = false; }

  EngineOptions Options() const override {
    EngineOptions options = DbusFixture::Options();
    EXPECT_TRUE(Recipe::Parse(GetParam(), &options.recipe).ok());
    options.watch = {true, kBlackLevel};
    return options;
  }
  PictureWatchOptions Watch() const override {
    return {.on = true, .freeze_seconds = 0.1, .black_seconds = 0.1};
  }

  // Collects the session's signals from then on.
  void Listen(uint32_t id) {
    ASSERT_TRUE(WaitFor([&] { return ManagedObjects().size() == 1; }));
    session_ = client_->Object(SessionPath(id));
    session_->uponSignal("FreezeChanged")
        .onInterface(kSessionInterface)
        .call([this](bool frozen) { freezes_.push_back(frozen); });
    session_->uponSignal("BlackChanged")
        .onInterface(kSessionInterface)
        .call([this](bool black) { blacks_.push_back(black); });
    bus::BeginSignals(*session_);
  }
  void TearDown() override {
    session_.reset();
    DbusFixture::TearDown();
  }
  // Plays until so many signals have come, or to the end.
  void PlayUntil(Player& player, const std::vector<bool>& signals,
                 size_t count) {
    while (signals.size() < count && player.Step())
      client_->Process(kFrameTime);
  }

  ProxyPtr session_;
  std::vector<bool> freezes_;
  std::vector<bool> blacks_;
};

TEST_P(DbusWatchTest, SaysOnceEachWayThatItIsFrozenOrBlack) {
  OwnLuma own;
  Player player(*this, kClip);
  player.playback().set_shown(
      [&](const PictureView& picture) { own.Add(picture); });
  player.Step();
  const uint32_t id = player.backend().session();
  Listen(id);

  PlayUntil(player, freezes_, 1);
  Settle();
  EXPECT_GE(Session<uint64_t>(id, "FrozenUSec"), 100'000u);
  EXPECT_EQ(Session<uint64_t>(id, "BlackUSec"), 0u);
  EXPECT_LT(own.pictures(), 61) << "while it stands still";
  PlayUntil(player, blacks_, 1);
  Settle();
  EXPECT_GE(Session<uint64_t>(id, "BlackUSec"), 100'000u);
  EXPECT_EQ(Session<double>(id, "DarkRatio"), 1);
  const std::string text =
      loop_.joinable()
          ? ToPrometheus(calls_.Call([&] { return control_->Look(); }))
          : "";
  EXPECT_NE(text.find("perdix_session_black_seconds{session=\"" +
                      std::to_string(id) + "\",client=\"player\"} 0."),
            std::string::npos)
      << text;

  PlayUntil(player, freezes_, 100);
  player.Finish();
  client_->Process(milliseconds(100));
  EXPECT_EQ(freezes_, (std::vector{true, false, true, false}));
  EXPECT_EQ(blacks_, (std::vector{true, false}));
  EXPECT_EQ(own.pictures(), 130);
  EXPECT_GT(player.backend().frames(), 130u) << "some are hidden";
  EXPECT_EQ(Session<uint64_t>(id, "FrozenUSec"), 0u);
  EXPECT_EQ(Session<uint64_t>(id, "BlackUSec"), 0u);
  EXPECT_NEAR(Session<double>(id, "LumaMean"), own.mean(), 1e-9);
  EXPECT_NEAR(Session<double>(id, "DarkRatio"), own.dark_ratio(), 1e-9);
  EXPECT_NEAR(Session<double>(id, "Motion"), own.motion(), 1e-9);
  EXPECT_TRUE(Daemon<bool>("Watch"));
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, DbusWatchTest,
    testing::Values("scalar", "simd", "vulkan", "simd,vp9_loop_filter=vulkan",
                    "vulkan,vp9_loop_filter=simd"),
    [](const testing::TestParamInfo<const char*>& info) {
      std::string name = info.param;
      std::ranges::replace_if(
          name, [](char c) { return c == ',' || c == '='; }, '_');
      return name;
    });

}  // namespace
}  // namespace perdix
