// SPDX-License-Identifier: BSD-2-Clause
// Traces and the counters of a stream: complete, true to each other, and out of
// the way of decoding.
#include "engine/trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "engine/tracer.h"
#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"
#include "tests/engine/parsed_trace.h"

namespace perdix {
namespace {

constexpr uint32_t kAllOnGpu = 15;
constexpr uint32_t kFirstAndLastOnGpu = 9;
constexpr const char* kClip = "tiles_512x288.webm";

// A clip on its way through an engine.
class Player {
 public:
  explicit Player(Engine& engine)
      : backend_(engine, client::vp9::kCodec, true),
        stream_(backend_, {.shown = [](const client::Image&) { return true; },
                           .failed = [](const client::Position&,
                                        const Status&) { return false; }}) {
    EXPECT_TRUE(client::Container::Open(PERDIX_CLIPS + std::string("/") + kClip,
                                        &container_)
                    .ok());
  }

  // Returns whether there is more.
  bool Decode(int packets) {
    client::Packet packet;
    bool end = false;
    for (int i = 0; i < packets; ++i) {
      if (!container_->Next(&packet, &end).ok() || end) return false;
      EXPECT_TRUE(stream_.Decode(packet.data, packet.owner));
    }
    return true;
  }
  void DecodeAll() {
    while (Decode(1)) {
    }
    stream_.Flush();
  }

  const Decoder& decoder() const { return backend_.decoder(); }

 private:
  client::EngineBackend backend_;
  client::Stream stream_;
  std::unique_ptr<client::Container> container_;
};

// What done() was called with.
struct Traces {
  std::function<void(Trace)> Taker() {
    return [this](Trace made) {
      trace = std::move(made);
      ++calls;
    };
  }
  std::optional<Trace> trace;
  std::atomic<int> calls{0};
};

EngineOptions Measuring(int threads, uint32_t gpu_mask = 0) {
  EngineOptions options;
  options.threads = threads;
  options.recipe = MixedRecipe(gpu_mask);
  options.measure = true;
  return options;
}

uint64_t FramesOf(const Engine& engine) {
  const EngineCounters counters = engine.counters();
  return counters.gpu_frames + counters.cpu_frames;
}

void ExpectSumsAre(const ParsedTrace& trace,
                   const std::vector<StageTime>& times) {
  for (const StageTime& time : times) {
    const double microseconds = double(time.nanoseconds) / 1000;
    EXPECT_NEAR(trace.Sum(time.stage, time.variant == "vulkan"), microseconds,
                0.01 * microseconds + 1)
        << time.stage << " " << time.variant;
  }
}

TEST(TraceTest, HasEveryFrameOnceAndTheTimeOfEachStage) {
  for (const int threads : {1, 2, 4}) {
    Engine engine(Measuring(threads));
    Traces traces;
    ASSERT_TRUE(engine.StartTrace(kMaxTraceFrames, traces.Taker()).ok());
    std::make_unique<Player>(engine)->DecodeAll();
    engine.EndTrace();
    ASSERT_EQ(traces.calls, 1);
    const std::string json = traces.trace->ToJson();
    const char* const what =
        R"("codec":"vp9","bit_depth":8,"film_grain":false)";
    EXPECT_NE(json.find(what), std::string::npos);
    const ParsedTrace trace = ParseTrace(json);
    ASSERT_EQ(trace.frames.size(), FramesOf(engine));
    EXPECT_EQ(trace.frames.begin()->first, std::pair(1u, 1u));
    EXPECT_EQ(trace.frames.rbegin()->first,
              std::pair(1u, traces.trace->frames()));
    EXPECT_EQ(trace.metadata["events_dropped"], 0);
    EXPECT_EQ(trace.metadata["gpu_clock"], "none");
    ExpectSumsAre(trace, engine.StageTimes());
  }
}

TEST(TraceTest, PlacesTheGpusWorkInsideItsFrames) {
  FakeGpu().delay_us = 500;
  for (const uint32_t mask : {kAllOnGpu, kFirstAndLastOnGpu}) {
    Engine engine(Measuring(2, mask));
    Traces traces;
    ASSERT_TRUE(engine.StartTrace(kMaxTraceFrames, traces.Taker()).ok());
    std::make_unique<Player>(engine)->DecodeAll();
    engine.EndTrace();
    const ParsedTrace trace = ParseTrace(traces.trace->ToJson());
    EXPECT_EQ(trace.frames.size(), FramesOf(engine));
    EXPECT_EQ(trace.metadata["gpu"], "fake");
    EXPECT_EQ(trace.metadata["gpu_clock"], "aligned to submit and completion");
    ExpectGpuInsideFrames(trace);
    ExpectSumsAre(trace, engine.StageTimes());
  }
  FakeGpu().delay_us = 0;
}

TEST(TraceTest, HasTwoStreamsAtOnceAndEachHasItsCounters) {
  Engine engine(Measuring(2));
  Traces traces;
  ASSERT_TRUE(engine.StartTrace(kMaxTraceFrames, traces.Taker()).ok());
  {
    Player first(engine);
    Player second(engine);
    EXPECT_EQ(first.decoder().number(), 1u);
    EXPECT_EQ(second.decoder().number(), 2u);
    std::thread other([&] { second.DecodeAll(); });
    first.DecodeAll();
    other.join();
    const auto all = engine.StageTimes();
    const auto one = first.decoder().counters().stages;
    const auto two = second.decoder().counters().stages;
    ASSERT_EQ(one.size(), all.size());
    ASSERT_EQ(two.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(one[i].stage, all[i].stage);
      const bool used =
          all[i].stage.starts_with("vp9_") || all[i].stage == "entropy";
      EXPECT_EQ(one[i].nanoseconds != 0, used) << all[i].stage;
      // within the first 50 ms a tick's length becomes known better
      EXPECT_NEAR(double(one[i].nanoseconds + two[i].nanoseconds),
                  double(all[i].nanoseconds),
                  2 + 1e-3 * double(all[i].nanoseconds));
    }
  }
  engine.EndTrace();
  const ParsedTrace trace = ParseTrace(traces.trace->ToJson());
  const auto frames = uint32_t(FramesOf(engine) / 2);
  EXPECT_EQ(trace.frames.size(), 2 * frames);
  EXPECT_TRUE(trace.frames.contains({1, frames}));
  EXPECT_TRUE(trace.frames.contains({2, frames}));
  ExpectSumsAre(trace, engine.StageTimes());  // of streams that are gone
}

TEST(TraceTest, EndsWithTheFramesAskedFor) {
  Engine engine(Measuring(2));
  Traces traces;
  ASSERT_TRUE(engine.StartTrace(5, traces.Taker()).ok());
  std::make_unique<Player>(engine)->DecodeAll();
  ASSERT_EQ(traces.calls, 1);
  EXPECT_EQ(traces.trace->frames(), 5u);
  const ParsedTrace trace = ParseTrace(traces.trace->ToJson());
  for (uint32_t frame = 1; frame <= 5; ++frame) {
    EXPECT_TRUE(trace.frames.contains({1, frame})) << frame;
  }
  engine.EndTrace();
  EXPECT_EQ(traces.calls, 1);
}

TEST(TraceTest, CanBeEndedInTheMiddleAndBegunAgain) {
  Engine engine(Measuring(4));
  Traces first;
  Traces second;
  {
    Player player(engine);
    ASSERT_TRUE(engine.StartTrace(kMaxTraceFrames, first.Taker()).ok());
    ASSERT_TRUE(player.Decode(12));
    engine.EndTrace();
    ASSERT_EQ(first.calls, 1);
    ASSERT_TRUE(engine.StartTrace(kMaxTraceFrames, second.Taker()).ok());
    player.DecodeAll();
  }
  engine.EndTrace();
  EXPECT_EQ(first.calls, 1);
  ASSERT_EQ(second.calls, 1);
  const ParsedTrace before = ParseTrace(first.trace->ToJson());
  const ParsedTrace after = ParseTrace(second.trace->ToJson());
  EXPECT_GT(before.frames.size(), 0u);
  EXPECT_GT(after.frames.size(), 0u);
  for (const auto& [id, frame] : after.frames) {
    EXPECT_FALSE(before.frames.contains(id)) << frame.name;
  }
  EXPECT_LE(before.frames.size() + after.frames.size(), FramesOf(engine));
}

TEST(TraceTest, IsRefusedWhileOneIsRunning) {
  Traces traces;  // engine ends the last one
  Traces other;
  Engine engine(Measuring(1));
  ASSERT_TRUE(engine.StartTrace(20, traces.Taker()).ok());
  const Status status = engine.StartTrace(20, other.Taker());
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "a trace is running: 0 of its 20 frames are done");
  engine.EndTrace();
  EXPECT_EQ(traces.calls, 1);
  EXPECT_EQ(other.calls, 0);
  EXPECT_TRUE(engine.StartTrace(20, other.Taker()).ok());
}

TEST(TraceTest, IsOfOneToAThousandFrames) {
  Engine engine(Measuring(1));
  Traces traces;
  for (const uint32_t frames : {0u, 1001u}) {
    const Status status = engine.StartTrace(frames, traces.Taker());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "frames of a trace: got " +
                                    std::to_string(frames) +
                                    ", allowed 1 to 1000");
  }
  engine.EndTrace();
  EXPECT_EQ(traces.calls, 0);
}

TEST(TraceTest, EndsWithTheEngine) {
  Traces traces;
  {
    Engine engine(Measuring(1));
    ASSERT_TRUE(engine.StartTrace(1, traces.Taker()).ok());
  }
  ASSERT_EQ(traces.calls, 1);
  EXPECT_EQ(traces.trace->frames(), 0u);
}

TEST(TraceTest, CanBeBegunByTheEndOfAnother) {
  Engine engine(Measuring(2));
  Traces second;
  std::atomic<bool> begun{false};
  ASSERT_TRUE(engine
                  .StartTrace(3,
                              [&](const Trace&) {
                                begun =
                                    engine.StartTrace(3, second.Taker()).ok();
                              })
                  .ok());
  std::make_unique<Player>(engine)->DecodeAll();
  EXPECT_TRUE(begun);
  ASSERT_EQ(second.calls, 1);
  EXPECT_EQ(second.trace->frames(), 3u);
}

TEST(TraceTest, NeedsNoMeasuring) {
  Engine engine({.threads = 2});
  Traces traces;
  ASSERT_TRUE(engine.StartTrace(3, traces.Taker()).ok());
  Player player(engine);
  player.DecodeAll();
  EXPECT_TRUE(engine.StageTimes().empty());
  EXPECT_TRUE(player.decoder().counters().stages.empty());
  ASSERT_EQ(traces.calls, 1);
  EXPECT_GT(ParseTrace(traces.trace->ToJson()).Sum("entropy", false), 0);
}

TEST(StreamCountersTest, HaveTheMotionOfTheStream) {
  EngineOptions options;
  options.threads = 2;
  options.recipe = MixedRecipe(kAllOnGpu);
  options.watch.on = true;
  Engine engine(options);
  Player first(engine);
  first.DecodeAll();
  const StreamCounters counters = first.decoder().counters();
  EXPECT_GT(counters.motion_sum, 0u);
  EXPECT_EQ(counters.motion_sum, engine.counters().motion_sum);
  EXPECT_EQ(counters.motion_frames, engine.counters().motion_frames);
  Player second(engine);
  second.DecodeAll();
  EXPECT_EQ(second.decoder().counters().motion_sum, counters.motion_sum);
  EXPECT_EQ(engine.counters().motion_sum, 2 * counters.motion_sum);
}

// ---- Tracer, alone ----

TEST(TracerTest, CountsWhatItHasNoRoomFor) {
  constexpr uint32_t kTooMany = 1234;
  Tracer tracer(1);
  Traces traces;
  ASSERT_TRUE(tracer.Start(1, "", traces.Taker()).ok());
  TraceEvent event;
  for (uint32_t i = 0; i < kMaxTraceEvents + kTooMany; ++i) {
    event.begin = event.end = TraceNow();
    tracer.Add(event);
  }
  tracer.End();
  const std::string json = traces.trace->ToJson();
  EXPECT_NE(json.find("\"events_dropped\":1234,"), std::string::npos);
  EXPECT_LT(json.size(), size_t{kMaxTraceEvents} * 200);
}

// Times of the GPU in microseconds from the beginning of the trace.
class GpuPlacementTest : public testing::Test {
 protected:
  GpuPlacementTest() {
    EXPECT_TRUE(tracer_.Start(1, "gpu", traces_.Taker()).ok());
    begin_ = TraceNow();  // not before: the trace leaves out what began earlier
  }
  // A stage of 100 us.
  void Report(uint64_t submitted_us, uint64_t reported_us, uint64_t begun_us) {
    constexpr KernelId kKernels[] = {KernelId::kVp9InterPred};
    vulkan::GpuFrameResult result;
    result.nanoseconds[0] = 100'000;
    if (begun_us != 0) result.begun = begin_ + 1000 * begun_us;
    TraceEvent what;
    what.begin = begin_ + 1000 * submitted_us;
    what.end = begin_ + 1000 * reported_us;
    tracer_.AddGpu(what, kKernels, result);
  }
  void ExpectAt(std::vector<std::pair<double, double>> expected) {
    tracer_.End();
    const ParsedTrace trace = ParseTrace(traces_.trace->ToJson());
    ASSERT_EQ(trace.work.size(), expected.size());
    const double first = trace.work[0].begin - expected[0].first;
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(trace.work[i].begin - first, expected[i].first, 0.01);
      EXPECT_NEAR(trace.work[i].end - first, expected[i].second, 0.01);
    }
  }

  Tracer tracer_{1};
  Traces traces_;
  uint64_t begin_ = 0;
};

TEST_F(GpuPlacementTest, ByItsOwnClock) {
  Report(1000, 2000, 1100);
  Report(1000, 3000, 2500);
  ExpectAt({{1100, 1200}, {2500, 2600}});
}

TEST_F(GpuPlacementTest, ByTheReportWithoutOne) {
  Report(1000, 2000, 0);
  Report(1000, 3000, 0);
  ExpectAt({{1900, 2000}, {2900, 3000}});
}

TEST_F(GpuPlacementTest, BetweenSubmitAndReportWhateverItsClockSays) {
  Report(1000, 2000, 900);
  Report(2000, 3000, 3500);
  ExpectAt({{1000, 1100}, {2900, 3000}});
}

TEST_F(GpuPlacementTest, BehindItsLastWorkAndShorterIfItMust) {
  Report(1000, 2000, 0);
  Report(1000, 2050, 0);
  ExpectAt({{1900, 2000}, {2000, 2050}});
}

}  // namespace
}  // namespace perdix
