// SPDX-License-Identifier: BSD-2-Clause
#include <string>

#include "kernels/av1/lists.h"
#include "tests/shaders/av1/random_filters.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

class DeblockShaderTest : public ShaderTest {
 protected:
  struct Size {
    uint32_t width;
    uint32_t height;
  };

  // A frame with random edges and such content, at both depths.
  void Check(Size size, Content content, uint32_t seed, bool gray = false) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      const KernelInput input = Input(random, size, content, bit_depth, gray);
      Compare(KernelId::kAv1Deblock, input,
              std::to_string(size.width) + "x" + std::to_string(size.height) +
                  ", " + std::to_string(bit_depth) + " bits, seed " +
                  std::to_string(seed));
      if (HasFailure()) return;
    }
  }

 private:
  static KernelInput Input(TestRandom& random, Size size, Content content,
                           uint32_t bit_depth, bool gray) {
    KernelInput input;
    input.params = TestFrameParams(size.width, size.height, bit_depth, 1, 1);
    SetSizes(size.width, gray, &input);
    input.target = GuardedPicture::ForTarget(input.params);
    input.target.Fill(content, random);
    input.target.SetGuard(0xa5);
    SetRandomDeblocking(random, &input);
    return input;
  }
};

TEST_F(DeblockShaderTest, FiltersWhatTheScalarKernelFilters) {
  uint32_t seed = 0;
  for (const Content content : kAllContents) {
    for (uint32_t i = 0; i < 6; ++i) {
      ++seed;
      Check({99 + 67 * (seed % 5), 57 + 71 * (seed % 4)}, content, seed);
      if (HasFailure()) return;
    }
  }
}

TEST_F(DeblockShaderTest, AgreesOnFramesOfAllSmallSizes) {
  for (uint32_t size = 1; size <= 80; ++size) {
    Check({size, 81 - size},
          size % 2 == 0 ? Content::kSteps : Content::kNatural, size);
    if (HasFailure()) return;
  }
}

TEST_F(DeblockShaderTest, AgreesAroundBordersOfSuperblocks) {
  for (uint32_t columns = 1; columns < 4; ++columns) {
    for (const uint32_t width :
         {64 * columns - 1, 64 * columns, 64 * columns + 1}) {
      for (const uint32_t height : {63u, 64u, 65u, 127u, 129u}) {
        Check({width, height}, Content::kSteps, width + height);
        if (HasFailure()) return;
      }
    }
  }
  Check({226, 196}, Content::kNatural, 1);
  Check({226, 196}, Content::kExtremes, 2);
}

TEST_F(DeblockShaderTest, LeavesChromaOfGrayFramesAlone) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    Check({30 + 37 * seed, 150 - 20 * seed}, Content::kNatural, seed, true);
  }
}

}  // namespace
}  // namespace perdix::av1
