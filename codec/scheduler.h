// SPDX-License-Identifier: BSD-2-Clause
// The order of work of one stream: which frame is parsed, which rows may be
// reconstructed and filtered, when a frame is done, what a failure means.
//
//   frame N    parse rows, tile columns side by side -> adaptation
//                 |  row by row                            |
//              reconstruct -> loop filter              frame N + 1 parse
//
// One frame is parsed at a time and one is reconstructed at a time; the two may
// be different frames. Within a frame, cells (runs of superblocks in a row, in
// the stages reconstruct and filter) run as soon as their conditions are met:
//   reconstruct (r, k)  after parsing of row r, (r, k - 1) and (r - 1, k):
//   intra
//                       prediction looks left, above and above left (VP9 8.5.1)
//   filter (r, k)       after reconstruct (r + 1, k + 1), whose intra
//   prediction
//                       needs unfiltered pixels; filter (r, k - 1) and
//                       (r - 1, k + 1): raster order (VP9 8.8.1)
// No task waits: the one that meets the last condition of a cell starts it.
#ifndef PERDIX_CODEC_SCHEDULER_H_
#define PERDIX_CODEC_SCHEDULER_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "codec/codec.h"
#include "codec/decoder.h"
#include "codec/frame_job.h"
#include "codec/thread_pool.h"

namespace perdix {

// Nanoseconds spent in each stage, by all sessions of an engine.
struct StageClocks {
  std::atomic<uint64_t> entropy{0};
  std::unique_ptr<std::atomic<uint64_t>[]> kernels;  // by KernelId
};

class Scheduler {
 public:
  Scheduler(Engine& engine, const CodecRow& codec);
  ~Scheduler() { Drain(); }

  void Submit(FrameRequest request);
  void Drain();

 private:
  enum CellStage : uint32_t { kReconstruct, kFilter };
  struct Cell {
    uint32_t stage;
    uint32_t row;
    uint32_t chunk;
  };
  struct ReadyCells;
  struct WaitingFrame {
    FrameRequest request;
    std::vector<uint8_t> controls;  // what request.controls points to
  };

  // Parsing.
  void StartNextFrame();  // with mutex_ held
  void BeginParse(FrameJob& job);
  void ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void RowParsed(FrameJob& job, uint32_t sb_row);
  void EndParse(FrameJob& job);

  // Reconstruction.
  void SetUpCells(FrameJob& job);
  void Meet(FrameJob& job, Cell cell, ReadyCells* ready);
  void MeetAndPost(FrameJob& job, Cell cell);
  void RunCells(FrameJob& job, Cell cell);
  void RunCell(FrameJob& job, Cell cell);
  void Follow(FrameJob& job, Cell cell, ReadyCells* ready);
  void RunKernel(FrameJob& job, KernelId kernel, const TileLists* tile,
                 Range range);
  void Finish(FrameJob* job);

  template <auto kMember>
  void Post(Priority priority, FrameJob& job, uint32_t a, uint32_t b);

  Engine& engine_;
  const CodecRow& codec_;
  const size_t max_frames_;  // in flight
  std::unique_ptr<CodecState> state_;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<WaitingFrame> waiting_;
  std::deque<std::unique_ptr<FrameJob>> jobs_;  // the first is reconstructed
  std::vector<std::unique_ptr<FrameJob>> spare_;
  bool parsing_ = false;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_SCHEDULER_H_
