// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

class InverseTransformShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const TransformChoice& choice, uint32_t seed) {
    TestRandom random(seed);
    KernelInput input =
        ShaderInput(random, width, height, subsampling, Content::kRandom);
    ParamsOf(input).lossless = choice.lossless;
    AddTransforms(random, input.params, choice, &input);
    Compare(KernelId::kVp9InverseTransform, input,
            "seed " + std::to_string(seed));
  }
};

TEST_F(InverseTransformShaderTest, AddsWhatTheScalarKernelAdds) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    Check(99 + 13 * seed, 57 + 31 * (seed % 5), seed % 4 == 3 ? 0 : 1, {},
          seed);
  }
}

TEST_F(InverseTransformShaderTest, AgreesOnCoefficientsOfAnySize) {
  TransformChoice choice;
  choice.magnitude = 32768;
  for (uint32_t seed = 0; seed < 8; ++seed) Check(200, 136, 1, choice, seed);
}

TEST_F(InverseTransformShaderTest, AgreesOnDctAlone) {
  TransformChoice choice;
  choice.types = 1;
  for (uint32_t seed = 0; seed < 8; ++seed) Check(120, 200, 1, choice, seed);
}

TEST_F(InverseTransformShaderTest, AgreesOnLosslessBlocks) {
  TransformChoice choice;
  choice.lossless = 1;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(99, 57, 1, choice, seed);
}

}  // namespace
}  // namespace perdix::vp9
