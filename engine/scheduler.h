// SPDX-License-Identifier: BSD-2-Clause
// The order of work of one stream: which frame is parsed, which rows may be
// reconstructed and filtered, when a frame is done, what a failure means.
//
//   frame N    parse rows, tile columns side by side -> adaptation
//                 |  row by row                            |
//              pass -> pass -> pass                    frame N + 1 parse
//
// scheduler.cc has the queue of frames, scheduler_parse.cc their parsing,
// scheduler_segments.cc their segments and the cells of the CPU's (run by
// cell_runner.h). The GPU's segments, the self-check and doing a frame again
// are GpuQueue's.
//
// Frames. VP9's are parsed one at a time, because each starts from the
// probabilities that the one before left. Where all that parsing needs lies
// with pictures (CodecRow::parses_apart), frames begin in order, and then each
// is parsed as soon as those are that it goes on from: after all of one, whose
// probabilities it takes, and row by row behind those whose vectors it looks at
// (ParseOrder). One frame is reconstructed at a time,
// or two where the CPU decodes them (FramesOverlap): the rows of the second
// begin as soon as the rows that they read of the first are final
// (reference_rows.h). Of small frames a third is parsed meanwhile, by workers
// that would otherwise wait for the first two.
//
// Segments. Reconstruction goes through the segments of the frame's plan
// (frame_plan.h). On the CPU a segment is cells (cell_grid.h), which run as
// soon as their conditions are met, from the first parsed row on. The records
// of a row make room for later ones after the last pass that reads lists; the
// row is final after the last pass that writes the target. On the GPU a segment
// is one submit, once the frame is parsed. A frame that begins on the GPU is
// submitted as soon as the frame before it only waits for the GPU, whose queue
// keeps the order. CPU work on a frame that began on the GPU starts when all
// frames before it are over, because it reads their pictures.
//
// Failures. When the GPU is lost, the CPU does again what the GPU had. A frame
// that is checked (self_check.h) lets no other frame start before it is known
// to be right; if it is wrong, the CPU does it again. Only a copy of a frame
// that is to be checked makes a task wait. Everywhere else the task that meets
// the last condition of a piece of work starts it.
//
// Homes. Each task has a worker at which it is at home, the same one in all
// frames of a stream: a line of pixels or records that another worker wrote
// costs as much as filtering several lines (docs/decisions/0015-homes.md).
//   - Frames overlap and have rows enough: each worker has a part of the rows.
//     While the lower rows of a frame are reconstructed, the upper rows of the
//     next one are parsed and reconstructed by the worker that made what they
//     read. Parsing goes first: every other task waits for it.
//   - Else, each worker has a tile column: it does all the work of its columns
//     and waits for others only in passes that look across tiles.
//   - Else, one worker parses and the others share the columns.
//   - There is a stream for every worker: each keeps the frames that it began.
//   - Passes of whole rows go round the workers unless these have rows.
//
// Times. A Stopwatch (stream_meter.h) runs around each call that does the work
// of a stage: the codec's state (once for the headers, for each row of each
// tile, and for the adaptation), a kernel (once for each tile's part of a
// cell), done(). The order of work itself is not timed. The GPU reports the
// times of its own stages. While a trace is running, a frame also remembers
// when it passed what it waits for (FrameTimes).
#ifndef PERDIX_ENGINE_SCHEDULER_H_
#define PERDIX_ENGINE_SCHEDULER_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/codec.h"
#include "engine/cell_runner.h"
#include "engine/engine_core.h"
#include "engine/frame_job.h"
#include "engine/gpu_queue.h"
#include "engine/owners.h"
#include "engine/stream_meter.h"
#include "engine/thread_pool.h"

namespace perdix {

class Scheduler final : public FrameEvents {
 public:
  Scheduler(EngineCore& engine, const CodecRow& codec);
  ~Scheduler() { Drain(); }

  void Submit(FrameRequest request);
  void Drain();
  const StreamMeter& meter() const { return meter_; }

 private:
  struct WaitingFrame {
    FrameRequest request;
    uint64_t submitted = 0;  // as FrameTimes
  };

  // scheduler.cc: the queue of frames.
  void StartNextFrame();                      // with mutex_ held
  bool GateOpens(const FrameJob& job) const;  // with mutex_ held
  void OpenGate(FrameJob& job);
  void Follow(FrameJob& job);
  bool IsOldest(FrameJob& job, FrameJob::WhenOldest else_later);
  void SegmentOver(FrameJob& job) override;
  void LeftToGpu(FrameJob& job) override;
  void BeginsAgain(FrameJob& job) override;
  void FrameOver(FrameJob& job) override;

  // scheduler_parse.cc.
  int ChooseHome() const;
  bool MayOverlap(const FrameJob& job) const;
  void BeginParse(FrameJob& job);
  Status Begin(FrameJob& job);
  uint32_t RowsAhead(const FrameJob& job) const;
  void SetUpParse(FrameJob& job);
  bool WaitsForParsing(FrameJob& job);
  void ReleaseParsing(FrameJob& job, Range rows);
  void ContinueParse(FrameJob& job);
  void ParsedUpTo(FrameJob& job, int lines, bool over);
  void MeetParse(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  bool Parse(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                 bool row_ends);
  void ReleaseLists(FrameJob& job, const Cell& cell);
  void EndParse(FrameJob& job);

  // scheduler_segments.cc: segments, and cells of the CPU's.
  void StartSegment(FrameJob& job);
  int HomeOf(const FrameJob& job, const Cell& cell) const;
  bool TilesGoTheirOwnWay(const FrameJob& job) const;
  void SetUpCells(FrameJob& job, uint32_t row_conditions);
  void OpenCells(FrameJob& job);
  void MeetAndPost(FrameJob& job, Cell cell);
  void PostCell(FrameJob& job, Cell cell);
  void RunCells(FrameJob& job, Cell cell);
  void RowFinal(FrameJob& job, uint32_t sb_row);
  void ReleaseRows(FrameJob& job, Range rows);

  EngineCore& engine_;
  const CodecRow& codec_;
  const size_t max_frames_;  // in flight, of any size
  StreamMeter meter_;
  CellRunner runner_;
  GpuQueue gpu_;
  const Owners owners_;
  const bool parses_apart_;
  std::shared_ptr<CodecState> state_;  // null: each frame has its own

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<WaitingFrame> waiting_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;  // the first is reconstructed
  std::vector<std::unique_ptr<FrameJob>> spare_;
  bool beginning_ = false;       // no other frame may begin
  size_t frames_in_flight_ = 2;  // of frames like the last one
  uint64_t frames_ = 0;          // started
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_SCHEDULER_H_
