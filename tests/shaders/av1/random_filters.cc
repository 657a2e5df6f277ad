// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/av1/random_filters.h"

#include <algorithm>
#include <iterator>

#include "kernels/av1/line_buffers.h"
#include "kernels/av1/restoration/restoration_walk.h"
#include "tests/frame/av1/random_sizes.h"

namespace perdix::av1 {
namespace {

uint32_t RandomStrength(TestRandom& random) {
  static constexpr uint32_t kSecondary[4] = {0, 1, 2, 4};
  const uint32_t primary = random.OneIn(3) ? 0 : random.Below(16);
  return PackCdefStrength(primary, kSecondary[random.Below(4)]);
}

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

// How many units 7.17 has: the last ones are up to half as large again.
uint32_t UnitsIn(uint32_t pixels, uint32_t unit_size) {
  return std::max((pixels + unit_size / 2) / unit_size, 1u);
}

}  // namespace

void SetSizes(uint32_t upscaled_width, bool gray, KernelInput* input) {
  const FrameParams& params = input->params;
  Params& av1 = input->codec_params.As<Params>();
  av1.mi_cols = DecodedSize(params.width) / 4;
  av1.mi_rows = DecodedSize(params.height) / 4;
  av1.upscaled_width = upscaled_width;
  av1.superres_denom = upscaled_width == params.width ? 8 : 16;
  av1.monochrome = gray ? 1 : 0;
}

void SetRandomDeblocking(TestRandom& random, KernelInput* input) {
  Params& av1 = input->codec_params.As<Params>();
  for (uint32_t& level : av1.loop_filter_level) level = random.Below(64);
  // In some blocks one of U and V is not filtered, or both.
  if (random.OneIn(3)) av1.loop_filter_level[2 + random.Below(2)] = 0;
  if (random.OneIn(6)) av1.loop_filter_level[2] = av1.loop_filter_level[3] = 0;
  av1.loop_filter_sharpness = random.Below(8);
  SetRandomEdges(random, input);
}

void SetRandomCdef(TestRandom& random, KernelInput* input) {
  const FrameParams& params = input->params;
  Params& av1 = input->codec_params.As<Params>();
  av1.cdef_on = 1;
  av1.cdef_damping = 3 + random.Below(4);
  for (uint32_t i = 0; i < std::size(av1.cdef_y_strength); ++i) {
    av1.cdef_y_strength[i] = RandomStrength(random);
    av1.cdef_uv_strength[i] = RandomStrength(random);
  }
  const auto blocks = input->tables.Resize(
      kCdefBlocks, size_t{params.sb_cols} * params.sb_rows);
  const int skipped = random.Uniform(2, 6);
  for (CdefBlock& block : blocks) {
    block = {};
    block.index = random.OneIn(9) ? PERDIX_NO_CDEF : random.Below(8);
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if (!random.OneIn(skipped)) block.filtered0 |= 1u << bit;
      if (!random.OneIn(skipped)) block.filtered1 |= 1u << bit;
    }
  }
}

void SetRandomUnits(TestRandom& random, KernelInput* input) {
  Params& av1 = input->codec_params.As<Params>();
  const uint32_t luma_size = 64u << random.Below(3);
  const uint32_t chroma_size = luma_size >> random.Below(2);
  uint32_t count = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t plane = i == 0 ? kLuma : kChroma;
    RestorationPlane& to = av1.restoration[i];
    to.type = random.OneIn(6) ? 0 : 1;
    to.unit_size = i == 0 ? luma_size : chroma_size;
    to.unit_cols = UnitsIn((av1.upscaled_width + plane) >> plane, to.unit_size);
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

void MakeRoomForLines(KernelInput* input) {
  const FrameParams& params = input->params;
  const Params& av1 = input->codec_params.As<Params>();
  input->tables.Resize(kCdefLines, CdefLinesBytes(params, av1));
  input->tables.Resize(kRestorationLines, RestorationLinesBytes(params, av1));
}

}  // namespace perdix::av1
