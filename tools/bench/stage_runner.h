// SPDX-License-Identifier: BSD-2-Clause
// One variant of one stage of a captured frame: the same four calls whichever
// side runs it.
#ifndef PERDIX_TOOLS_BENCH_STAGE_RUNNER_H_
#define PERDIX_TOOLS_BENCH_STAGE_RUNNER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/bench/gpu_frame.h"
#include "tools/bench/report.h"
#include "tools/bench/workload.h"

namespace perdix::bench {

// A row of the table of kernels' times.
struct Candidate {
  KernelId kernel;
  Variant variant;
  bool shared_memory;  // Vulkan
};

struct StageTimes {
  uint64_t nanoseconds = 0;  // of the stage itself
  uint64_t wall = 0;         // with what it takes to have it run
  uint64_t spread = 0;       // of nanoseconds, between the quartiles
};

class StageRunner {
 public:
  // gpu: null unless the variant is Vulkan. All outlive the runner.
  static Status Make(const CapturedFrame& frame, const PlannedStage& stage,
                     const Candidate& candidate, vulkan::Gpu* gpu,
                     std::unique_ptr<StageRunner>* made);

  Status Fill(const FrameState& state);
  Status Run(StageTimes* times);
  // What the picture holds that the stage writes.
  Status Read(std::vector<uint8_t>* bytes);

 private:
  StageRunner(const CapturedFrame& frame, const PlannedStage& stage)
      : frame_(frame), stage_(stage) {}

  const CapturedFrame& frame_;
  const PlannedStage& stage_;
  // On one side only.
  KernelFunction function_ = nullptr;
  std::unique_ptr<CpuFrame> cpu_;
  std::unique_ptr<GpuFrame> gpu_;
};

// M1: runs the kernel's stage on what was there before it, and compares.
// *reason: why it is not exact.
GateResult CheckStage(const CapturedFrame& frame, KernelId kernel,
                      StageRunner& runner, const FrameState& before,
                      const FrameState& expected, std::string* reason);

// M2 or M3: medians.
Status TimeStage(StageRunner& runner, const FrameState& before, int repeats,
                 StageTimes* times);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_STAGE_RUNNER_H_
