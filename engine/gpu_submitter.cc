// SPDX-License-Identifier: BSD-2-Clause
#include "engine/gpu_submitter.h"

#include <utility>

#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/read_picture.h"
#include "engine/stream_meter.h"

namespace perdix {
namespace {

// Borrows from both.
gpu::FrameInput Input(FrameJob& job, Submission& submission) {
  submission.tiles.clear();
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    submission.tiles.push_back(job.tiles[i].Written());
  }
  gpu::FrameInput input;
  input.params = &job.params;
  input.codec = &job.codec_params;
  input.tiles = submission.tiles;
  input.tables = job.tables.View();
  input.filter_lag = job.filter_lag;
  input.coded_planes = job.coded_planes;
  input.target = InGpuMemory(*job.request.target);
  if (job.request.display) input.display = InGpuMemory(*job.request.display);
  ForEachReference(job.params, [&](uint32_t i) {
    input.references[i] = InGpuMemory(*job.request.references[i]);
  });
  if (job.SumsLuma()) {
    input.sums_luma = true;
    input.dark_level = job.luma.dark_level();
    if (job.luma.previous()) input.previous = InGpuMemory(*job.luma.previous());
  }
  input.checksums = submission.checksums;
  input.begun = job.times.begun != 0;
  return input;
}

}  // namespace

std::optional<KernelId> GpuSubmitter::FindLeft(const FrameJob& job) const {
  for (const KernelId kernel : job.KernelsAtWork()) {
    if (!engine_.recipe.OnGpu(kernel)) return kernel;
  }
  return std::nullopt;
}

Status GpuSubmitter::Prepare(FrameJob& job, Submission& submission) {
  if (submission.frame == nullptr)
    submission.frame = engine_.gpu.get()->NewFrame();
  const Stopwatch watch = meter_.TimeOther(job, Activity::kGpuSubmit);
  return submission.frame->Prepare(Input(job, submission), job.KernelsAtWork());
}

Status GpuSubmitter::Submit(FrameJob& job, Submission& submission,
                            std::function<void()> reported) {
  Status status = submission.prepared;
  if (status.ok()) {
    auto done = [this, &job, &submission, reported = std::move(reported)](
                    const vulkan::GpuFrameResult& result) {
      meter_.GpuReports(job, result);
      submission.result = result;
      reported();
    };
    meter_.Stamp(&job.times.gpu[job.segment].submitted);
    job.request.target->gpu_wrote = true;
    if (job.request.display) job.request.display->gpu_wrote = true;
    const Stopwatch watch = meter_.TimeOther(job, Activity::kGpuSubmit);
    status = submission.frame->Submit(std::move(done));
  }
  if (!status.ok()) engine_.gpu.ReportFailure(status);
  return status;
}

Status GpuSubmitter::End(FrameJob& job, const Submission& submission) {
  const Status& status = submission.result.status;
  if (status.ok()) {
    meter_.CountGpu(job, submission.result);
  } else {
    engine_.gpu.ReportFailure(status);
  }
  return status;
}

}  // namespace perdix
