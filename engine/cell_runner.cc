// SPDX-License-Identifier: BSD-2-Clause
#include "engine/cell_runner.h"

#include "engine/frame_job.h"
#include "engine/stream_meter.h"

namespace perdix {

void CellRunner::Run(FrameJob& job, Cell cell, Range columns) {
  if (job.failed()) return;
  KernelArgs args = job.Args();
  if (!codec_.passes[cell.pass].ReadsLists()) {
    args.lists.columns = {0, job.params.sb_cols};
    RunStages(job, args, cell, columns);
    return;
  }
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    const Range of_tile = job.tiles[i].columns();
    if (of_tile.end <= columns.begin || of_tile.begin >= columns.end) continue;
    args.lists = job.tiles[i].View();
    RunStages(job, args, cell, columns);
  }
}

// What the segment has of the cell's pass, on columns of its row, as far as
// args.lists have them.
void CellRunner::RunStages(FrameJob& job, const KernelArgs& args, Cell cell,
                           Range columns) {
  const Segment& segment = job.plan.segments[job.segment];
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    const PlannedStage& stage = job.plan.stages[i];
    if (stage.pass == cell.pass) RunKernel(job, stage, args, cell.row, columns);
  }
}

void CellRunner::RunKernel(FrameJob& job, const PlannedStage& stage,
                           const KernelArgs& args, uint32_t row,
                           Range columns) {
  const Range items =
      RowOf(stage.kernel).Items(args.lists, job.params, row, columns);
  if (items.begin == items.end) return;
  const Stopwatch watch = meter_.TimeKernel(job, stage, row);
  stage.function(args, items);
}

}  // namespace perdix
