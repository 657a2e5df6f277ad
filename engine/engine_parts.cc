// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine_parts.h"

#include <algorithm>
#include <thread>

#include "engine/frames_in_flight.h"

namespace perdix {
namespace {

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

EngineParts::EngineParts(const EngineOptions& options)
    : tracer(ThreadCount(options.threads)),
      pool(ThreadCount(options.threads), options.shuffle_seed),
      gpu(options.gpu, options.wait_for_gpu, options.notice),
      streams(options.measure),
      self_checks(options.self_check),
      watch(options.watch),
      observer(options.observer) {
  SetRecipe(options.recipe);
}

void EngineParts::SetRecipe(const Recipe& wanted) {
  if (wanted.Uses(Variant::kVulkan)) {
    gpu.Open();
    gpu.Prepare(wanted);
  }
  recipe.Set(wanted);
}

// The CPU has the most of the smallest.
size_t EngineParts::FramesInFlight() const {
  if (gpu.get() != nullptr && recipe.Get().Uses(Variant::kVulkan))
    return GpuFramesInFlight(pool.size(), true);
  return CpuFramesInFlight(0, 0, pool.size(), true);
}

}  // namespace perdix
