// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/report.h"

namespace perdix::bench {

const char* GateName(GateResult result) {
  switch (result) {
    case GateResult::kNoWork:
      return "no work";
    case GateResult::kExact:
      return "exact";
    case GateResult::kWrong:
      return "wrong";
    case GateResult::kNothingWritten:
      return "wrote nothing";
    case GateResult::kDidNotRun:
      return "did not run";
  }
  return "";
}

const KernelReport* FastestOnCpu(const std::vector<KernelReport>& kernels,
                                 KernelId kernel) {
  const KernelReport* fastest = nullptr;
  for (const KernelReport& row : kernels) {
    if (row.kernel != kernel || row.variant == Variant::kVulkan ||
        !row.exact()) {
      continue;
    }
    if (!fastest || row.nanoseconds < fastest->nanoseconds) fastest = &row;
  }
  return fastest;
}

std::optional<double> Ratio(const ClipReport& clip, const KernelReport& row) {
  const KernelReport* const cpu = FastestOnCpu(clip.kernels, row.kernel);
  if (row.variant != Variant::kVulkan || !row.exact() || cpu == nullptr ||
      cpu->nanoseconds == 0) {
    return std::nullopt;
  }
  return double(row.nanoseconds) / double(cpu->nanoseconds);
}

}  // namespace perdix::bench
