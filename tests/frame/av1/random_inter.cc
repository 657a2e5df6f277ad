// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/av1/random_inter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/shared/av1/params.h"

namespace perdix::av1 {
namespace {

// ---- references ----

uint32_t ScaleOf(uint32_t reference, uint32_t frame) {
  return ((reference << 14) + frame / 2) / frame;
}

// From a sixteenth to twice as large: the least, the most, one pixel more, and
// whatever is drawn.
uint32_t ReferenceSizeOf(TestRandom& random, uint32_t size, uint32_t index) {
  switch (index) {
    case 1:
      return 2 * size;
    case 2:
      return (size + 15) / 16;
    case 3:
      return static_cast<uint32_t>(random.Uniform(
          static_cast<int>((size + 15) / 16), static_cast<int>(2 * size)));
    case 4:
      return std::min(size + 1, 2 * size);
    default:
      return size;
  }
}

void AddReference(TestRandom& random, uint32_t index, const InterChoice& choice,
                  KernelInput* input) {
  const FrameParams& params = input->params;
  uint32_t width = params.width;
  uint32_t height = params.height;
  if (choice.scaled) {
    width = ReferenceSizeOf(random, width, index);
    height = ReferenceSizeOf(random, height, index);
  }
  GuardedPicture picture = GuardedPicture::ForReference(params, width, height);
  picture.Fill(choice.content, random);
  if (params.bit_depth > 8 && random.OneIn(2)) picture.UseUpperBits();
  input->references[index] = picture;
  input->params.references[index] = {width, height, 1, 0};
  ReferenceScale& scale = input->codec_params.As<Params>().references[index];
  scale.x_scale = ScaleOf(width, params.width);
  scale.y_scale = ScaleOf(height, params.height);
  scale.x_step = (scale.x_scale + 8) >> 4;
  scale.y_step = (scale.y_scale + 8) >> 4;
  scale.distance = random.OneIn(4) ? 0 : 1 + random.Below(31);
  scale.warps = random.OneIn(4) ? 0 : 1;
  scale.global = RandomWarp(random, choice.far_warps);
}

// ---- blocks ----

struct Rectangle {
  uint32_t x4;
  uint32_t y4;
  uint32_t width_log2;
  uint32_t height_log2;
};

class Blocks {
 public:
  Blocks(TestRandom& random, const InterChoice& choice, KernelInput* input)
      : random_(random), choice_(choice), input_(*input) {}

  // A square: one block, two, four side by side, or squares of a quarter.
  void AddSquare(const Rectangle& at) {
    const uint32_t log2 = at.width_log2;
    const Params& av1 = input_.codec_params.As<Params>();
    if (at.x4 >= av1.mi_cols || at.y4 >= av1.mi_rows) return;
    if (log2 == 2 || random_.OneIn(log2 == 7 ? 8 : 4)) {
      AddBlock(at);
    } else if (random_.OneIn(3)) {
      const uint32_t parts_log2 = log2 > 3 && random_.OneIn(3) ? 2 : 1;
      AddStrips(at, parts_log2);
    } else {
      const uint32_t half4 = 1u << (log2 - 3);
      for (uint32_t i = 0; i < 4; ++i) {
        AddSquare({at.x4 + (i & 1) * half4, at.y4 + (i >> 1) * half4, log2 - 1,
                   log2 - 1});
      }
    }
  }

 private:
  void AddStrips(const Rectangle& at, uint32_t parts_log2) {
    const bool tall = random_.OneIn(2);
    Rectangle strip = at;
    (tall ? strip.width_log2 : strip.height_log2) -= parts_log2;
    for (uint32_t i = 0; i < 1u << parts_log2; ++i) {
      AddBlock(strip);
      if (tall) {
        strip.x4 += 1u << (strip.width_log2 - 2);
      } else {
        strip.y4 += 1u << (strip.height_log2 - 2);
      }
    }
  }

  bool Fits(uint32_t kind, const Rectangle& at) const {
    const uint32_t least = std::min(at.width_log2, at.height_log2);
    const uint32_t most = std::max(at.width_log2, at.height_log2);
    if (kind == PERDIX_INTER_SINGLE) return true;
    if (kind == PERDIX_INTER_WEDGE) return least >= 3 && most <= 5;
    return least >= 3;
  }

  uint32_t RandomKind(const Rectangle& at) {
    if (choice_.kinds == 0 || random_.OneIn(6)) return PERDIX_INTER_SINGLE;
    uint32_t kind;
    do {
      kind = random_.Below(PERDIX_INTER_DIFFWTD + 1);
    } while ((choice_.kinds >> kind & 1) == 0);
    return Fits(kind, at) ? kind : PERDIX_INTER_SINGLE;
  }

  void AddBlock(const Rectangle& at) {
    const uint32_t kind = RandomKind(at);
    const bool overlaps =
        kind == PERDIX_INTER_OBMC_ABOVE || kind == PERDIX_INTER_OBMC_LEFT;
    AddRecord(at, overlaps ? PERDIX_INTER_SINGLE : kind);
    if (!overlaps) return;
    if (kind == PERDIX_INTER_OBMC_ABOVE || random_.OneIn(2)) AddAbove(at);
    if (kind == PERDIX_INTER_OBMC_LEFT || random_.OneIn(2)) AddLeft(at);
  }

  // Neighbours of different sizes.
  void AddAbove(const Rectangle& at) {
    const uint32_t log2 = random_.OneIn(2) ? 3 : std::min(at.width_log2, 6u);
    for (uint32_t x4 = 0; x4 < 1u << (at.width_log2 - 2);
         x4 += 1u << (log2 - 2)) {
      AddRecord({at.x4 + x4, at.y4, log2, std::min(at.height_log2 - 1, 5u)},
                PERDIX_INTER_OBMC_ABOVE);
    }
  }
  void AddLeft(const Rectangle& at) {
    const uint32_t log2 = random_.OneIn(2) ? 3 : std::min(at.height_log2, 6u);
    for (uint32_t y4 = 0; y4 < 1u << (at.height_log2 - 2);
         y4 += 1u << (log2 - 2)) {
      AddRecord({at.x4, at.y4 + y4, std::min(at.width_log2 - 1, 5u), log2},
                PERDIX_INTER_OBMC_LEFT);
    }
  }

  uint32_t Vector() {
    const int grid = random_.OneIn(2) ? 1 : random_.OneIn(2) ? 8 : 16;
    const auto component = [&] {
      return random_.Uniform(-choice_.mv_range, choice_.mv_range) / grid * grid;
    };
    const int row = component();
    return PackMv(row, component());
  }

  void AddRecord(const Rectangle& at, uint32_t kind) {
    const bool one_plane = kind != PERDIX_INTER_DIFFWTD && random_.OneIn(8);
    const uint32_t planes = !one_plane
                                ? PERDIX_PLANES_LUMA | PERDIX_PLANES_CHROMA
                            : random_.OneIn(2) ? PERDIX_PLANES_LUMA
                                               : PERDIX_PLANES_CHROMA;
    InterBlock block;
    block.position = PackPosition(at.x4, at.y4);
    block.shape =
        PackInterShape(at.width_log2, at.height_log2, planes, kind,
                       random_.Below(7), random_.Below(7), random_.Below(4),
                       random_.Below(4), random_.Below(16), random_.Below(2));
    block.mv0 = Vector();
    block.mv1 = kind == PERDIX_INTER_WARP_LOCAL ? AddWarp() : Vector();
    if (InterIsCompound(block.shape)) {
      if (random_.OneIn(3)) block.shape |= PERDIX_INTER_GLOBAL0;
      if (random_.OneIn(3)) block.shape |= PERDIX_INTER_GLOBAL1;
    }
    input_.Of(kInterBlocks).push_back(block);
  }

  // Its offset in the arena.
  uint32_t AddWarp() {
    const WarpMatrix warp = RandomWarp(random_, choice_.far_warps);
    const size_t offset = input_.coefficients.size();
    input_.coefficients.resize(offset + PERDIX_WARP_UNITS);
    std::memcpy(&input_.coefficients[offset], &warp, sizeof(warp));
    return static_cast<uint32_t>(offset);
  }

  TestRandom& random_;
  const InterChoice& choice_;
  KernelInput& input_;
};

}  // namespace

WarpMatrix RandomWarp(TestRandom& random, bool far) {
  WarpMatrix warp;
  const int reach = far && random.OneIn(2) ? 1 << 30 : 1 << 21;
  const int slope = far && random.OneIn(4) ? 1 << 30 : 8192;
  for (int& param : warp.params) param = random.Uniform(-slope, slope);
  warp.params[0] = random.Uniform(-reach, reach);
  warp.params[1] = random.Uniform(-reach, reach);
  warp.params[2] += 1 << 16;
  warp.params[5] += 1 << 16;
  const bool valid = !random.OneIn(16);
  int shear[4];
  do {
    const int most = random.OneIn(2) ? 100 : 256;
    for (int& value : shear) value = random.Uniform(-most, most) * 64;
  } while (valid &&
           (4 * std::abs(shear[0]) + 7 * std::abs(shear[1]) >= 1 << 16 ||
            4 * std::abs(shear[2]) + 4 * std::abs(shear[3]) >= 1 << 16));
  warp.alpha_beta = static_cast<int>(PackMv(shear[0], shear[1]));
  warp.gamma_delta = static_cast<int>(PackMv(shear[2], shear[3]));
  return warp;
}

KernelInput RandomInterFrame(TestRandom& random, uint32_t width,
                             uint32_t height, uint32_t bit_depth, bool gray,
                             const InterChoice& choice) {
  KernelInput input;
  input.params = TestFrameParams(width, height, bit_depth, 1, 1);
  Params& av1 = input.codec_params.As<Params>();
  av1.mi_cols = DecodedSize(width) / 4;
  av1.mi_rows = DecodedSize(height) / 4;
  av1.upscaled_width = width;
  av1.superres_denom = 8;
  av1.monochrome = gray ? 1 : 0;
  input.target = GuardedPicture::ForTarget(input.params);
  input.target.Fill(Content::kRandom, random);
  input.target.SetGuard(0xa5);
  for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) {
    AddReference(random, i, choice, &input);
  }
  Blocks blocks(random, choice, &input);
  constexpr uint32_t kSuperblock4 = 32;
  for (uint32_t y4 = 0; y4 < av1.mi_rows; y4 += kSuperblock4) {
    for (uint32_t x4 = 0; x4 < av1.mi_cols; x4 += kSuperblock4) {
      blocks.AddSquare({x4, y4, 7, 7});
    }
  }
  return input;
}

}  // namespace perdix::av1
