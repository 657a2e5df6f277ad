// SPDX-License-Identifier: BSD-2-Clause
// The table of kernels, expanded from kernels.def.
#include <algorithm>

#include "kernels/kernel.h"
#include "kernels/vp9/kernels.h"

namespace perdix {
namespace {

template <typename Sample>
constexpr KernelFunction NoSimd = nullptr;

enum { NoShader, Shader };

}  // namespace

std::span<const KernelRow> KernelTable() {
  static constexpr KernelRow kTable[] = {
#define PERDIX_KERNEL(Id, key, scalar, simd, items, order, shader)         \
  {#Id,                                                                    \
   #key,                                                                   \
   {{scalar<uint8_t>, scalar<uint16_t>}, {simd<uint8_t>, simd<uint16_t>}}, \
   items,                                                                  \
   ItemOrder::k##order,                                                    \
   shader == Shader},
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
  };
  return kTable;
}

Range KernelRow::Items(const WorkLists& tile, const FrameParams& params,
                       uint32_t sb_row, Range columns) const {
  const uint32_t begin = std::max(columns.begin, tile.columns.begin);
  const uint32_t end = std::min(columns.end, tile.columns.end);
  if (begin >= end) return {};
  if (!ReadsList()) {
    return {sb_row * params.sb_cols + begin, sb_row * params.sb_cols + end};
  }
  const uint32_t left = tile.columns.begin;
  const size_t row = size_t{sb_row} * (tile.columns.end - left);
  const RecordEnds& before = begin == left ? tile.row_begins[sb_row]
                                           : tile.ends[row + begin - left - 1];
  return {before[list], tile.ends[row + end - left - 1][list]};
}

}  // namespace perdix
