// SPDX-License-Identifier: BSD-2-Clause
// The edges of one plane of a superblock and their limits (VP9 8.8.1) in bytes,
// unpacked from the edge words (work_lists.h) by vectors.
#if defined(PERDIX_KERNELS_VP9_SUPERBLOCK_EDGES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_VP9_SUPERBLOCK_EDGES_INL_H_
#undef PERDIX_KERNELS_VP9_SUPERBLOCK_EDGES_INL_H_
#else
#define PERDIX_KERNELS_VP9_SUPERBLOCK_EDGES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/shared/vp9/params.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A byte for each 8x8 pixel cell of a plane, by row and column.
constexpr int kCells = 8;
using CellBytes = uint8_t[kCells * kCells];

// A width, as the edge words have it, above a level.
constexpr int kWidthShift = 6;

struct SuperblockEdges {
  // Width and level of the edges left of and above a cell, and 4 pixels on.
  CellBytes left, inner_left, above, inner_above;
  // EdgeLimits at bit depth 8.
  CellBytes limit, blimit, thresh;
  // Vectors are read from the first of several cells on.
  uint8_t padding[64];
};

// Where the edge words have those of a plane.
struct PlaneWords {
  int shift;  // PERDIX_EDGE_LUMA_SHIFT or PERDIX_EDGE_CHROMA_SHIFT
  int subsampling_x;
  int subsampling_y;
};

// The bytes of edge words that hold the level, and those that hold the edges of
// the plane in their lower 6 bits. The upper 2 bits are something else.
struct PackedCells {
  alignas(64) CellBytes level;
  alignas(64) CellBytes edges;
};

// words: of the eight 8x8 luma blocks in a row.
inline HWY_ATTR void PackRow(const uint32_t* words, const PlaneWords& plane,
                             int cell, PackedCells* packed) {
  const hn::FixedTag<uint32_t, 4> d;
  auto lower = hn::LoadU(d, words);
  auto upper = hn::LoadU(d, words + 4);
  if (plane.subsampling_x != 0) {
    lower = hn::ConcatEven(d, upper, lower);
    upper = hn::Zero(d);
  }
  const auto store_low_bytes = [&](int shift, uint8_t* to) HWY_ATTR {
    const hn::FixedTag<uint16_t, 8> d16;
    const hn::FixedTag<uint8_t, 16> d8;
    const auto low16 =
        hn::ConcatEven(d16, hn::BitCast(d16, hn::ShiftRightSame(upper, shift)),
                       hn::BitCast(d16, hn::ShiftRightSame(lower, shift)));
    const auto low8 =
        hn::ConcatEven(d8, hn::BitCast(d8, low16), hn::BitCast(d8, low16));
    hn::StoreU(hn::LowerHalf(low8), hn::FixedTag<uint8_t, 8>(), to);
  };
  store_low_bytes(0, packed->level + cell);
  store_low_bytes(plane.shift, packed->edges + cell);
}

// A vector of cells.
template <class D>
HWY_ATTR void EdgesOfCells(D d, const PackedCells& packed, int cell,
                           SuperblockEdges* edges) {
  const auto level = hn::And(hn::Load(d, packed.level + cell), hn::Set(d, 63));
  const auto none = hn::Eq(level, hn::Zero(d));
  const auto cells = hn::IfThenZeroElse(none, hn::Load(d, packed.edges + cell));
  const auto with_level = [&](auto widths, uint8_t mask) HWY_ATTR {
    return hn::Or(level, hn::And(widths, hn::Set(d, mask)));
  };
  hn::StoreU(with_level(hn::ShiftLeft<6>(cells), 0xc0), d, edges->left + cell);
  hn::StoreU(with_level(hn::ShiftLeft<4>(cells), 0xc0), d, edges->above + cell);
  hn::StoreU(with_level(hn::ShiftLeft<2>(cells), 0x40), d,
             edges->inner_left + cell);
  hn::StoreU(with_level(hn::ShiftLeft<1>(cells), 0x40), d,
             edges->inner_above + cell);
}

// VP9 8.8.1.
template <class D>
HWY_ATTR void LimitsOfCells(D d, const PackedCells& packed, int cell,
                            uint32_t sharpness, SuperblockEdges* edges) {
  const int shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const auto highest = static_cast<uint8_t>(sharpness > 0 ? 9 - sharpness : 63);
  const auto level = hn::And(hn::Load(d, packed.level + cell), hn::Set(d, 63));
  const auto limit =
      hn::Min(hn::Max(hn::ShiftRightSame(level, shift), hn::Set(d, 1)),
              hn::Set(d, highest));
  const auto raised = hn::Add(level, hn::Set(d, 2));
  hn::StoreU(limit, d, edges->limit + cell);
  hn::StoreU(hn::Add(hn::Add(raised, raised), limit), d, edges->blimit + cell);
  hn::StoreU(hn::ShiftRight<4>(level), d, edges->thresh + cell);
}

// first_row, first_col: of the superblock, in 8x8 luma blocks. Rows of cells
// outside of the frame are not written.
inline HWY_ATTR void EdgesOf(const Params& params,
                             std::span<const uint32_t> words,
                             const PlaneWords& plane, uint32_t first_row,
                             uint32_t first_col, SuperblockEdges* edges) {
  const uint32_t rows = std::min(params.mi_rows - first_row, uint32_t{kCells});
  const uint32_t cols = std::min(params.mi_cols - first_col, uint32_t{kCells});
  PackedCells packed;
  int cell = 0;
  for (uint32_t y = 0; y < rows; y += 1 << plane.subsampling_y) {
    const uint32_t* row =
        &words[size_t{first_row + y} * params.mi_cols + first_col];
    uint32_t padded[kCells] = {};
    if (cols < kCells) {
      std::copy_n(row, cols, padded);
      row = padded;
    }
    PackRow(row, plane, cell, &packed);
    cell += kCells;
  }
  const hn::CappedTag<uint8_t, kCells * kCells> d;
  for (int i = 0; i < cell; i += static_cast<int>(hn::Lanes(d))) {
    EdgesOfCells(d, packed, i, edges);
    LimitsOfCells(d, packed, i, params.loop_filter_sharpness, edges);
  }
}

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_VP9_SUPERBLOCK_EDGES_INL_H_
