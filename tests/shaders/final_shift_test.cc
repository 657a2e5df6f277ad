// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/frame.h"

namespace perdix {
namespace {

class FinalShiftShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             uint32_t shift, uint32_t planes, uint32_t seed) {
    TestRandom random(seed);
    KernelInput input =
        ShaderInput(random, width, height, subsampling, Content::kRandom, 10);
    input.target.SetShift(shift);
    input.coded_planes = planes;
    Compare(KernelId::kFinalShift, input, "seed " + std::to_string(seed));
  }
};

TEST_F(FinalShiftShaderTest, ShiftsWhatTheScalarKernelShifts) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    TestRandom random(seed);
    Check(1 + random.Below(300), 1 + random.Below(90), seed % 2,
          1 + random.Below(6), 1 + seed % 3 % 2, seed);
  }
}

}  // namespace
}  // namespace perdix
