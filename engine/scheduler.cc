// SPDX-License-Identifier: BSD-2-Clause
// The queue of frames: which begins, follows, waits, and is over.
#include "engine/scheduler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/picture_access.h"

namespace perdix {
namespace {

// Of memory that is taken, perhaps just now, no other picture has any.
bool SharesMemory(const Picture& a, const Picture& b) {
  if (&a == &b) return true;
  if (a.take_memory || b.take_memory) return false;
  return a.memory.data == b.memory.data;
}

// Whether the frame writes or reads the picture's memory.
bool Touches(const FrameJob& job, const Picture& picture) {
  const FrameRequest& request = job.request;
  bool touches = SharesMemory(picture, *request.target) ||
                 (request.display && SharesMemory(picture, *request.display));
  ForEachReference(job.params, [&](uint32_t i) {
    touches |= SharesMemory(picture, *request.references[i]);
  });
  return touches;
}

}  // namespace

Scheduler::Scheduler(EngineCore& engine, const CodecRow& codec)
    : engine_(engine),
      codec_(codec),
      max_frames_(engine.frames_in_flight()),
      meter_(engine, codec.name),
      runner_(codec, meter_),
      gpu_(engine, codec, meter_, owners_),
      owners_{this, &gpu_},
      parses_apart_(codec.parses_apart && engine.threads() > 2 &&
                    !engine.observed()),
      state_(parses_apart_ ? nullptr : codec.open()) {}

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

void Scheduler::StartNextFrame() {
  if (beginning_ || waiting_.empty()) return;
  if (jobs_.size() >= std::min(frames_in_flight_, max_frames_)) return;
  beginning_ = true;
  if (spare_.empty()) spare_.push_back(std::make_unique<FrameJob>());
  if (jobs_.empty()) engine_.StreamBusy();
  jobs_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  FrameJob& job = *jobs_.back();
  job.Reset(std::move(waiting_.front().request));
  if (job.state == nullptr) job.state = parses_apart_ ? codec_.open() : state_;
  job.number = ++frames_;
  job.times.submitted = waiting_.front().submitted;
  waiting_.pop_front();
  engine_.pool().Post(Priority::kParse, {.job = &job, .begins = this},
                      [this, &job] { BeginParse(job); });
}

// The oldest frame may go on; so may the one that follows it, and one that
// begins on the GPU, behind one that ends there.
bool Scheduler::GateOpens(const FrameJob& job) const {
  if (jobs_.front().get() == &job) return true;
  if (job.follows) return jobs_[1].get() == &job;
  const auto at =
      std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
  return (*std::prev(at))->queued.passed && job.plan.segments[0].gpu;
}

void Scheduler::OpenGate(FrameJob& job) {
  meter_.Stamp(&job.times.gate_open);
  if (job.plan.segments[0].gpu) {
    owners_.gpu->GateOpens(job);
    return;
  }
  Status status = BeginPictures(job);
  if (!status.ok()) job.Fail(std::move(status));
  OpenCells(job);
}

// The next frame may be submitted behind this one.
void Scheduler::LeftToGpu(FrameJob& job) {
  FrameJob* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    job.queued.passed = true;
    auto at = std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
    if (++at == jobs_.end()) return;
    next = at->get();
    if (!next->queued.begun || next->gate_open || !GateOpens(*next)) return;
    next->gate_open = true;
  }
  OpenGate(*next);
}

// The CPU may begin <job> before the frame before is over, once that is the
// oldest one, if it is at work and neither writes nor reads the memory that
// <job> is about to write.
void Scheduler::Follow(FrameJob& job) {
  const Picture& target = *job.request.target;
  const Picture* const display = job.request.display.get();
  if (!MayOverlap(job)) return;
  std::lock_guard lock(mutex_);
  if (jobs_.size() == 1) return;
  FrameJob& before = *jobs_[jobs_.size() - 2];  // <job> is the last
  if (!before.queued.begun || before.plan.UsesGpu() ||
      before.queued.when_oldest != FrameJob::WhenOldest::kNothing) {
    return;
  }
  job.follows = !Touches(before, target) &&
                (display == nullptr || !Touches(before, *display));
  ForEachReference(job.params, [&](uint32_t i) {
    if (SharesMemory(*job.request.references[i], *before.request.target)) {
      job.followed_references |= 1u << i;
    }
  });
  if (!job.follows) return;
  before.queued.follower = &job;
  job.reference_rows.Reset(job.params.sb_rows, before.queued.final_lines);
}

// If not, FrameOver() of the frame before comes to <else_later>.
bool Scheduler::IsOldest(FrameJob& job, FrameJob::WhenOldest else_later) {
  std::lock_guard lock(mutex_);
  job.queued.when_oldest = else_later;
  return jobs_.front().get() == &job;
}

// Reports the frame once it is the oldest one, and opens the gate of the next,
// which may itself be over.
void Scheduler::FrameOver(FrameJob& over) {
  using enum FrameJob::WhenOldest;
  meter_.Stamp(&over.times.over);
  if (!IsOldest(over, kReport)) return;
  FrameJob* job = &over;
  while (job != nullptr) {
    if (!job->failed()) CheckReferences(*job);
    Picture& target = *job->request.target;
    if (job->failed()) {
      target.broken.store(true, std::memory_order_release);
    } else if (job->damaged()) {
      target.damaged.store(true, std::memory_order_release);
    }
    FrameRequest request = std::move(job->request);
    job->request = {};
    job->previous = nullptr;
    job->parse_sources = {};
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
    job =
        next != nullptr && next->queued.when_oldest == kReport ? next : nullptr;
    if (next == nullptr) {
      if (waiting_.empty()) idle_.notify_all();
    } else if (next->queued.when_oldest == kSegment) {
      engine_.pool().Post(Priority::kReconstruct, {.job = next},
                          [this, next] { StartSegment(*next); });
    } else if (next->queued.when_oldest == kCheck) {
      engine_.pool().Post(Priority::kReconstruct, {.job = next},
                          [this, next] { owners_.gpu->Check(*next); });
    }
    for (size_t i = 0; i < std::min<size_t>(jobs_.size(), 2); ++i) {
      FrameJob& waits = *jobs_[i];
      if (!waits.queued.begun || waits.gate_open || !GateOpens(waits)) continue;
      waits.gate_open = true;
      OpenGate(waits);
    }
  }
}

}  // namespace perdix
