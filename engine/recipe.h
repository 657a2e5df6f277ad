// SPDX-License-Identifier: BSD-2-Clause
// Which variant of each kernel runs. The only place that decides it.
#ifndef PERDIX_ENGINE_RECIPE_H_
#define PERDIX_ENGINE_RECIPE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix {

class Recipe {
 public:
  Recipe();  // all scalar

  // "scalar", "simd", "vulkan" (every kernel that has such a variant, the
  // others as with auto), "auto" (the fastest known for this machine), or
  // "kernel=variant,..." over auto. Fails, naming what is allowed, on an
  // unknown kernel or variant, or a kernel's variant that this build lacks.
  static Status Parse(std::string_view text, Recipe* recipe);

  Variant variant(KernelId kernel) const { return variants_[size_t(kernel)]; }
  bool Uses(Variant variant) const;  // by any kernel
  // A kernel of the GPU's goes back to the CPU.
  void LeaveGpu(KernelId kernel);

  // What runs on the CPU: the recipe's variant, or where that is the GPU's or
  // not there for samples of this depth, the fastest there is.
  Variant CpuVariant(KernelId kernel, uint32_t bit_depth) const;
  KernelFunction function(KernelId kernel, uint32_t bit_depth) const;
  std::string ToString() const;  // "kernel=variant,..."

 private:
  std::vector<Variant> variants_;
};

const char* VariantName(Variant variant);

// What the GPU is for.
enum class GpuAim {
  kSpeed,  // the most frames a second
  kCpu,    // the least CPU time, as long as video plays
};
// By name, of options.
inline const std::map<std::string, GpuAim>& GpuAims() {
  static const std::map<std::string, GpuAim> kAims = {{"speed", GpuAim::kSpeed},
                                                      {"cpu", GpuAim::kCpu}};
  return kAims;
}

}  // namespace perdix

#endif  // PERDIX_ENGINE_RECIPE_H_
