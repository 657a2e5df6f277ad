// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_queue.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <utility>

#include "codec/codec.h"
#include "engine/engine_core.h"
#include "engine/frame_job.h"
#include "engine/frames_in_flight.h"
#include "engine/picture_access.h"
#include "engine/stream_meter.h"

namespace perdix {
namespace {

// Where there is a stream for every worker each frame stays with one of them:
// no records and rows pass from one core's cache to another's.
int ChooseHome(const EngineCore& engine) {
  return engine.busy_streams() >= engine.threads() ? ThreadPool::CurrentWorker()
                                                   : TaskPlace::kAnywhere;
}

}  // namespace

FrameQueue::FrameQueue(EngineCore& engine, const CodecRow& codec,
                       StreamMeter& meter, const Owners& owners)
    : engine_(engine),
      codec_(codec),
      meter_(meter),
      owners_(owners),
      max_frames_(engine.frames_in_flight()) {}

FrameQueue::~FrameQueue() = default;

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
  return jobs_.empty() && waiting_.empty() && !beginning_;
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
  if (jobs_.size() >= std::min(frames_in_flight_, max_frames_)) return;
  beginning_ = true;
  if (spare_.empty()) spare_.push_back(std::make_unique<FrameJob>());
  if (jobs_.empty()) engine_.StreamBusy();
  jobs_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  FrameJob& job = *jobs_.back();
  job.Reset(std::move(waiting_.front().request));
  job.queue = {};
  job.number = ++frames_;
  job.times.submitted = waiting_.front().submitted;
  waiting_.pop_front();
  engine_.pool().Post(Priority::kParse, {.job = &job, .begins = this},
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
    Frame& frame = job.queue;
    frame.begun_ = true;
    frame.uses_gpu_ = job.plan.UsesGpu();
    frame.begins_on_gpu_ = job.plan.segments[0].gpu;
    meter_.Stamp(&job.times.planned);
    frames_in_flight_ =
        frame.uses_gpu_
            ? max_frames_
            : CpuFramesInFlight(job.params.width, job.params.height,
                                engine_.threads(), codec_.parses_apart);
    open = OpensNow(job);
  }
  if (open) OpenGate(job);
  owners_.parse->Start(job);
}

Status FrameQueue::Prepare(FrameJob& job) {
  Status status = owners_.parse->Begin(job);
  if (status.ok()) status = owners_.gpu->Plan(job);
  if (!status.ok()) return status;
  const bool overlaps = MayOverlap(job);
  job.sharing = {.workers = uint32_t(engine_.threads()),
                 .rows = job.params.sb_rows,
                 .columns = job.params.sb_cols,
                 .tile_cols = job.tile_cols,
                 .overlaps = overlaps,
                 .home = ChooseHome(engine_)};
  owners_.parse->SetUp(job);
  owners_.cells->SetUp(job, overlaps ? FindFollowed(job) : Followed());
  engine_.CountFrame(job.plan.UsesGpu());
  return status;
}

bool FrameQueue::MayOverlap(const FrameJob& job) const {
  return !job.plan.UsesGpu() &&
         FramesOverlap(job.params.width, job.params.height, engine_.threads(),
                       codec_.parses_apart);
}

// The frame before, if the CPU may begin <job> before that is over, once that
// is the oldest one: if it is at work on the CPU, and neither writes nor reads
// the memory that <job> is about to write.
Followed FrameQueue::FindFollowed(FrameJob& job) {
  std::lock_guard lock(mutex_);
  if (jobs_.size() == 1) return {};
  FrameJob& before = *jobs_[jobs_.size() - 2];  // <job> is the last
  if (!before.queue.begun_ || before.queue.uses_gpu_ ||
      before.queue.when_oldest_ != WhenOldest::kNothing) {
    return {};
  }
  const PicturePtr& display = job.request.display;
  if (Touches(before, *job.request.target) ||
      (display != nullptr && Touches(before, *display))) {
    return {};
  }
  job.queue.follows_ = true;
  Followed followed = {&before};
  ForEachReference(job.params, [&](uint32_t i) {
    if (SharesMemory(*job.request.references[i], *before.request.target)) {
      followed.references |= 1u << i;
    }
  });
  return followed;
}

// ---- gates and segments ----

SegmentEvents& FrameQueue::AtWork(const FrameJob& job) const {
  if (job.plan.segments[job.segment].gpu) return *owners_.gpu;
  return *owners_.cells;
}

// Whether the caller is to open the frame's gate. A frame that follows may read
// what the frame before writes, which must have its memory by then.
bool FrameQueue::OpensNow(FrameJob& job) {
  Frame& frame = job.queue;
  if (!frame.begun_ || frame.gate_ != Gate::kClosed) return false;
  const auto at =
      std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
  bool opens = at == jobs_.begin();
  if (!opens) {
    const Frame& before = (*std::prev(at))->queue;
    opens = frame.follows_
                ? std::prev(at) == jobs_.begin() && before.gate_ == Gate::kOpen
                : frame.begins_on_gpu_ && before.left_to_gpu_;
  }
  if (opens) frame.gate_ = Gate::kOpening;
  return opens;
}

// The next frame, if the caller is to open its gate.
FrameJob* FrameQueue::OpensBehind(const FrameJob& job) {
  auto at = std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
  return ++at != jobs_.end() && OpensNow(**at) ? at->get() : nullptr;
}

void FrameQueue::OpenGate(FrameJob& job) {
  meter_.Stamp(&job.times.gate_open);
  Status status;
  if (!job.plan.segments[0].gpu) status = BeginPictures(job);
  if (!status.ok()) job.Fail(std::move(status));
  FrameJob* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    job.queue.gate_ = Gate::kOpen;
    next = OpensBehind(job);
  }
  owners_.parse->GateOpens(job);
  AtWork(job).GateOpens(job);
  if (next != nullptr) OpenGate(*next);
}

void FrameQueue::FrameParsed(FrameJob& job) {
  bool begun = false;
  {
    std::lock_guard lock(mutex_);
    begun = job.queue.begun_;
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
    job.queue.left_to_gpu_ = true;
    next = OpensBehind(job);
  }
  if (next != nullptr) OpenGate(*next);
}

// ---- a frame ends ----

// If not, RemoveOldest() comes to <else_later>.
bool FrameQueue::IsOldest(FrameJob& job, WhenOldest else_later) {
  std::lock_guard lock(mutex_);
  job.queue.when_oldest_ = else_later;
  return jobs_.front().get() == &job;
}

// The frames behind it may be over, too.
void FrameQueue::FrameOver(FrameJob& job) {
  meter_.Stamp(&job.times.over);
  if (!IsOldest(job, WhenOldest::kReport)) return;
  FrameJob* over = &job;
  while (over != nullptr) {
    Report(*over);
    over = RemoveOldest();
  }
}

void FrameQueue::Report(FrameJob& job) {
  if (!job.failed()) CheckReferences(job);
  Picture& target = *job.request.target;
  if (job.failed()) {
    target.broken.store(true, std::memory_order_release);
  } else if (job.damaged()) {
    target.damaged.store(true, std::memory_order_release);
  }
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

// Lets the frames behind the oldest one go on. Returns the next one if that is
// over, too.
FrameJob* FrameQueue::RemoveOldest() {
  FrameJob* next = nullptr;
  WhenOldest waits_for = WhenOldest::kNothing;
  std::array<FrameJob*, 2> open = {};
  {
    std::lock_guard lock(mutex_);
    spare_.push_back(std::move(jobs_.front()));
    jobs_.pop_front();
    if (jobs_.empty()) engine_.StreamIdle();
    StartNext();
    if (IsIdle()) idle_.notify_all();
    if (jobs_.empty()) return nullptr;
    next = jobs_.front().get();
    waits_for = next->queue.when_oldest_;
    for (size_t i = 0; i < std::min(jobs_.size(), open.size()); ++i) {
      if (OpensNow(*jobs_[i])) open[i] = jobs_[i].get();
    }
  }
  for (FrameJob* job : open) {
    if (job != nullptr) OpenGate(*job);
  }
  if (waits_for == WhenOldest::kSegment) {
    engine_.pool().Post(Priority::kReconstruct, {.job = next},
                        [this, next] { AtWork(*next).StartSegment(*next); });
  } else if (waits_for == WhenOldest::kCheck) {
    engine_.pool().Post(Priority::kReconstruct, {.job = next},
                        [this, next] { owners_.gpu->Check(*next); });
  }
  return waits_for == WhenOldest::kReport ? next : nullptr;
}

}  // namespace perdix
