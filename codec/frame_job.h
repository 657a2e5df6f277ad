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
#include "codec/cell_grid.h"
#include "codec/decoder.h"
#include "codec/frame_plan.h"
#include "codec/parse_grid.h"
#include "codec/reference_rows.h"
#include "codec/self_check.h"
#include "codec/tracer.h"
#include "codec/work_sharing.h"
#include "kernels/kernel.h"

namespace perdix {

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
  std::vector<SuperblockIndex> row_begins;  // [row]
  // Rows whose records are kept: those of row r take the place of those of row
  // r - kept_rows. All of them after Reset().
  uint32_t kept_rows = 0;

  uint32_t columns() const { return sb_col_end - sb_col_begin; }
  // Empties the lists and makes room for any content of the tile column.
  void Reset(const FrameParams& params, uint32_t begin, uint32_t end);
  // Before the first record of the row.
  void BeginRow(uint32_t sb_row);
  WorkLists View() const;
  // Only what was written: complete once the tile column is parsed.
  WorkLists Written() const;
  // The items of <list> in superblocks [col_begin, col_end) of a row.
  Range Items(uint32_t SuperblockIndex::*list, uint32_t sb_row,
              uint32_t col_begin, uint32_t col_end) const;
};

struct FrameJob {
  FrameRequest request;

  // Written by CodecState::Begin, read-only afterwards.
  FrameParams params = {};
  uint32_t tile_cols = 0;
  std::vector<TileLists> tiles;  // at least tile_cols

  // Written by CodecState::ParseRow, a superblock row at a time.
  std::vector<uint32_t> edges;  // mi_rows x mi_cols loop filter words

  // Sticky: the first failure counts.
  void Fail(Status status);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  const Status& status() const { return status_; }
  // For the next frame: everything above and the scheduler's flags.
  void Reset(FrameRequest next_request);

  KernelArgs Args(const TileLists* tile) const;
  // For the segment that is at work. Borrows from this job.
  vulkan::GpuFrameInput GpuInput();
  // Whether that segment's result has the motion: only the last one's.
  bool MeasuresMotion() const {
    return previous != nullptr && segment + 1 == plan.segment_count;
  }

  // The scheduler's. Where each stage runs, and the segment that is at work.
  uint64_t number = 0;  // in the stream, from 1 on
  FramePlan plan;
  uint32_t segment = 0;
  WorkSharing sharing;
  ParseGrid parse_grid;
  CellGrid cells;                     // of a segment of the CPU
  std::vector<uint32_t> tile_begins;  // as CellGrid::Shape
  // It is the follower of the frame before, which these references are.
  bool follows = false;
  uint32_t followed_references = 0;
  std::unique_ptr<vulkan::GpuFrame> gpu;
  std::vector<WorkLists> gpu_tiles;
  vulkan::GpuFrameResult gpu_result;
  SelfCheck check;
  PicturePtr previous;  // to measure the motion against; null: not measured
  FrameTimes times;
  std::atomic<uint8_t> gpu_conditions{0};  // before the first segment's submit
  std::atomic<uint8_t> gpu_pending{0};  // Submit's return and the GPU's report
  std::atomic<bool> gate_open{false};   // reconstruction may start
  std::atomic<bool> may_be_followed{false};  // the CPU makes all, and has begun
  // Under the scheduler's mutex.
  bool begun = false;            // the plan is made, rows are being parsed
  bool passed = false;           // nothing is left but to wait for the GPU
  int final_lines = 0;           // as FinalLines
  FrameJob* follower = nullptr;  // the next frame, if its rows wait for ours
  ReferenceRows reference_rows;  // of a follower
  // Once this is the oldest frame, and the others' targets are at rest.
  enum class WhenOldest { kNothing, kSegment, kCheck, kReport };
  WhenOldest when_oldest = WhenOldest::kNothing;

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  Status status_;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_FRAME_JOB_H_
