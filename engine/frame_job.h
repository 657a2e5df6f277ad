// SPDX-License-Identifier: BSD-2-Clause
// One frame on its way through the engine: what was parsed of it, where its
// stages run, and how far it is. Reused from frame to frame.
#ifndef PERDIX_ENGINE_FRAME_JOB_H_
#define PERDIX_ENGINE_FRAME_JOB_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/parsed_frame.h"
#include "engine/cell_grid.h"
#include "engine/frame_plan.h"
#include "engine/gpu_queue.h"
#include "engine/parse_grid.h"
#include "engine/reference_rows.h"
#include "engine/tracer.h"
#include "engine/work_sharing.h"
#include "kernels/kernel.h"

namespace perdix {

class CodecState;
struct FrameJob;

// How far a frame's parsing is, and for whose it waits; under the scheduler's
// mutex.
struct ParseOrder {
  bool over = false;                    // nothing is left to parse
  int lines = 0;                        // luma's, parsed in all tile columns
  const FrameJob* whole = nullptr;      // whose parsing comes before this one's
  std::vector<const FrameJob*> by_row;  // likewise, line by line
  uint32_t rows = 0;  // superblock rows that wait for none of by_row any more

  // The rows of <job>, which this is of, that go on because of what is parsed
  // now. Once each.
  Range Release(const FrameJob& job);
};

struct FrameJob : ParsedFrame {
  // For the next frame.
  void Reset(FrameRequest next_request);

  // But for the lists. References' memory must be there.
  KernelArgs Args();
  // The kernels of the segment that is at work.
  std::span<const KernelId> KernelsAtWork() const {
    const Segment& at_work = plan.segments[segment];
    return {&plan.kernels[at_work.begin], at_work.end - at_work.begin};
  }
  // Whether that segment's result has the motion: only the last one's.
  bool MeasuresMotion() const {
    return previous != nullptr && segment + 1 == plan.segment_count;
  }

  // Of the stream or, where frames are parsed side by side, its own.
  std::shared_ptr<CodecState> state;

  // Written while the frame begins; read-only afterwards.
  uint64_t number = 0;  // in the stream, from 1 on
  WorkSharing sharing;
  // It is the follower of the frame before, which these references are.
  bool follows = false;
  uint32_t followed_references = 0;
  PicturePtr previous;  // to measure the motion against; null: not measured

  // Written while the frame begins and between segments, when one task at a
  // time has the frame; read by all of a segment.
  FramePlan plan;
  uint32_t segment = 0;               // that is at work
  std::vector<uint32_t> tile_begins;  // as CellGrid::Shape
  FrameTimes times;

  // Of any worker.
  ParseGrid parse_grid;
  CellGrid cells;                      // of a segment of the CPU
  std::atomic<bool> gate_open{false};  // reconstruction may start

  GpuQueue::Frame gpu;

  // What frames know of each other: under the scheduler's mutex.
  enum class WhenOldest { kNothing, kSegment, kCheck, kReport };
  struct Queued {
    bool begun = false;            // the plan is made, rows are being parsed
    bool passed = false;           // nothing is left but to wait for the GPU
    int final_lines = 0;           // as FinalLines
    FrameJob* follower = nullptr;  // the next frame, if its rows wait for ours
    // Of parsing: what this frame still waits for, and what others wait for.
    ParseOrder parse;
    // Once this is the oldest frame, and the others' targets are at rest.
    WhenOldest when_oldest = WhenOldest::kNothing;
  } queued;
  // Under the same mutex.
  ReferenceRows reference_rows;  // of a follower
  FinalRows final_rows;          // of the target
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_FRAME_JOB_H_
