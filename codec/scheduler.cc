// SPDX-License-Identifier: BSD-2-Clause
#include "codec/scheduler.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "codec/frames_in_flight.h"
#include "codec/picture_access.h"

namespace perdix {
namespace {

bool SharesMemory(const Picture& a, const Picture& b) {
  return a.memory.data == b.memory.data;
}

Status WrongOnGpu(KernelId kernel) {
  return {StatusCode::kDeviceLost,
          std::string(KernelTable()[size_t(kernel)].key) +
              " is wrong on the GPU, and the CPU does not reach the pictures"};
}

}  // namespace

Scheduler::Scheduler(EngineCore& engine, const CodecRow& codec)
    : engine_(engine),
      codec_(codec),
      max_frames_(engine.frames_in_flight()),
      meter_(engine),
      state_(codec.open()) {}

void Scheduler::Submit(FrameRequest request) {
  WaitingFrame frame = {std::move(request)};
  meter_.Stamp(&frame.submitted);
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(frame));
  StartNextFrame();
}

void Scheduler::Drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return jobs_.empty() && waiting_.empty(); });
}

template <auto kMember>
void Scheduler::Post(Priority priority, FrameJob& job, uint32_t a, uint32_t b,
                     int home) {
  engine_.pool().Post(
      priority, {[](void* self, void* frame, uint32_t first, uint32_t second) {
                   (static_cast<Scheduler*>(self)->*kMember)(
                       *static_cast<FrameJob*>(frame), first, second);
                 },
                 this, &job, a, b, home, kMember == &Scheduler::BeginParse});
}

// ---- who does what ----

// Where there is a stream for every worker each frame stays with one of them:
// no records and rows pass from one core's cache to another's.
int Scheduler::ChooseHome() const {
  return engine_.busy_streams() >= engine_.threads()
             ? ThreadPool::CurrentWorker()
             : Task::kAnywhere;
}

int Scheduler::HomeOf(const FrameJob& job, const Cell& cell) const {
  return codec_.passes[cell.pass].whole_rows
             ? job.sharing.HomeOfRow(cell.row)
             : job.sharing.HomeOf(cell.row, cell.chunk,
                                  job.cells.Chunks(cell.pass));
}

bool Scheduler::MayOverlap(const FrameJob& job) const {
  return !job.plan.UsesGpu() &&
         FramesOverlap(job.params.width, job.params.height, engine_.threads());
}

// ---- parsing ----

void Scheduler::StartNextFrame() {
  if (parsing_ || waiting_.empty()) return;
  if (jobs_.size() >= std::min(frames_in_flight_, max_frames_)) return;
  parsing_ = true;
  if (spare_.empty()) spare_.push_back(std::make_unique<FrameJob>());
  if (jobs_.empty()) engine_.StreamBusy();
  jobs_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  FrameJob& job = *jobs_.back();
  job.Reset(std::move(waiting_.front().request));
  job.number = ++frames_;
  job.times.submitted = waiting_.front().submitted;
  waiting_.pop_front();
  Post<&Scheduler::BeginParse>(Priority::kParse, job);
}

void Scheduler::BeginParse(FrameJob& job, uint32_t, uint32_t) {
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
    job.begun = true;
    meter_.Stamp(&job.times.planned);
    frames_in_flight_ =
        job.plan.UsesGpu()
            ? max_frames_
            : CpuFramesInFlight(job.params.width, job.params.height,
                                engine_.threads());
    open = job.gate_open = GateOpens(job);
  }
  if (open) OpenGate(job);
  // the frame may be over, and the job another one, once the last is posted
  const uint32_t tile_cols = job.tile_cols;
  for (uint32_t tile = 0; tile < tile_cols; ++tile) {
    MeetParse(job, tile, 0);
  }
}

Status Scheduler::Begin(FrameJob& job) {
  Status status = state_->Begin(job);
  if (!status.ok()) return status;
  const bool gpu = engine_.GpuUsable(codec_.passes[0].kernels[0], job.params) &&
                   AllReached(job, GpuReaches);
  job.plan = PlanFrame(codec_, engine_.recipe(), job, gpu);
  if (!AllReached(job, CpuReaches) &&
      (job.plan.segment_count > 1 || !job.plan.UsesGpu())) {
    return {StatusCode::kDeviceLost,
            "the pictures lie in the GPU's memory, and it cannot decode this "
            "frame"};
  }
  job.check.on = job.plan.UsesGpu() && engine_.SelfCheckDue();
  job.previous = TakePrevious(job);
  Follow(job);
  job.sharing = {.workers = uint32_t(engine_.threads()),
                 .rows = job.params.sb_rows,
                 .columns = job.params.sb_cols,
                 .tile_cols = job.tile_cols,
                 .overlaps = MayOverlap(job),
                 .home = ChooseHome()};
  SetUpParse(job);
  job.gpu_conditions.store(2, std::memory_order_relaxed);  // parsed, gate
  if (!job.plan.segments[0].gpu) SetUpCells(job, job.follows ? 2 : 1);
  engine_.CountFrame(job.plan.UsesGpu());
  return status;
}

// How far parsing may be ahead: the work lists of so many rows take memory, and
// cache. The GPU, and who looks at whole frames, wants all of them.
void Scheduler::SetUpParse(FrameJob& job) {
  const uint32_t rows = job.params.sb_rows;
  const bool whole = job.plan.UsesGpu() || engine_.observed();
  const uint32_t kept = whole ? rows : std::min(rows, job.sharing.RowsAhead());
  for (uint32_t tile = 0; tile < job.tile_cols; ++tile) {
    job.tiles[tile].KeepRows(kept);
  }
  job.parse_grid.Reset(rows, job.tile_cols, kept);
}

// The row before is parsed, or the lists have room again.
void Scheduler::MeetParse(FrameJob& job, uint32_t tile_col, uint32_t sb_row) {
  if (!job.parse_grid.Meet(tile_col, sb_row)) return;
  const bool awaited = job.sharing.ByRows() && job.gate_open;
  Post<&Scheduler::ParseRow>(awaited ? Priority::kAwaited : Priority::kParse,
                             job, tile_col, sb_row,
                             job.sharing.HomeOfParsing(tile_col, sb_row));
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

// The frame before, in decoding order, if motion can be measured against it.
PicturePtr Scheduler::TakePrevious(const FrameJob& job) {
  if (!engine_.measures_motion()) return nullptr;
  const PicturePtr previous = previous_.lock();
  previous_ = job.request.target;
  const bool fits = previous != nullptr && previous->memory.gpu != nullptr &&
                    previous->view.width == job.params.width &&
                    previous->view.height == job.params.height &&
                    previous->view.bit_depth == job.params.bit_depth;
  return fits && job.plan.UsesGpu() ? previous : nullptr;
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
    Status status = state_->ParseRow(job, tile_col, sb_row);
    if (!status.ok()) job.Fail(std::move(status));
  }
  const bool row_ends = job.parse_grid.EndRow(sb_row);
  if (row_ends && !job.failed()) state_->EndRow(job, sb_row);
  return row_ends;
}

// A failed frame goes the same way, so that every row is accounted for: its
// cells find job.failed() and do nothing.
void Scheduler::RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                          bool row_ends) {
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

void Scheduler::EndParse(FrameJob& job) {
  {
    const Stopwatch watch = meter_.TimeEntropy(job, StreamMeter::kNoRow);
    state_->End(job);
  }
  meter_.Stamp(&job.times.parsed);
  if (job.failed()) {
    job.request.target->broken.store(true, std::memory_order_release);
  } else {
    engine_.Observe(job);
  }
  const bool begun = job.begun;
  {
    std::lock_guard lock(mutex_);
    parsing_ = false;
    StartNextFrame();
  }
  if (!begun) {
    Finish(job);
  } else if (job.plan.segments[0].gpu) {
    MeetGpu(job);
  } else {
    MeetAndPost(job, job.cells.last());
  }
}

// ---- segments ----

// The oldest frame may go on; so may the one that follows it, and one that
// begins on the GPU, behind one that ends there.
bool Scheduler::GateOpens(const FrameJob& job) const {
  if (jobs_.front().get() == &job) return true;
  if (job.follows) return jobs_[1].get() == &job;
  const auto at =
      std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
  return (*std::prev(at))->passed && job.plan.segments[0].gpu;
}

void Scheduler::OpenGate(FrameJob& job) {
  meter_.Stamp(&job.times.gate_open);
  if (job.plan.segments[0].gpu) {
    MeetGpu(job);
    return;
  }
  Status status = BeginPictures(job);
  if (!status.ok()) job.Fail(std::move(status));
  if (!job.plan.UsesGpu()) {
    job.may_be_followed.store(true, std::memory_order_release);
  }
  OpenCells(job);
}

// <job> has nothing left but to wait for the GPU.
void Scheduler::OpenNextGate(FrameJob& job) {
  FrameJob* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    job.passed = true;
    auto at = std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
    if (++at == jobs_.end()) return;
    next = at->get();
    if (!next->begun || next->gate_open || !GateOpens(*next)) return;
    next->gate_open = true;
  }
  OpenGate(*next);
}

// The CPU may begin <job> before the frame before is over, once that is the
// oldest one, if it is at work and neither writes nor reads the memory that
// <job> is about to write.
void Scheduler::Follow(FrameJob& job) {
  const Picture& target = *job.request.target;
  if (target.take_memory || !MayOverlap(job)) return;
  std::lock_guard lock(mutex_);
  if (jobs_.size() == 1) return;
  FrameJob& before = *jobs_[jobs_.size() - 2];  // <job> is the last
  if (!before.may_be_followed.load(std::memory_order_acquire) ||
      before.when_oldest != FrameJob::WhenOldest::kNothing) {
    return;
  }
  job.follows = !SharesMemory(target, *before.request.target);
  ForEachReference(before.params, [&](uint32_t i) {
    if (SharesMemory(target, *before.request.references[i])) {
      job.follows = false;
    }
  });
  ForEachReference(job.params, [&](uint32_t i) {
    if (SharesMemory(*job.request.references[i], *before.request.target)) {
      job.followed_references |= 1u << i;
    }
  });
  if (!job.follows) return;
  before.follower = &job;
  job.reference_rows.Reset(job.params.sb_rows, before.final_lines);
}

// Before anything else is known to be done: the rows of a frame are final one
// after the other, and while one is, neither frame is over.
void Scheduler::RowFinal(FrameJob& job, uint32_t sb_row) {
  FrameJob* follower = nullptr;
  Range rows;
  {
    std::lock_guard lock(mutex_);
    job.final_lines = FinalLines(codec_, job.params, sb_row);
    follower = job.follower;
    if (follower == nullptr) return;
    rows = follower->reference_rows.Have(job.final_lines);
  }
  ReleaseRows(*follower, rows);
}

void Scheduler::ReleaseRows(FrameJob& job, Range rows) {
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    MeetAndPost(job, job.cells.RowBegin(row, 0));
  }
}

// Tiles go their own way through the first passes if a later one, before the
// row is final, looks across them. Of a follower whole rows are released, so
// its tiles stay together.
bool Scheduler::TilesGoTheirOwnWay(const FrameJob& job) const {
  if (job.sharing.ByRows() || job.follows) return false;
  const Segment& segment = job.plan.segments[job.segment];
  const int first = std::countr_zero(segment.passes);
  const int last = std::bit_width(segment.passes) - 1;
  return codec_.passes[first].ByTile() && !codec_.passes[last].ByTile() &&
         !codec_.passes[segment.last_target_pass].ByTile();
}

void Scheduler::SetUpCells(FrameJob& job, uint32_t row_conditions) {
  const uint32_t tiles = TilesGoTheirOwnWay(job) ? job.tile_cols : 1;
  job.tile_begins.assign(1, 0);
  for (uint32_t tile = 1; tile < tiles; ++tile) {
    job.tile_begins.push_back(job.tiles[tile].columns().begin);
  }
  job.cells.Reset({.passes = codec_.passes,
                   .at_work = job.plan.segments[job.segment].passes,
                   .rows = job.params.sb_rows,
                   .columns = job.params.sb_cols,
                   .tile_begins = job.tile_begins,
                   .chunks = std::max(job.sharing.Chunks() / tiles, 1u),
                   .row_conditions = row_conditions});
}

void Scheduler::OpenCells(FrameJob& job) {
  const uint32_t tiles = job.cells.tiles();
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    MeetAndPost(job, job.cells.RowBegin(0, tile));
  }
}

// Not the first one: the frame is parsed.
void Scheduler::StartSegment(FrameJob& job, uint32_t, uint32_t) {
  const bool gpu = job.plan.segments[job.segment].gpu;
  if (gpu) PrepareCheck(job);
  Status status = AccessTarget(job, gpu ? CpuAccess::kEnd : CpuAccess::kBegin);
  if (status.ok() && !gpu) status = BeginReferences(job);
  if (!status.ok()) job.Fail(std::move(status));
  if (gpu) {
    SubmitToGpu(job, 0, 0);
    return;
  }
  SetUpCells(job, 0);
  MeetAndPost(job, job.cells.last());
  OpenCells(job);
}

void Scheduler::EndSegment(FrameJob& job) {
  if (job.failed()) {
    Finish(job);
  } else if (++job.segment < job.plan.segment_count) {
    if (IsOldest(job, FrameJob::WhenOldest::kSegment)) StartSegment(job, 0, 0);
  } else if (job.check.on) {
    if (IsOldest(job, FrameJob::WhenOldest::kCheck)) EndCheck(job, 0, 0);
  } else {
    Finish(job);
  }
}

// The GPU would not, is lost, or was wrong. Work lists and references are still
// there: predicting every block anew makes up for whatever the target holds.
void Scheduler::Redo(FrameJob& job, const Status& why) {
  engine_.CountRedone();
  job.check = {};
  if (!AllReached(job, CpuReaches)) {
    job.Fail(why);
    Finish(job);
    return;
  }
  job.plan = PlanFrame(codec_, engine_.recipe(), job, false);
  job.segment = 0;
  if (IsOldest(job, FrameJob::WhenOldest::kSegment)) StartSegment(job, 0, 0);
}

// The GPU is about to write the target.
void Scheduler::PrepareCheck(FrameJob& job) {
  if (!job.check.on || job.check.before != nullptr) return;
  job.check.on = KeepTarget(*engine_.gpu(), job).ok();
}

// The frame is what the GPU made, unless that is wrong.
void Scheduler::EndCheck(FrameJob& job, uint32_t, uint32_t) {
  std::optional<uint32_t> wrong;
  bool checked = false;
  {
    const Stopwatch watch = meter_.TimeOther(job, Activity::kSelfCheck);
    checked = FindWrongStage(*engine_.gpu(), job, &wrong).ok();
  }
  job.check = {};
  if (checked) engine_.CountSelfCheck();
  if (!wrong) {
    Finish(job);
    return;
  }
  const KernelId kernel = job.plan.kernels[*wrong];
  engine_.LeaveGpu(kernel, "frame " + std::to_string(job.number) + " of " +
                               std::to_string(job.params.width) + "x" +
                               std::to_string(job.params.height));
  Redo(job, WrongOnGpu(kernel));
}

// If not, Finish() of the frame before comes to <else_later>.
bool Scheduler::IsOldest(FrameJob& job, FrameJob::WhenOldest else_later) {
  std::lock_guard lock(mutex_);
  job.when_oldest = else_later;
  return jobs_.front().get() == &job;
}

// Reports the frame once it is the oldest one, and opens the gate of the next,
// which may itself be over.
void Scheduler::Finish(FrameJob& over) {
  using enum FrameJob::WhenOldest;
  meter_.Stamp(&over.times.over);
  if (!IsOldest(over, kReport)) return;
  FrameJob* job = &over;
  while (job != nullptr) {
    if (!job->failed()) {
      Status status = CheckReferences(*job);
      if (!status.ok()) job->Fail(std::move(status));
    }
    if (job->failed()) {
      job->request.target->broken.store(true, std::memory_order_release);
    }
    FrameRequest request = std::move(job->request);
    job->request = {};
    job->previous = nullptr;
    request.references = {};  // done() may want the memory for another frame
    meter_.Stamp(&job->times.reporting);
    {
      const Stopwatch watch = meter_.TimeOther(*job, Activity::kDone);
      request.done(job->status());
    }
    request = {};  // the next frame may want its memory too
    meter_.Stamp(&job->times.done);
    meter_.FrameEnds(*job);

    std::lock_guard lock(mutex_);
    spare_.push_back(std::move(jobs_.front()));
    jobs_.pop_front();
    if (jobs_.empty()) engine_.StreamIdle();
    StartNextFrame();
    FrameJob* next = jobs_.empty() ? nullptr : jobs_.front().get();
    job = next != nullptr && next->when_oldest == kReport ? next : nullptr;
    if (next == nullptr) {
      if (waiting_.empty()) idle_.notify_all();
    } else if (next->when_oldest == kSegment) {
      Post<&Scheduler::StartSegment>(Priority::kReconstruct, *next);
    } else if (next->when_oldest == kCheck) {
      Post<&Scheduler::EndCheck>(Priority::kReconstruct, *next);
    }
    for (size_t i = 0; i < std::min<size_t>(jobs_.size(), 2); ++i) {
      FrameJob& waits = *jobs_[i];
      if (!waits.begun || waits.gate_open || !GateOpens(waits)) continue;
      waits.gate_open = true;
      OpenGate(waits);
    }
  }
}

// ---- on the CPU ----

void Scheduler::MeetAndPost(FrameJob& job, Cell cell) {
  if (job.cells.Meet(cell)) PostCell(job, cell);
}

void Scheduler::PostCell(FrameJob& job, Cell cell) {
  Post<&Scheduler::RunCells>(Priority::kReconstruct, job,
                             cell.row * kMaxPasses + cell.pass, cell.chunk,
                             HomeOf(job, cell));
}

void Scheduler::RunCells(FrameJob& job, uint32_t row_pass, uint32_t chunk) {
  const int worker = ThreadPool::CurrentWorker();
  const Segment& segment = job.plan.segments[job.segment];
  std::optional<Cell> own =
      Cell{row_pass % kMaxPasses, row_pass / kMaxPasses, chunk};
  while (own) {
    const Cell cell = *own;
    own.reset();
    RunCell(job, cell);
    if (cell.pass == segment.last_target_pass && job.cells.EndsRow(cell)) {
      RowFinal(job, cell.row);
    }
    if (job.cells.IsLast(cell)) {
      EndSegment(job);
      return;
    }
    if (cell.pass == segment.last_list_pass) ReleaseLists(job, cell);
    job.cells.Follow(cell, [&](Cell ready) {
      if (!own && HomeOf(job, ready) == worker) {
        own = ready;
      } else {
        PostCell(job, ready);
      }
    });
  }
}

void Scheduler::RunCell(FrameJob& job, Cell cell) {
  if (job.failed()) return;
  const Range columns = job.cells.Columns(cell);
  KernelArgs args = job.Args();
  if (!codec_.passes[cell.pass].ReadsLists()) {
    args.lists.columns = {0, job.params.sb_cols};
    RunStages(job, args, cell, columns);
    return;
  }
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    const Range of_tile = job.tiles[i].columns();
    if (of_tile.end <= columns.begin || of_tile.begin >= columns.end) continue;
    args.lists = job.tiles[i].View();
    RunStages(job, args, cell, columns);
  }
}

// What the segment has of the cell's pass, on columns of its row, as far as
// args.lists have them.
void Scheduler::RunStages(FrameJob& job, const KernelArgs& args, Cell cell,
                          Range columns) {
  const Segment& segment = job.plan.segments[job.segment];
  for (uint32_t i = segment.begin; i < segment.end; ++i) {
    const PlannedStage& stage = job.plan.stages[i];
    if (stage.pass == cell.pass) RunKernel(job, stage, args, cell.row, columns);
  }
}

void Scheduler::RunKernel(FrameJob& job, const PlannedStage& stage,
                          const KernelArgs& args, uint32_t row, Range columns) {
  const Range items =
      RowOf(stage.kernel).Items(args.lists, job.params, row, columns);
  if (items.begin == items.end) return;
  const Stopwatch watch = meter_.TimeKernel(job, stage, row);
  stage.function(args, items);
}

// ---- on the GPU ----

// Of the first segment: parsed, gate open.
void Scheduler::MeetGpu(FrameJob& job) {
  if (job.gpu_conditions.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Post<&Scheduler::SubmitToGpu>(Priority::kReconstruct, job);
  }
}

void Scheduler::SubmitToGpu(FrameJob& job, uint32_t, uint32_t) {
  if (job.failed()) {
    Finish(job);
    return;
  }
  if (job.gpu == nullptr) job.gpu = engine_.gpu()->NewFrame();
  const Segment& segment = job.plan.segments[job.segment];
  const std::span<const KernelId> kernels(&job.plan.kernels[segment.begin],
                                          segment.end - segment.begin);
  for (const KernelId kernel : kernels) {
    if (engine_.OnGpu(kernel)) continue;
    Redo(job, WrongOnGpu(kernel));  // found out since this frame's Begin
    return;
  }
  PrepareCheck(job);
  job.gpu_pending.store(2, std::memory_order_relaxed);
  const auto done = [this, &job](const vulkan::GpuFrameResult& result) {
    meter_.GpuReports(job, result);
    job.gpu_result = result;
    GpuStep(job);
  };
  meter_.Stamp(&job.times.gpu[job.segment].submitted);
  job.request.target->gpu_wrote = true;
  Status status;
  {
    const Stopwatch watch = meter_.TimeOther(job, Activity::kGpuSubmit);
    status = job.gpu->Submit(job.GpuInput(), kernels, done);
  }
  if (!status.ok()) {
    engine_.ReportGpuFailure(status);
    Redo(job, status);
    return;
  }
  const bool last = job.segment + 1 == job.plan.segment_count;
  if (last && !job.check.on) OpenNextGate(job);
  GpuStep(job);
}

// After both Submit's return and the GPU's report.
void Scheduler::GpuStep(FrameJob& job) {
  if (job.gpu_pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Post<&Scheduler::EndGpu>(Priority::kReconstruct, job);
  }
}

void Scheduler::EndGpu(FrameJob& job, uint32_t, uint32_t) {
  const vulkan::GpuFrameResult& result = job.gpu_result;
  if (!result.status.ok()) {
    engine_.ReportGpuFailure(result.status);
    Redo(job, result.status);
    return;
  }
  meter_.CountGpu(job);
  if (job.check.on) {
    const Segment& segment = job.plan.segments[job.segment];
    std::copy_n(result.checksums.begin(), segment.end - segment.begin,
                job.check.checksums.begin() + segment.begin);
  }
  EndSegment(job);
}

}  // namespace perdix
