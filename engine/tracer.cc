// SPDX-License-Identifier: BSD-2-Clause
#include "engine/tracer.h"

#include <algorithm>
#include <utility>

#include "engine/thread_pool.h"

namespace perdix {
namespace {

struct GpuSpan {
  uint64_t begin;  // nanoseconds
  double scale;    // of durations: at most 1
};

// Where work that took the GPU <busy> nanoseconds, by its own clock from
// <begun> on (0: it cannot say), fits between <earliest> and <latest>.
GpuSpan FitGpuSpan(uint64_t earliest, uint64_t latest, uint64_t begun,
                   uint64_t busy) {
  const uint64_t room = latest - earliest;
  if (busy >= room) return {earliest, double(room) / double(busy)};
  if (begun == 0) return {latest - busy, 1};
  return {std::clamp(begun, earliest, latest - busy), 1};
}

}  // namespace

Status Tracer::Start(uint32_t frames, const std::string& gpu,
                     std::function<void(Trace)> done) {
  if (frames == 0 || frames > kMaxTraceFrames) {
    return {StatusCode::kInvalidArgument,
            "frames of a trace: got " + std::to_string(frames) +
                ", allowed 1 to " + std::to_string(kMaxTraceFrames)};
  }
  const std::lock_guard lock(mutex_);
  if (running() != 0) {
    return {StatusCode::kInvalidArgument,
            "a trace is running: " + std::to_string(data_.frames.size()) +
                " of its " + std::to_string(data_.frames_asked_for) +
                " frames are done"};
  }
  data_ = {};
  data_.begin = TraceNow();
  data_.frames_asked_for = frames;
  data_.gpu = gpu;
  done_ = std::move(done);
  events_.store(0, std::memory_order_relaxed);
  for (Buffer& buffer : buffers_) {
    const std::lock_guard buffer_lock(buffer.mutex);
    buffer.begin = data_.begin;
  }
  running_.store(++traces_, std::memory_order_relaxed);
  return Status::Ok();
}

void Tracer::End() {
  std::function<void()> report;
  {
    const std::lock_guard lock(mutex_);
    if (running() == 0) return;
    report = Collect();
  }
  report();
}

void Tracer::Add(const TraceEvent& event) {
  const int worker = ThreadPool::CurrentWorker();
  Buffer& buffer = worker < 0 ? buffers_.back() : buffers_[size_t(worker)];
  const std::lock_guard lock(buffer.mutex);
  Append(buffer, event);
}

void Tracer::Append(Buffer& buffer, const TraceEvent& event) {
  if (event.begin < buffer.begin) return;
  const uint32_t number = events_.fetch_add(1, std::memory_order_relaxed);
  if (number < kMaxTraceEvents) buffer.events.push_back(event);
}

void Tracer::AddGpu(TraceEvent what, std::span<const KernelId> kernels,
                    const vulkan::GpuFrameResult& result) {
  uint64_t busy = 0;  // nanoseconds
  for (size_t i = 0; i < kernels.size(); ++i) busy += result.nanoseconds[i];
  if (busy == 0) return;  // a device without timestamps
  Buffer& buffer = buffers_.back();
  {
    const std::lock_guard lock(buffer.mutex);
    const uint64_t latest = what.end;
    const uint64_t earliest =
        std::min(std::max(what.begin, gpu_idle_from_), latest);
    const GpuSpan span = FitGpuSpan(earliest, latest, result.begun, busy);
    what.variant = Variant::kVulkan;
    what.end = span.begin;
    for (size_t i = 0; i < kernels.size(); ++i) {
      what.activity = ActivityOf(kernels[i]);
      what.begin = what.end;
      what.end += uint64_t(double(result.nanoseconds[i]) * span.scale);
      Append(buffer, what);
    }
    gpu_idle_from_ = what.end;
  }
  const std::lock_guard lock(mutex_);
  ++(result.begun != 0 ? data_.calibrated : data_.aligned);
}

void Tracer::AddFrame(const TracedFrame& frame) {
  if (frame.times.trace == 0) return;
  std::function<void()> report;
  {
    const std::lock_guard lock(mutex_);
    if (frame.times.trace != running()) return;
    data_.frames.push_back(frame);
    if (data_.frames.size() < data_.frames_asked_for) return;
    report = Collect();
  }
  report();
}

std::function<void()> Tracer::Collect() {
  running_.store(0, std::memory_order_relaxed);
  const auto data = std::make_shared<TraceData>(std::move(data_));
  for (Buffer& buffer : buffers_) {
    const std::lock_guard lock(buffer.mutex);
    buffer.begin = UINT64_MAX;
    data->events.push_back(std::exchange(buffer.events, {}));
  }
  const uint32_t events = events_.load(std::memory_order_relaxed);
  data->dropped = events - std::min(events, kMaxTraceEvents);
  return [done = std::exchange(done_, nullptr), data] { done(Trace(data)); };
}

}  // namespace perdix
