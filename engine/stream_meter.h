// SPDX-License-Identifier: BSD-2-Clause
// What is measured of one stream: the clocks of its stages, its luma, and its
// part of a trace. The owners of its work (owners.h) put a Stopwatch around
// what they do; this file decides whether anybody wants to know.
#ifndef PERDIX_ENGINE_STREAM_METER_H_
#define PERDIX_ENGINE_STREAM_METER_H_

#include <atomic>
#include <cstdint>

#include "engine/decoder.h"
#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/luma_watch.h"
#include "engine/stage_clocks.h"
#include "engine/ticks.h"
#include "engine/tracer.h"

namespace perdix {

// Adds its lifetime to a clock and to the trace, where these are wanted.
class Stopwatch {
 public:
  // clock: may be null. what: all but the time.
  Stopwatch(Tracer& tracer, StageClocks::Clock* clock, const TraceEvent& what)
      : tracer_(tracer),
        clock_(clock),
        traced_(tracer.running() != 0),
        what_(what) {
    if (traced_) {
      what_.begin = TraceNow();
    } else if (clock_ != nullptr) {
      begin_ = Ticks();
    }
  }
  ~Stopwatch() {
    if (traced_) {
      what_.end = TraceNow();
      tracer_.Add(what_);
    }
    if (clock_ == nullptr) return;
    clock_->fetch_add(traced_ ? TracedTicks() : SpentTicks(),
                      std::memory_order_relaxed);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  uint64_t TracedTicks() const {
    return uint64_t(double(what_.end - what_.begin) / NanosecondsPerTick());
  }
  uint64_t SpentTicks() const {
    const uint64_t end = Ticks();
    return end > begin_ ? end - begin_ : 0;  // CPUs may be a few apart
  }

  Tracer& tracer_;
  StageClocks::Clock* const clock_;
  const bool traced_;
  uint64_t begin_ = 0;  // ticks
  TraceEvent what_;
};

class StreamMeter {
 public:
  // codec: its name, which outlives this.
  StreamMeter(EngineParts& engine, const char* codec);
  ~StreamMeter();  // the engine goes on counting what was measured
  StreamMeter(const StreamMeter&) = delete;
  StreamMeter& operator=(const StreamMeter&) = delete;

  // In place of a row number: the work belongs to none.
  static constexpr uint32_t kNoRow = UINT32_MAX;
  Stopwatch TimeEntropy(const FrameJob& job, uint32_t row) {
    return {tracer_, measures_ ? &clocks_.entropy : nullptr,
            What(job, Activity::kEntropy, Variant::kScalar, row)};
  }
  Stopwatch TimeKernel(const FrameJob& job, const PlannedStage& stage,
                       uint32_t row) {
    return {tracer_, measures_ ? &clocks_.cpu[size_t(stage.kernel)] : nullptr,
            What(job, ActivityOf(stage.kernel), stage.variant, row)};
  }
  // An activity that the trace has, but no clock.
  Stopwatch TimeOther(const FrameJob& job, Activity activity) {
    return {tracer_, nullptr, What(job, activity, Variant::kScalar, kNoRow)};
  }

  // What a frame waits for, moment by moment; see FrameTimes.
  void Stamp(uint64_t* time) const { tracer_.Stamp(time); }
  void FrameBegins(FrameJob& job) const;
  void FrameEnds(const FrameJob& job) const;

  // The GPU reports the segment of <job> that is at work. Call from the Gpu's
  // own thread.
  void GpuReports(FrameJob& job, const vulkan::GpuFrameResult& result) const;
  // Takes that report's times and luma. Call from a worker.
  void CountGpu(FrameJob& job, const vulkan::GpuFrameResult& result);

  LumaWatch& luma() { return luma_; }

  StreamCounters counters() const;
  uint32_t stream() const { return stream_; }

 private:
  TraceEvent What(const FrameJob& job, Activity activity, Variant variant,
                  uint32_t row) const {
    const bool of_row = row != kNoRow;
    return {0,
            0,
            stream_,
            uint32_t(job.number),
            activity,
            variant,
            uint16_t(of_row ? row : 0),
            uint16_t(of_row ? 1 : 0)};
  }

  EngineParts& engine_;
  const char* const codec_;
  Tracer& tracer_;
  const bool measures_;
  uint32_t stream_ = 0;  // of the engine, from 1 on
  LumaWatch luma_;
  StageClocks clocks_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_STREAM_METER_H_
