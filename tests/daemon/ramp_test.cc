// SPDX-License-Identifier: BSD-2-Clause
// Streams that change their size at key frames, 720 to 1080 to 2160 lines and
// back, over and over, in one session and in several at once: every frame is
// right, and nothing grows. The streams are made by ramps/make.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/inprocess/engine_backend.h"
#include "tests/daemon/node_backend.h"
#include "tests/daemon/playback.h"

namespace perdix {
namespace {

constexpr const char* kRamps[] = {"../daemon/ramps/ramp_8b.ivf",
                                  "../daemon/ramps/ramp_10b.ivf"};
constexpr size_t kFrames = 10;  // of a ramp

EngineOptions TwoThreads() {
  return {.threads = 2, .recipe = {}, .measure = {}};
}

const std::vector<size_t>& Expected(const std::string& ramp) {
  static std::map<std::string, std::vector<size_t>> known;
  std::vector<size_t>& frames = known[ramp];
  if (!frames.empty()) return frames;
  Engine engine(TwoThreads());
  client::EngineBackend backend(engine, client::av1::kCodec, true);
  Playback run(backend, ramp);
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_EQ(run.frames().size(), kFrames);
  return frames = run.frames();
}

// The descriptors of this process: the daemon's and the clients' together.
size_t Descriptors() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += !entry.path().empty();
  return count;
}
size_t MappedBuffers() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("memfd:buffer") != std::string::npos;
  return count;
}

struct Held {
  size_t buffers;
  size_t descriptors;
  size_t mappings;
  uint64_t private_bytes;
};

Held Count(NodeHost& host) {
  host.Pump();
  const NodeTotals totals = host.node().Totals();
  return {totals.buffers, Descriptors(), MappedBuffers(), totals.private_bytes};
}

// A thread of the engine may give a picture back when the next frame has taken
// a new one already. Such pictures stay, two at most, whatever the rounds.
constexpr uint64_t kLate = 2 * 1920 * 1080 * 3;  // P010

void ExpectNoMore(const Held& now, const Held& before) {
  EXPECT_LE(now.buffers, before.buffers);
  EXPECT_LE(now.descriptors, before.descriptors);
  EXPECT_LE(now.mappings, before.mappings);
  EXPECT_LE(now.private_bytes, before.private_bytes + kLate);
}

// What sessions have left when they are gone: at once, or when the engine's
// threads have let go.
void ExpectNothing(NodeHost& host, const Held& before) {
  Held left = Count(host);
  for (int i = 0; i < 500 && left.private_bytes != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    left = Count(host);
  }
  EXPECT_EQ(left.buffers, 0u);
  EXPECT_EQ(left.private_bytes, 0u);
  EXPECT_EQ(left.mappings, 0u);
  EXPECT_EQ(left.descriptors, before.descriptors);
}

TEST(RampTest, OneSessionHoldsNoMoreTheThirdTimeThanTheFirst) {
  NodeHost host(TwoThreads());
  const Held before = Count(host);
  {
    NodeBackend backend(host, client::av1::kCodec);
    std::vector<Held> held;
    for (int round = 0; round < 3; ++round) {
      for (const char* ramp : kRamps) {
        Playback run(backend, ramp);
        run.Finish();
        EXPECT_EQ(run.failures(), 0) << ramp;
        EXPECT_EQ(run.frames(), Expected(ramp)) << ramp;
      }
      held.push_back(Count(host));
    }
    ExpectNoMore(held[2], held[0]);
    // An open session keeps what its last frames were decoded to.
    EXPECT_GT(held[2].buffers, 0u);
  }
  ExpectNothing(host, before);
}

TEST(RampTest, SeveralSessionsAtOnceLeaveNothing) {
  NodeHost host(TwoThreads());
  const Held before = Count(host);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<NodeBackend>> backends;
    std::vector<std::unique_ptr<Playback>> runs;
    for (int i = 0; i < 4; ++i) {
      backends.push_back(
          std::make_unique<NodeBackend>(host, client::av1::kCodec));
      runs.push_back(
          std::make_unique<Playback>(*backends.back(), kRamps[i % 2]));
      runs.back()->Steps(i);  // each is at another size
    }
    for (bool more = true; more;) {
      more = false;
      for (const auto& run : runs) more |= run->Step();
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      EXPECT_EQ(runs[i]->failures(), 0) << i;
      EXPECT_EQ(runs[i]->frames(), Expected(kRamps[i % 2])) << i;
    }
    runs.clear();
    backends.clear();
    ExpectNothing(host, before);
  }
}

}  // namespace
}  // namespace perdix
