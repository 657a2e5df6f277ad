// SPDX-License-Identifier: BSD-2-Clause
// AV1's filters one after the other in one submit: lines that one of them saves
// are read by another.
#include <string>
#include <vector>

#include "kernels/av1/lists.h"
#include "tests/shaders/av1/random_filters.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

using enum KernelId;

struct Size {
  uint32_t width;
  uint32_t height;
};

class FiltersShaderTest : public ShaderTest {
 protected:
  // Random filters, at both depths. cdef: it is one of them.
  void Check(Size size, uint32_t seed, bool cdef, bool gray = false) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input;
      input.params = TestFrameParams(size.width, size.height, bit_depth, 1, 1);
      input.target = GuardedPicture::ForTarget(input.params);
      input.target.Fill(Content::kSteps, random);
      input.target.SetGuard(0xa5);
      SetSizes(size.width, gray, &input);
      SetRandomDeblocking(random, &input);
      if (cdef) SetRandomCdef(random, &input);
      SetRandomUnits(random, &input);
      MakeRoomForLines(&input);
      std::vector<KernelId> kernels = {kAv1Deblock};
      if (cdef) kernels.push_back(kAv1Cdef);
      kernels.push_back(kAv1LoopRestoration);
      CompareAll(kernels, input,
                 std::to_string(size.width) + "x" +
                     std::to_string(size.height) + ", " +
                     std::to_string(bit_depth) + " bits, seed " +
                     std::to_string(seed));
      if (HasFailure()) return;
    }
  }
};

TEST_F(FiltersShaderTest, RestorationReadsLinesThatDeblockingSaved) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    Check({40 + 31 * (seed % 7), 50 + 37 * (seed % 5)}, seed, seed % 4 != 0,
          seed % 6 == 0);
    if (HasFailure()) return;
  }
}

TEST_F(FiltersShaderTest, LinesAreSavedAroundBordersOfStripes) {
  for (const uint32_t height : {1u, 55u, 56u, 57u, 63u, 64u, 65u, 120u, 129u}) {
    Check({97, height}, height, true);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace perdix::av1
