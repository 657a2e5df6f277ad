// SPDX-License-Identifier: BSD-2-Clause
#include "engine/stream_meter.h"

namespace perdix {

StreamMeter::StreamMeter(EngineParts& engine, const char* codec)
    : engine_(engine),
      codec_(codec),
      tracer_(engine.tracer),
      measures_(engine.streams.measures()),
      stream_(engine.streams.Add(&clocks_)),
      luma_(engine) {
  if (measures_) ObserveTicks();
}

StreamMeter::~StreamMeter() { engine_.streams.Remove(&clocks_); }

void StreamMeter::FrameBegins(FrameJob& job) const {
  job.times.trace = tracer_.running();
  Stamp(&job.times.begun);
}

void StreamMeter::FrameEnds(const FrameJob& job) const {
  if (measures_) ObserveTicks();
  tracer_.AddFrame({.stream = stream_,
                    .frame = uint32_t(job.number),
                    .codec = codec_,
                    .bit_depth = job.params.bit_depth,
                    .film_grain = job.request.display != nullptr,
                    .times = job.times});
}

void StreamMeter::GpuReports(FrameJob& job,
                             const vulkan::GpuFrameResult& result) const {
  if (tracer_.running() == 0) return;
  auto& times = job.times.gpu[job.segment];
  times.reported = TraceNow();
  if (times.submitted == 0 || !result.status.ok()) return;
  TraceEvent what = What(job, Activity::kKernel, Variant::kVulkan, 0);
  what.begin = times.submitted;
  what.end = times.reported;
  what.rows = uint16_t(job.params.sb_rows);
  tracer_.AddGpu(what, job.KernelsAtWork(), result);
}

void StreamMeter::CountGpu(FrameJob& job,
                           const vulkan::GpuFrameResult& result) {
  if (job.SumsLuma()) LumaWatch::Take(job, result.luma);
  if (!measures_) return;
  const auto kernels = job.KernelsAtWork();
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto kernel = size_t(kernels[i]);
    constexpr auto kRelaxed = std::memory_order_relaxed;
    clocks_.gpu[kernel].fetch_add(result.nanoseconds[i], kRelaxed);
    clocks_.gpu_steps[kernel].fetch_add(result.steps[i], kRelaxed);
    clocks_.gpu_dispatches[kernel].fetch_add(result.dispatches[i], kRelaxed);
  }
}

StreamCounters StreamMeter::counters() const {
  StreamCounters counters;
  if (measures_) counters.stages = StageTimesOf(clocks_, engine_.recipe.Get());
  counters.motion_sum = luma_.motion_sum();
  counters.motion_frames = luma_.motion_frames();
  return counters;
}

}  // namespace perdix
