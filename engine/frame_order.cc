// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_order.h"

#include <algorithm>
#include <utility>

#include "engine/frame_job.h"
#include "engine/picture_access.h"

namespace perdix {

FrameOrder::FrameOrder() = default;
FrameOrder::~FrameOrder() = default;

FrameJob& FrameOrder::Add() {
  if (spare_.empty()) spare_.push_back(std::make_unique<FrameJob>());
  jobs_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  jobs_.back()->order = {};
  return *jobs_.back();
}

bool FrameOrder::Begun(FrameJob& job) {
  Frame& frame = job.order;
  frame.begun_ = true;
  frame.uses_gpu_ = job.plan.UsesGpu();
  frame.begins_on_gpu_ = job.plan.segments[0].gpu;
  return OpensNow(jobs_.size() - 1);
}

bool FrameOrder::HasBegun(const FrameJob& job) const {
  return job.order.begun_;
}

Followed FrameOrder::Follow(FrameJob& job) {
  if (jobs_.size() == 1) return {};
  FrameJob& before = *jobs_[jobs_.size() - 2];
  if (!before.order.begun_ || before.order.uses_gpu_ ||
      before.order.when_oldest_ != WhenOldest::kNothing) {
    return {};
  }
  const PicturePtr& display = job.request.display;
  if (Touches(before, *job.request.target) ||
      (display != nullptr && Touches(before, *display))) {
    return {};
  }
  job.order.follows_ = true;
  Followed followed = {&before};
  ForEachReference(job.params, [&](uint32_t i) {
    if (SharesMemory(*job.request.references[i], *before.request.target)) {
      followed.references |= 1u << i;
    }
  });
  return followed;
}

// Whether the caller is to open the gate of that frame. One that follows may
// read what the frame before writes, which must have its memory by then.
bool FrameOrder::OpensNow(size_t index) {
  Frame& frame = jobs_[index]->order;
  if (!frame.begun_ || frame.gate_ != Frame::Gate::kClosed) return false;
  bool opens = index == 0;
  if (!opens) {
    const Frame& before = jobs_[index - 1]->order;
    opens = frame.follows_ ? index == 1 && before.gate_ == Frame::Gate::kOpen
                           : frame.begins_on_gpu_ && before.left_to_gpu_;
  }
  if (opens) frame.gate_ = Frame::Gate::kOpening;
  return opens;
}

FrameJob* FrameOrder::OpensBehind(const FrameJob& job) {
  const auto at =
      std::ranges::find(jobs_, &job, &std::unique_ptr<FrameJob>::get);
  const size_t next = size_t(at - jobs_.begin()) + 1;
  return next < jobs_.size() && OpensNow(next) ? jobs_[next].get() : nullptr;
}

FrameJob* FrameOrder::Open(FrameJob& job) {
  job.order.gate_ = Frame::Gate::kOpen;
  return OpensBehind(job);
}

FrameJob* FrameOrder::LeaveToGpu(FrameJob& job) {
  job.order.left_to_gpu_ = true;
  return OpensBehind(job);
}

bool FrameOrder::IsOldest(FrameJob& job, WhenOldest else_later) {
  job.order.when_oldest_ = else_later;
  return jobs_.front().get() == &job;
}

FrameOrder::GoesOn FrameOrder::RemoveOldest() {
  spare_.push_back(std::move(jobs_.front()));
  jobs_.pop_front();
  GoesOn next;
  if (jobs_.empty()) return next;
  next.oldest = jobs_.front().get();
  next.as = next.oldest->order.when_oldest_;
  for (size_t i = 0; i < std::min(jobs_.size(), next.opens.size()); ++i) {
    if (OpensNow(i)) next.opens[i] = jobs_[i].get();
  }
  return next;
}

}  // namespace perdix
