// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "engine/engine.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

void Play(Engine& engine) {
  client::EngineBackend backend(engine, client::vp9::kCodec, false);
  client::Stream stream(
      backend,
      {.shown = [](const client::Image&) { return true; },
       .failed = [](const client::Position&, const Status&) { return false; }});
  std::unique_ptr<client::Container> container;
  ASSERT_TRUE(
      client::Container::Open(PERDIX_CLIPS "/demo.webm", &container).ok());
  client::Packet packet;
  bool end = false;
  while (container->Next(&packet, &end).ok() && !end)
    ASSERT_TRUE(stream.Decode(packet.data, packet.owner));
  stream.Flush();
}

class FairnessTest : public testing::TestWithParam<int> {};  // threads

// When the first of <count> streams that begin together ended, 1 being the
// last.
double FirstEnd(Engine& engine, int count) {
  std::latch begin(count);
  std::vector<steady_clock::time_point> began(size_t(count),
                                              steady_clock::now());
  std::vector<steady_clock::time_point> ended = began;
  {
    std::vector<std::jthread> players;
    for (size_t i = 0; i < ended.size(); ++i) {
      players.emplace_back([&, i] {
        begin.arrive_and_wait();
        began[i] = steady_clock::now();
        Play(engine);
        ended[i] = steady_clock::now();
      });
    }
  }
  const auto start = *std::ranges::min_element(began);
  const std::chrono::duration<double> first =
      *std::ranges::min_element(ended) - start;
  const std::chrono::duration<double> last =
      *std::ranges::max_element(ended) - start;
  return first / last;
}

// With a turn of a whole stream each, the first of four would be over after a
// quarter of the time. On a busy machine a player may come late: best of five.
TEST_P(FairnessTest, StreamsThatBeginTogetherEndTogether) {
  Engine engine({.threads = GetParam(), .recipe = {}, .measure = {}});
  double best = 0;
  for (int i = 0; i < 5 && best < 0.7; ++i)
    best = std::max(best, FirstEnd(engine, 4));
  EXPECT_GT(best, 0.7);
}

INSTANTIATE_TEST_SUITE_P(All, FairnessTest, testing::Values(1, 2));

}  // namespace
}  // namespace perdix
