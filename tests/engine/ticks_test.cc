// SPDX-License-Identifier: BSD-2-Clause
#include "engine/ticks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace perdix {
namespace {

using std::chrono::milliseconds;

constexpr int kTries = 100;

// Both clocks at one moment, in ticks and nanoseconds. A look that other
// programs interrupted is taken again.
struct Moment {
  Moment() {
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < kTries; ++i) {
      const uint64_t before = Ticks();
      const uint64_t now = TraceNow();
      const uint64_t spent = Ticks() - before;
      if (spent >= shortest) continue;
      shortest = spent;
      ticks = before;
      time = now;
    }
  }
  uint64_t ticks = 0;
  uint64_t time = 0;
};

// Until it is known, each call measures anew. Known it is after 50 ms, or later
// if the measuring was interrupted.
double KnownLength() {
  double length = NanosecondsPerTick();
  for (int i = 0; i < kTries; ++i) {
    std::this_thread::sleep_for(milliseconds(60));
    const double next = NanosecondsPerTick();
    if (next == length) return length;
    length = next;
  }
  ADD_FAILURE() << "after " << kTries << " times 60 ms still not known";
  return length;
}

TEST(TicksTest, AreAsLongAsTheKernelSays) {
  const double length = KnownLength();
  const Moment begin;
  std::this_thread::sleep_for(milliseconds(60));
  const Moment end;
  const auto time = double(end.time - begin.time);
  EXPECT_NEAR(double(end.ticks - begin.ticks) * length, time, 0.02 * time);
  EXPECT_GE(time, 60e6);
}

TEST(TicksTest, KeepTheirLengthOnceItIsKnown) {
  const double length = KnownLength();
  for (int i = 0; i < kTries; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    ObserveTicks();
    EXPECT_EQ(NanosecondsPerTick(), length);
  }
}

}  // namespace
}  // namespace perdix
