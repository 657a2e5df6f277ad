// SPDX-License-Identifier: BSD-2-Clause
#include "engine/parse_queue.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "codec/codec.h"
#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/stream_meter.h"

namespace perdix {
namespace {

// Bytes of a frame's data for each row of superblocks. Lists take about 50
// times as much.
constexpr size_t kLargeRow = 2048;

}  // namespace

Range ParseQueue::Frame::Release(const FrameJob& job) {
  int parsed = std::numeric_limits<int>::max();
  for (const FrameJob* source : sources_)
    parsed = std::min(parsed, source->parse.lines_);
  const FrameParams& params = job.params;
  const uint32_t begin = released_rows_;
  uint32_t& end = released_rows_;
  while (end < params.sb_rows &&
         int(std::min((end + 1) << params.sb_log2, params.height)) <= parsed) {
    ++end;
  }
  return {begin, end};
}

ParseQueue::ParseQueue(EngineParts& engine, const CodecRow& codec,
                       StreamMeter& meter, const Owners& owners)
    : engine_(engine),
      codec_(codec),
      meter_(meter),
      owners_(owners),
      frame_parallel_(codec.frame_parallel_parsing && engine.pool.size() > 2 &&
                      !engine.observer),
      state_(frame_parallel_ ? nullptr : codec.open()) {}

// ---- a frame begins ----

Status ParseQueue::Begin(FrameJob& job) {
  Frame& frame = job.parse;
  frame.started_ = false;
  frame.awaited_ = false;
  if (frame.state_ == nullptr)
    frame.state_ = frame_parallel_ ? codec_.open() : state_;
  const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
  return frame.state_->Begin(job);
}

void ParseQueue::SetUp(FrameJob& job) {
  const uint32_t ahead = RowsAhead(job);
  for (uint32_t tile = 0; tile < job.tile_cols; ++tile) {
    job.tiles[tile].KeepRows(ahead);
  }
  job.parse.grid_.Reset(job.params.sb_rows, job.tile_cols, ahead,
                        !job.parse_sources.by_row.empty());
}

// How far parsing may be ahead: the work lists of so many rows take memory, and
// cache. The GPU, and who looks at whole frames, wants all of them. A frame
// that is parsed beside others is to get far before it is decoded, but the
// lower half finds room where the upper was: half of large lists must do
// (docs/decisions/0018-rows-ahead.md).
uint32_t ParseQueue::RowsAhead(const FrameJob& job) const {
  const uint32_t rows = job.params.sb_rows;
  if (job.plan.UsesGpu() || engine_.observer) return rows;
  const uint32_t shared = std::min(rows, job.sharing.RowsAhead());
  if (!frame_parallel_) return shared;
  const uint32_t half = rows - rows / 2;
  const bool large = job.request.bitstream.size() > kLargeRow * rows;
  return large ? half : std::max(half, shared);
}

// The next frame may begin once it can find this one among its sources. What is
// met after that keeps this frame from being over: its own rows, or Continue.
void ParseQueue::Start(FrameJob& job) {
  const bool by_row = !job.parse_sources.by_row.empty();
  bool waits = false;
  Range rows;
  job.parse.started_ = true;
  {
    std::lock_guard lock(mutex_);
    waits = FindSources(job);
    rows = job.parse.Release(job);
  }
  if (frame_parallel_) owners_.frames->NextMayBegin();
  if (by_row) MeetRows(job, rows);
  if (!waits) Continue(job);
}

// With mutex_ held: takes the frame up, and finds those at work whose parsing
// its own goes on from. Whether that is to wait for all of one of them.
bool ParseQueue::FindSources(FrameJob& job) {
  Frame& frame = job.parse;
  frame.lines_ = 0;
  frame.released_rows_ = 0;
  frame.whole_ = nullptr;
  frame.sources_.clear();
  const auto writes = [](const FrameJob& other, const PicturePtr& picture) {
    return picture != nullptr && other.request.target == picture;
  };
  for (const FrameJob* other : std::span(frames_).first(frame_count_)) {
    if (writes(*other, job.parse_sources.whole)) frame.whole_ = other;
    for (const PicturePtr& picture : job.parse_sources.by_row)
      if (writes(*other, picture)) frame.sources_.push_back(other);
  }
  frames_[frame_count_++] = &job;
  return frame.whole_ != nullptr;
}

void ParseQueue::Continue(FrameJob& job) {
  Status status;
  {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    status = job.parse.state_->Continue(job);
  }
  if (!status.ok()) job.Fail(std::move(status));
  MeetRows(job, {0, 1});
}

void ParseQueue::GateOpens(FrameJob& job) {
  job.parse.awaited_.store(true, std::memory_order_relaxed);
}

// ---- rows ----

// A condition of these rows is met, in all tile columns. The frame may be over,
// and the job another one or gone, once the last of them is posted: here, or by
// another worker if none is left for this one.
void ParseQueue::MeetRows(FrameJob& job, Range rows) {
  if (rows.begin == rows.end) return;
  const uint32_t tile_cols = job.tile_cols;
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    for (uint32_t tile = 0; tile < tile_cols; ++tile) Meet(job, tile, row);
  }
}

void ParseQueue::Meet(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.parse.grid_.Meet(tile_col, sb_row)) return;
  const bool awaited = job.sharing.ByRows() &&
                       job.parse.awaited_.load(std::memory_order_relaxed);
  engine_.pool.Post(
      awaited ? Priority::kAwaited : Priority::kParse,
      {.job = &job, .home = job.sharing.HomeOfParsing(tile_col, sb_row)},
      [this, &job, tile_col, sb_row] { ParseRow(job, tile_col, sb_row); });
}

void ParseQueue::ListsRead(FrameJob& job, Range tile_cols, uint32_t sb_row) {
  const uint32_t next = sb_row + job.parse.grid_.kept_rows();
  if (next >= job.params.sb_rows) return;
  for (uint32_t tile = tile_cols.begin; tile < tile_cols.end; ++tile) {
    Meet(job, tile, next);
  }
}

// A failed frame goes the same way, so that every row is accounted for: its
// cells find job.failed() and do nothing.
void ParseQueue::ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  bool row_ends = false;
  {
    const Stopwatch watch = meter_.TimeEntropy(job, sb_row);
    row_ends = Parse(job, tile_col, sb_row);
  }
  const bool last_row = sb_row + 1 == job.params.sb_rows;
  if (row_ends && frame_parallel_)
    ParsedUpTo(job, int((sb_row + 1) << job.params.sb_log2));
  owners_.cells->RowParsed(job, tile_col, sb_row, row_ends);
  if (!last_row) {
    Meet(job, tile_col, sb_row + 1);
  } else if (job.parse.grid_.EndTile()) {
    End(job);
  }
}

// Whether the row is parsed in all tile columns now.
bool ParseQueue::Parse(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  CodecState& state = *job.parse.state_;
  if (!job.failed()) {
    job.tiles[tile_col].BeginRow(sb_row);
    Status status = state.ParseRow(job, tile_col, sb_row);
    if (!status.ok()) job.Fail(std::move(status));
  }
  const bool row_ends = job.parse.grid_.EndRow(sb_row);
  if (row_ends && !job.failed()) state.EndRow(job, sb_row);
  return row_ends;
}

// So many lines of <job> are parsed; all, once nothing is left to parse: frames
// that waited for that go on.
void ParseQueue::ParsedUpTo(FrameJob& job, int lines) {
  struct Released {
    FrameJob* job;
    Range rows;
    bool continues;
  };
  std::array<Released, kMostFramesInFlight> released;
  size_t count = 0;
  {
    const bool over = lines == kAllRead;
    std::lock_guard lock(mutex_);
    job.parse.lines_ = lines;
    const std::span frames = std::span(frames_).first(frame_count_);
    if (over)
      frame_count_ -=
          frames.end() - std::remove(frames.begin(), frames.end(), &job);
    for (FrameJob* other : std::span(frames_).first(frame_count_)) {
      Frame& frame = other->parse;
      const bool continues = over && frame.whole_ == &job;
      if (continues) frame.whole_ = nullptr;
      const bool behind =
          std::ranges::find(frame.sources_, &job) != frame.sources_.end();
      if (!behind && !continues) continue;
      const Range rows = behind ? frame.Release(*other) : Range();
      if (over) std::erase(frame.sources_, &job);
      released[count++] = {other, rows, continues};
    }
  }
  for (const Released& next : std::span(released).first(count)) {
    MeetRows(*next.job, next.rows);
    if (!next.continues) continue;
    engine_.pool.Post(Priority::kParse, {.job = next.job},
                      [this, job = next.job] { Continue(*job); });
  }
}

void ParseQueue::End(FrameJob& job) {
  job.TakeRest();
  if (CodecState* const state = job.parse.state_.get()) {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    state->End(job);
  }
  meter_.Stamp(&job.times.parsed);
  if (job.failed()) {
    job.request.target->broken.store(true, std::memory_order_release);
  } else if (engine_.observer) {
    engine_.observer(job);
  }
  ParsedUpTo(job, kAllRead);
  if (!job.parse.started_ || !frame_parallel_) owners_.frames->NextMayBegin();
  owners_.frames->FrameParsed(job);
}

}  // namespace perdix
