// SPDX-License-Identifier: BSD-2-Clause
// Where the time of a stream goes, stage by stage.
#ifndef PERDIX_ENGINE_STAGE_CLOCKS_H_
#define PERDIX_ENGINE_STAGE_CLOCKS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/recipe.h"
#include "kernels/kernel.h"

namespace perdix {

// Time spent, summed over threads, since the engine started or a stream began.
struct StageTime {
  std::string stage;    // "entropy" or a kernel's key
  std::string variant;  // "cpu", "scalar", "simd", "vulkan"
  uint64_t nanoseconds = 0;
  // On the GPU: GpuFrameResult::steps and dispatches, summed.
  uint64_t steps = 0;
  uint64_t dispatches = 0;
};

// The clocks of one stream: all workers write them while they decode for that
// stream, any thread reads them. They have cache lines of their own, so that
// streams do not wait for each other's.
struct alignas(64) StageClocks {
  using Clock = std::atomic<uint64_t>;
  using Counter = std::atomic<uint64_t>;

  Clock entropy{0};                                 // ticks (ticks.h)
  std::array<Clock, kMaxKernels> cpu = {};          // ticks, by KernelId
  std::array<Clock, kMaxKernels> gpu = {};          // ns, by KernelId
  std::array<Counter, kMaxKernels> gpu_steps = {};  // by KernelId
  std::array<Counter, kMaxKernels> gpu_dispatches = {};

  void Add(const StageClocks& other);
};

// What Engine::StageTimes() returns of these clocks. recipe: names the CPU's
// variants.
std::vector<StageTime> StageTimesOf(const StageClocks& clocks,
                                    const Recipe& recipe);

}  // namespace perdix

#endif  // PERDIX_ENGINE_STAGE_CLOCKS_H_
