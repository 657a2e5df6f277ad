// SPDX-License-Identifier: BSD-2-Clause
// The work of one cell (cell_grid.h) on the CPU: the kernels of its pass on its
// superblocks.
#ifndef PERDIX_ENGINE_CELL_RUNNER_H_
#define PERDIX_ENGINE_CELL_RUNNER_H_

#include <cstdint>

#include "codec/codec.h"
#include "engine/cell_grid.h"
#include "engine/frame_plan.h"

namespace perdix {

class StreamMeter;
struct FrameJob;

// Runs cells of one stream. Cells that the grid says are ready may run side by
// side.
class CellRunner {
 public:
  // Both must outlive the runner.
  CellRunner(const CodecRow& codec, StreamMeter& meter)
      : codec_(codec), meter_(meter) {}

  // <cell>, which has these columns, of the segment of <job> that is at work.
  // Does nothing once the frame has failed.
  void Run(FrameJob& job, Cell cell, Range columns);

 private:
  void RunStages(FrameJob& job, const KernelArgs& args, Cell cell,
                 Range columns);
  void RunKernel(FrameJob& job, const PlannedStage& stage,
                 const KernelArgs& args, uint32_t row, Range columns);

  const CodecRow& codec_;
  StreamMeter& meter_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_CELL_RUNNER_H_
