// SPDX-License-Identifier: BSD-2-Clause
#include <iterator>

#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

class IntraPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const TransformChoice& choice, Content content, uint32_t seed) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input =
          ShaderInput(random, width, height, subsampling, content, bit_depth);
      ParamsOf(input).lossless = choice.lossless;
      AddIntraBlocks(random, input.params, choice, &input);
      Compare(
          KernelId::kVp9IntraPred, input,
          std::to_string(bit_depth) + " bits, seed " + std::to_string(seed));
    }
  }
};

TEST_F(IntraPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Check(99 + 13 * seed, 57 + 31 * (seed % 5), seed % 4 == 3 ? 0 : 1, {},
          Content::kRandom, seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnFramesOfAnySize) {
  for (uint32_t seed = 0; seed < 16; ++seed) {
    TestRandom random(seed);
    const uint32_t width = 1 + random.Below(200);
    const uint32_t height = 1 + random.Below(200);
    Check(width, height, random.Below(2), {},
          kAllContents[random.Below(std::size(kAllContents))], seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnExtremes) {
  TransformChoice choice;
  choice.magnitude = 32768;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    Check(136, 72, 1, choice, Content::kExtremes, seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnLosslessBlocks) {
  TransformChoice choice;
  choice.lossless = 1;
  Check(99, 57, 1, choice, Content::kNatural, 1);
}

TEST_F(IntraPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3) {
    Check(size, 21 - size, 1, {}, Content::kRandom, size);
  }
}

}  // namespace
}  // namespace perdix::vp9
