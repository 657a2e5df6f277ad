// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "tests/kernels/av1/filter_frame.h"

namespace perdix::av1 {
namespace {

class Av1SuperResTest : public FilterTest {};

TEST_P(Av1SuperResTest, EqualsTheSpecificationInAnyOrderOfRows) {
  TestRandom random(1);
  for (int denom = 9; denom <= 16; ++denom) {
    for (int i = 0; i < 8; ++i) {
      FilterOptions options = RandomOptions(random, i < 4 ? 140 : 300);
      options.superres_denom = denom;
      options.deblock = random.OneIn(3);
      options.cdef = random.OneIn(2);
      FilterFrame frame(options, random);
      ExpectLikeSpec(frame, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Av1SuperResTest, ScalesWideLines) {
  TestRandom random(2);
  for (const int width : {1000, 4097, 8191}) {
    FilterOptions options = RandomOptions(random, 16);
    options.width = width;
    options.superres_denom = random.Uniform(9, 16);
    FilterFrame frame(options, random);
    ExpectLikeSpec(frame, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Av1SuperResTest,
                         testing::ValuesIn(FilterTargets()), FilterTargetName);

}  // namespace
}  // namespace perdix::av1
