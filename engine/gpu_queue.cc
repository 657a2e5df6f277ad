// SPDX-License-Identifier: BSD-2-Clause
#include "engine/gpu_queue.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "codec/codec.h"
#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/picture_access.h"
#include "engine/stream_meter.h"

namespace perdix {
namespace {

Status WrongOnGpu(KernelId kernel) {
  return {StatusCode::kDeviceLost,
          std::string(KernelTable()[size_t(kernel)].key) +
              " is wrong on the GPU, and the CPU does not reach the pictures"};
}

std::string Describe(const FrameJob& job) {
  return "frame " + std::to_string(job.number) + " of " +
         std::to_string(job.params.width) + "x" +
         std::to_string(job.params.height);
}

}  // namespace

// ---- where stages run ----

Status GpuQueue::Plan(FrameJob& job) {
  const bool gpu_reaches = AllReached(job, GpuReaches);
  const Status status =
      PlanFrame(codec_, engine_.recipe.Get(), job,
                {[&](KernelId kernel) {
                   return gpu_reaches && engine_.gpu.Takes(kernel, job.params);
                 },
                 !AllReached(job, CpuReadsCached)},
                &job.plan);
  if (!status.ok()) return status;
  job.segment = 0;
  if (!AllReached(job, CpuReaches) &&
      (job.plan.segment_count > 1 || !job.plan.UsesGpu())) {
    return {StatusCode::kDeviceLost,
            "the pictures lie in the GPU's memory, and it cannot decode this "
            "frame"};
  }
  job.gpu.check_ = {};
  job.gpu.check_.on = job.plan.UsesGpu() && engine_.self_checks.Next();
  job.gpu.conditions_.store(2, std::memory_order_relaxed);  // prepared, gate
  meter_.luma().Plan(job);
  return Status::Ok();
}

// ---- segments ----

void GpuQueue::FrameParsed(FrameJob& job) {
  engine_.pool.Post(Priority::kReconstruct, {.job = &job}, [this, &job] {
    Prepare(job);
    Meet(job);
  });
}

void GpuQueue::Prepare(FrameJob& job) {
  if (job.failed()) return;
  Submission& submission = job.gpu.submission_;
  submission.checksums = job.gpu.check_.on;
  submission.prepared = submitter_.Prepare(job, submission);
}

void GpuQueue::Meet(FrameJob& job) {
  if (job.gpu.conditions_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  engine_.pool.Post(Priority::kReconstruct, {.job = &job},
                    [this, &job] { Submit(job); });
}

void GpuQueue::StartSegment(FrameJob& job) {
  KeepForCheck(job);
  Status status = AccessTarget(job, CpuAccess::kEnd);
  if (!status.ok()) job.Fail(std::move(status));
  Prepare(job);
  Submit(job);
}

void GpuQueue::Submit(FrameJob& job) {
  if (job.failed()) {
    owners_.frames->FrameOver(job);
    return;
  }
  if (const std::optional<KernelId> left = submitter_.FindLeft(job)) {
    Redo(job, WrongOnGpu(*left));
    return;
  }
  KeepForCheck(job);
  job.gpu.pending_.store(2, std::memory_order_relaxed);
  const Status status =
      submitter_.Submit(job, job.gpu.submission_, [this, &job] { Step(job); });
  if (!status.ok()) {
    Redo(job, status);
    return;
  }
  const bool last = job.segment + 1 == job.plan.segment_count;
  if (last && !job.gpu.check_.on) owners_.frames->LeftToGpu(job);
  Step(job);
}

// After both Submit's return and the GPU's report.
void GpuQueue::Step(FrameJob& job) {
  if (job.gpu.pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  engine_.pool.Post(Priority::kReconstruct, {.job = &job},
                    [this, &job] { End(job); });
}

void GpuQueue::End(FrameJob& job) {
  const Submission& submission = job.gpu.submission_;
  const Status status = submitter_.End(job, submission);
  if (!status.ok()) {
    Redo(job, status);
    return;
  }
  if (job.gpu.check_.on) {
    const Segment& segment = job.plan.segments[job.segment];
    std::copy_n(submission.result.checksums.begin(),
                segment.end - segment.begin,
                job.gpu.check_.checksums.begin() + segment.begin);
  }
  owners_.frames->SegmentOver(job);
}

// ---- checks, and doing it again ----

// The GPU is about to write the target.
void GpuQueue::KeepForCheck(FrameJob& job) {
  SelfCheck& check = job.gpu.check_;
  if (!check.on || check.target != nullptr) return;
  check.on = KeepPictures(*engine_.gpu.get(), job, check).ok();
}

// The frame is what the GPU made, unless that is wrong.
void GpuQueue::Check(FrameJob& job) {
  std::optional<uint32_t> wrong;
  bool checked = false;
  {
    const Stopwatch watch = meter_.TimeOther(job, Activity::kSelfCheck);
    checked =
        FindWrongStage(*engine_.gpu.get(), job, job.gpu.check_, &wrong).ok();
  }
  job.gpu.check_ = {};
  if (checked) engine_.counters.CountSelfCheck();
  if (!wrong) {
    owners_.frames->FrameOver(job);
    return;
  }
  const KernelId kernel = job.plan.kernels[*wrong];
  engine_.counters.CountSelfCheckFailure();
  if (engine_.recipe.LeaveGpu(kernel))
    engine_.gpu.ReportWrong(kernel, Describe(job));
  Redo(job, WrongOnGpu(kernel));
}

// The GPU would not, is lost, or was wrong. Work lists and references are still
// there: predicting every block anew makes up for whatever the target holds.
void GpuQueue::Redo(FrameJob& job, const Status& why) {
  engine_.counters.CountRedone();
  job.gpu.check_ = {};
  job.gpu.submission_.frame = nullptr;  // it keeps the pictures' memory
  const Status status =
      AllReached(job, CpuReaches)
          ? PlanFrame(codec_, engine_.recipe.Get(), job, {}, &job.plan)
          : why;
  if (!status.ok()) {
    job.Fail(status);
    owners_.frames->FrameOver(job);
    return;
  }
  job.segment = 0;
  owners_.frames->BeginsAgain(job);
}

}  // namespace perdix
