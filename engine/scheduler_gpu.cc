// SPDX-License-Identifier: BSD-2-Clause
// Segments of the GPU, the check of what it made, and doing it again.
#include <optional>
#include <string>

#include "engine/picture_access.h"
#include "engine/scheduler.h"

namespace perdix {
namespace {

Status WrongOnGpu(KernelId kernel) {
  return {StatusCode::kDeviceLost,
          std::string(KernelTable()[size_t(kernel)].key) +
              " is wrong on the GPU, and the CPU does not reach the pictures"};
}

}  // namespace

// Of the first segment: parsed, gate open.
void Scheduler::MeetGpu(FrameJob& job) {
  if (job.gpu.conditions.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    engine_.pool().Post(Priority::kReconstruct, {.job = &job},
                        [this, &job] { SubmitToGpu(job); });
  }
}

void Scheduler::SubmitToGpu(FrameJob& job) {
  if (job.failed()) {
    Finish(job);
    return;
  }
  if (const std::optional<KernelId> left = gpu_.FindLeft(job)) {
    Redo(job, WrongOnGpu(*left));
    return;
  }
  PrepareCheck(job);
  job.gpu.pending.store(2, std::memory_order_relaxed);
  const Status status = gpu_.Submit(job, [this, &job] { GpuStep(job); });
  if (!status.ok()) {
    Redo(job, status);
    return;
  }
  const bool last = job.segment + 1 == job.plan.segment_count;
  if (last && !job.check.on) OpenNextGate(job);
  GpuStep(job);
}

// After both Submit's return and the GPU's report.
void Scheduler::GpuStep(FrameJob& job) {
  if (job.gpu.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    engine_.pool().Post(Priority::kReconstruct, {.job = &job},
                        [this, &job] { EndGpu(job); });
  }
}

void Scheduler::EndGpu(FrameJob& job) {
  const Status status = gpu_.End(job);
  if (status.ok()) {
    EndSegment(job);
  } else {
    Redo(job, status);
  }
}

// The GPU is about to write the target.
void Scheduler::PrepareCheck(FrameJob& job) {
  if (!job.check.on || job.check.before != nullptr) return;
  job.check.on = KeepTarget(*engine_.gpu(), job).ok();
}

// The frame is what the GPU made, unless that is wrong.
void Scheduler::EndCheck(FrameJob& job) {
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
  job.plan = PlanFrame(codec_, engine_.recipe(), job, nullptr);
  job.segment = 0;
  if (IsOldest(job, FrameJob::WhenOldest::kSegment)) StartSegment(job);
}

}  // namespace perdix
