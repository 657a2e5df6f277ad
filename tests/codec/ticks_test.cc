// SPDX-License-Identifier: BSD-2-Clause
#include "codec/ticks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace perdix {
namespace {

uint64_t Milliseconds(uint64_t count) { return count * 1'000'000; }

TEST(TicksTest, AreAsLongAsTheKernelSays) {
  ObserveTicks();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  ObserveTicks();
  const uint64_t begin = Ticks();
  const uint64_t from = TraceNow();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const uint64_t end = Ticks();
  const uint64_t to = TraceNow();
  const double measured = double(end - begin) * NanosecondsPerTick();
  EXPECT_NEAR(measured, double(to - from), 0.02 * double(to - from));
  EXPECT_GE(to - from, Milliseconds(60));
}

TEST(TicksTest, KeepTheirLengthOnceItIsKnown) {
  ObserveTicks();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const double length = NanosecondsPerTick();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ObserveTicks();
  EXPECT_EQ(NanosecondsPerTick(), length);
}

}  // namespace
}  // namespace perdix
