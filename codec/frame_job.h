// SPDX-License-Identifier: BSD-2-Clause
// One frame on its way through the engine: what was parsed of it, where its
// stages run, and how far it is. Reused from frame to frame.
#ifndef PERDIX_CODEC_FRAME_JOB_H_
#define PERDIX_CODEC_FRAME_JOB_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/cell_grid.h"
#include "codec/frame_plan.h"
#include "codec/parse_grid.h"
#include "codec/parsed_frame.h"
#include "codec/reference_rows.h"
#include "codec/self_check.h"
#include "codec/tracer.h"
#include "codec/work_sharing.h"
#include "kernels/kernel.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

struct FrameJob : ParsedFrame {
  // For the next frame.
  void Reset(FrameRequest next_request);

  // But for the lists. References' memory must be there.
  KernelArgs Args();
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
};

}  // namespace perdix

#endif  // PERDIX_CODEC_FRAME_JOB_H_
