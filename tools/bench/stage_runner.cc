// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/stage_runner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tools/bench/median.h"

namespace perdix::bench {
namespace {

GateResult DidNotRun(const Status& status, std::string* reason) {
  *reason = status.message();
  return GateResult::kDidNotRun;
}

}  // namespace

Status StageRunner::Make(const CapturedFrame& frame, const PlannedStage& stage,
                         const Candidate& candidate, vulkan::Gpu* gpu,
                         std::unique_ptr<StageRunner>* made) {
  std::unique_ptr<StageRunner> runner(new StageRunner(frame, stage));
  if (candidate.variant == Variant::kVulkan) {
    using Placement = vulkan::Gpu::Placement;
    const Status status = GpuFrame::Make(
        *gpu, frame, candidate.kernel,
        candidate.shared_memory ? Placement::kShared : Placement::kDevice,
        &runner->gpu_);
    if (!status.ok()) return status;
  } else {
    const KernelRow& row = KernelTable()[size_t(candidate.kernel)];
    runner->function_ =
        row.cpu[size_t(candidate.variant)][frame.params.bit_depth > 8];
    runner->cpu_ = std::make_unique<CpuFrame>(frame);
    if (runner->function_ == nullptr) {
      return {StatusCode::kUnsupported,
              "not for " + std::to_string(frame.params.bit_depth) + " bits"};
    }
  }
  *made = std::move(runner);
  return Status::Ok();
}

Status StageRunner::Fill(const FrameState& state) {
  if (gpu_) return gpu_->Fill(state);
  cpu_->Fill(state);
  return Status::Ok();
}

Status StageRunner::Run(StageTimes* times) {
  Status status;
  const auto start = std::chrono::steady_clock::now();
  if (gpu_) {
    status = gpu_->Run(stage_.kernel, &times->nanoseconds);
  } else {
    cpu_->Run(stage_, function_);
  }
  const std::chrono::nanoseconds wall =
      std::chrono::steady_clock::now() - start;
  times->wall = uint64_t(wall.count());
  // A GPU without timestamps, or the CPU.
  if (!gpu_ || times->nanoseconds == 0) times->nanoseconds = times->wall;
  return status;
}

Status StageRunner::Read(std::vector<uint8_t>* bytes) {
  if (gpu_) return gpu_->Read(stage_.kernel, bytes);
  *bytes = cpu_->Read(stage_.kernel);
  return Status::Ok();
}

GateResult CheckStage(const CapturedFrame& frame, KernelId kernel,
                      StageRunner& runner, const FrameState& before,
                      const FrameState& expected, std::string* reason) {
  StageTimes times;
  std::vector<uint8_t> written;
  if (Status status = runner.Fill(before); !status.ok()) {
    return DidNotRun(status, reason);
  }
  if (Status status = runner.Run(&times); !status.ok()) {
    return DidNotRun(status, reason);
  }
  if (Status status = runner.Read(&written); !status.ok()) {
    return DidNotRun(status, reason);
  }
  const auto holds = [&](const FrameState& state) {
    return SameDecodedArea(frame.WrittenBy(kernel), written,
                           state.WrittenBy(kernel));
  };
  if (holds(expected)) return GateResult::kExact;
  *reason = "frame " + std::to_string(frame.number);
  return holds(before) ? GateResult::kNothingWritten : GateResult::kWrong;
}

Status TimeStage(StageRunner& runner, const FrameState& before, int repeats,
                 StageTimes* times) {
  std::vector<uint64_t> nanoseconds;
  std::vector<uint64_t> walls;
  for (int i = 0; i < repeats; ++i) {
    if (Status status = runner.Fill(before); !status.ok()) return status;
    StageTimes once;
    if (Status status = runner.Run(&once); !status.ok()) return status;
    nanoseconds.push_back(once.nanoseconds);
    walls.push_back(once.wall);
  }
  *times = {Median(nanoseconds), Median(walls), Spread(nanoseconds)};
  return Status::Ok();
}

}  // namespace perdix::bench
