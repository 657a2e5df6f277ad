// SPDX-License-Identifier: BSD-2-Clause
// Recipes that perdix-bench --calibrate found, in a file: one for each machine
// (GPU, driver and CPU) that it was run on, and each aim.
#ifndef PERDIX_ENGINE_RECIPE_STORE_H_
#define PERDIX_ENGINE_RECIPE_STORE_H_

#include <string>

#include "engine/recipe.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

inline constexpr const char* kDefaultRecipeStore = "/var/lib/perdix/recipes";

// What has to be the same for a recipe to be used again.
struct MachineKey {
  std::string gpu;  // name; empty: none that can be used
  std::string driver;
  std::string cpu;  // model
  // Which of several equal GPUs: they differ in speed by their slot. A render
  // node's number would not do, because drivers that load in another order
  // change it at a reboot; DrmNode::place stays. Empty: the GPU has none.
  std::string gpu_place = {};
  GpuAim aim = GpuAim::kSpeed;  // which the recipe was chosen for

  bool operator==(const MachineKey&) const = default;
};

// This machine, with the GPU that Gpu::Open(options) would open.
MachineKey ThisMachine(const vulkan::GpuOptions& options, GpuAim aim);

// Fails, saying why, when there is no such file, it is damaged, or it has no
// recipe of this machine that this build can run.
Status LoadRecipe(const std::string& path, const MachineKey& machine,
                  Recipe* recipe);

// Adds the record or replaces it. Readers see the old file or the new one. A
// damaged file is replaced.
Status StoreRecipe(const std::string& path, const MachineKey& machine,
                   const Recipe& recipe);

// What "auto" means here: the stored recipe, or without one what
// Recipe::Parse("auto") gives. Looks at the machine only if there is a file.
// *why: why there is none, else empty.
Recipe AutoRecipe(const std::string& path, const vulkan::GpuOptions& options,
                  GpuAim aim, std::string* why);

}  // namespace perdix

#endif  // PERDIX_ENGINE_RECIPE_STORE_H_
