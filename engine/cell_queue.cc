// SPDX-License-Identifier: BSD-2-Clause
#include "engine/cell_queue.h"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>
#include <utility>

#include "codec/codec.h"
#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/picture_access.h"

namespace perdix {
namespace {

// Tiles go their own way through the first passes if a later one, before the
// row is final, looks across them. Whole rows of a follower are released, so
// its tiles stay together.
bool TilesGoTheirOwnWay(const CodecRow& codec, const FrameJob& job,
                        bool follows) {
  if (job.sharing.ByRows() || follows) return false;
  const Segment& segment = job.plan.segments[job.segment];
  const int first = std::countr_zero(segment.passes);
  const int last = std::bit_width(segment.passes) - 1;
  return codec.passes[first].ByTile() && !codec.passes[last].ByTile() &&
         !codec.passes[segment.last_target_pass].ByTile();
}

}  // namespace

// ---- setting up ----

// The frame before may be over by now. Its job is still its own, because no
// other frame begins meanwhile, and all its lines are final.
void CellQueue::SetUp(FrameJob& job, const Followed& followed) {
  Frame& frame = job.cells;
  frame.followed_ = followed;
  frame.final_rows_.Reset(job.params.sb_rows);
  frame.final_lines_ = 0;
  frame.follower_ = nullptr;
  if (!job.plan.segments[0].gpu) SetUpGrid(job, followed.frame ? 2 : 1);
  if (followed.frame == nullptr) return;
  Frame& before = followed.frame->cells;
  std::lock_guard lock(mutex_);
  frame.reference_rows_.Reset(job.params.sb_rows, before.final_lines_);
  before.follower_ = &job;
}

// row_conditions: see CellGrid::Shape.
void CellQueue::SetUpGrid(FrameJob& job, uint32_t row_conditions) {
  Frame& frame = job.cells;
  const bool apart =
      TilesGoTheirOwnWay(codec_, job, frame.followed_.frame != nullptr);
  const uint32_t tiles = apart ? job.tile_cols : 1;
  frame.tile_begins_.assign(1, 0);
  for (uint32_t tile = 1; tile < tiles; ++tile) {
    frame.tile_begins_.push_back(job.tiles[tile].columns().begin);
  }
  if (job.SumsLuma()) LumaWatch::BeginSegment(job);
  frame.grid_.Reset({.passes = codec_.passes,
                     .at_work = job.plan.segments[job.segment].passes,
                     .rows = job.params.sb_rows,
                     .columns = job.params.sb_cols,
                     .tile_begins = frame.tile_begins_,
                     .chunks = std::max(job.sharing.Chunks() / tiles, 1u),
                     .row_conditions = row_conditions});
}

// ---- conditions that others meet ----

void CellQueue::GateOpens(FrameJob& job) {
  MeetRows(job, {0, job.params.sb_rows});
}

void CellQueue::RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                          bool row_ends) {
  if (job.plan.segments[0].gpu) return;
  Frame& frame = job.cells;
  if (frame.grid_.tiles() > 1) {
    Meet(job, frame.grid_.RowBegin(sb_row, tile_col));
    return;
  }
  if (!row_ends) return;
  Meet(job, frame.grid_.RowBegin(sb_row, 0));
  if (frame.followed_.frame == nullptr) return;
  int needed = 0;
  if (!job.failed()) {
    needed = LinesRead(codec_, job, sb_row, frame.followed_.references);
    if (job.SumsLuma())
      needed = std::max(needed, LumaWatch::LinesRead(job, sb_row));
  }
  Range rows;
  {
    std::lock_guard lock(mutex_);
    rows = frame.reference_rows_.Need(needed);
  }
  MeetRows(job, rows);
}

void CellQueue::FrameParsed(FrameJob& job) {
  Meet(job, job.cells.grid_.last());
}

void CellQueue::StartSegment(FrameJob& job) {
  Status status = AccessTarget(job, CpuAccess::kBegin);
  if (status.ok()) status = BeginReferences(job);
  try {
    SetUpGrid(job, 0);
  } catch (const std::bad_alloc&) {
    job.Fail(NoMemory(job.params));
    owners_.frames->SegmentOver(job);
    return;
  }
  if (!status.ok()) job.Fail(std::move(status));
  Meet(job, job.cells.grid_.last());
  MeetRows(job, {0, job.params.sb_rows});
}

// A condition of these rows is met, in all tiles. The frame may be over, and
// the job another one, once the last of them is posted.
void CellQueue::MeetRows(FrameJob& job, Range rows) {
  if (rows.begin == rows.end) return;
  const uint32_t tiles = job.cells.grid_.tiles();
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
      Meet(job, job.cells.grid_.RowBegin(row, tile));
    }
  }
}

void CellQueue::Meet(FrameJob& job, Cell cell) {
  if (job.cells.grid_.Meet(cell)) Post(job, cell);
}

// ---- cells ----

int CellQueue::HomeOf(const FrameJob& job, Cell cell) const {
  return codec_.passes[cell.pass].whole_rows
             ? job.sharing.HomeOfRow(cell.row)
             : job.sharing.HomeOf(cell.row, cell.chunk,
                                  job.cells.grid_.Chunks(cell.pass));
}

void CellQueue::Post(FrameJob& job, Cell cell) {
  engine_.pool.Post(Priority::kReconstruct,
                    {.job = &job, .home = HomeOf(job, cell)},
                    [this, &job, cell] { Run(job, cell); });
}

// Goes on with a cell that this one makes ready, if it is at home here, too.
void CellQueue::Run(FrameJob& job, Cell first) {
  const int worker = ThreadPool::CurrentWorker();
  const bool goes_on = !engine_.pool.shuffles();
  const Segment& segment = job.plan.segments[job.segment];
  CellGrid& grid = job.cells.grid_;
  std::optional<Cell> own = first;
  while (own) {
    const Cell cell = *own;
    own.reset();
    runner_.Run(job, cell, grid.Columns(cell));
    if (cell.pass == segment.last_target_pass && grid.EndsRow(cell)) {
      if (job.SumsLuma()) LumaWatch::RowFinal(job, cell.row);
      RowFinal(job, cell.row);
    }
    if (grid.IsLast(cell)) {
      owners_.frames->SegmentOver(job);
      return;
    }
    if (cell.pass == segment.last_list_pass) RowRead(job, cell);
    grid.End(cell, [&](Cell ready) {
      if (!own && goes_on && HomeOf(job, ready) == worker) {
        own = ready;
      } else {
        Post(job, ready);
      }
    });
  }
}

// Nobody reads any more what was parsed of the tiles whose row the cell ends.
void CellQueue::RowRead(FrameJob& job, Cell cell) {
  const CellGrid& grid = job.cells.grid_;
  Range tiles = grid.EndedTiles(cell);
  if (tiles.begin == tiles.end) return;
  if (grid.tiles() == 1) tiles.end *= job.tile_cols;
  owners_.parse->ListsRead(job, tiles, cell.row);
}

// Before anything else is known to be done: so neither frame is over.
void CellQueue::RowFinal(FrameJob& job, uint32_t sb_row) {
  Frame& frame = job.cells;
  FrameJob* follower = nullptr;
  Range rows;
  {
    std::lock_guard lock(mutex_);
    if (!frame.final_rows_.Add(sb_row)) return;
    frame.final_lines_ = FinalLines(job, frame.final_rows_.count() - 1);
    follower = frame.follower_;
    if (follower == nullptr) return;
    rows = follower->cells.reference_rows_.Have(frame.final_lines_);
  }
  MeetRows(*follower, rows);
}

}  // namespace perdix
