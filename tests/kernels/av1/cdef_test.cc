// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include "tests/kernels/av1/filter_frame.h"

namespace perdix::av1 {
namespace {

class Av1CdefTest : public FilterTest {};

TEST_P(Av1CdefTest, EqualsTheSpecificationInAnyOrderOfRows) {
  TestRandom random(1);
  for (int i = 0; i < 60; ++i) {
    FilterOptions options = RandomOptions(random, i < 40 ? 140 : 300);
    options.cdef = true;
    options.deblock = !random.OneIn(3);
    FilterFrame frame(options, random);
    ExpectLikeSpec(frame, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Av1CdefTest, FiltersUpToTheEdgesOfWhatIsDecoded) {
  TestRandom random(2);
  for (int i = 0; i < 30; ++i) {
    FilterOptions options = RandomOptions(random, 140);
    options.cdef = true;
    FilterFrame frame(options, random);
    frame.Run(FilterOrder::kRandom, random);
    frame.ExpectEqual(SpecFilterFrame(frame.state(), frame.reconstructed()),
                      true);
    if (HasFatalFailure()) return;
  }
}

// All extremes of samples and strengths, with samples missing around.
TEST_P(Av1CdefTest, TakesExtremeSamples) {
  TestRandom random(3);
  for (int i = 0; i < 24; ++i) {
    FilterOptions options = RandomOptions(random, 40);
    options.bit_depth = 8 + i % 3 * 2;
    options.cdef = true;
    FilterFrame frame(options, random);
    const int highest = (1 << options.bit_depth) - 1;
    for (SpecPlane& plane : frame.mutable_reconstructed().planes) {
      for (auto& line : plane) {
        for (int& sample : line) sample = random.OneIn(2) ? highest : 0;
      }
    }
    SpecState& state = frame.mutable_state();
    for (int j = 0; j < 8; ++j) {
      state.cdef_y_pri_strength[j] = state.cdef_uv_pri_strength[j] =
          i % 2 ? 15 : 1;
      state.cdef_y_sec_strength[j] = state.cdef_uv_sec_strength[j] =
          i % 2 ? 4 : 1;
    }
    state.CdefDamping = i % 4 < 2 ? 3 : 6;
    frame.Pack();
    ExpectLikeSpec(frame, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Av1CdefTest,
                         testing::ValuesIn(FilterTargets()), FilterTargetName);

}  // namespace
}  // namespace perdix::av1
