// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine_counters.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace perdix {
namespace {

TEST(CountersTest, EachCallCountsInItsField) {
  Counters counters;
  counters.CountFrame(true);
  counters.CountFrame(false);
  counters.CountFrame(false);
  counters.CountRedone();
  counters.CountImport(true);
  counters.CountImport(false);
  counters.CountImport(false);
  counters.CountSelfCheck();
  counters.CountSelfCheckFailure();
  counters.CountMotion(5);
  counters.CountMotion(7);
  const EngineCounters read = counters.Read();
  EXPECT_EQ(read.gpu_frames, 1u);
  EXPECT_EQ(read.cpu_frames, 2u);
  EXPECT_EQ(read.redone_frames, 1u);
  EXPECT_EQ(read.gpu_imports, 1u);
  EXPECT_EQ(read.gpu_refused, 2u);
  EXPECT_EQ(read.self_checks, 1u);
  EXPECT_EQ(read.self_check_failures, 1u);
  EXPECT_EQ(read.motion_sum, 12u);
  EXPECT_EQ(read.motion_frames, 2u);
}

TEST(CountersTest, NothingIsLostBetweenThreads) {
  Counters counters;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&counters] {
      for (int frame = 0; frame < 1000; ++frame) counters.CountFrame(true);
    });
  }
  threads.clear();
  EXPECT_EQ(counters.Read().gpu_frames, 4000u);
}

TEST(CountersTest, TextHasChecksAndMotionOnlyIfThereWereAny) {
  EngineCounters counters = {.gpu_frames = 3, .cpu_frames = 4};
  EXPECT_EQ(ToString(counters),
            "frames on the GPU 3, on the CPU 4, done again 0; buffers imported "
            "0, refused 0");
  counters.self_checks = 2;
  counters.motion_sum = 30;
  counters.motion_frames = 3;
  EXPECT_EQ(ToString(counters),
            "frames on the GPU 3, on the CPU 4, done again 0; buffers imported "
            "0, refused 0; self-checks 2, failed 0; motion a frame 10");
}

}  // namespace
}  // namespace perdix
