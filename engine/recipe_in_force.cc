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
  left_ = 0;
}

bool RecipeInForce::OnGpu(KernelId kernel) const {
  std::lock_guard lock(mutex_);
  return recipe_.variant(kernel) == Variant::kVulkan;
}

bool RecipeInForce::LeaveGpu(KernelId kernel) {
  std::lock_guard lock(mutex_);
  if (recipe_.variant(kernel) != Variant::kVulkan) return false;
  recipe_.LeaveGpu(kernel);
  left_ |= 1u << size_t(kernel);
  return true;
}

bool RecipeInForce::HasLeft(KernelId kernel) const {
  std::lock_guard lock(mutex_);
  return (left_ >> size_t(kernel) & 1) != 0;
}

}  // namespace perdix
