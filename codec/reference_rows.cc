// SPDX-License-Identifier: BSD-2-Clause
#include "codec/reference_rows.h"

#include <algorithm>

#include "codec/frame_job.h"
#include "kernels/vp9/block_interpolation.h"

namespace perdix {
namespace {

constexpr uint32_t kSuperblock = 64;  // luma lines

// Lines below a block, in luma's, that interpolating its chroma may read: half
// of the taps (VP9 8.5.2.4) and one that vectors touch, each two of luma.
constexpr int kLinesBelow = 2 * (vp9::kTaps / 2 + 1);
// Lines that the filter of the next row changes: 8 of chroma.
constexpr int kNotFinal = 2 * 8;

// Clamping the vector (VP9 8.5.2.3) only moves this up, or to where it lies
// above the frame, which is predicted from its first line.
int EndOfLinesRead(const InterBlock& block, uint32_t mv) {
  const uint32_t end = PositionY4(block.position) + InterHeight4(block.shape);
  return int(end) * 4 + (MvRow(mv) >> 3) + kLinesBelow;
}

}  // namespace

void ReferenceRows::Reset(uint32_t rows, uint32_t final_rows) {
  needs_.clear();
  needs_.reserve(rows);
  released_ = 0;
  final_rows_ = final_rows;
}

Range ReferenceRows::Need(uint32_t rows) {
  needs_.push_back(rows);
  return Release();
}

Range ReferenceRows::Have(uint32_t final_rows) {
  final_rows_ = final_rows;
  return Release();
}

Range ReferenceRows::Release() {
  const uint32_t begin = released_;
  while (released_ < needs_.size() && needs_[released_] <= final_rows_) {
    ++released_;
  }
  return {begin, released_};
}

uint32_t RowsRead(const FrameJob& job, uint32_t sb_row, uint32_t mask) {
  uint32_t needed = 0;
  const auto look = [&](const InterBlock& block, uint32_t ref, uint32_t mv) {
    if (ref == PERDIX_REF_NONE || (mask >> ref & 1) == 0) return;
    const uint32_t height = job.request.references[ref]->view.height;
    const uint32_t rows = (height + kSuperblock - 1) / kSuperblock;
    const ReferenceParams& reference = job.params.references[ref];
    const bool scaled = reference.x_scale != vp9::kNotScaled ||
                        reference.y_scale != vp9::kNotScaled;
    const int end = std::max(EndOfLinesRead(block, mv), 1) + kNotFinal;
    const uint32_t to_end = (uint32_t(end) + kSuperblock - 1) / kSuperblock;
    needed = std::max(needed, scaled ? rows : std::min(to_end, rows));
  };
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    const TileLists& tile = job.tiles[i];
    const WorkLists lists = tile.View();
    const Range range = tile.Items(&SuperblockIndex::inter_blocks, sb_row,
                                   tile.sb_col_begin, tile.sb_col_end);
    for (uint32_t item = range.begin; item < range.end; ++item) {
      const InterBlock& block = lists.inter_blocks[item];
      look(block, InterRef0(block.shape), block.mv0);
      look(block, InterRef1(block.shape), block.mv1);
    }
  }
  return needed;
}

}  // namespace perdix
