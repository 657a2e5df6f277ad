// SPDX-License-Identifier: BSD-2-Clause
// Parsing: how a frame begins, and its rows one after the other.
#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "engine/frames_in_flight.h"
#include "engine/picture_access.h"
#include "engine/scheduler.h"

namespace perdix {
namespace {

// Bytes of a frame's data for each row of superblocks. Lists take about 50
// times as much.
constexpr size_t kLargeRow = 2048;

// Asks the client what follows the frame in its data.
void TakeRest(FrameJob& job) {
  const FrameRequest& request = job.request;
  if (job.failed()) job.rest = {};
  const bool is_frame = request.parsed && request.parsed(job.rest);
  if (job.rest.empty() || is_frame) return;
  job.MarkDamaged(
      {StatusCode::kInvalidBitstream,
       "damaged data: byte " +
           std::to_string(job.rest.data() - request.bitstream.data()) + " of " +
           std::to_string(request.bitstream.size()) +
           ", behind the frame's end, is not 0"});
}

}  // namespace

// Where there is a stream for every worker each frame stays with one of them:
// no records and rows pass from one core's cache to another's.
int Scheduler::ChooseHome() const {
  return engine_.busy_streams() >= engine_.threads()
             ? ThreadPool::CurrentWorker()
             : TaskPlace::kAnywhere;
}

bool Scheduler::MayOverlap(const FrameJob& job) const {
  return !job.plan.UsesGpu() &&
         FramesOverlap(job.params.width, job.params.height, engine_.threads(),
                       codec_.parses_apart);
}

void Scheduler::BeginParse(FrameJob& job) {
  meter_.FrameBegins(job);
  Status status;
  try {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    status = Begin(job);
  } catch (const std::bad_alloc&) {
    status = NoMemory(job.params);
  }
  if (!status.ok()) {
    job.Fail(std::move(status));
    EndParse(job);
    return;
  }
  bool open = false;
  {
    std::lock_guard lock(mutex_);
    job.queued.begun = true;
    meter_.Stamp(&job.times.planned);
    frames_in_flight_ =
        job.plan.UsesGpu()
            ? max_frames_
            : CpuFramesInFlight(job.params.width, job.params.height,
                                engine_.threads(), codec_.parses_apart);
    open = job.gate_open = GateOpens(job);
  }
  if (open) OpenGate(job);
  const bool by_row = !job.parse_sources.by_row.empty();
  bool waits = false;
  Range rows;
  {
    std::lock_guard lock(mutex_);
    waits = WaitsForParsing(job);
    rows = job.queued.parse.Release(job);
    if (parses_apart_) {
      beginning_ = false;
      StartNextFrame();
    }
  }
  if (by_row) ReleaseParsing(job, rows);
  if (!waits) ContinueParse(job);
}

// With mutex_ held: finds the frames at work whose parsing <job>'s goes on
// from. Whether that is to wait for all of one of them.
bool Scheduler::WaitsForParsing(FrameJob& job) {
  ParseOrder& order = job.queued.parse;
  const auto writes = [](const FrameJob& other, const PicturePtr& picture) {
    return picture != nullptr && other.request.target == picture;
  };
  for (const std::unique_ptr<FrameJob>& other : jobs_) {
    if (other.get() == &job || other->queued.parse.over) continue;
    if (writes(*other, job.parse_sources.whole)) order.whole = other.get();
    for (const PicturePtr& picture : job.parse_sources.by_row)
      if (writes(*other, picture)) order.by_row.push_back(other.get());
  }
  return order.whole != nullptr;
}

// Of rows that wait for no other frame any more.
void Scheduler::ReleaseParsing(FrameJob& job, Range rows) {
  // The frame may be over, and the job another one or gone, once the last of
  // its rows is posted: here, or by another worker if none is left for this
  // one.
  if (rows.begin == rows.end) return;
  const uint32_t tile_cols = job.tile_cols;
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    for (uint32_t tile = 0; tile < tile_cols; ++tile) MeetParse(job, tile, row);
  }
}

void Scheduler::ContinueParse(FrameJob& job) {
  Status status;
  {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    status = job.state->Continue(job);
  }
  if (!status.ok()) job.Fail(std::move(status));
  ReleaseParsing(job, {0, 1});
}

// <job> is parsed so far, or over: others go on.
void Scheduler::ParsedUpTo(FrameJob& job, int lines, bool over) {
  struct Released {
    FrameJob* job;
    Range rows;
    bool continues;
  };
  std::array<Released, kMostFramesInFlight> released;
  size_t count = 0;
  {
    std::lock_guard lock(mutex_);
    job.queued.parse.lines = lines;
    job.queued.parse.over = over;
    for (const std::unique_ptr<FrameJob>& other : jobs_) {
      ParseOrder& order = other->queued.parse;
      const bool continues = over && order.whole == &job;
      if (continues) order.whole = nullptr;
      const bool behind =
          std::ranges::find(order.by_row, &job) != order.by_row.end();
      if (!behind && !continues) continue;
      const Range rows = behind ? order.Release(*other) : Range();
      if (over) std::erase(order.by_row, &job);
      released[count++] = {other.get(), rows, continues};
    }
  }
  for (const Released& next : std::span(released).first(count)) {
    ReleaseParsing(*next.job, next.rows);
    if (!next.continues) continue;
    engine_.pool().Post(Priority::kParse, {.job = next.job},
                        [this, job = next.job] { ContinueParse(*job); });
  }
}

Status Scheduler::Begin(FrameJob& job) {
  Status status = job.state->Begin(job);
  if (!status.ok()) return status;
  status = owners_.gpu->Plan(job);
  if (!status.ok()) return status;
  Follow(job);
  job.sharing = {.workers = uint32_t(engine_.threads()),
                 .rows = job.params.sb_rows,
                 .columns = job.params.sb_cols,
                 .tile_cols = job.tile_cols,
                 .overlaps = MayOverlap(job),
                 .home = ChooseHome()};
  SetUpParse(job);
  job.final_rows.Reset(job.params.sb_rows);
  if (!job.plan.segments[0].gpu) SetUpCells(job, job.follows ? 2 : 1);
  engine_.CountFrame(job.plan.UsesGpu());
  return status;
}

// How far parsing may be ahead: the work lists of so many rows take memory, and
// cache. The GPU, and who looks at whole frames, wants all of them. A frame
// that is parsed beside others is to get far before it is decoded, but the
// lower half finds room where the upper was: half of large lists must do
// (docs/decisions/0018-rows-ahead.md).
uint32_t Scheduler::RowsAhead(const FrameJob& job) const {
  const uint32_t rows = job.params.sb_rows;
  if (job.plan.UsesGpu() || engine_.observed()) return rows;
  const uint32_t shared = std::min(rows, job.sharing.RowsAhead());
  if (!parses_apart_) return shared;
  const uint32_t half = rows - rows / 2;
  const bool large = job.request.bitstream.size() > kLargeRow * rows;
  return large ? half : std::max(half, shared);
}

void Scheduler::SetUpParse(FrameJob& job) {
  const uint32_t ahead = RowsAhead(job);
  for (uint32_t tile = 0; tile < job.tile_cols; ++tile) {
    job.tiles[tile].KeepRows(ahead);
  }
  job.parse_grid.Reset(job.params.sb_rows, job.tile_cols, ahead,
                       !job.parse_sources.by_row.empty());
}

// The row before is parsed, or the lists have room again.
void Scheduler::MeetParse(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.parse_grid.Meet(tile_col, sb_row)) return;
  const bool awaited = job.sharing.ByRows() && job.gate_open;
  engine_.pool().Post(
      awaited ? Priority::kAwaited : Priority::kParse,
      {.job = &job, .home = job.sharing.HomeOfParsing(tile_col, sb_row)},
      [this, &job, tile_col, sb_row] { ParseRow(job, tile_col, sb_row); });
}

void Scheduler::ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  bool row_ends = false;
  {
    const Stopwatch watch = meter_.TimeEntropy(job, sb_row);
    row_ends = Parse(job, tile_col, sb_row);
  }
  const bool last_row = sb_row + 1 == job.params.sb_rows;
  RowParsed(job, tile_col, sb_row, row_ends);
  if (!last_row) {
    MeetParse(job, tile_col, sb_row + 1);
  } else if (job.parse_grid.EndTile()) {
    EndParse(job);
  }
}

// Whether the row is parsed in all tile columns now.
bool Scheduler::Parse(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.failed()) {
    job.tiles[tile_col].BeginRow(sb_row);
    Status status = job.state->ParseRow(job, tile_col, sb_row);
    if (!status.ok()) job.Fail(std::move(status));
  }
  const bool row_ends = job.parse_grid.EndRow(sb_row);
  if (row_ends && !job.failed()) job.state->EndRow(job, sb_row);
  return row_ends;
}

// A failed frame goes the same way, so that every row is accounted for: its
// cells find job.failed() and do nothing.
void Scheduler::RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                          bool row_ends) {
  if (row_ends && parses_apart_)
    ParsedUpTo(job, int((sb_row + 1) << job.params.sb_log2), false);
  if (job.plan.segments[0].gpu) return;
  if (job.cells.tiles() > 1) {
    MeetAndPost(job, job.cells.RowBegin(sb_row, tile_col));
    return;
  }
  if (!row_ends) return;
  MeetAndPost(job, job.cells.RowBegin(sb_row, 0));
  if (!job.follows) return;
  const int needed =
      job.failed() ? 0
                   : LinesRead(codec_, job, sb_row, job.followed_references);
  Range rows;
  {
    std::lock_guard lock(mutex_);
    rows = job.reference_rows.Need(needed);
  }
  ReleaseRows(job, rows);
}

// Nobody reads any more what was parsed of the tiles whose row the cell ends.
void Scheduler::ReleaseLists(FrameJob& job, const Cell& cell) {
  const uint32_t next = cell.row + job.parse_grid.kept_rows();
  if (next >= job.params.sb_rows) return;
  Range tiles = job.cells.EndedTiles(cell);
  if (job.cells.tiles() == 1) tiles.end *= job.tile_cols;
  for (uint32_t tile = tiles.begin; tile < tiles.end; ++tile) {
    MeetParse(job, tile, next);
  }
}

void Scheduler::EndParse(FrameJob& job) {
  TakeRest(job);
  {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    job.state->End(job);
  }
  meter_.Stamp(&job.times.parsed);
  if (job.failed()) {
    job.request.target->broken.store(true, std::memory_order_release);
  } else {
    engine_.Observe(job);
  }
  const bool begun = job.queued.begun;
  ParsedUpTo(job, kAllRead, true);
  {
    std::lock_guard lock(mutex_);
    if (!begun || !parses_apart_) {
      beginning_ = false;
      StartNextFrame();
    }
  }
  if (!begun) {
    FrameOver(job);
  } else if (job.plan.segments[0].gpu) {
    owners_.gpu->FrameParsed(job);
  } else {
    MeetAndPost(job, job.cells.last());
  }
}

}  // namespace perdix
