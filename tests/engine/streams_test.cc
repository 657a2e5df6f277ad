// SPDX-License-Identifier: BSD-2-Clause
#include "engine/streams.h"

#include <gtest/gtest.h>

#include <string_view>

namespace perdix {
namespace {

uint64_t Nanoseconds(const Streams& streams, std::string_view variant) {
  const char* const stage = RowOf(KernelId::kVp9LoopFilter).key;
  for (const StageTime& time : streams.StageTimes(Recipe())) {
    if (time.stage == stage && time.variant == variant) return time.nanoseconds;
  }
  return 0;
}

TEST(StreamsTest, AreNumberedFromOneAndNumbersAreNotUsedAgain) {
  Streams streams(false);
  const StageClocks a, b;
  EXPECT_EQ(streams.Add(&a), 1u);
  EXPECT_EQ(streams.Add(&b), 2u);
  streams.Remove(&a);
  EXPECT_EQ(streams.Add(&a), 3u);
}

TEST(StreamsTest, TheSumKeepsTheTimesOfStreamsThatAreGone) {
  Streams streams(true);
  StageClocks stays;
  streams.Add(&stays);
  stays.gpu[size_t(KernelId::kVp9LoopFilter)] = 100;
  {
    StageClocks goes;
    streams.Add(&goes);
    goes.gpu[size_t(KernelId::kVp9LoopFilter)] = 20;
    EXPECT_EQ(Nanoseconds(streams, "vulkan"), 120u);
    streams.Remove(&goes);
  }
  stays.gpu[size_t(KernelId::kVp9LoopFilter)] = 101;
  EXPECT_EQ(Nanoseconds(streams, "vulkan"), 121u);
}

TEST(StreamsTest, HaveNoTimesUnlessMeasuring) {
  Streams streams(false);
  const StageClocks clocks;
  streams.Add(&clocks);
  EXPECT_TRUE(streams.StageTimes(Recipe()).empty());
}

TEST(StreamsTest, CountThoseThatHaveWork) {
  Streams streams(false);
  EXPECT_EQ(streams.busy(), 0);
  streams.BecomesBusy();
  streams.BecomesBusy();
  EXPECT_EQ(streams.busy(), 2);
  streams.BecomesIdle();
  EXPECT_EQ(streams.busy(), 1);
}

}  // namespace
}  // namespace perdix
