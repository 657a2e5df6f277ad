// SPDX-License-Identifier: BSD-2-Clause
#include <iterator>
#include <string>

#include "tests/frame/av1/random_intra.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

class Av1IntraPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, Content content, uint32_t seed,
             const IntraChoice& choice = {}) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input =
          RandomIntraInput(random, width, height, bit_depth, choice);
      input.target.Fill(content, random);
      input.target.SetGuard(0xa5);
      Compare(KernelId::kAv1IntraPred, input,
              std::to_string(width) + "x" + std::to_string(height) + ", " +
                  std::to_string(bit_depth) + " bits, seed " +
                  std::to_string(seed));
      if (HasFailure()) return;
    }
  }
};

TEST_F(Av1IntraPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    Check(99 + 13 * seed, 57 + 31 * (seed % 5), Content::kRandom, seed);
    if (HasFailure()) return;
  }
}

TEST_F(Av1IntraPredShaderTest, AgreesOnFramesOfAnySize) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    TestRandom random(seed);
    const uint32_t width = 1 + random.Below(200);
    const uint32_t height = 1 + random.Below(200);
    Check(width, height, kAllContents[random.Below(std::size(kAllContents))],
          seed);
    if (HasFailure()) return;
  }
}

TEST_F(Av1IntraPredShaderTest, AgreesOnExtremes) {
  IntraChoice choice;
  choice.magnitude = 32768;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    Check(136, 72, Content::kExtremes, seed, choice);
  }
}

TEST_F(Av1IntraPredShaderTest, AgreesWithoutFilteredEdges) {
  IntraChoice choice;
  choice.filters_edges = false;
  Check(150, 131, Content::kRandom, 1, choice);
}

TEST_F(Av1IntraPredShaderTest, LeavesChromaOfGrayFramesAlone) {
  IntraChoice choice;
  choice.gray = true;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    Check(30 + 37 * seed, 150 - 20 * seed, Content::kNatural, seed, choice);
  }
}

}  // namespace
}  // namespace perdix::av1
