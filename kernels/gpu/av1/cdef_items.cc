// SPDX-License-Identifier: BSD-2-Clause
// Which blocks CDEF filters: the conditions of 7.15, as in
// kernels/av1/cdef/cdef_walk.h.
#include "kernels/gpu/av1/cdef_items.h"

#include <algorithm>
#include <bit>

#include "kernels/av1/filter_rows.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kNoTaps = PERDIX_CDEF_KINDS;

uint32_t TapsOf(uint32_t strength, bool at_edge) {
  if (strength == 0) return kNoTaps;
  if (at_edge) return PERDIX_CDEF_EDGE;
  if (CdefPrimary(strength) == 0) return PERDIX_CDEF_SECONDARY;
  return CdefSecondary(strength) == 0 ? PERDIX_CDEF_PRIMARY : PERDIX_CDEF_BOTH;
}

}  // namespace

CdefGrid CdefGridOf(const FrameParams& params) {
  return {DecodedSize(params.width) / 8, DecodedSize(params.height) / 8};
}

void CdefItems::Set(const FrameParams& params, const Params& av1,
                    std::span<const CdefBlock> blocks) {
  Clear();
  const CdefGrid grid = CdefGridOf(params);
  const uint32_t block_columns = (grid.columns + 7) / 8;
  for (uint32_t y8 = 0; y8 < grid.rows; ++y8) {
    const bool at_edge_y = y8 == 0 || y8 + 1 == grid.rows;
    for (uint32_t column = 0; column < block_columns; ++column) {
      const CdefBlock& block = blocks[y8 / 8 * block_columns + column];
      if (block.index == PERDIX_NO_CDEF) continue;
      const uint32_t word = y8 & 4 ? block.filtered1 : block.filtered0;
      const uint32_t columns = std::min(grid.columns - column * 8, 8u);
      uint32_t bits = (word >> (y8 % 4 * 8)) & ((1u << columns) - 1);
      for (; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<uint32_t>(std::countr_zero(bits));
        const uint32_t x8 = column * 8 + bit;
        Add(PackCdefItem(x8, y8, block.index & (PERDIX_CDEF_INDICES - 1)),
            at_edge_y || x8 == 0 || x8 + 1 == grid.columns, av1);
      }
    }
  }
}

uint32_t CdefItems::Count(uint32_t plane) const {
  size_t count = 0;
  for (const auto& list : items_[plane]) count += list.size();
  return static_cast<uint32_t>(count);
}

void CdefItems::Clear() {
  for (auto& lists : items_) {
    for (auto& list : lists) list.clear();
  }
  directed_.clear();
}

void CdefItems::Add(uint32_t item, bool at_edge, const Params& av1) {
  const uint32_t index = CdefItemIndex(item);
  const uint32_t strengths[kPlaneCount] = {av1.cdef_y_strength[index],
                                           av1.cdef_uv_strength[index]};
  bool directed = false;
  for (uint32_t plane = 0; plane < PlaneCount(av1); ++plane) {
    const uint32_t taps = TapsOf(strengths[plane], at_edge);
    if (taps == kNoTaps) continue;
    items_[plane][taps].push_back(item);
    directed |= CdefPrimary(strengths[plane]) != 0;
  }
  if (directed) directed_.push_back(item);
}

}  // namespace perdix::av1
