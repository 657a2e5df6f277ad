// SPDX-License-Identifier: BSD-2-Clause
#include <string>

#include "kernels/av1/lists.h"
#include "tests/frame/av1/random_sizes.h"
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
    Params& av1 = input.codec_params.As<Params>();
    av1.mi_cols = DecodedSize(size.width) / 4;
    av1.mi_rows = DecodedSize(size.height) / 4;
    av1.upscaled_width = size.width;
    av1.superres_denom = 8;
    av1.monochrome = gray ? 1 : 0;
    for (uint32_t& level : av1.loop_filter_level) level = random.Below(64);
    // In some blocks one of U and V is not filtered, or both.
    if (random.OneIn(3)) av1.loop_filter_level[2 + random.Below(2)] = 0;
    if (random.OneIn(6))
      av1.loop_filter_level[2] = av1.loop_filter_level[3] = 0;
    av1.loop_filter_sharpness = random.Below(8);
    input.target = GuardedPicture::ForTarget(input.params);
    input.target.Fill(content, random);
    input.target.SetGuard(0xa5);
    SetRandomEdges(random, &input);
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
