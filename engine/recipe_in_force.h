// SPDX-License-Identifier: BSD-2-Clause
// The recipe by which an engine plans its next frame. It changes while frames
// are decoded: the operator sets another one, or a kernel leaves the GPU.
#ifndef PERDIX_ENGINE_RECIPE_IN_FORCE_H_
#define PERDIX_ENGINE_RECIPE_IN_FORCE_H_

#include <cstdint>
#include <mutex>

#include "engine/recipe.h"
#include "kernels/kernel.h"

namespace perdix {

// Any thread may call anything here. No other lock is taken under its own.
class RecipeInForce {
 public:
  Recipe Get() const;  // all scalar until Set()
  void Set(const Recipe& recipe);
  bool OnGpu(KernelId kernel) const;
  // From the next frame on the kernel runs on the CPU. Whether it was on the
  // GPU until now.
  bool LeaveGpu(KernelId kernel);
  // Whether it has left the GPU since Set().
  bool HasLeft(KernelId kernel) const;

 private:
  mutable std::mutex mutex_;
  Recipe recipe_;
  uint32_t left_ = 0;  // bit: a KernelId
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_RECIPE_IN_FORCE_H_
