// SPDX-License-Identifier: BSD-2-Clause
// One frame on its way through the engine: the request, what entropy decoding
// wrote for reconstruction, and how far both are. Reused from frame to frame.
#ifndef PERDIX_CODEC_FRAME_JOB_H_
#define PERDIX_CODEC_FRAME_JOB_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/arena.h"
#include "codec/decoder.h"
#include "kernels/kernel.h"

namespace perdix {

// Where a superblock's records end in its tile's lists. They begin where those
// of the superblock before it end.
struct SuperblockIndex {
  uint32_t inter_blocks = 0;
  uint32_t inter_transforms = 0;
  uint32_t intra_blocks = 0;
};

// The work lists of one tile column, bucketed by superblock row.
struct TileLists {
  uint32_t sb_col_begin = 0;  // superblocks
  uint32_t sb_col_end = 0;
  Arena<InterBlock> inter_blocks;
  Arena<TransformBlock> inter_transforms;
  Arena<IntraBlock> intra_blocks;
  Arena<TransformBlock> intra_transforms;
  Arena<int16_t> coefficients;
  // index[0] is all zero; the superblock at (row, col) has index[1 + row *
  // columns + col - sb_col_begin].
  std::vector<SuperblockIndex> index;

  uint32_t columns() const { return sb_col_end - sb_col_begin; }
  // Empties the lists and makes room for any content of the tile column.
  void Reset(const FrameParams& params, uint32_t begin, uint32_t end);
  WorkLists View() const;
  // The items of <list> in superblocks [col_begin, col_end) of a row.
  Range Items(uint32_t SuperblockIndex::*list, uint32_t sb_row,
              uint32_t col_begin, uint32_t col_end) const;
};

struct FrameJob {
  FrameRequest request;
  std::vector<uint8_t> controls;  // what request.controls points to

  // Written by CodecState::Begin, read-only afterwards.
  FrameParams params = {};
  PictureView references[PERDIX_VP9_REFS];
  uint32_t tile_cols = 0;
  std::vector<TileLists> tiles;  // at least tile_cols

  // Written by CodecState::ParseRow, a superblock row at a time.
  std::vector<uint32_t> edges;  // mi_rows x mi_cols loop filter words

  // Sticky: the first failure counts.
  void Fail(Status status);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  const Status& status() const { return status_; }
  void ResetStatus();

  KernelArgs Args(const TileLists* tile) const;

  // The scheduler's (decoder.cc). A cell is a run of superblocks of one row in
  // one of two stages; it runs when its count of unmet conditions reaches 0.
  uint32_t chunks = 0;                                 // cells in a row
  uint32_t chunk_width = 0;                            // superblocks in a cell
  std::unique_ptr<std::atomic<uint8_t>[]> conditions;  // [stage][row][chunk]
  size_t conditions_size = 0;
  std::unique_ptr<std::atomic<uint32_t>[]> tiles_to_parse;  // [row]
  size_t tiles_to_parse_size = 0;
  std::atomic<uint32_t> parsing_tiles{0};
  bool begun = false;         // counts are set up; under the decoder's mutex
  bool begin_failed = false;  // nothing to parse or reconstruct; likewise

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  Status status_;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_FRAME_JOB_H_
