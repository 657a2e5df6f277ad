// SPDX-License-Identifier: BSD-2-Clause
#include <iterator>

#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

class LoopFilterShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             Content content, uint32_t seed) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input =
          ShaderInput(random, width, height, subsampling, content, bit_depth);
      ParamsOf(input).loop_filter_sharpness = random.Below(8);
      ParamsOf(input).loop_filter_level = 63;
      SetRandomEdges(random, &input);
      Compare(
          KernelId::kVp9LoopFilter, input,
          std::to_string(bit_depth) + " bits, seed " + std::to_string(seed));
    }
  }
};

TEST_F(LoopFilterShaderTest, FiltersWhatTheScalarKernelFilters) {
  uint32_t seed = 0;
  for (const Content content : kAllContents) {
    for (const uint32_t subsampling : {0u, 1u}) {
      ++seed;
      Check(99 + 67 * (seed % 5), 57 + 71 * (seed % 4), subsampling, content,
            seed);
    }
  }
}

TEST_F(LoopFilterShaderTest, AgreesOnFramesOfAnySize) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    TestRandom random(seed);
    const uint32_t width = 1 + random.Below(260);
    const uint32_t height = 1 + random.Below(260);
    Check(width, height, random.Below(2),
          kAllContents[random.Below(std::size(kAllContents))], seed);
  }
}

TEST_F(LoopFilterShaderTest, AgreesOnFramesWiderAndHigherThanTheWave) {
  Check(700, 140, 1, Content::kSteps, 1);
  Check(140, 700, 1, Content::kSteps, 2);
}

TEST_F(LoopFilterShaderTest, AgreesOnFramesSmallerThanASuperblock) {
  for (uint32_t size = 1; size < 80; size += 9) {
    Check(size, 81 - size, 1, Content::kSteps, size);
  }
}

}  // namespace
}  // namespace perdix::vp9
