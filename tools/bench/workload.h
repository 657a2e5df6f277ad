// SPDX-License-Identifier: BSD-2-Clause
// Frames of a real stream, taken apart: what each stage of a frame reads, and
// what the target holds before and after it.
#ifndef PERDIX_TOOLS_BENCH_WORKLOAD_H_
#define PERDIX_TOOLS_BENCH_WORKLOAD_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "codec/picture.h"
#include "engine/frame_job.h"
#include "engine/recipe.h"
#include "kernels/status.h"

namespace perdix::bench {

// The lists of one tile column: as TileLists, but copied.
struct CapturedTile {
  // Eight coefficients, aligned as kernels want them.
  struct alignas(16) Coefficients {
    int16_t values[8];
  };

  Range columns;
  std::array<std::vector<RecordBytes>, kMaxLists> records;
  std::vector<Coefficients> coefficients;
  size_t coefficient_count = 0;
  std::vector<RecordEnds> row_begins;
  std::vector<RecordEnds> ends;

  WorkLists View() const;
};

struct CapturedFrame {
  uint64_t number = 0;  // in decoding order, from 0
  FrameParams params = {};
  std::vector<CapturedTile> tiles;
  CodecParams codec_params;
  TableMemory tables;
  PictureLayout layout;  // of the target
  PictureView view;      // of the target; its memory is gone
  size_t target_bytes = 0;
  std::array<PicturePtr, kMaxReferences> references;  // null: not valid
  FramePlan plan;                                     // all scalar

  // Whether the stage has anything to do.
  bool HasWork(const PlannedStage& stage) const;
};

// Decodes the file on one thread; the observer sees each frame once it is done.
// Fails on a file that cannot be decoded.
Status ObserveFrames(const std::string& file, const Recipe& recipe,
                     const std::function<void(const FrameJob&)>& observer);

// The first frame and count - 1 others, spread over the file. Fails on a file
// that cannot be decoded.
Status CaptureFrames(const std::string& file, int count,
                     std::vector<CapturedFrame>* frames);

// A picture for the frame to be decoded into.
PicturePtr NewTarget(const CapturedFrame& frame);

// Runs one stage over the whole frame on this thread. tables: a copy of the
// frame's, which the stage may write to.
void RunOnCpu(const CapturedFrame& frame, const PlannedStage& stage,
              KernelFunction function, const PictureView& target,
              const FrameTables& tables);

// What the target's memory holds: [0] is poison, [i + 1] after stage i.
using TargetStates = std::vector<std::vector<uint8_t>>;
TargetStates ScalarStates(const CapturedFrame& frame);

// Whether <bytes> of a target are <expected> in all that the frame decodes.
bool SameDecodedArea(const CapturedFrame& frame,
                     const std::vector<uint8_t>& bytes,
                     const std::vector<uint8_t>& expected);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_WORKLOAD_H_
