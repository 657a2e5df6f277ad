// SPDX-License-Identifier: BSD-2-Clause
#include <span>
#include <string>

#include "kernels/av1/lists.h"
#include "tests/shaders/av1/random_filters.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

struct Size {
  uint32_t width;
  uint32_t height;
};

// How frames are made.
struct Options {
  Content content = Content::kNatural;
  bool gray = false;
  // Luma columns that were decoded, if the frame was upscaled.
  uint32_t decoded_width = 0;
};

class LoopRestorationShaderTest : public ShaderTest {
 protected:
  // Frames with random units and lines, at both depths.
  void Check(Size size, uint32_t seed, const Options& options = {}) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input = Input(random, size, bit_depth, options);
      Compare(KernelId::kAv1LoopRestoration, input,
              std::to_string(size.width) + "x" + std::to_string(size.height) +
                  ", " + std::to_string(bit_depth) + " bits, seed " +
                  std::to_string(seed));
      if (HasFailure()) return;
    }
  }

 private:
  static KernelInput Input(TestRandom& random, Size size, uint32_t bit_depth,
                           const Options& options) {
    KernelInput input;
    input.params = TestFrameParams(size.width, size.height, bit_depth, 1, 1);
    input.target = GuardedPicture::ForTarget(input.params);
    input.target.Fill(options.content, random);
    input.target.SetGuard(0xa5);
    if (options.decoded_width != 0) {
      input.params =
          TestFrameParams(options.decoded_width, size.height, bit_depth, 1, 1);
    }
    SetSizes(size.width, options.gray, &input);
    SetRandomUnits(random, &input);
    SetLines(random, &input);
    return input;
  }

  // Lines unlike those in the target.
  static void SetLines(TestRandom& random, KernelInput* input) {
    const FrameParams& params = input->params;
    const bool wide = params.bit_depth > 8;
    MakeRoomForLines(input);
    for (const auto table : {kCdefLines, kRestorationLines}) {
      const std::span<uint8_t> lines = input->tables.View().Of(table);
      for (size_t i = 0; i < lines.size(); ++i) {
        lines[i] = static_cast<uint8_t>(random.Below(
            wide && i % 2 == 1 ? 1 << (params.bit_depth - 8) : 256));
      }
    }
  }
};

TEST_F(LoopRestorationShaderTest, FiltersWhatTheScalarKernelFilters) {
  uint32_t seed = 0;
  for (const Content content : kAllContents) {
    for (uint32_t i = 0; i < 6; ++i) {
      ++seed;
      Check({99 + 67 * (seed % 5), 57 + 71 * (seed % 4)}, seed,
            {.content = content});
      if (HasFailure()) return;
    }
  }
}

TEST_F(LoopRestorationShaderTest, AgreesOnFramesOfAllSmallSizes) {
  for (uint32_t size = 1; size <= 80; ++size) {
    Check({size, 81 - size}, size);
    if (HasFailure()) return;
  }
}

TEST_F(LoopRestorationShaderTest, AgreesAroundBordersOfStripesAndUnits) {
  for (uint32_t columns = 1; columns < 4; ++columns) {
    for (const uint32_t width :
         {64 * columns - 1, 64 * columns, 64 * columns + 1}) {
      for (const uint32_t height : {55u, 56u, 57u, 63u, 64u, 65u, 120u, 129u}) {
        Check({width, height}, width + height, {.content = Content::kRandom});
        if (HasFailure()) return;
      }
    }
  }
  Check({226, 196}, 1);
  Check({226, 196}, 2, {.content = Content::kExtremes});
}

TEST_F(LoopRestorationShaderTest, ReadsUpscaledLinesWhereThereAreSuch) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    const uint32_t width = 40 + 61 * seed;
    Check({width, 70 + 20 * seed}, seed,
          {.decoded_width = (width * 8 + 4 + seed) / (8 + seed)});
    if (HasFailure()) return;
  }
}

TEST_F(LoopRestorationShaderTest, LeavesChromaOfGrayFramesAlone) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    Check({30 + 37 * seed, 150 - 20 * seed}, seed, {.gray = true});
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace perdix::av1
