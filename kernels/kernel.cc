// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/kernel.h"

#include <algorithm>

namespace perdix {

std::string ToString(ShaderDepths depths) {
  switch (depths) {
    case ShaderDepths::kNone:
      return "none";
    case ShaderDepths::k8:
      return "8";
    case ShaderDepths::k8And10:
      return "8 or 10";
  }
  return "";
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
