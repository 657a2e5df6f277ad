// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_queue.h"

#include <algorithm>
#include <new>
#include <utility>

#include "codec/codec.h"
#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/frames_in_flight.h"
#include "engine/picture_access.h"
#include "engine/stream_meter.h"

namespace perdix {
namespace {

// Where there is a stream for every worker each frame stays with one of them:
// no records and rows pass from one core's cache to another's.
int ChooseHome(const EngineParts& engine) {
  return engine.streams.busy() >= engine.pool.size()
             ? ThreadPool::CurrentWorker()
             : TaskPlace::kAnywhere;
}

}  // namespace

FrameQueue::FrameQueue(EngineParts& engine, const CodecRow& codec,
                       StreamMeter& meter, const Owners& owners)
    : engine_(engine),
      codec_(codec),
      meter_(meter),
      owners_(owners),
      max_frames_(engine.FramesInFlight()) {}

void FrameQueue::Submit(FrameRequest request) {
  WaitingFrame frame = {std::move(request)};
  meter_.Stamp(&frame.submitted);
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(frame));
  StartNext();
}

void FrameQueue::Drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return IsIdle(); });
}

// A frame may be over before its task comes to NextMayBegin().
bool FrameQueue::IsIdle() const {
  return order_.size() == 0 && waiting_.empty() && !beginning_;
}

// ---- a frame begins ----

void FrameQueue::NextMayBegin() {
  std::lock_guard lock(mutex_);
  beginning_ = false;
  StartNext();
  if (IsIdle()) idle_.notify_all();
}

void FrameQueue::StartNext() {
  if (beginning_ || waiting_.empty()) return;
  if (order_.size() >= std::min(frames_in_flight_, max_frames_)) return;
  beginning_ = true;
  if (order_.size() == 0) engine_.streams.BecomesBusy();
  FrameJob& job = order_.Add();
  job.Reset(std::move(waiting_.front().request));
  job.number = ++frames_;
  job.times.submitted = waiting_.front().submitted;
  waiting_.pop_front();
  engine_.pool.Post(Priority::kParse, {.job = &job, .begins = this},
                    [this, &job] { Begin(job); });
}

void FrameQueue::Begin(FrameJob& job) {
  meter_.FrameBegins(job);
  Status status;
  try {
    status = Prepare(job);
  } catch (const std::bad_alloc&) {
    status = NoMemory(job.params);
  }
  if (!status.ok()) {
    job.Fail(std::move(status));
    owners_.parse->Abandon(job);
    return;
  }
  bool open = false;
  {
    std::lock_guard lock(mutex_);
    meter_.Stamp(&job.times.planned);
    frames_in_flight_ =
        job.plan.UsesGpu()
            ? GpuFramesInFlight(engine_.pool.size(),
                                codec_.frame_parallel_parsing)
            : CpuFramesInFlight(job.params.width, job.params.height,
                                engine_.pool.size(),
                                codec_.frame_parallel_parsing);
    open = order_.Begun(job);
  }
  if (open) OpenGate(job);
  owners_.parse->Start(job);
}

Status FrameQueue::Prepare(FrameJob& job) {
  Status status = owners_.parse->Begin(job);
  if (status.ok()) status = owners_.gpu->Plan(job);
  if (!status.ok()) return status;
  const bool overlaps = MayOverlap(job);
  job.sharing = {.workers = uint32_t(engine_.pool.size()),
                 .rows = job.params.sb_rows,
                 .columns = job.params.sb_cols,
                 .tile_cols = job.tile_cols,
                 .overlaps = overlaps,
                 .home = ChooseHome(engine_)};
  owners_.parse->SetUp(job);
  owners_.cells->SetUp(job, overlaps ? Follow(job) : Followed());
  engine_.counters.CountFrame(job.plan.UsesGpu());
  return status;
}

bool FrameQueue::MayOverlap(const FrameJob& job) const {
  return !job.plan.UsesGpu() && !job.luma.spoils() &&
         FramesOverlap(job.params.width, job.params.height, engine_.pool.size(),
                       codec_.frame_parallel_parsing);
}

Followed FrameQueue::Follow(FrameJob& job) {
  std::lock_guard lock(mutex_);
  return order_.Follow(job);
}

// ---- gates and segments ----

SegmentEvents& FrameQueue::AtWork(const FrameJob& job) const {
  if (job.plan.segments[job.segment].gpu) return *owners_.gpu;
  return *owners_.cells;
}

void FrameQueue::OpenGate(FrameJob& job) {
  meter_.Stamp(&job.times.gate_open);
  Status status;
  if (!job.plan.segments[0].gpu) status = BeginPictures(job);
  if (!status.ok()) job.Fail(std::move(status));
  FrameJob* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    next = order_.Open(job);
  }
  owners_.parse->GateOpens(job);
  AtWork(job).GateOpens(job);
  if (next != nullptr) OpenGate(*next);
}

void FrameQueue::FrameParsed(FrameJob& job) {
  bool begun = false;
  {
    std::lock_guard lock(mutex_);
    begun = order_.HasBegun(job);
  }
  if (begun) {
    AtWork(job).FrameParsed(job);
  } else {
    FrameOver(job);
  }
}

void FrameQueue::SegmentOver(FrameJob& job) {
  if (job.failed()) {
    FrameOver(job);
  } else if (++job.segment < job.plan.segment_count) {
    BeginsAgain(job);
  } else if (!job.gpu.checked()) {
    FrameOver(job);
  } else if (IsOldest(job, WhenOldest::kCheck)) {
    owners_.gpu->Check(job);
  }
}

void FrameQueue::BeginsAgain(FrameJob& job) {
  if (IsOldest(job, WhenOldest::kSegment)) AtWork(job).StartSegment(job);
}

// The next frame may be submitted behind this one.
void FrameQueue::LeftToGpu(FrameJob& job) {
  FrameJob* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    next = order_.LeaveToGpu(job);
  }
  if (next != nullptr) OpenGate(*next);
}

// ---- a frame ends ----

// If not, GoOn() comes to <else_later>.
bool FrameQueue::IsOldest(FrameJob& job, WhenOldest else_later) {
  std::lock_guard lock(mutex_);
  return order_.IsOldest(job, else_later);
}

// The frames behind it may be over, too.
void FrameQueue::FrameOver(FrameJob& job) {
  meter_.Stamp(&job.times.over);
  if (!IsOldest(job, WhenOldest::kReport)) return;
  FrameJob* over = &job;
  while (over != nullptr) {
    Report(*over);
    over = GoOn();
  }
}

void FrameQueue::Report(FrameJob& job) {
  CheckReferences(job);
  meter_.luma().Report(job);
  FrameRequest request = job.LetGo();
  meter_.Stamp(&job.times.reporting);
  {
    const Stopwatch watch = meter_.TimeOther(job, Activity::kDone);
    request.done(job.status());
  }
  request = {};  // the next frame may want its memory
  meter_.Stamp(&job.times.done);
  meter_.FrameEnds(job);
}

// The oldest frame is reported: lets those behind it go on. Returns the next
// one if that is over, too.
FrameJob* FrameQueue::GoOn() {
  FrameOrder::GoesOn next;
  {
    std::lock_guard lock(mutex_);
    next = order_.RemoveOldest();
    if (next.oldest == nullptr) engine_.streams.BecomesIdle();
    StartNext();
    if (IsIdle()) idle_.notify_all();
  }
  for (FrameJob* job : next.opens) {
    if (job != nullptr) OpenGate(*job);
  }
  FrameJob* const oldest = next.oldest;
  if (next.as == WhenOldest::kSegment) {
    engine_.pool.Post(Priority::kReconstruct, {.job = oldest}, [this, oldest] {
      AtWork(*oldest).StartSegment(*oldest);
    });
  } else if (next.as == WhenOldest::kCheck) {
    engine_.pool.Post(Priority::kReconstruct, {.job = oldest},
                      [this, oldest] { owners_.gpu->Check(*oldest); });
  }
  return next.as == WhenOldest::kReport ? oldest : nullptr;
}

}  // namespace perdix
