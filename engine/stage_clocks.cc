// SPDX-License-Identifier: BSD-2-Clause
#include "engine/stage_clocks.h"

#include "engine/ticks.h"

namespace perdix {
namespace {

uint64_t Read(const StageClocks::Clock& clock) {
  return clock.load(std::memory_order_relaxed);
}

}  // namespace

void StageClocks::Add(const StageClocks& other) {
  entropy += Read(other.entropy);
  for (size_t i = 0; i < kMaxKernels; ++i) {
    cpu[i] += Read(other.cpu[i]);
    gpu[i] += Read(other.gpu[i]);
    gpu_steps[i] += Read(other.gpu_steps[i]);
    gpu_dispatches[i] += Read(other.gpu_dispatches[i]);
  }
}

std::vector<StageTime> StageTimesOf(const StageClocks& clocks,
                                    const Recipe& recipe) {
  std::vector<StageTime> times;
  const double tick = NanosecondsPerTick();
  const auto nanoseconds = [tick](const StageClocks::Clock& clock) {
    return uint64_t(double(Read(clock)) * tick);
  };
  times.push_back({"entropy", "cpu", nanoseconds(clocks.entropy)});
  const auto table = KernelTable();
  for (size_t i = 0; i < table.size(); ++i) {
    const uint64_t gpu = Read(clocks.gpu[i]);
    const uint64_t cpu = nanoseconds(clocks.cpu[i]);
    const Variant variant = recipe.CpuVariant(KernelId(i), 8);
    if (gpu != 0) {
      times.push_back({table[i].key, "vulkan", gpu, Read(clocks.gpu_steps[i]),
                       Read(clocks.gpu_dispatches[i])});
    }
    if (cpu != 0 || gpu == 0) {
      times.push_back({table[i].key, VariantName(variant), cpu});
    }
  }
  return times;
}

}  // namespace perdix
