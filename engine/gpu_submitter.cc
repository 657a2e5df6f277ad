// SPDX-License-Identifier: BSD-2-Clause
#include "engine/gpu_submitter.h"

#include <algorithm>
#include <utility>

namespace perdix {

std::optional<KernelId> GpuSubmitter::FindLeft(const FrameJob& job) const {
  for (const KernelId kernel : job.KernelsAtWork()) {
    if (!engine_.OnGpu(kernel)) return kernel;
  }
  return std::nullopt;
}

Status GpuSubmitter::Submit(FrameJob& job, std::function<void()> reported) {
  if (job.gpu.frame == nullptr) job.gpu.frame = engine_.gpu()->NewFrame();
  auto done = [this, &job, reported = std::move(reported)](
                  const vulkan::GpuFrameResult& result) {
    meter_.GpuReports(job, result);
    job.gpu.result = result;
    reported();
  };
  meter_.Stamp(&job.times.gpu[job.segment].submitted);
  job.request.target->gpu_wrote = true;
  if (job.request.display) job.request.display->gpu_wrote = true;
  Status status;
  {
    const Stopwatch watch = meter_.TimeOther(job, Activity::kGpuSubmit);
    status = job.gpu.frame->Submit(job.GpuInput(), job.KernelsAtWork(),
                                   std::move(done));
  }
  if (!status.ok()) engine_.ReportGpuFailure(status);
  return status;
}

Status GpuSubmitter::End(FrameJob& job) {
  const vulkan::GpuFrameResult& result = job.gpu.result;
  if (!result.status.ok()) {
    engine_.ReportGpuFailure(result.status);
    return result.status;
  }
  meter_.CountGpu(job);
  if (job.check.on) {
    const Segment& segment = job.plan.segments[job.segment];
    std::copy_n(result.checksums.begin(), segment.end - segment.begin,
                job.check.checksums.begin() + segment.begin);
  }
  return result.status;
}

}  // namespace perdix
