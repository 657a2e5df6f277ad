// SPDX-License-Identifier: BSD-2-Clause
#include "codec/reference_rows.h"

#include <algorithm>
#include <array>
#include <limits>

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

constexpr uint32_t Superblocks(uint32_t lines) {
  return (lines + kSuperblock - 1) / kSuperblock;
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
  // Where the vectors put the end of the lowest block, luma lines, by
  // reference; the last one is that of single predictions. Clamping a vector
  // (VP9 8.5.2.3) only moves it up, or to where it lies above the frame, which
  // is predicted from its first line.
  constexpr int kNotRead = std::numeric_limits<int>::min();
  std::array<int, PERDIX_REF_NONE + 1> ends;
  ends.fill(kNotRead);
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    const WorkLists tile = job.tiles[i].View();
    const std::span<const vp9::InterBlock> blocks = tile.Of(vp9::kInterBlocks);
    const Range range =
        RowOf(KernelId::kVp9InterPred)
            .Items(tile, job.params, sb_row, {0, job.params.sb_cols});
    for (uint32_t item = range.begin; item < range.end; ++item) {
      const vp9::InterBlock& block = blocks[item];
      const int end = 4 * int(vp9::PositionY4(block.position) +
                              vp9::InterHeight4(block.shape));
      const auto read = [&](uint32_t ref, int end_read) {
        if (end_read > ends[ref]) [[unlikely]]
          ends[ref] = end_read;
      };
      read(vp9::InterRef0(block.shape), end + (vp9::MvRow(block.mv0) >> 3));
      read(vp9::InterRef1(block.shape), end + (vp9::MvRow(block.mv1) >> 3));
    }
  }

  uint32_t needed = 0;
  for (uint32_t ref = 0; ref < PERDIX_VP9_REFS; ++ref) {
    if ((mask >> ref & 1) == 0 || ends[ref] == kNotRead) continue;
    const uint32_t rows = Superblocks(job.request.references[ref]->view.height);
    const vp9::ReferenceScale& reference =
        job.codec_params.As<vp9::Params>().references[ref];
    const bool scaled = reference.x_scale != vp9::kNotScaled ||
                        reference.y_scale != vp9::kNotScaled;
    const int end = std::max(ends[ref] + kLinesBelow, 1) + kNotFinal;
    needed = std::max(
        needed, scaled ? rows : std::min(Superblocks(uint32_t(end)), rows));
  }
  return needed;
}

}  // namespace perdix
