// SPDX-License-Identifier: BSD-2-Clause
// M1 to M4: every stage of a captured frame alone, in every variant there is.
#ifndef PERDIX_TOOLS_BENCH_KERNEL_TIMES_H_
#define PERDIX_TOOLS_BENCH_KERNEL_TIMES_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "kernels/vulkan/gpu.h"
#include "tools/bench/report.h"
#include "tools/bench/workload.h"

namespace perdix::bench {

struct Effort {
  int repeats = 15;                        // of each measurement
  std::chrono::milliseconds overlap{300};  // of each rate of M4
  int threads = 1;                         // M4: n
};

struct KernelTimesOptions {
  vulkan::Gpu* gpu = nullptr;  // null: none
  std::string kernel;          // key; empty: all
  Effort effort;
  // What is done now; may be null.
  std::function<void(const std::string&)> progress;
};

// M1 for each variant, then M2 or M3 for those that are exact.
std::vector<KernelReport> MeasureKernels(
    const std::vector<CapturedFrame>& frames,
    const KernelTimesOptions& options);

// M4, with what <kernels> says is exact.
std::vector<OverlapReport> MeasureOverlaps(
    const std::vector<CapturedFrame>& frames,
    const std::vector<KernelReport>& kernels,
    const KernelTimesOptions& options);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_KERNEL_TIMES_H_
