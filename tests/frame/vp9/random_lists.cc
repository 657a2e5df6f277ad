// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/vp9/random_lists.h"

#include <algorithm>
#include <vector>

namespace perdix::vp9 {
namespace {

// The size of a plane's decoded area, in 4x4 blocks.
struct Size4 {
  uint32_t columns;
  uint32_t rows;
};

Size4 SizeOf(const FrameParams& params, uint32_t plane) {
  const bool luma = plane == kLuma;
  return {DecodedSize(params.width) / 4 >> (luma ? 0 : params.subsampling_x),
          DecodedSize(params.height) / 4 >> (luma ? 0 : params.subsampling_y)};
}

}  // namespace

// ---- parameters ----

KernelInput NewInput(const FrameParams& params) {
  KernelInput input;
  input.params = params;
  ParamsOf(input).mi_cols = DecodedSize(params.width) / 8;
  ParamsOf(input).mi_rows = DecodedSize(params.height) / 8;
  input.target = GuardedPicture::ForTarget(params);
  input.tables.Resize(
      kEdges, size_t{ParamsOf(input).mi_cols} * ParamsOf(input).mi_rows);
  return input;
}

void SetReference(KernelInput& input, uint32_t index,
                  const GuardedPicture& picture) {
  input.references[index] = picture;
  const PictureView view = input.references[index].View();
  input.params.references[index] = {view.width, view.height, 1, 0};
  ReferenceScale& scale = ParamsOf(input).references[index];
  scale.x_scale = (view.width << 14) / input.params.width;
  scale.y_scale = (view.height << 14) / input.params.height;
  scale.x_step = (16 * scale.x_scale) >> 14;
  scale.y_step = (16 * scale.y_scale) >> 14;
}

// ---- inter prediction ----

void AddReferences(TestRandom& random, const InterChoice& choice,
                   KernelInput* input) {
  // From a sixteenth to twice as large.
  const auto scaled = [&](uint32_t size, uint32_t index) {
    if (!choice.scaled || index == 0) return size;
    return index == 1 ? size * 2 - random.Below(size)
                      : (size + 15) / 16 + random.Below(size);
  };
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    const FrameParams& params = input->params;
    const uint32_t width = scaled(params.width, i);
    GuardedPicture picture =
        GuardedPicture::ForReference(params, width, scaled(params.height, i));
    picture.Fill(choice.content, random);
    if (choice.mixed_shift && random.OneIn(2)) picture.UseUpperBits();
    SetReference(*input, i, picture);
  }
}

namespace {

uint32_t Vector(TestRandom& random, uint32_t range) {
  const int half = static_cast<int>(range) / 2;
  int row = random.Uniform(-half, half - 1);
  int col = random.Uniform(-half, half - 1);
  if (random.OneIn(4)) row &= ~7;
  if (random.OneIn(4)) col &= ~7;
  return PackMv(row, col);
}

// Inter blocks of one frame.
class InterBlocks {
 public:
  InterBlocks(TestRandom& random, const FrameParams& params,
              const InterChoice& choice, TestLists* to)
      : random_(random), params_(params), choice_(choice), to_(to) {}

  // Blocks of one random size from x4, y4 on.
  void AddSuperblock(uint32_t x4, uint32_t y4) {
    const Size4 size = SizeOf(params_, kLuma);
    const uint32_t width4 = 2u << random_.Below(4);
    const uint32_t height4 = 2u << random_.Below(4);
    for (uint32_t y = y4; y < std::min(y4 + 16, size.rows); y += height4) {
      for (uint32_t x = x4; x < std::min(x4 + 16, size.columns); x += width4) {
        if (width4 == 2 && height4 == 2 && random_.OneIn(2)) {
          AddSub8x8(x, y, PERDIX_PLANES_LUMA, 0, 0);
          AddSub8x8(x, y, PERDIX_PLANES_CHROMA, params_.subsampling_x,
                    params_.subsampling_y);
        } else {
          Add(x, y, width4, height4, PERDIX_PLANES_LUMA | PERDIX_PLANES_CHROMA,
              0);
        }
      }
    }
  }

 private:
  void Add(uint32_t x4, uint32_t y4, uint32_t width4, uint32_t height4,
           uint32_t planes, uint32_t sub8x8) {
    const uint32_t second =
        random_.OneIn(2) ? PERDIX_REF_NONE : random_.Below(3);
    to_->Of(kInterBlocks)
        .push_back({PackPosition(x4, y4),
                    PackInterShape(width4, height4, planes, random_.Below(4),
                                   random_.Below(3), second, sub8x8),
                    Vector(random_, choice_.mv_range),
                    Vector(random_, choice_.mv_range)});
  }

  // The parts of an 8x8 block, 4x4 pixels of these planes.
  void AddSub8x8(uint32_t x4, uint32_t y4, uint32_t planes,
                 uint32_t subsampling_x, uint32_t subsampling_y) {
    for (uint32_t y = 0; y < 2; y += 1 + subsampling_y) {
      for (uint32_t x = 0; x < 2; x += 1 + subsampling_x) {
        Add(x4 + x, y4 + y, 1 + subsampling_x, 1 + subsampling_y, planes, 1);
      }
    }
  }

  TestRandom& random_;
  const FrameParams& params_;
  const InterChoice& choice_;
  TestLists* const to_;
};

}  // namespace

void AddInterBlocks(TestRandom& random, const FrameParams& params,
                    const InterChoice& choice, TestLists* to) {
  InterBlocks blocks(random, params, choice, to);
  const Size4 size = SizeOf(params, kLuma);
  for (uint32_t y = 0; y < size.rows; y += 16) {
    for (uint32_t x = 0; x < size.columns; x += 16) blocks.AddSuperblock(x, y);
  }
}

// ---- inverse transform ----

void AddCoefficient(uint32_t bit_depth, int32_t value, TestLists* to) {
  if (bit_depth == 8) {
    value = std::clamp(value, -32768, 32767);
    return to->coefficients.push_back(static_cast<int16_t>(value));
  }
  to->coefficients.push_back(static_cast<int16_t>(value));
  to->coefficients.push_back(static_cast<int16_t>(value >> 16));
}

namespace {

// The coefficients of one block, all that is stored.
TransformBlock MakeTransform(TestRandom& random, const FrameParams& params,
                             const TransformChoice& choice, uint32_t x4,
                             uint32_t y4, uint32_t component, uint32_t tx_size,
                             TestLists* to) {
  const bool dc_only = !choice.lossless && random.OneIn(4);
  const uint32_t tx_type =
      choice.lossless || tx_size == 3 ? 0 : random.Below(choice.types);
  const uint32_t stored_log2 = dc_only ? 0 : random.Below(tx_size + 1);
  const uint32_t count = 16u << (2 * stored_log2);
  const auto offset = static_cast<uint32_t>(to->coefficients.size());
  const uint32_t density = 1 + random.Below(8);
  for (uint32_t i = 0; i < count; ++i) {
    int value = 0;
    if (i == 0 || (!dc_only && random.Below(density) == 0)) {
      const int magnitude =
          static_cast<int>(choice.magnitude >> random.Below(8));
      value = random.Uniform(-magnitude, magnitude);
    }
    AddCoefficient(params.bit_depth, value, to);
  }
  return {PackPosition(x4, y4),
          PackTransformShape(component, tx_size, tx_type, stored_log2), offset,
          dc_only ? 1u : 2u + random.Below(count - 1)};
}

}  // namespace

void AddTransforms(TestRandom& random, const FrameParams& params,
                   const TransformChoice& choice, TestLists* to) {
  for (uint32_t component = 0; component < 3; ++component) {
    const auto [columns, rows] =
        SizeOf(params, component == 0 ? kLuma : kChroma);
    for (uint32_t y = 0; y < rows; y += 8) {
      for (uint32_t x = 0; x < columns; x += 8) {
        const uint32_t tx_size = choice.lossless ? 0 : random.Below(4);
        const uint32_t step = 1u << tx_size;
        for (uint32_t j = y; j < std::min(y + 8, rows); j += step) {
          for (uint32_t i = x; i < std::min(x + 8, columns); i += step) {
            if (random.OneIn(8)) continue;
            to->Of(kInterTransforms)
                .push_back(MakeTransform(random, params, choice, i, j,
                                         component, tx_size, to));
          }
        }
      }
    }
  }
}

// ---- intra prediction ----

namespace {

// Intra blocks of one plane in decoding order, edges as they are available.
class PlaneBlocks {
 public:
  PlaneBlocks(TestRandom& random, const FrameParams& params, uint32_t plane,
              const TransformChoice& choice, TestLists* to)
      : random_(random),
        params_(params),
        plane_(plane),
        choice_(choice),
        to_(to),
        size_(SizeOf(params, plane)),
        decoded_(size_t{size_.columns} * size_.rows) {}

  void Add() {
    for (uint32_t y = 0; y < size_.rows; y += 8) {
      for (uint32_t x = 0; x < size_.columns; x += 8) {
        const uint32_t tx_size = choice_.lossless ? 0 : random_.Below(4);
        const uint32_t step = 1u << tx_size;
        for (uint32_t j = y; j < std::min(y + 8, size_.rows); j += step) {
          for (uint32_t i = x; i < std::min(x + 8, size_.columns); i += step) {
            if (!random_.OneIn(16)) AddBlock(i, j, tx_size);
            MarkDecoded(i, j, step);
          }
        }
      }
    }
  }

 private:
  bool IsDecoded(uint32_t x, uint32_t y) const {
    return x < size_.columns && y < size_.rows &&
           decoded_[y * size_.columns + x];
  }

  void MarkDecoded(uint32_t x, uint32_t y, uint32_t size) {
    for (uint32_t j = y; j < std::min(y + size, size_.rows); ++j) {
      for (uint32_t i = x; i < std::min(x + size, size_.columns); ++i) {
        decoded_[j * size_.columns + i] = true;
      }
    }
  }

  uint32_t Residual(uint32_t x, uint32_t y, uint32_t component,
                    uint32_t tx_size) {
    if (random_.OneIn(3)) return PERDIX_NONE;
    const auto transforms = to_->Of(kIntraTransforms);
    transforms.push_back(MakeTransform(random_, params_, choice_, x, y,
                                       component, tx_size, to_));
    return static_cast<uint32_t>(transforms.size() - 1);
  }

  void AddBlock(uint32_t x, uint32_t y, uint32_t tx_size) {
    uint32_t have = 0;
    if (x > 0 && !random_.OneIn(8)) have |= PERDIX_INTRA_HAVE_LEFT;
    if (y > 0 && !random_.OneIn(8)) {
      have |= PERDIX_INTRA_HAVE_ABOVE;
      if (tx_size == 0 && IsDecoded(x + 1, y - 1)) {
        have |= PERDIX_INTRA_HAVE_ABOVE_RIGHT;
      }
    }
    IntraBlock block = {
        PackPosition(x, y),
        PackIntraShape(plane_, tx_size, random_.Below(10), have), PERDIX_NONE,
        PERDIX_NONE};
    block.residual0 = Residual(x, y, plane_ == kLuma ? 0 : 1, tx_size);
    if (plane_ == kChroma) block.residual1 = Residual(x, y, 2, tx_size);
    to_->Of(kIntraBlocks).push_back(block);
  }

  TestRandom& random_;
  const FrameParams& params_;
  const uint32_t plane_;
  const TransformChoice& choice_;
  TestLists* const to_;
  const Size4 size_;
  std::vector<bool> decoded_;
};

}  // namespace

void AddIntraBlocks(TestRandom& random, const FrameParams& params,
                    const TransformChoice& choice, TestLists* to) {
  for (const uint32_t plane : {kLuma, kChroma}) {
    PlaneBlocks(random, params, plane, choice, to).Add();
  }
}

// ---- loop filter ----

namespace {

uint32_t PlaneEdges(TestRandom& random, uint32_t row, uint32_t col,
                    bool half_row, bool half_col) {
  const uint32_t left = col == 0 ? 0 : random.Below(half_col ? 3 : 4);
  const uint32_t above = row == 0 ? 0 : random.Below(half_row ? 3 : 4);
  return PackEdges(left, above, half_col ? 0 : random.Below(2),
                   half_row ? 0 : random.Below(2));
}

}  // namespace

void SetRandomEdges(TestRandom& random, KernelInput* input) {
  const FrameParams& params = input->params;
  const auto [mi_cols, mi_rows] =
      std::pair(ParamsOf(*input).mi_cols, ParamsOf(*input).mi_rows);
  for (uint32_t row = 0; row < mi_rows; ++row) {
    for (uint32_t col = 0; col < mi_cols; ++col) {
      uint32_t& cell = EdgesOf(*input)[row * mi_cols + col];
      cell = random.OneIn(8) ? 0 : random.Below(64);
      cell |= PlaneEdges(random, row, col, false, false)
              << PERDIX_EDGE_LUMA_SHIFT;
      if ((row & params.subsampling_y) || (col & params.subsampling_x))
        continue;
      cell |= PlaneEdges(random, row, col,
                         params.subsampling_y && row + 1 == mi_rows,
                         params.subsampling_x && col + 1 == mi_cols)
              << PERDIX_EDGE_CHROMA_SHIFT;
    }
  }
}

}  // namespace perdix::vp9
