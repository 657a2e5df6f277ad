// SPDX-License-Identifier: BSD-2-Clause
#include "codec/scheduler.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

namespace perdix {
namespace {

// Superblocks in a cell when several threads share a row.
constexpr uint32_t kChunkWidth = 8;

// Adds its lifetime to a clock, if there is one.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<uint64_t>* clock) : clock_(clock) {
    if (clock_) start_ = std::chrono::steady_clock::now();
  }
  ~Stopwatch() {
    if (!clock_) return;
    const auto spent = std::chrono::steady_clock::now() - start_;
    clock_->fetch_add(
        uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(spent)
                     .count()),
        std::memory_order_relaxed);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::atomic<uint64_t>* clock_;
  std::chrono::steady_clock::time_point start_;
};

// With one thread a second frame would only cool the cache.
size_t FramesInFlight(int threads) { return threads < 2 ? 1 : 2; }

}  // namespace

// Cells that the end of another one made ready: never more than 6.
struct Scheduler::ReadyCells {
  Cell cells[6];
  int count = 0;
};

Scheduler::Scheduler(Engine& engine, const CodecRow& codec)
    : engine_(engine),
      codec_(codec),
      max_frames_(FramesInFlight(engine.threads())),
      state_(codec.open()) {}

void Scheduler::Submit(FrameRequest request) {
  const auto controls = request.controls;
  WaitingFrame frame = {std::move(request), {controls.begin(), controls.end()}};
  frame.request.controls = frame.controls;
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(frame));
  StartNextFrame();
}

void Scheduler::Drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return jobs_.empty() && waiting_.empty(); });
}

template <auto kMember>
void Scheduler::Post(Priority priority, FrameJob& job, uint32_t a, uint32_t b) {
  engine_.pool().Post(
      priority, {[](void* self, void* frame, uint32_t first, uint32_t second) {
                   (static_cast<Scheduler*>(self)->*kMember)(
                       *static_cast<FrameJob*>(frame), first, second);
                 },
                 this, &job, a, b});
}

// ---- parsing ----

void Scheduler::StartNextFrame() {
  if (parsing_ || waiting_.empty() || jobs_.size() >= max_frames_) return;
  parsing_ = true;
  if (spare_.empty()) spare_.push_back(std::make_unique<FrameJob>());
  std::unique_ptr<FrameJob> job = std::move(spare_.back());
  spare_.pop_back();
  job->request = std::move(waiting_.front().request);
  job->controls = std::move(waiting_.front().controls);
  waiting_.pop_front();
  job->ResetStatus();
  job->begun = false;
  job->begin_failed = false;
  jobs_.push_back(std::move(job));
  engine_.pool().Post(Priority::kParse,
                      {[](void* self, void* frame, uint32_t, uint32_t) {
                         static_cast<Scheduler*>(self)->BeginParse(
                             *static_cast<FrameJob*>(frame));
                       },
                       this, jobs_.back().get(), 0, 0});
}

void Scheduler::BeginParse(FrameJob& job) {
  Status status;
  try {
    Stopwatch watch(engine_.clocks() ? &engine_.clocks()->entropy : nullptr);
    status = state_->Begin(job);
    if (status.ok()) SetUpCells(job);
  } catch (const std::bad_alloc&) {  // the client chose the frame's size
    status = {StatusCode::kOutOfMemory, "not enough memory for a frame of " +
                                            std::to_string(job.params.width) +
                                            "x" +
                                            std::to_string(job.params.height)};
  }
  if (!status.ok()) {
    job.Fail(std::move(status));
    EndParse(job);
    return;
  }
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    job.begun = true;
    first = jobs_.front().get() == &job;
  }
  if (first) MeetAndPost(job, {kReconstruct, 0, 0});
  // the frame may be over, and the job another one, once the last is posted
  const uint32_t tile_cols = job.tile_cols;
  for (uint32_t tile = 0; tile < tile_cols; ++tile) {
    Post<&Scheduler::ParseRow>(Priority::kParse, job, tile, 0);
  }
}

void Scheduler::ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.failed()) {
    Stopwatch watch(engine_.clocks() ? &engine_.clocks()->entropy : nullptr);
    Status status = state_->ParseRow(job, tile_col, sb_row);
    if (!status.ok()) job.Fail(std::move(status));
  }
  const bool last_row = sb_row + 1 == job.params.sb_rows;
  RowParsed(job, sb_row);
  if (!last_row) {
    Post<&Scheduler::ParseRow>(Priority::kParse, job, tile_col, sb_row + 1);
  } else if (job.parsing_tiles.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    EndParse(job);
  }
}

// A failed frame goes the same way, so that every row is accounted for: its
// cells find job.failed() and do nothing.
void Scheduler::RowParsed(FrameJob& job, uint32_t sb_row) {
  if (job.tiles_to_parse[sb_row].fetch_sub(1, std::memory_order_acq_rel) == 1) {
    MeetAndPost(job, {kReconstruct, sb_row, 0});
  }
}

void Scheduler::EndParse(FrameJob& job) {
  {
    Stopwatch watch(engine_.clocks() ? &engine_.clocks()->entropy : nullptr);
    state_->End(job);
  }
  bool finish = false;
  const bool begun = job.begun;
  {
    std::lock_guard lock(mutex_);
    parsing_ = false;
    if (!begun) {
      job.begin_failed = true;
      finish = jobs_.front().get() == &job;
    }
    StartNextFrame();
  }
  if (begun) {
    MeetAndPost(job, {kFilter, job.params.sb_rows - 1, job.chunks - 1});
  } else if (finish) {
    Finish(&job);
  }
}

// ---- reconstruction ----

void Scheduler::SetUpCells(FrameJob& job) {
  const uint32_t rows = job.params.sb_rows;
  job.chunk_width = engine_.threads() > 1 ? kChunkWidth : job.params.sb_cols;
  job.chunks = (job.params.sb_cols + job.chunk_width - 1) / job.chunk_width;
  const size_t cells = size_t{2} * rows * job.chunks;
  if (job.conditions_size < cells) {
    job.conditions = std::make_unique<std::atomic<uint8_t>[]>(cells);
    job.conditions_size = cells;
  }
  if (job.tiles_to_parse_size < rows) {
    job.tiles_to_parse = std::make_unique<std::atomic<uint32_t>[]>(rows);
    job.tiles_to_parse_size = rows;
  }

  std::atomic<uint8_t>* reconstruct = job.conditions.get();
  std::atomic<uint8_t>* filter = reconstruct + size_t{rows} * job.chunks;
  for (uint32_t row = 0; row < rows; ++row) {
    job.tiles_to_parse[row].store(job.tile_cols, std::memory_order_relaxed);
    for (uint32_t chunk = 0; chunk < job.chunks; ++chunk) {
      const size_t i = size_t{row} * job.chunks + chunk;
      const int neighbours = (chunk > 0) + (row > 0);
      const int parsed = chunk == 0;
      const int frame_before = row == 0 && chunk == 0;
      reconstruct[i].store(uint8_t(neighbours + parsed + frame_before),
                           std::memory_order_relaxed);
      const int frame_parsed = row + 1 == rows && chunk + 1 == job.chunks;
      filter[i].store(uint8_t(neighbours + 1 + frame_parsed),
                      std::memory_order_relaxed);
    }
  }
  job.parsing_tiles.store(job.tile_cols, std::memory_order_release);
}

void Scheduler::Meet(FrameJob& job, Cell cell, ReadyCells* ready) {
  const size_t i =
      (size_t{cell.stage} * job.params.sb_rows + cell.row) * job.chunks +
      cell.chunk;
  if (job.conditions[i].fetch_sub(1, std::memory_order_acq_rel) == 1) {
    ready->cells[ready->count++] = cell;
  }
}

void Scheduler::MeetAndPost(FrameJob& job, Cell cell) {
  ReadyCells ready;
  Meet(job, cell, &ready);
  if (ready.count == 0) return;
  engine_.pool().Post(
      Priority::kReconstruct,
      {[](void* self, void* frame, uint32_t stage_row, uint32_t chunk) {
         static_cast<Scheduler*>(self)->RunCells(
             *static_cast<FrameJob*>(frame),
             {stage_row & 1, stage_row >> 1, chunk});
       },
       this, &job, cell.row << 1 | cell.stage, cell.chunk});
}

void Scheduler::RunCells(FrameJob& job, Cell cell) {
  while (true) {
    RunCell(job, cell);
    if (cell.stage == kFilter && cell.row + 1 == job.params.sb_rows &&
        cell.chunk + 1 == job.chunks) {
      Finish(&job);
      return;
    }
    ReadyCells ready;
    Follow(job, cell, &ready);
    if (ready.count == 0) return;
    for (int i = 1; i < ready.count; ++i) {
      const Cell other = ready.cells[i];
      engine_.pool().Post(
          Priority::kReconstruct,
          {[](void* self, void* frame, uint32_t stage_row, uint32_t chunk) {
             static_cast<Scheduler*>(self)->RunCells(
                 *static_cast<FrameJob*>(frame),
                 {stage_row & 1, stage_row >> 1, chunk});
           },
           this, &job, other.row << 1 | other.stage, other.chunk});
    }
    cell = ready.cells[0];
  }
}

// Meets the conditions that the end of <cell> fulfils: the filter first, while
// its pixels are in the cache.
void Scheduler::Follow(FrameJob& job, Cell cell, ReadyCells* ready) {
  const uint32_t row = cell.row;
  const uint32_t chunk = cell.chunk;
  const bool last_row = row + 1 == job.params.sb_rows;
  const bool last_chunk = chunk + 1 == job.chunks;
  if (cell.stage == kReconstruct) {
    for (uint32_t up = last_row ? 0 : 1; up < 2; ++up) {
      for (uint32_t left = last_chunk ? 0 : 1; left < 2; ++left) {
        if (row >= up && chunk >= left) {
          Meet(job, {kFilter, row - up, chunk - left}, ready);
        }
      }
    }
  } else if (!last_row) {
    if (chunk > 0) Meet(job, {kFilter, row + 1, chunk - 1}, ready);
    if (last_chunk) Meet(job, {kFilter, row + 1, chunk}, ready);
  }
  if (!last_chunk) Meet(job, {cell.stage, row, chunk + 1}, ready);
  if (cell.stage == kReconstruct && !last_row) {
    Meet(job, {kReconstruct, row + 1, chunk}, ready);
  }
}

void Scheduler::RunCell(FrameJob& job, Cell cell) {
  if (job.failed()) return;
  const uint32_t begin = cell.chunk * job.chunk_width;
  const uint32_t end = std::min(begin + job.chunk_width, job.params.sb_cols);
  if (cell.stage == kFilter) {
    if (job.params.loop_filter_level == 0) return;
    const uint32_t first = cell.row * job.params.sb_cols;
    RunKernel(job, codec_.in_loop_filter, nullptr,
              {first + begin, first + end});
    return;
  }
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    const TileLists& tile = job.tiles[i];
    const uint32_t tile_begin = std::max(begin, tile.sb_col_begin);
    const uint32_t tile_end = std::min(end, tile.sb_col_end);
    if (tile_begin >= tile_end) continue;
    for (const Stage& stage : codec_.reconstruct) {
      const Range range =
          tile.Items(stage.list_end, cell.row, tile_begin, tile_end);
      RunKernel(job, stage.kernel, &tile, range);
    }
  }
}

void Scheduler::RunKernel(FrameJob& job, KernelId kernel, const TileLists* tile,
                          Range range) {
  if (range.begin == range.end) return;
  Stopwatch watch(engine_.clocks() ? &engine_.clocks()->kernels[size_t(kernel)]
                                   : nullptr);
  engine_.recipe().function(kernel, job.params.bit_depth)(job.Args(tile),
                                                          range);
}

// The frame is the oldest one: reports it and opens the gate of the next, which
// may itself be over because its headers were no good.
void Scheduler::Finish(FrameJob* job) {
  while (job != nullptr) {
    if (job->failed()) {
      job->request.target->broken.store(true, std::memory_order_release);
    }
    const FrameRequest request = std::move(job->request);
    job->request = {};
    request.done(job->status());

    std::lock_guard lock(mutex_);
    spare_.push_back(std::move(jobs_.front()));
    jobs_.pop_front();
    StartNextFrame();
    FrameJob* next = jobs_.empty() ? nullptr : jobs_.front().get();
    job = next != nullptr && next->begin_failed ? next : nullptr;
    if (next != nullptr && next->begun) {
      MeetAndPost(*next, {kReconstruct, 0, 0});
    }
    if (next == nullptr && waiting_.empty()) idle_.notify_all();
  }
}

}  // namespace perdix
