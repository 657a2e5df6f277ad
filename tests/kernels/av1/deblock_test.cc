// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "tests/kernels/av1/filter_frame.h"

namespace perdix::av1 {
namespace {

class Av1DeblockTest : public FilterTest {};

TEST_P(Av1DeblockTest, EqualsTheSpecificationInAllThatIsDecoded) {
  TestRandom random(1);
  for (int i = 0; i < 100; ++i) {
    FilterOptions options = RandomOptions(random, i < 60 ? 80 : 300);
    options.deblock = true;
    FilterFrame frame(options, random);
    frame.Run(FilterOrder::kPassByPass, random);
    frame.ExpectEqual(SpecFilterFrame(frame.state(), frame.reconstructed()),
                      true);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Av1DeblockTest, LeavesThePictureAloneWithoutLevels) {
  TestRandom random(2);
  for (const bool cdef : {false, true}) {
    FilterOptions options = RandomOptions(random, 200);
    options.cdef = cdef;  // for which lines are saved
    FilterFrame frame(options, random);
    // Chroma's levels count only with one of luma's.
    frame.mutable_state().loop_filter_level[2] = 1;
    frame.mutable_state().loop_filter_level[3] = 1;
    frame.Pack();
    for (int row = 0; row < frame.sb_rows(); ++row) frame.RunPass(0, row);
    frame.ExpectEqual(frame.reconstructed(), true);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Av1DeblockTest,
                         testing::ValuesIn(FilterTargets()), FilterTargetName);

}  // namespace
}  // namespace perdix::av1
