// SPDX-License-Identifier: BSD-2-Clause
// Parsing: how a frame begins, and its rows one after the other.
#include <algorithm>
#include <new>
#include <utility>

#include "codec/frames_in_flight.h"
#include "codec/picture_access.h"
#include "codec/scheduler.h"

namespace perdix {

// Where there is a stream for every worker each frame stays with one of them:
// no records and rows pass from one core's cache to another's.
int Scheduler::ChooseHome() const {
  return engine_.busy_streams() >= engine_.threads()
             ? ThreadPool::CurrentWorker()
             : Task::kAnywhere;
}

bool Scheduler::MayOverlap(const FrameJob& job) const {
  return !job.plan.UsesGpu() &&
         FramesOverlap(job.params.width, job.params.height, engine_.threads());
}

void Scheduler::BeginParse(FrameJob& job, uint32_t, uint32_t) {
  meter_.FrameBegins(job);
  Status status;
  try {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    status = Begin(job);
  } catch (const std::bad_alloc&) {
    status = NoMemory(job.params);
  }
  if (!status.ok()) {
    job.Fail(std::move(status));
    EndParse(job);
    return;
  }
  bool open = false;
  {
    std::lock_guard lock(mutex_);
    job.queued.begun = true;
    meter_.Stamp(&job.times.planned);
    frames_in_flight_ =
        job.plan.UsesGpu()
            ? max_frames_
            : CpuFramesInFlight(job.params.width, job.params.height,
                                engine_.threads());
    open = job.gate_open = GateOpens(job);
  }
  if (open) OpenGate(job);
  // the frame may be over, and the job another one, once the last is posted
  const uint32_t tile_cols = job.tile_cols;
  for (uint32_t tile = 0; tile < tile_cols; ++tile) {
    MeetParse(job, tile, 0);
  }
}

Status Scheduler::Begin(FrameJob& job) {
  Status status = state_->Begin(job);
  if (!status.ok()) return status;
  const bool gpu_reaches = AllReached(job, GpuReaches);
  job.plan = PlanFrame(codec_, engine_.recipe(), job, [&](KernelId kernel) {
    return gpu_reaches && engine_.GpuUsable(kernel, job.params);
  });
  if (!AllReached(job, CpuReaches) &&
      (job.plan.segment_count > 1 || !job.plan.UsesGpu())) {
    return {StatusCode::kDeviceLost,
            "the pictures lie in the GPU's memory, and it cannot decode this "
            "frame"};
  }
  job.check.on = job.plan.UsesGpu() && engine_.SelfCheckDue();
  job.previous = TakePrevious(job);
  Follow(job);
  job.sharing = {.workers = uint32_t(engine_.threads()),
                 .rows = job.params.sb_rows,
                 .columns = job.params.sb_cols,
                 .tile_cols = job.tile_cols,
                 .overlaps = MayOverlap(job),
                 .home = ChooseHome()};
  SetUpParse(job);
  job.final_rows.Reset(job.params.sb_rows);
  job.gpu.conditions.store(2, std::memory_order_relaxed);  // parsed, gate
  if (!job.plan.segments[0].gpu) SetUpCells(job, job.follows ? 2 : 1);
  engine_.CountFrame(job.plan.UsesGpu());
  return status;
}

// How far parsing may be ahead: the work lists of so many rows take memory, and
// cache. The GPU, and who looks at whole frames, wants all of them.
void Scheduler::SetUpParse(FrameJob& job) {
  const uint32_t rows = job.params.sb_rows;
  const bool whole = job.plan.UsesGpu() || engine_.observed();
  const uint32_t kept = whole ? rows : std::min(rows, job.sharing.RowsAhead());
  for (uint32_t tile = 0; tile < job.tile_cols; ++tile) {
    job.tiles[tile].KeepRows(kept);
  }
  job.parse_grid.Reset(rows, job.tile_cols, kept);
}

// The frame before, in decoding order, if motion can be measured against it.
PicturePtr Scheduler::TakePrevious(const FrameJob& job) {
  if (!engine_.measures_motion()) return nullptr;
  const PicturePtr previous = previous_.lock();
  previous_ = job.request.target;
  const bool fits = previous != nullptr && previous->memory.gpu != nullptr &&
                    previous->view.width == job.params.width &&
                    previous->view.height == job.params.height &&
                    previous->view.bit_depth == job.params.bit_depth;
  return fits && job.plan.UsesGpu() ? previous : nullptr;
}

// The row before is parsed, or the lists have room again.
void Scheduler::MeetParse(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.parse_grid.Meet(tile_col, sb_row)) return;
  const bool awaited = job.sharing.ByRows() && job.gate_open;
  Post<&Scheduler::ParseRow>(awaited ? Priority::kAwaited : Priority::kParse,
                             job, tile_col, sb_row,
                             job.sharing.HomeOfParsing(tile_col, sb_row));
}

void Scheduler::ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  bool row_ends = false;
  {
    const Stopwatch watch = meter_.TimeEntropy(job, sb_row);
    row_ends = Parse(job, tile_col, sb_row);
  }
  const bool last_row = sb_row + 1 == job.params.sb_rows;
  RowParsed(job, tile_col, sb_row, row_ends);
  if (!last_row) {
    MeetParse(job, tile_col, sb_row + 1);
  } else if (job.parse_grid.EndTile()) {
    EndParse(job);
  }
}

// Whether the row is parsed in all tile columns now.
bool Scheduler::Parse(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.failed()) {
    job.tiles[tile_col].BeginRow(sb_row);
    Status status = state_->ParseRow(job, tile_col, sb_row);
    if (!status.ok()) job.Fail(std::move(status));
  }
  const bool row_ends = job.parse_grid.EndRow(sb_row);
  if (row_ends && !job.failed()) state_->EndRow(job, sb_row);
  return row_ends;
}

// A failed frame goes the same way, so that every row is accounted for: its
// cells find job.failed() and do nothing.
void Scheduler::RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                          bool row_ends) {
  if (job.plan.segments[0].gpu) return;
  if (job.cells.tiles() > 1) {
    MeetAndPost(job, job.cells.RowBegin(sb_row, tile_col));
    return;
  }
  if (!row_ends) return;
  MeetAndPost(job, job.cells.RowBegin(sb_row, 0));
  if (!job.follows) return;
  const int needed =
      job.failed() ? 0
                   : LinesRead(codec_, job, sb_row, job.followed_references);
  Range rows;
  {
    std::lock_guard lock(mutex_);
    rows = job.reference_rows.Need(needed);
  }
  ReleaseRows(job, rows);
}

// Nobody reads any more what was parsed of the tiles whose row the cell ends.
void Scheduler::ReleaseLists(FrameJob& job, const Cell& cell) {
  const uint32_t next = cell.row + job.parse_grid.kept_rows();
  if (next >= job.params.sb_rows) return;
  Range tiles = job.cells.EndedTiles(cell);
  if (job.cells.tiles() == 1) tiles.end *= job.tile_cols;
  for (uint32_t tile = tiles.begin; tile < tiles.end; ++tile) {
    MeetParse(job, tile, next);
  }
}

void Scheduler::EndParse(FrameJob& job) {
  {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    state_->End(job);
  }
  meter_.Stamp(&job.times.parsed);
  if (job.failed()) {
    job.request.target->broken.store(true, std::memory_order_release);
  } else {
    engine_.Observe(job);
  }
  const bool begun = job.queued.begun;
  {
    std::lock_guard lock(mutex_);
    parsing_ = false;
    StartNextFrame();
  }
  if (!begun) {
    Finish(job);
  } else if (job.plan.segments[0].gpu) {
    MeetGpu(job);
  } else {
    MeetAndPost(job, job.cells.last());
  }
}

}  // namespace perdix
