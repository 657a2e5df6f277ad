// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/random_lists.h"

#include <algorithm>

namespace perdix::vp9 {

// ---- parameters ----

TestParams::TestParams(const TestPicture& target)
    : frame(perdix::ParamsOf(target)) {
  vp9().mi_cols = DecodedSize(target.width) / 8;
  vp9().mi_rows = DecodedSize(target.height) / 8;
}

void TestParams::SetReference(uint32_t index, const TestPicture& reference) {
  frame.references[index] = {reference.width, reference.height, 1, 0};
  ReferenceScale& scale = vp9().references[index];
  scale.x_scale = (reference.width << 14) / frame.width;
  scale.y_scale = (reference.height << 14) / frame.height;
  scale.x_step = (16 * scale.x_scale) >> 14;
  scale.y_step = (16 * scale.y_scale) >> 14;
}

// ---- inter prediction ----

TestPicture RandomReference(Random& random, const TestPicture& target,
                            const InterChoice& choice, uint32_t index) {
  uint32_t width = target.width;
  uint32_t height = target.height;
  if (choice.scaled && index != 0) {
    // From twice as large to a sixteenth.
    width = std::max(1u, index == 1 ? width * 2 - Below(random, width)
                                    : (width + 15) / 16 + Below(random, width));
    height =
        std::max(1u, index == 1 ? height * 2 - Below(random, height)
                                : (height + 15) / 16 + Below(random, height));
  }
  TestPicture picture(width, height, choice.subsampling);
  Fill(random, choice.content, &picture);
  return picture;
}

namespace {

uint32_t Vector(Random& random, uint32_t range) {
  const int half = static_cast<int>(range) / 2;
  int row = static_cast<int>(Below(random, range)) - half;
  int col = static_cast<int>(Below(random, range)) - half;
  if (Below(random, 4) == 0) row &= ~7;
  if (Below(random, 4) == 0) col &= ~7;
  return PackMv(row, col);
}

}  // namespace

void AddInterBlocks(Random& random, const FrameParams& params,
                    const InterChoice& choice,
                    std::vector<InterBlock>* blocks) {
  const auto add = [&](uint32_t x4, uint32_t y4, uint32_t width4,
                       uint32_t height4, uint32_t planes, uint32_t sub8x8) {
    const uint32_t second =
        Below(random, 2) == 0 ? PERDIX_REF_NONE : Below(random, 3);
    blocks->push_back({PackPosition(x4, y4),
                       PackInterShape(width4, height4, planes, Below(random, 4),
                                      Below(random, 3), second, sub8x8),
                       Vector(random, choice.mv_range),
                       Vector(random, choice.mv_range)});
  };
  for (uint32_t y = 0; y < DecodedSize(params.height) / 4; y += 16) {
    for (uint32_t x = 0; x < DecodedSize(params.width) / 4; x += 16) {
      const uint32_t width4 = 2u << Below(random, 4);
      const uint32_t height4 = 2u << Below(random, 4);
      for (uint32_t j = y; j < y + 16; j += height4) {
        for (uint32_t i = x; i < x + 16; i += width4) {
          if (i >= DecodedSize(params.width) / 4 ||
              j >= DecodedSize(params.height) / 4)
            continue;
          if (width4 > 2 || height4 > 2) {
            add(i, j, width4, height4, 3, 0);
            continue;
          }
          for (uint32_t k = 0; k < 4; ++k) {
            add(i + k % 2, j + k / 2, 1, 1,
                choice.subsampling ? PERDIX_PLANES_LUMA : 3u, 1);
          }
          if (choice.subsampling) {
            add(i, j, 2, 2, PERDIX_PLANES_CHROMA, 1);
          }
        }
      }
    }
  }
}

// ---- inverse transform ----

namespace {

// The coefficients of one block, all that is stored.
TransformBlock MakeTransform(Random& random, const TransformChoice& choice,
                             uint32_t x4, uint32_t y4, uint32_t component,
                             uint32_t tx_size,
                             std::vector<int16_t>* coefficients) {
  const bool dc_only = !choice.lossless && Below(random, 4) == 0;
  const uint32_t tx_type =
      choice.lossless || tx_size == 3 ? 0 : Below(random, choice.types);
  const uint32_t stored_log2 = dc_only ? 0 : Below(random, tx_size + 1);
  const uint32_t count = 16u << (2 * stored_log2);
  const auto offset = static_cast<uint32_t>(coefficients->size());
  const uint32_t density = 1 + Below(random, 8);
  for (uint32_t i = 0; i < count; ++i) {
    int value = 0;
    if (i == 0 || (!dc_only && Below(random, density) == 0)) {
      const uint32_t magnitude = choice.magnitude >> Below(random, 8);
      value = static_cast<int>(Below(random, 2 * magnitude + 1)) -
              static_cast<int>(magnitude);
    }
    coefficients->push_back(
        static_cast<int16_t>(std::clamp(value, -32768, 32767)));
  }
  return {PackPosition(x4, y4),
          PackTransformShape(component, tx_size, tx_type, stored_log2), offset,
          dc_only ? 1u : 2u + Below(random, count - 1)};
}

}  // namespace

void AddTransforms(Random& random, const FrameParams& params,
                   const TransformChoice& choice,
                   std::vector<TransformBlock>* blocks,
                   std::vector<int16_t>* coefficients) {
  for (uint32_t component = 0; component < 3; ++component) {
    const uint32_t ss_x = component == 0 ? 0 : params.subsampling_x;
    const uint32_t ss_y = component == 0 ? 0 : params.subsampling_y;
    const uint32_t columns =
        DecodedSize(params.width) / 4 >> ss_x;  // 4x4 units
    const uint32_t rows = DecodedSize(params.height) / 4 >> ss_y;
    for (uint32_t y = 0; y < rows; y += 8) {
      for (uint32_t x = 0; x < columns; x += 8) {
        const uint32_t tx_size = choice.lossless ? 0 : Below(random, 4);
        const uint32_t step = 1u << tx_size;
        for (uint32_t j = y; j < std::min(y + 8, rows); j += step) {
          for (uint32_t i = x; i < std::min(x + 8, columns); i += step) {
            if (Below(random, 8) == 0) continue;
            blocks->push_back(MakeTransform(random, choice, i, j, component,
                                            tx_size, coefficients));
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
  PlaneBlocks(Random& random, const FrameParams& params, uint32_t plane,
              const TransformChoice& choice)
      : random_(random),
        plane_(plane),
        choice_(choice),
        columns_(DecodedSize(params.width) / 4 >>
                 (plane ? params.subsampling_x : 0)),
        rows_(DecodedSize(params.height) / 4 >>
              (plane ? params.subsampling_y : 0)),
        decoded_(size_t{columns_} * rows_) {}

  void Add(std::vector<IntraBlock>* blocks,
           std::vector<TransformBlock>* transforms,
           std::vector<int16_t>* coefficients) {
    for (uint32_t y = 0; y < rows_; y += 8) {
      for (uint32_t x = 0; x < columns_; x += 8) {
        const uint32_t tx_size = choice_.lossless ? 0 : Below(random_, 4);
        const uint32_t step = 1u << tx_size;
        for (uint32_t j = y; j < std::min(y + 8, rows_); j += step) {
          for (uint32_t i = x; i < std::min(x + 8, columns_); i += step) {
            if (Below(random_, 16) != 0) {
              AddBlock(i, j, tx_size, blocks, transforms, coefficients);
            }
            MarkDecoded(i, j, step);
          }
        }
      }
    }
  }

 private:
  bool IsDecoded(uint32_t x, uint32_t y) const {
    return x < columns_ && y < rows_ && decoded_[y * columns_ + x];
  }

  void MarkDecoded(uint32_t x, uint32_t y, uint32_t size) {
    for (uint32_t j = y; j < std::min(y + size, rows_); ++j) {
      for (uint32_t i = x; i < std::min(x + size, columns_); ++i) {
        decoded_[j * columns_ + i] = true;
      }
    }
  }

  uint32_t Residual(uint32_t x, uint32_t y, uint32_t component,
                    uint32_t tx_size, std::vector<TransformBlock>* transforms,
                    std::vector<int16_t>* coefficients) {
    if (Below(random_, 3) == 0) return PERDIX_NONE;
    transforms->push_back(MakeTransform(random_, choice_, x, y, component,
                                        tx_size, coefficients));
    return static_cast<uint32_t>(transforms->size() - 1);
  }

  void AddBlock(uint32_t x, uint32_t y, uint32_t tx_size,
                std::vector<IntraBlock>* blocks,
                std::vector<TransformBlock>* transforms,
                std::vector<int16_t>* coefficients) {
    uint32_t have = 0;
    if (x > 0 && Below(random_, 8) != 0) have |= PERDIX_INTRA_HAVE_LEFT;
    if (y > 0 && Below(random_, 8) != 0) {
      have |= PERDIX_INTRA_HAVE_ABOVE;
      if (tx_size == 0 && IsDecoded(x + 1, y - 1)) {
        have |= PERDIX_INTRA_HAVE_ABOVE_RIGHT;
      }
    }
    IntraBlock block = {
        PackPosition(x, y),
        PackIntraShape(plane_, tx_size, Below(random_, 10), have), PERDIX_NONE,
        PERDIX_NONE};
    block.residual0 = Residual(x, y, plane_ == kLuma ? 0 : 1, tx_size,
                               transforms, coefficients);
    if (plane_ == kChroma) {
      block.residual1 = Residual(x, y, 2, tx_size, transforms, coefficients);
    }
    blocks->push_back(block);
  }

  Random& random_;
  const uint32_t plane_;
  const TransformChoice& choice_;
  const uint32_t columns_;  // 4x4 units
  const uint32_t rows_;
  std::vector<bool> decoded_;
};

}  // namespace

void AddIntraBlocks(Random& random, const FrameParams& params,
                    const TransformChoice& choice,
                    std::vector<IntraBlock>* blocks,
                    std::vector<TransformBlock>* transforms,
                    std::vector<int16_t>* coefficients) {
  for (const uint32_t plane : {kLuma, kChroma}) {
    PlaneBlocks(random, params, plane, choice)
        .Add(blocks, transforms, coefficients);
  }
}

// ---- loop filter ----

namespace {

uint32_t PlaneEdges(Random& random, uint32_t row, uint32_t col, bool half_row,
                    bool half_col) {
  const uint32_t left = col == 0 ? 0 : Below(random, half_col ? 3 : 4);
  const uint32_t above = row == 0 ? 0 : Below(random, half_row ? 3 : 4);
  return PackEdges(left, above, half_col ? 0 : Below(random, 2),
                   half_row ? 0 : Below(random, 2));
}

}  // namespace

std::vector<uint32_t> RandomEdges(Random& random, const FrameParams& params) {
  const uint32_t mi_rows = DecodedSize(params.height) / 8;
  const uint32_t mi_cols = DecodedSize(params.width) / 8;
  std::vector<uint32_t> edges;
  for (uint32_t row = 0; row < mi_rows; ++row) {
    for (uint32_t col = 0; col < mi_cols; ++col) {
      uint32_t cell = Below(random, 8) == 0 ? 0 : Below(random, 64);
      cell |= PlaneEdges(random, row, col, false, false)
              << PERDIX_EDGE_LUMA_SHIFT;
      if ((row & params.subsampling_y) == 0 &&
          (col & params.subsampling_x) == 0) {
        cell |= PlaneEdges(random, row, col,
                           params.subsampling_y && row + 1 == mi_rows,
                           params.subsampling_x && col + 1 == mi_cols)
                << PERDIX_EDGE_CHROMA_SHIFT;
      }
      edges.push_back(cell);
    }
  }
  return edges;
}

}  // namespace perdix::vp9
