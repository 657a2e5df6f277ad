// SPDX-License-Identifier: BSD-2-Clause
// Stands in for the neighbours of an owner under test (engine/owners.h): each
// event becomes a line, such as "FrameParsed 2".
#ifndef PERDIX_TESTS_ENGINE_RECORDED_OWNERS_H_
#define PERDIX_TESTS_ENGINE_RECORDED_OWNERS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "codec/codec.h"
#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/owners.h"
#include "engine/stream_meter.h"

namespace perdix {

class EventLog {
 public:
  void Add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    added_.notify_all();
  }
  void Add(const char* event, const FrameJob& job) {
    Add(event + (" " + std::to_string(job.number)));
  }
  void Await(const std::string& line) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(added_.wait_for(
        lock, std::chrono::seconds(60),
        [&] { return std::ranges::find(lines_, line) != lines_.end(); }))
        << "never: " << line;
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  size_t Count(const std::string& line) const {
    const std::vector<std::string> all = lines();
    return size_t(std::ranges::count(all, line));
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable added_;
  std::vector<std::string> lines_;
};

struct RecordedFrames final : FrameEvents {
  explicit RecordedFrames(EventLog& events) : log(events) {}
  void NextMayBegin() override { log.Add("NextMayBegin"); }
  void FrameParsed(FrameJob& job) override { log.Add("FrameParsed", job); }
  void SegmentOver(FrameJob& job) override { log.Add("SegmentOver", job); }
  void LeftToGpu(FrameJob& job) override { log.Add("LeftToGpu", job); }
  void BeginsAgain(FrameJob& job) override { log.Add("BeginsAgain", job); }
  void FrameOver(FrameJob& job) override { log.Add("FrameOver", job); }
  EventLog& log;
};

struct RecordedParse final : ParseEvents {
  explicit RecordedParse(EventLog& events) : log(events) {}
  Status Begin(FrameJob& job) override {
    log.Add("Begin", job);
    return begin ? begin(job) : Status::Ok();
  }
  void SetUp(FrameJob&) override {}
  void Start(FrameJob& job) override { log.Add("Start", job); }
  void Abandon(FrameJob& job) override { log.Add("Abandon", job); }
  void GateOpens(FrameJob&) override {}
  void ListsRead(FrameJob& job, Range tile_cols, uint32_t sb_row) override {
    if (tile_cols.begin == 0)
      log.Add("ListsRead " + std::to_string(job.number) + "." +
              std::to_string(sb_row));
  }
  EventLog& log;
  std::function<Status(FrameJob&)> begin;
};

struct RecordedCells final : CellEvents {
  explicit RecordedCells(EventLog& events) : log(events) {}
  void GateOpens(FrameJob& job) override { log.Add("GateOpens", job); }
  void FrameParsed(FrameJob& job) override { log.Add("CellsParsed", job); }
  void StartSegment(FrameJob& job) override { log.Add("StartSegment", job); }
  void SetUp(FrameJob& job, const Followed& followed) override {
    if (followed.frame != nullptr) log.Add("Follows", job);
  }
  void RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                 bool) override {
    log.Add("RowParsed " + std::to_string(job.number) + "." +
            std::to_string(sb_row) + "." + std::to_string(tile_col));
  }
  EventLog& log;
};

struct RecordedGpu final : GpuEvents {
  explicit RecordedGpu(EventLog& events) : log(events) {}
  void GateOpens(FrameJob& job) override { log.Add("GpuGateOpens", job); }
  void FrameParsed(FrameJob& job) override { log.Add("GpuParsed", job); }
  void StartSegment(FrameJob& job) override { log.Add("GpuStarts", job); }
  Status Plan(FrameJob& job) override {
    if (plan) plan(job);
    return Status::Ok();
  }
  void Check(FrameJob& job) override { log.Add("Check", job); }
  EventLog& log;
  std::function<void(FrameJob&)> plan;
};

// One pass without a kernel, whose rows go in any order; superblocks of 64.
inline LowestLines ReadSameLines(const ParsedFrame&, uint32_t sb_row) {
  LowestLines lowest;
  lowest.fill(kNotRead);
  lowest[0] = int(sb_row + 1) * 64;
  return lowest;
}
inline constexpr Pass kBarePass[] = {
    {.name = "pass", .kernels = {}, .after = {}}};

constexpr CodecRow BareCodec(std::unique_ptr<CodecState> (*open)() = nullptr,
                             bool frame_parallel_parsing = false) {
  return {"none",       0, 0, open, frame_parallel_parsing, nullptr, kBarePass,
          ReadSameLines};
}

// What a frame is of <rows> superblock rows and <tiles> tile columns of one
// superblock each.
inline void FillParams(ParsedFrame& frame, uint32_t rows, uint32_t tiles) {
  frame.params.width = 64 * tiles;
  frame.params.height = 64 * rows;
  frame.params.sb_cols = tiles;
  frame.params.sb_rows = rows;
  frame.params.sb_log2 = 6;
  frame.params.bit_depth = 8;
  frame.params.subsampling_x = frame.params.subsampling_y = 1;
  frame.tile_cols = tiles;
  frame.tiles.resize(std::max<size_t>(frame.tiles.size(), tiles));
  for (uint32_t i = 0; i < tiles; ++i)
    frame.tiles[i].Reset(rows, {i, i + 1}, {});
}

// Segments without a stage, on the GPU where <gpu> says so.
inline void FillPlan(FrameJob& job, std::initializer_list<bool> gpu) {
  job.plan = {};
  for (const bool on_gpu : gpu) {
    job.plan.segments[job.plan.segment_count++] = {
        .gpu = on_gpu, .begin = 0, .end = 0, .passes = 1};
  }
}

// A stream of an engine with <threads>, one of whose owners is tested.
class OwnerTest : public testing::Test {
 protected:
  explicit OwnerTest(int threads)
      : OwnerTest(EngineOptions{.threads = threads}) {}
  explicit OwnerTest(const EngineOptions& options) : engine_(options) {}

  static FrameRequest NewRequest(uint32_t width = 64, uint32_t height = 192) {
    FrameRequest request;
    request.target = NewHeapPicture(width, height, 8, 1, 1);
    EXPECT_TRUE(SetView(*request.target, width, height, 8, 1, 1).ok());
    return request;
  }

  EventLog log_;
  RecordedFrames frames_{log_};
  RecordedParse parse_{log_};
  RecordedCells cells_{log_};
  RecordedGpu gpu_{log_};
  Owners owners_ = {&frames_, &parse_, &cells_, &gpu_};
  EngineParts engine_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_ENGINE_RECORDED_OWNERS_H_
