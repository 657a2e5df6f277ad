// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "tests/kernels/av1/filter_frame.h"

namespace perdix::av1 {
namespace {

class Av1LoopRestorationTest : public FilterTest {};

TEST_P(Av1LoopRestorationTest, EqualsTheSpecification) {
  TestRandom random(1);
  for (int i = 0; i < 40; ++i) {
    FilterOptions options = RandomOptions(random, i < 30 ? 140 : 300);
    options.restoration = true;
    FilterFrame frame(options, random);
    ExpectLikeSpec(frame, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Av1LoopRestorationTest, SeesTheLinesThatEarlierFiltersChange) {
  TestRandom random(2);
  for (int i = 0; i < 60; ++i) {
    FilterOptions options = RandomOptions(random, i < 40 ? 140 : 300);
    options.restoration = true;
    options.deblock = random.OneIn(2);
    options.cdef = random.OneIn(2);
    options.superres_denom = random.OneIn(2) ? 8 : random.Uniform(9, 16);
    FilterFrame frame(options, random);
    ExpectLikeSpec(frame, random);
    if (HasFatalFailure()) return;
  }
}

// Races show under -fsanitize=thread.
TEST_P(Av1LoopRestorationTest, RunsBesideTheOtherFilters) {
  TestRandom random(5);
  for (int i = 0; i < 24; ++i) {
    FilterOptions options = RandomOptions(random, 300);
    options.height = 300;
    options.restoration = i % 4 != 3;
    options.deblock = random.OneIn(2);
    options.cdef = i % 3 != 2;
    options.superres_denom = random.OneIn(2) ? 8 : random.Uniform(9, 16);
    FilterFrame frame(options, random);
    frame.RunOnThreads();
    frame.ExpectEqual(SpecFilterFrame(frame.state(), frame.reconstructed()),
                      false);
    if (HasFatalFailure()) return;
  }
}

// The last row of superblocks has one stripe or two.
TEST_P(Av1LoopRestorationTest, EndsAtAnyHeight) {
  TestRandom random(3);
  for (int height = 117; height <= 139; ++height) {
    for (const int sb_log2 : {6, 7}) {
      FilterOptions options = RandomOptions(random, 70);
      options.height = height;
      options.sb_log2 = sb_log2;
      options.restoration = true;
      options.cdef = true;
      options.deblock = true;
      FilterFrame frame(options, random);
      ExpectLikeSpec(frame, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Av1LoopRestorationTest, TakesExtremeSamples) {
  TestRandom random(4);
  for (int i = 0; i < 48; ++i) {
    FilterOptions options = RandomOptions(random, 60);
    options.bit_depth = 8 + i % 3 * 2;
    options.restoration = true;
    FilterFrame frame(options, random);
    const int highest = (1 << options.bit_depth) - 1;
    const int period = random.Uniform(0, 4);  // 0: none
    for (SpecPlane& plane : frame.mutable_reconstructed().planes) {
      for (size_t y = 0; y < plane.size(); ++y) {
        for (size_t x = 0; x < plane[y].size(); ++x) {
          const bool high =
              period == 0 ? random.OneIn(2) : (x / size_t(period) + y) % 2 != 0;
          plane[y][x] = high ? highest : 0;
        }
      }
    }
    ExpectLikeSpec(frame, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Av1LoopRestorationTest,
                         testing::ValuesIn(FilterTargets()), FilterTargetName);

}  // namespace
}  // namespace perdix::av1
