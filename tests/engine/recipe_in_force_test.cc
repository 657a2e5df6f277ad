// SPDX-License-Identifier: BSD-2-Clause
#include "engine/recipe_in_force.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

Recipe Parsed(std::string_view text) {
  Recipe recipe;
  const Status status = Recipe::Parse(text, &recipe);
  EXPECT_TRUE(status.ok()) << status.message();
  return recipe;
}

TEST(RecipeInForceTest, IsAllScalarUntilOneIsSet) {
  RecipeInForce recipe;
  EXPECT_EQ(recipe.Get().ToString(), Recipe().ToString());
  recipe.Set(Parsed("simd"));
  EXPECT_EQ(recipe.Get().ToString(), Parsed("simd").ToString());
}

TEST(RecipeInForceTest, AKernelLeavesTheGpuOnce) {
  Recipe vulkan;
  if (!Recipe::Parse("vulkan", &vulkan).ok())
    GTEST_SKIP() << "this build has no GPU";
  RecipeInForce recipe;
  recipe.Set(vulkan);
  EXPECT_TRUE(recipe.OnGpu(KernelId::kVp9LoopFilter));
  EXPECT_TRUE(recipe.LeaveGpu(KernelId::kVp9LoopFilter));
  EXPECT_FALSE(recipe.OnGpu(KernelId::kVp9LoopFilter));
  EXPECT_FALSE(recipe.LeaveGpu(KernelId::kVp9LoopFilter));
  EXPECT_TRUE(recipe.OnGpu(KernelId::kVp9InterPred));
  EXPECT_TRUE(recipe.HasLeft(KernelId::kVp9LoopFilter));
  EXPECT_FALSE(recipe.HasLeft(KernelId::kVp9InterPred));
  recipe.Set(vulkan);
  EXPECT_FALSE(recipe.HasLeft(KernelId::kVp9LoopFilter));
}

TEST(RecipeInForceTest, AKernelOfTheCpuDoesNotLeaveTheGpu) {
  RecipeInForce recipe;
  EXPECT_FALSE(recipe.OnGpu(KernelId::kVp9LoopFilter));
  EXPECT_FALSE(recipe.LeaveGpu(KernelId::kVp9LoopFilter));
}

}  // namespace
}  // namespace perdix
