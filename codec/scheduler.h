// SPDX-License-Identifier: BSD-2-Clause
// The order of work of one stream: which frame is parsed, which rows may be
// reconstructed and filtered, when a frame is done, what a failure means.
//
//   frame N    parse rows, tile columns side by side -> adaptation
//                 |  row by row                            |
//              reconstruct -> loop filter              frame N + 1 parse
//
// One frame is parsed at a time, and one is reconstructed at a time, which may
// be another. Of those that the CPU decodes (FramesOverlap) two are: the second
// one's rows begin as soon as the rows that they read of the first are there
// (reference_rows.h). Of small ones a third is parsed meanwhile, by workers
// that would wait for the first two. Reconstruction goes through the segments
// of the frame's plan (frame_plan.h): on the CPU in cells, which run as soon as
// their conditions are met (cell_grid.h), from parsing's first row on; on the
// GPU in one submit, once the frame is parsed. A frame that begins on the GPU
// is submitted as soon as the frame before it has nothing left but to wait for
// the GPU: the GPU's queue keeps the order. When the GPU is lost, what it had
// is done again on the CPU. A frame that is checked (self_check.h) lets no
// other start before it is known to be right, and is done again where it is
// not. What the CPU does with a frame that began on the GPU starts when the
// frames before, whose pictures it reads, are over. No task waits but for a
// copy of a frame to be checked: the one that meets the last condition of a
// piece of work starts it.
//
// Each task has a worker with which it is at home, in a stream the same ones,
// because a line of pixels or of work lists that another worker wrote costs as
// much as filtering several of its own (docs/performance.md). Where frames
// overlap and have rows enough, each worker has a part of them, the same in
// every frame, and does all that is to be done there: while the lower rows of a
// frame are reconstructed the upper ones of the next are parsed and
// reconstructed, and what they read of that frame the same worker made. All
// waits for parsing to pass from one worker to the next, so it comes first.
// Else, where each worker has a tile column, it does all that is to be done in
// its part of the columns, and waits for no other but in the loop filter; or
// one worker parses, and the others share the columns. Where there is a stream
// for every worker, each is at home with the frame that it began.
//
// Times are taken by a Stopwatch (stream_meter.h) around each call that does
// the work of a stage: of the codec's state, once for the frame's headers, each
// row of each tile and the adaptation; of a kernel, once for each tile's part
// of a cell; of done(). The order of work itself is not timed. The GPU's stages
// come with its report. While a trace is running a frame also remembers when it
// passed what it waits for (FrameTimes).
#ifndef PERDIX_CODEC_SCHEDULER_H_
#define PERDIX_CODEC_SCHEDULER_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/codec.h"
#include "codec/decoder.h"
#include "codec/frame_job.h"
#include "codec/stream_meter.h"
#include "codec/thread_pool.h"

namespace perdix {

class Scheduler {
 public:
  Scheduler(Engine& engine, const CodecRow& codec);
  ~Scheduler() { Drain(); }

  void Submit(FrameRequest request);
  void Drain();
  const StreamMeter& meter() const { return meter_; }

 private:
  struct WaitingFrame {
    FrameRequest request;
    uint64_t submitted = 0;  // as FrameTimes
  };

  // Parsing.
  void StartNextFrame();  // with mutex_ held
  void BeginParse(FrameJob& job, uint32_t, uint32_t);
  Status Begin(FrameJob& job);
  void ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void SetUpParse(FrameJob& job);
  void MeetParse(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void RowReconstructed(FrameJob& job, const Cell& cell);
  void EndParse(FrameJob& job);

  // Segments.
  bool GateOpens(const FrameJob& job) const;  // with mutex_ held
  void OpenGate(FrameJob& job);
  void OpenNextGate(FrameJob& job);
  void Follow(FrameJob& job);
  void RowFinal(FrameJob& job);
  void ReleaseRows(FrameJob& job, Range rows);
  void SetUpCells(FrameJob& job, uint32_t row_conditions);
  void OpenCells(FrameJob& job);
  void StartSegment(FrameJob& job, uint32_t, uint32_t);
  void EndSegment(FrameJob& job);
  void Redo(FrameJob& job, const Status& why);
  void PrepareCheck(FrameJob& job);
  void EndCheck(FrameJob& job, uint32_t, uint32_t);
  bool IsOldest(FrameJob& job, FrameJob::WhenOldest else_later);
  void Finish(FrameJob& job);

  // On the CPU.
  void MeetAndPost(FrameJob& job, Cell cell);
  void PostCell(FrameJob& job, Cell cell);
  void RunCells(FrameJob& job, uint32_t stage_row, uint32_t chunk);
  void RunCell(FrameJob& job, Cell cell);
  void RunKernel(FrameJob& job, const PlannedStage& stage,
                 const TileLists* tile, uint32_t row, Range range);

  // On the GPU.
  void MeetGpu(FrameJob& job);
  void SubmitToGpu(FrameJob& job, uint32_t, uint32_t);
  void GpuStep(FrameJob& job);
  void EndGpu(FrameJob& job, uint32_t, uint32_t);
  PicturePtr TakePrevious(const FrameJob& job);

  template <auto kMember>
  void Post(Priority priority, FrameJob& job, uint32_t a = 0, uint32_t b = 0,
            int home = Task::kAnywhere);

  // Who does what.
  int ChooseHome() const;
  bool MayOverlap(const FrameJob& job) const;
  int HomeOf(const FrameJob& job, const Cell& cell) const;

  Engine& engine_;
  const CodecRow& codec_;
  const size_t max_frames_;  // in flight, of any size
  StreamMeter meter_;
  std::unique_ptr<CodecState> state_;
  std::weak_ptr<Picture> previous_;  // target of the frame parsed last

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<WaitingFrame> waiting_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;  // the first is reconstructed
  std::vector<std::unique_ptr<FrameJob>> spare_;
  bool parsing_ = false;
  size_t frames_in_flight_ = 2;  // of frames like the last one
  uint64_t frames_ = 0;          // started
};

}  // namespace perdix

#endif  // PERDIX_CODEC_SCHEDULER_H_
