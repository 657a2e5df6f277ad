// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <string>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"
#include "kernels/av1/restoration/restoration_walk.h"
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

// 5.11.58: the least and the greatest of each tap.
constexpr int kTapRange[3][2] = {{-5, 10}, {-23, 8}, {-17, 46}};

uint32_t RandomTaps(TestRandom& random, uint32_t plane) {
  uint32_t packed = 0;
  for (uint32_t i = plane == kLuma ? 0 : 1; i < 3; ++i) {
    const auto& [low, high] = kTapRange[i];
    const int tap = random.OneIn(4)   ? low
                    : random.OneIn(4) ? high
                                      : random.Uniform(low, high);
    packed |= (static_cast<uint32_t>(tap) & 0xff) << (8 * i);
  }
  return packed;
}

uint32_t RandomWeights(TestRandom& random) {
  const int first = random.OneIn(5) ? -96 : random.Uniform(-96, 31);
  const int second = random.OneIn(5) ? -32 : random.Uniform(-32, 95);
  return (static_cast<uint32_t>(first) & 0xffff) |
         (static_cast<uint32_t>(second) << 16);
}

RestorationUnit RandomUnit(TestRandom& random, uint32_t plane) {
  RestorationUnit unit = {};
  unit.type = random.OneIn(6) ? kNone : random.OneIn(3) ? kWiener : kSelfGuided;
  if (unit.type == kWiener) {
    unit.vertical = RandomTaps(random, plane);
    unit.horizontal = RandomTaps(random, plane);
  } else {
    unit.vertical = random.Below(16);
    unit.weights = RandomWeights(random);
  }
  return unit;
}

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
    Params& av1 = input.codec_params.As<Params>();
    av1.mi_cols = DecodedSize(input.params.width) / 4;
    av1.mi_rows = DecodedSize(size.height) / 4;
    av1.upscaled_width = size.width;
    av1.superres_denom = options.decoded_width == 0 ? 8 : 16;
    av1.monochrome = options.gray ? 1 : 0;
    SetUnits(random, &input);
    SetLines(random, &input);
    return input;
  }

  // Units, as many as 7.17 has: the last ones are up to half as large again.
  static uint32_t UnitsIn(uint32_t pixels, uint32_t unit_size) {
    return std::max((pixels + unit_size / 2) / unit_size, 1u);
  }

  static void SetUnits(TestRandom& random, KernelInput* input) {
    Params& av1 = input->codec_params.As<Params>();
    const uint32_t luma_size = 64u << random.Below(3);
    const uint32_t chroma_size = luma_size >> random.Below(2);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t plane = i == 0 ? kLuma : kChroma;
      RestorationPlane& to = av1.restoration[i];
      to.type = random.OneIn(6) ? 0 : 1;
      to.unit_size = i == 0 ? luma_size : chroma_size;
      to.unit_cols =
          UnitsIn((av1.upscaled_width + plane) >> plane, to.unit_size);
      to.unit_rows =
          UnitsIn((input->params.height + plane) >> plane, to.unit_size);
      to.first = count;
      count += to.unit_cols * to.unit_rows;
    }
    if (!UsesRestoration(av1)) av1.restoration[0].type = 1;
    const auto units = input->tables.Resize(kRestorationUnits, count);
    for (uint32_t i = 0; i < count; ++i) {
      units[i] =
          RandomUnit(random, i < av1.restoration[1].first ? kLuma : kChroma);
    }
  }

  // Lines unlike those in the target.
  static void SetLines(TestRandom& random, KernelInput* input) {
    const FrameParams& params = input->params;
    const Params& av1 = input->codec_params.As<Params>();
    const bool wide = params.bit_depth > 8;
    for (const auto& [table, bytes] :
         {std::pair(kCdefLines, CdefLinesBytes(params, av1)),
          std::pair(kRestorationLines, RestorationLinesBytes(params, av1))}) {
      const auto lines = input->tables.Resize(table, bytes);
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
