// SPDX-License-Identifier: BSD-2-Clause
#include <string>
#include <vector>

#include "kernels/av1/lists.h"
#include "tests/shaders/av1/random_filters.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

using enum KernelId;

struct Size {
  uint32_t width;  // upscaled
  uint32_t height;
};

// How frames are made.
struct Options {
  Content content = Content::kNatural;
  bool gray = false;
  // Filters in the same submit: before it, and behind it.
  bool deblock = false;
  bool cdef = false;
  bool restoration = false;
};

class SuperResShaderTest : public ShaderTest {
 protected:
  // Frames that are upscaled by <denominator> / 8, at both depths.
  void Check(Size size, uint32_t denominator, const Options& options = {}) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(size.width + denominator);
      Compare(Input(random, size, denominator, bit_depth, options), options,
              std::to_string(size.width) + "x" + std::to_string(size.height) +
                  ", " + std::to_string(bit_depth) + " bits, denominator " +
                  std::to_string(denominator));
      if (HasFailure()) return;
    }
  }

 private:
  void Compare(const KernelInput& input, const Options& options,
               const std::string& what) {
    std::vector<KernelId> kernels;
    if (options.deblock) kernels.push_back(kAv1Deblock);
    if (options.cdef) kernels.push_back(kAv1Cdef);
    kernels.push_back(kAv1SuperRes);
    if (options.restoration) kernels.push_back(kAv1LoopRestoration);
    CompareAll(kernels, input, what);
  }

  static KernelInput Input(TestRandom& random, Size size, uint32_t denominator,
                           uint32_t bit_depth, const Options& options) {
    KernelInput input;
    input.params = TestFrameParams(size.width, size.height, bit_depth, 1, 1);
    input.target = GuardedPicture::ForTarget(input.params);
    input.target.Fill(options.content, random);
    input.target.SetGuard(0xa5);
    // 7.20: FrameWidth.
    input.params =
        TestFrameParams((size.width * 8 + denominator / 2) / denominator,
                        size.height, bit_depth, 1, 1);
    SetSizes(size.width, options.gray, &input);
    if (options.deblock) SetRandomDeblocking(random, &input);
    if (options.cdef) SetRandomCdef(random, &input);
    if (options.restoration) SetRandomUnits(random, &input);
    MakeRoomForLines(&input);
    return input;
  }
};

TEST_F(SuperResShaderTest, UpscalesWhatTheScalarKernelUpscales) {
  for (uint32_t denominator = 9; denominator <= 16; ++denominator) {
    for (const Content content : {Content::kNatural, Content::kExtremes}) {
      for (const uint32_t width : {16u, 97u, 230u}) {
        Check({width, 8 + width % 50}, denominator, {.content = content});
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(SuperResShaderTest, AgreesOnFramesOfAllSmallSizes) {
  for (uint32_t size = 2; size <= 80; ++size) {
    Check({size, 81 - size}, 9 + size % 8);
    if (HasFailure()) return;
  }
}

TEST_F(SuperResShaderTest, UpscalesLinesForLoopRestorationInTheSameSubmit) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    Check({40 + 61 * (seed % 5), 50 + 37 * (seed % 4)}, 8 + seed,
          {.gray = seed == 5,
           .deblock = true,
           .cdef = seed % 2 == 0,
           .restoration = true});
    if (HasFailure()) return;
  }
}

TEST_F(SuperResShaderTest, LeavesChromaOfGrayFramesAlone) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Check({30 + 37 * seed, 150 - 20 * seed}, 8 + 2 * seed, {.gray = true});
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace perdix::av1
