// SPDX-License-Identifier: BSD-2-Clause
// One frame on its way through the engine: what all may read of it, and a part
// for each owner of its work (owners.h) that nobody else can touch. Reused from
// frame to frame.
#ifndef PERDIX_ENGINE_FRAME_JOB_H_
#define PERDIX_ENGINE_FRAME_JOB_H_

#include <cstdint>
#include <span>

#include "codec/parsed_frame.h"
#include "engine/cell_queue.h"
#include "engine/frame_order.h"
#include "engine/frame_plan.h"
#include "engine/gpu_queue.h"
#include "engine/luma_watch.h"
#include "engine/parse_queue.h"
#include "engine/tracer.h"
#include "engine/work_sharing.h"
#include "kernels/kernel.h"

namespace perdix {

struct FrameJob : ParsedFrame {
  // For the next frame.
  void Reset(FrameRequest next_request);
  // The frame is parsed: asks the client what follows it in its data.
  void TakeRest();
  // The frame is over: returns its request, but for the references, and keeps
  // no picture.
  FrameRequest LetGo();

  // What kernels work on, without the lists. The references' memory must be
  // there.
  KernelArgs Args();
  // The kernels of the segment that is at work.
  std::span<const KernelId> KernelsAtWork() const {
    const Segment& at_work = plan.segments[segment];
    return {&plan.kernels[at_work.begin], at_work.end - at_work.begin};
  }
  // Whether the target's luma is watched, and final after that segment.
  bool SumsLuma() const { return luma.on() && segment == plan.FinalSegment(); }

  // Written while the frame begins; read-only afterwards.
  uint64_t number = 0;  // in the stream, from 1 on
  WorkSharing sharing;

  // Written while the frame begins and between segments, when one task at a
  // time has the frame; read by all of a segment.
  FramePlan plan;
  uint32_t segment = 0;  // that is at work

  // Each moment is written by the task that passes it.
  FrameTimes times;

  FrameOrder::Frame order;
  ParseQueue::Frame parse;
  CellQueue::Frame cells;
  GpuQueue::Frame gpu;
  LumaWatch::Frame luma;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_FRAME_JOB_H_
