// SPDX-License-Identifier: BSD-2-Clause
// Every property of every object, over the bus, against what the test fed the
// node and counted and timed itself.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "client/bitstream/av1/codec.h"
#include "tests/daemon/property_checks.h"

namespace perdix {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr double kMostError = 0.05;  // of a latency
// For which a busy machine may stop the daemon between our clock and its own.
constexpr uint64_t kNoCpuUSec = 500000;

class DbusStatisticsTest : public PropertiesFixture {
 protected:
  // Long enough that the time between two looks at a clock is nothing.
  EngineOptions Options() const override {
    EngineOptions options = DbusFixture::Options();
    options.observer = [](const FrameJob&) {
      static std::atomic<int> frames = 0;
      std::this_thread::sleep_for(milliseconds(10 + 7 * frames++ % 30));
    };
    return options;
  }

  // In microseconds, upwards.
  std::vector<double> OwnLatencies(uint32_t session) {
    std::vector<double> latencies;
    for (const auto& [job, latency] : host_->channel().latencies()) {
      if (job >> 32 == session)
        latencies.push_back(double(latency.count()) / 1000);
    }
    std::ranges::sort(latencies);
    return latencies;
  }
  static double Exact(const std::vector<double>& own, double fraction) {
    const auto rank = size_t(std::ceil(fraction * double(own.size())));
    return own[std::max<size_t>(rank, 1) - 1];
  }
  static Check Percentile(const std::vector<double>& own, double fraction) {
    if (own.empty()) return Is(uint64_t{0});
    const double exact = Exact(own, fraction);
    return Between(uint64_t(exact * (1 - kMostError)),
                   uint64_t(exact * (1 + kMostError)) + kNoCpuUSec);
  }
  // The buckets up to each bound have no more latencies than there are.
  static Check Histogram(const std::vector<double>& own) {
    return [=](const sdbus::Variant& value, const std::string& name) {
      uint64_t frames = 0;
      for (const auto& bucket : value.get<BucketsValue>()) {
        const double most = double(std::get<0>(bucket)) * (1 + kMostError);
        frames += std::get<1>(bucket);
        EXPECT_LE(frames, std::ranges::upper_bound(own, most) - own.begin())
            << name;
      }
      EXPECT_EQ(frames, own.size()) << name;
    };
  }
  // Frames that ended since then.
  static Check Rate(uint64_t frames, steady_clock::time_point begun) {
    const double most = double(frames) / 2;  // of two seconds
    const bool all = steady_clock::now() - begun < milliseconds(1850);
    return Between(all ? most : 0, most);
  }
  // All stages together, of all threads.
  static Check Stages(steady_clock::duration most) {
    return [=](const sdbus::Variant& value, const std::string& name) {
      std::chrono::microseconds sum{0};
      for (const auto& stage : value.get<StageTimesValue>())
        sum += std::chrono::microseconds(std::get<2>(stage));
      EXPECT_GT(sum.count(), 0) << name;
      EXPECT_LE(sum, most) << name;
    };
  }

  struct Counted {
    uint64_t decoded = 0;
    uint64_t failed = 0;
    uint64_t dropped = 0;
  };
  Checks SessionChecks(const Player& player, const Counted& counted,
                       uint64_t opened, steady_clock::time_point begun) {
    const uint32_t id = player.backend().session();
    const auto own = OwnLatencies(id);
    return {{"Id", Is(id)},
            {"ClientPid", Is(kClientPid)},
            {"ClientName", Is(std::string(kClientName))},
            {"OpenedUSec", Between(opened, WallClockUSec())},
            {"FramesDecoded", Is(counted.decoded)},
            {"FramesFailed", Is(counted.failed)},
            {"FramesDropped", Is(counted.dropped)},
            {"BytesIn", Is(player.backend().bytes())},
            {"Fps", Rate(player.backend().frames(), begun)},
            {"LatencyP50USec", Percentile(own, 0.5)},
            {"LatencyP95USec", Percentile(own, 0.95)},
            {"LatencyP99USec", Percentile(own, 0.99)},
            {"LatencyMaxUSec", Percentile(own, 1)},
            {"LatencyHistogram", Histogram(own)},
            {"StageUSec", Stages(2 * (steady_clock::now() - begun))},
            {"Motion", Is(0.0)},
            {"LumaMean", Is(0.0)},
            {"DarkRatio", Is(0.0)},
            {"FrozenUSec", Is(uint64_t{0})},
            {"BlackUSec", Is(uint64_t{0})},
            {"Codec", Is(std::string("VP9"))},
            {"Profile", Is(0u)},
            {"Width", Is(176u)},
            {"Height", Is(144u)},
            {"BitDepth", Is(8u)},
            {"FilmGrain", Is(false)},
            {"PrivateBytes", Is(uint64_t{0})}};
  }
};

TEST_F(DbusStatisticsTest, AreWhatTheTestCounted) {
  if (std::filesystem::exists("/sys/module/perdix"))
    GTEST_SKIP() << "this machine has nodes of its own";
  const auto begun = steady_clock::now();
  const uint64_t opened = WallClockUSec();
  uint64_t frames = 0;
  uint64_t bytes = 0;
  uint64_t buffers = 0;
  const auto add = [&](const Player& player) {
    const NodeBackend& backend = player.backend();
    frames += backend.frames();
    bytes += backend.bytes();
    buffers += backend.bitstreams() + backend.pictures();
  };
  {  // one that is gone when we look
    Player gone(*this, "small_2x2.ivf");
    gone.Finish();
    add(gone);
  }
  const uint64_t gone_frames = frames;

  // One whose frames nobody waits for.
  Player unwanted(*this, "small_2x2.ivf");
  host_->channel().set_answer_error(-ENOENT);
  unwanted.Finish();
  host_->channel().set_answer_error(0);
  const Counted of_unwanted = {.dropped = unwanted.backend().frames()};
  add(unwanted);

  // One that is damaged from the twelfth packet on.
  const auto damaged_begun = steady_clock::now();
  Player damaged(*this, "resilient_176x144.ivf");
  for (int i = 0; i < 11; ++i) damaged.Step();
  damaged.Settle();
  Counted of_damaged = {.decoded = damaged.backend().frames()};
  damaged.backend().set_truncate(1);
  damaged.Finish();
  of_damaged.failed = damaged.backend().frames() - of_damaged.decoded;
  ASSERT_GT(of_damaged.decoded, 5u);
  ASSERT_GT(of_damaged.failed, 5u);
  add(damaged);

  const auto took = steady_clock::now() - begun;
  Checks daemon = IdleDaemon();
  daemon["SessionsOpen"] = Is(2u);
  daemon["Sessions"] = Is(uint64_t{3});
  daemon["FramesDecoded"] = Is(gone_frames + of_damaged.decoded);
  daemon["FramesFailed"] = Is(of_damaged.failed);
  daemon["FramesDropped"] = Is(of_unwanted.dropped);
  daemon["BytesIn"] = Is(bytes);
  daemon["Buffers"] = Is(uint32_t(host_->channel().buffers()));
  daemon["BufferImports"] = Is(buffers);
  daemon["StageUSec"] = Stages(2 * took);
  ExpectAll(kDaemonPath, kDaemonInterface, daemon);

  ExpectAll(SessionPath(damaged.backend().session()), kSessionInterface,
            SessionChecks(damaged, of_damaged, opened, damaged_begun));
  Checks dropped = SessionChecks(unwanted, of_unwanted, opened, begun);
  dropped["Codec"] = Is(std::string());  // nothing was decoded
  dropped["Width"] = dropped["Height"] = dropped["BitDepth"] = Is(0u);
  ExpectAll(SessionPath(unwanted.backend().session()), kSessionInterface,
            dropped);
}

// Pictures of AV1 in 10 bit with film grain, which the daemon keeps without it.
TEST_F(DbusStatisticsTest, NamePicturesBesideTheClients) {
  Player player(*this, "av1/grain10_176x72.ivf", client::av1::kCodec);
  player.Finish();
  Settle();
  auto [daemon, sessions] = Statistics();
  const sdbus::ObjectPath path(SessionPath(player.backend().session()));
  Variants& session = sessions[path];
  EXPECT_EQ(session["Codec"].get<std::string>(), "AV1");
  EXPECT_EQ(session["BitDepth"].get<uint32_t>(), 10u);
  EXPECT_TRUE(session["FilmGrain"].get<bool>());
  const auto bytes = session["PrivateBytes"].get<uint64_t>();
  EXPECT_GE(bytes, 176u * 72 * 3);  // one picture
  EXPECT_EQ(bytes, host_->node().Totals().private_bytes);
  EXPECT_EQ(daemon["PrivateBytes"].get<uint64_t>(), bytes);
}

// Without kNoCpuUSec, so in one of a few attempts.
TEST_F(DbusStatisticsTest, LatenciesAreWithinFivePercentOfOurClock) {
  std::string wrong;
  for (int attempt = 0; attempt < 5; ++attempt) {
    wrong.clear();
    Player player(*this, "small_2x2.ivf");
    player.Finish();
    Settle();
    const uint32_t id = player.backend().session();
    const auto own = OwnLatencies(id);
    ASSERT_EQ(own.size(), player.backend().frames());
    for (const auto& [name, fraction] :
         {std::pair("LatencyP50USec", 0.5), std::pair("LatencyP95USec", 0.95),
          std::pair("LatencyP99USec", 0.99),
          std::pair("LatencyMaxUSec", 1.0)}) {
      const double exact = Exact(own, fraction);
      const auto told = double(Session<uint64_t>(id, name));
      if (std::abs(told - exact) > kMostError * exact)
        wrong += std::string(name) + " " + std::to_string(told) +
                 ", by our clock " + std::to_string(exact) + "\n";
    }
    if (wrong.empty()) break;
  }
  EXPECT_EQ(wrong, "");
}

}  // namespace
}  // namespace perdix
