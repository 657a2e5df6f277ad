// SPDX-License-Identifier: BSD-2-Clause
// Transform blocks in parts, in lists by the program that takes them.
#include "kernels/gpu/av1/residual_items.h"

#include <algorithm>
#include <cstring>

#include "kernels/av1/transform/transform_block.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kLengths = 5;  // 4..64
constexpr uint32_t kKinds = 8;    // four, with and without CLAMPS
constexpr uint32_t kComponents = 3;
constexpr uint32_t kRowLists = kLengths * kKinds;
constexpr uint32_t kOutputLists = kRowLists + 1;  // columns, DC

// An identity's and WHT's rows have no clamps but the last, which they need
// whatever the coefficients are; their columns have none at all.
constexpr bool IsClamped(ResidualPass pass, uint32_t kind, bool is_large) {
  if (kind == PERDIX_RESIDUAL_DCT || kind == PERDIX_RESIDUAL_ADST) {
    return is_large;
  }
  return pass == ResidualPass::kRows;
}

bool Exists(ResidualPass pass, uint32_t length_log2, uint32_t kind) {
  const uint32_t without = kind & PERDIX_RESIDUAL_KIND;
  const bool clamps = (kind & PERDIX_RESIDUAL_CLAMPS) != 0;
  if (IsClamped(pass, without, clamps) != clamps) return false;
  switch (without) {
    case PERDIX_RESIDUAL_ADST:
      return length_log2 <= 4;
    case PERDIX_RESIDUAL_IDENTITY:
      return length_log2 <= 5;
    case PERDIX_RESIDUAL_WHT:
      return length_log2 == 2;
    default:
      return true;
  }
}

uint32_t OutputOf(ResidualOf which, uint32_t component) {
  if (which == ResidualOf::kIntra) return PERDIX_RESIDUAL_TO_PLANES;
  return component == 0 ? PERDIX_RESIDUAL_TO_LUMA : PERDIX_RESIDUAL_TO_CHROMA;
}

// The sum of the coefficients' magnitudes; the largest number there is if one
// of them is beyond 20 bits. count: a multiple of 16.
template <typename Number>
uint32_t SumOf(const int16_t* units, size_t count) {
  uint32_t bits = 0;  // of the largest
  uint32_t sum = 0;
  for (size_t first = 0; first < count; first += 16) {
    // A fixed number, so that the compiler makes vectors of them.
    Number coefficients[16];
    std::memcpy(coefficients, units + first * sizeof(Number) / sizeof(*units),
                sizeof(coefficients));
    for (const Number coefficient : coefficients) {
      const auto value = static_cast<uint32_t>(int32_t{coefficient});
      const uint32_t magnitude = coefficient < 0 ? 0 - value : value;
      bits |= magnitude;
      sum += magnitude;
    }
  }
  return bits < 1 << 20 ? sum : UINT32_MAX;
}

uint32_t KindOf(ResidualPass pass, TransformKind transform, int length_log2,
                bool lossless, bool is_large) {
  uint32_t kind =
      lossless ? uint32_t{PERDIX_RESIDUAL_WHT}
               : static_cast<uint32_t>(KindOfLength(transform, length_log2));
  if (IsClamped(pass, kind, is_large)) kind |= PERDIX_RESIDUAL_CLAMPS;
  return kind;
}
static_assert(uint32_t(TransformKind::kDct) == PERDIX_RESIDUAL_DCT &&
              uint32_t(TransformKind::kAdst) == PERDIX_RESIDUAL_ADST &&
              uint32_t(TransformKind::kIdentity) == PERDIX_RESIDUAL_IDENTITY);

uint32_t ScratchWords(const Shape& shape) {
  const auto width = static_cast<uint32_t>(shape.width);
  const auto height = static_cast<uint32_t>(shape.height);
  const uint32_t values =
      ResidualValueWords(width, static_cast<uint32_t>(shape.stored_height));
  const bool keeps =
      shape.height_log2 >= PERDIX_RESIDUAL_TALL_LOG2 || shape.width == 64;
  return keeps ? values + width * height / 2 : values;
}

// Block 0: lanes of any program may write what they like to its values.
constexpr uint32_t kPaddingWords = ResidualValueWords(64, 4) + 64 * 64 / 2;
constexpr ResidualBlock kPadding = {PackPosition(0xffff, 0xffff),
                                    PackTransformShape(0, 6, 6, 0, 0, 0), 0, 0};

}  // namespace

std::vector<ResidualKind> ResidualKinds(ResidualOf which) {
  std::vector<uint32_t> outputs = {OutputOf(which, 0)};
  if (which == ResidualOf::kInter) outputs.push_back(OutputOf(which, 1));
  std::vector<ResidualKind> kinds;
  for (uint32_t length_log2 = 2; length_log2 < 2 + kLengths; ++length_log2) {
    for (uint32_t kind = 0; kind < kKinds; ++kind) {
      if (Exists(ResidualPass::kRows, length_log2, kind)) {
        kinds.push_back({ResidualPass::kRows, length_log2, kind, 0});
      }
      if (!Exists(ResidualPass::kColumns, length_log2, kind)) continue;
      for (const uint32_t output : outputs) {
        kinds.push_back({ResidualPass::kColumns, length_log2, kind, output});
      }
    }
  }
  for (const uint32_t output : outputs) {
    kinds.push_back({ResidualPass::kDc, 0, 0, output});
  }
  return kinds;
}

// What a block's items are made from.
struct ResidualItems::Placed {
  const Shape shape;
  const uint32_t index;      // of the block
  const uint32_t type;       // TransformType
  const uint32_t component;  // 0 of intra blocks, whose lists have all
  const uint32_t columns4;   // that are wanted, of four
  const uint32_t rows;       // that are wanted
};

void ResidualItems::Set(const gpu::FrameInput& input,
                        std::span<const gpu::TileInput> tiles, ResidualOf which,
                        uint32_t values) {
  which_ = which;
  MakeLists();
  blocks_.assign(1, kPadding);
  blocks_[0].values = values;
  scratch_words_ = values + kPaddingWords;
  for (const gpu::TileInput& tile : tiles) {
    for (const TransformBlock& block :
         tile.lists.Of(which == ResidualOf::kInter ? kInterTransforms
                                                   : kIntraTransforms)) {
      Add(input, tile, block);
    }
  }
}

void ResidualItems::MakeLists() {
  lists_.resize(kRowLists + kComponents * kOutputLists);
  for (uint32_t i = 0; i < kRowLists; ++i) {
    lists_[i].kind = {ResidualPass::kRows, 2 + i / kKinds, i % kKinds, 0};
    lists_[i].step = 0;
  }
  for (uint32_t component = 0; component < kComponents; ++component) {
    const uint32_t output = OutputOf(which_, component);
    const uint32_t step = component == 2 ? 2 : 1;
    List* const lists = &lists_[kRowLists + component * kOutputLists];
    for (uint32_t i = 0; i < kRowLists; ++i) {
      lists[i].kind = {ResidualPass::kColumns, 2 + i / kKinds, i % kKinds,
                       output};
      lists[i].step = step;
    }
    lists[kRowLists].kind = {ResidualPass::kDc, 0, 0, output};
    lists[kRowLists].step = step;
  }
  for (List& list : lists_) list.items.clear();
}

std::vector<uint32_t>& ResidualItems::RowItems(uint32_t length_log2,
                                               uint32_t kind) {
  return lists_[(length_log2 - 2) * kKinds + kind].items;
}

std::vector<uint32_t>& ResidualItems::ColumnItems(uint32_t component,
                                                  uint32_t length_log2,
                                                  uint32_t kind) {
  return lists_[kRowLists + component * kOutputLists +
                (length_log2 - 2) * kKinds + kind]
      .items;
}

std::vector<uint32_t>& ResidualItems::DcItems(uint32_t component) {
  return lists_[kRowLists + component * kOutputLists + kRowLists].items;
}

void ResidualItems::Add(const gpu::FrameInput& input,
                        const gpu::TileInput& tile,
                        const TransformBlock& block) {
  const bool inter = which_ == ResidualOf::kInter;
  const Shape shape(block.shape);
  const uint32_t component = TransformComponent(block.shape);
  int columns = shape.width;
  int rows = shape.height;
  if (inter) {
    const DecodedArea area =
        PlaneDecodedArea(*input.params, component == 0 ? kLuma : kChroma);
    const uint32_t position = block.position;
    columns = std::min(columns, area.width - int(PositionX4(position) * 4));
    rows = std::min(rows, area.height - int(PositionY4(position) * 4));
    if (columns <= 0 || rows <= 0) return;
  }
  const Placed placed = {shape,
                         static_cast<uint32_t>(blocks_.size()),
                         TransformType(block.shape),
                         inter ? component : 0,
                         static_cast<uint32_t>(columns) / 4,
                         static_cast<uint32_t>(rows)};
  blocks_.push_back({block.position, block.shape,
                     tile.coefficient_base + block.coefficients,
                     scratch_words_});
  if (placed.type == 0 && block.eob == 1) return AddDc(placed);

  scratch_words_ += ScratchWords(shape);
  const int16_t* const units = &tile.lists.coefficients[block.coefficients];
  const auto count =
      static_cast<size_t>(shape.stored_width * shape.stored_height);
  AddTransforms(placed, input.params->bit_depth == 8
                            ? SumOf<int16_t>(units, count)
                            : SumOf<int32_t>(units, count));
}

void ResidualItems::AddDc(const Placed& placed) {
  std::vector<uint32_t>& items = DcItems(placed.component);
  for (uint32_t y = 0; y * PERDIX_RESIDUAL_DC_ROWS < placed.rows; ++y) {
    for (uint32_t x4 = 0; x4 < placed.columns4; ++x4) {
      items.push_back(PackResidualItem(placed.index, x4 | (y << 4)));
    }
  }
}

// sum: of the magnitudes of the coefficients. Rows of DCTs and ADSTs do not add
// to it, those of identities up to four times.
void ResidualItems::AddTransforms(const Placed& placed, uint32_t sum) {
  const Shape& shape = placed.shape;
  const bool lossless = placed.type == PERDIX_TRANSFORM_WHT;
  const TransformTypeParts& parts = kTransformTypes[placed.type & 15];
  const Limits limits = Limits::OfBits(16);
  const uint32_t row_kind =
      KindOf(ResidualPass::kRows, parts.rows, shape.width_log2, lossless,
             sum > SumLimit(TransformKind::kDct, limits));
  std::vector<uint32_t>& rows =
      RowItems(static_cast<uint32_t>(shape.width_log2), row_kind);
  for (int y = 0; y < shape.stored_height; y += PERDIX_RESIDUAL_ROW_LANES) {
    rows.push_back(PackResidualItem(
        placed.index, static_cast<uint32_t>(y / PERDIX_RESIDUAL_ROW_LANES)));
  }

  const uint32_t column_kind =
      KindOf(ResidualPass::kColumns, parts.columns, shape.height_log2, lossless,
             sum > SumLimit(parts.rows, limits));
  std::vector<uint32_t>& columns = ColumnItems(
      placed.component, static_cast<uint32_t>(shape.height_log2), column_kind);
  for (uint32_t x4 = 0; x4 < placed.columns4; ++x4) {
    columns.push_back(PackResidualItem(placed.index, x4));
  }
}

}  // namespace perdix::av1
