// SPDX-License-Identifier: BSD-2-Clause
// Segments one after the other, and the cells of those of the CPU.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "engine/picture_access.h"
#include "engine/scheduler.h"

namespace perdix {

// Not the first one: the frame is parsed.
void Scheduler::StartSegment(FrameJob& job) {
  if (job.plan.segments[job.segment].gpu) {
    owners_.gpu->StartSegment(job);
    return;
  }
  Status status = AccessTarget(job, CpuAccess::kBegin);
  if (status.ok()) status = BeginReferences(job);
  if (!status.ok()) job.Fail(std::move(status));
  SetUpCells(job, 0);
  MeetAndPost(job, job.cells.last());
  OpenCells(job);
}

void Scheduler::SegmentOver(FrameJob& job) {
  if (job.failed()) {
    FrameOver(job);
  } else if (++job.segment < job.plan.segment_count) {
    if (IsOldest(job, FrameJob::WhenOldest::kSegment)) StartSegment(job);
  } else if (job.gpu.checked()) {
    if (IsOldest(job, FrameJob::WhenOldest::kCheck)) owners_.gpu->Check(job);
  } else {
    FrameOver(job);
  }
}

void Scheduler::BeginsAgain(FrameJob& job) {
  if (IsOldest(job, FrameJob::WhenOldest::kSegment)) StartSegment(job);
}

int Scheduler::HomeOf(const FrameJob& job, const Cell& cell) const {
  return codec_.passes[cell.pass].whole_rows
             ? job.sharing.HomeOfRow(cell.row)
             : job.sharing.HomeOf(cell.row, cell.chunk,
                                  job.cells.Chunks(cell.pass));
}

// Tiles go their own way through the first passes if a later one, before the
// row is final, looks across them. Of a follower whole rows are released, so
// its tiles stay together.
bool Scheduler::TilesGoTheirOwnWay(const FrameJob& job) const {
  if (job.sharing.ByRows() || job.follows) return false;
  const Segment& segment = job.plan.segments[job.segment];
  const int first = std::countr_zero(segment.passes);
  const int last = std::bit_width(segment.passes) - 1;
  return codec_.passes[first].ByTile() && !codec_.passes[last].ByTile() &&
         !codec_.passes[segment.last_target_pass].ByTile();
}

void Scheduler::SetUpCells(FrameJob& job, uint32_t row_conditions) {
  const uint32_t tiles = TilesGoTheirOwnWay(job) ? job.tile_cols : 1;
  job.tile_begins.assign(1, 0);
  for (uint32_t tile = 1; tile < tiles; ++tile) {
    job.tile_begins.push_back(job.tiles[tile].columns().begin);
  }
  job.cells.Reset({.passes = codec_.passes,
                   .at_work = job.plan.segments[job.segment].passes,
                   .rows = job.params.sb_rows,
                   .columns = job.params.sb_cols,
                   .tile_begins = job.tile_begins,
                   .chunks = std::max(job.sharing.Chunks() / tiles, 1u),
                   .row_conditions = row_conditions});
}

void Scheduler::OpenCells(FrameJob& job) {
  // the frame may be over, and the job another one, once the last is posted
  const uint32_t rows = job.params.sb_rows;
  const uint32_t tiles = job.cells.tiles();
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
      MeetAndPost(job, job.cells.RowBegin(row, tile));
    }
  }
}

void Scheduler::MeetAndPost(FrameJob& job, Cell cell) {
  if (job.cells.Meet(cell)) PostCell(job, cell);
}

void Scheduler::PostCell(FrameJob& job, Cell cell) {
  engine_.pool().Post(Priority::kReconstruct,
                      {.job = &job, .home = HomeOf(job, cell)},
                      [this, &job, cell] { RunCells(job, cell); });
}

void Scheduler::RunCells(FrameJob& job, Cell first) {
  const int worker = ThreadPool::CurrentWorker();
  const bool goes_on = !engine_.pool().shuffles();
  const Segment& segment = job.plan.segments[job.segment];
  std::optional<Cell> own = first;
  while (own) {
    const Cell cell = *own;
    own.reset();
    runner_.Run(job, cell);
    if (cell.pass == segment.last_target_pass && job.cells.EndsRow(cell)) {
      RowFinal(job, cell.row);
    }
    if (job.cells.IsLast(cell)) {
      SegmentOver(job);
      return;
    }
    if (cell.pass == segment.last_list_pass) ReleaseLists(job, cell);
    job.cells.End(cell, [&](Cell ready) {
      if (!own && goes_on && HomeOf(job, ready) == worker) {
        own = ready;
      } else {
        PostCell(job, ready);
      }
    });
  }
}

// Before anything else is known to be done: so neither frame is over.
void Scheduler::RowFinal(FrameJob& job, uint32_t sb_row) {
  FrameJob* follower = nullptr;
  Range rows;
  {
    std::lock_guard lock(mutex_);
    if (!job.final_rows.Add(sb_row)) return;
    job.queued.final_lines = FinalLines(job, job.final_rows.count() - 1);
    follower = job.queued.follower;
    if (follower == nullptr) return;
    rows = follower->reference_rows.Have(job.queued.final_lines);
  }
  ReleaseRows(*follower, rows);
}

void Scheduler::ReleaseRows(FrameJob& job, Range rows) {
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    MeetAndPost(job, job.cells.RowBegin(row, 0));
  }
}

}  // namespace perdix
