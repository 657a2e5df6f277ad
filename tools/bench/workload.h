// SPDX-License-Identifier: BSD-2-Clause
// Frames of a real stream, taken apart: what each stage of a frame reads, and
// what pictures and tables hold before and after it.
#ifndef PERDIX_TOOLS_BENCH_WORKLOAD_H_
#define PERDIX_TOOLS_BENCH_WORKLOAD_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

// A picture that the frame writes; its memory is gone.
struct CapturedPicture {
  PictureLayout layout;
  PictureView view;
  size_t bytes = 0;
};

struct CapturedFrame {
  const CodecRow* codec = nullptr;
  uint64_t number = 0;  // in decoding order, from 0
  FrameParams params = {};
  std::vector<CapturedTile> tiles;
  CodecParams codec_params;
  TableMemory tables;
  uint32_t filter_lag = 0;
  uint32_t coded_planes = kPlaneCount;
  CapturedPicture target;
  std::optional<CapturedPicture> display;  // where that is another picture
  std::array<PicturePtr, kMaxReferences> references;  // null: not valid
  FramePlan plan;                                     // all scalar

  // Whether the stage has anything to do.
  bool HasWork(const PlannedStage& stage) const;
  // Whether the stage is the CPU's, whatever the recipe says.
  bool StaysOnCpu(const PlannedStage& stage) const;
  // The one of target and display that the kernel writes.
  const CapturedPicture& WrittenBy(KernelId kernel) const;
};

// Decodes the file on one thread; the observer sees each frame once it is done.
// Fails on a file that cannot be decoded.
Status ObserveFrames(const std::string& file, const Recipe& recipe,
                     const std::function<void(const FrameJob&)>& observer);

// The first frame and count - 1 others, spread over the file. Fails on a file
// that cannot be decoded.
Status CaptureFrames(const std::string& file, int count,
                     std::vector<CapturedFrame>* frames);

// All bytes of a picture's memory. Moments between which they do not change
// share them.
using Bytes = std::shared_ptr<const std::vector<uint8_t>>;

// What a frame's pictures and tables hold at some moment.
struct FrameState {
  Bytes target;
  Bytes display;  // null: what is shown is the target
  TableMemory tables;

  const std::vector<uint8_t>& WrittenBy(KernelId kernel) const;
};

// A captured frame in the CPU's memory.
class CpuFrame {
 public:
  // The frame outlives this.
  explicit CpuFrame(const CapturedFrame& frame);

  void Fill(const FrameState& state);
  // Runs one stage over the whole frame on this thread.
  void Run(const PlannedStage& stage, KernelFunction function);
  // What the picture holds that the kernel writes.
  std::vector<uint8_t> Read(KernelId kernel) const;
  const TableMemory& tables() const { return tables_; }

 private:
  const CapturedFrame& frame_;
  PicturePtr target_;
  PicturePtr display_;  // null: what is shown is the target
  TableMemory tables_;
};

// [0] is poison, [i + 1] after stage i.
using FrameStates = std::vector<FrameState>;
FrameStates ScalarStates(const CapturedFrame& frame);

// Whether the <bytes> of a picture are <expected> in all that the frame
// decodes.
bool SameDecodedArea(const CapturedPicture& picture,
                     std::span<const uint8_t> bytes,
                     std::span<const uint8_t> expected);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_WORKLOAD_H_
