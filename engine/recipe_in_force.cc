// SPDX-License-Identifier: BSD-2-Clause
#include "engine/recipe_in_force.h"

namespace perdix {

Recipe RecipeInForce::Get() const {
  std::lock_guard lock(mutex_);
  return recipe_;
}

void RecipeInForce::Set(const Recipe& recipe) {
  std::lock_guard lock(mutex_);
  recipe_ = recipe;
}

bool RecipeInForce::OnGpu(KernelId kernel) const {
  std::lock_guard lock(mutex_);
  return recipe_.variant(kernel) == Variant::kVulkan;
}

bool RecipeInForce::LeaveGpu(KernelId kernel) {
  std::lock_guard lock(mutex_);
  if (recipe_.variant(kernel) != Variant::kVulkan) return false;
  recipe_.LeaveGpu(kernel);
  return true;
}

}  // namespace perdix
