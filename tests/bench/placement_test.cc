// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/placement.h"

#include <gtest/gtest.h>

#include <string>

namespace perdix::bench {
namespace {

constexpr const char* kScalar =
    "vp9_inter_pred=scalar,vp9_inverse_transform=scalar,vp9_intra_pred=scalar,"
    "vp9_loop_filter=scalar";
constexpr const char* kFilterOnGpu =
    "vp9_inter_pred=scalar,vp9_inverse_transform=scalar,vp9_intra_pred=scalar,"
    "vp9_loop_filter=vulkan";
constexpr const char* kVulkan =
    "vp9_inter_pred=vulkan,vp9_inverse_transform=vulkan,vp9_intra_pred=vulkan,"
    "vp9_loop_filter=vulkan";

struct Times {
  uint64_t cpu;
  uint64_t device;
  uint64_t shared;
};

KernelReport Row(size_t kernel, Variant variant, bool shared, uint64_t time) {
  KernelReport row;
  row.kernel = KernelId(kernel);
  row.variant = variant;
  row.shared_memory = shared;
  row.gate = GateResult::kExact;
  row.nanoseconds = row.wall = time;
  return row;
}

std::vector<KernelReport> Rows(const std::vector<Times>& times) {
  std::vector<KernelReport> rows;
  for (size_t i = 0; i < times.size(); ++i) {
    rows.push_back(Row(i, Variant::kScalar, false, times[i].cpu));
    rows.push_back(Row(i, Variant::kVulkan, false, times[i].device));
    rows.push_back(Row(i, Variant::kVulkan, true, times[i].shared));
  }
  return rows;
}

// What the recipe says of VP9's kernels, which come first.
std::string OfVp9(const Recipe& recipe) {
  const std::string text = recipe.ToString();
  return text.substr(0, text.find(",av1_"));
}

std::string Best(const std::vector<KernelReport>& rows,
                 const CrossingCosts& costs) {
  return OfVp9(RankPlacements(rows, costs)[0].recipe);
}

TEST(PlacementTest, TakesTheFasterSide) {
  const auto rows =
      Rows({{10, 90, 90}, {10, 90, 90}, {10, 90, 90}, {90, 10, 10}});
  EXPECT_EQ(Best(rows, {0, 1}), kFilterOnGpu);
  EXPECT_EQ(RankPlacements(rows, {0, 1}).size(), 16u);
  EXPECT_EQ(RankPlacements(rows, {0, 1})[0].estimate, 40u);
}

TEST(PlacementTest, ACrossingMustPay) {
  const auto rows =
      Rows({{10, 90, 90}, {10, 90, 90}, {10, 90, 90}, {90, 10, 10}});
  EXPECT_EQ(Best(rows, {79, 1}), kFilterOnGpu);
  EXPECT_EQ(Best(rows, {81, 1}), kScalar);
}

TEST(PlacementTest, NeighboursOnTheGpuShareASubmit) {
  // With a submit for each, the two in the middle would stay on the CPU.
  const auto rows =
      Rows({{99, 10, 10}, {12, 10, 10}, {12, 10, 10}, {99, 10, 10}});
  EXPECT_EQ(Best(rows, {20, 1}), kVulkan);
}

TEST(PlacementTest, SharedMemoryCountsInAMixtureOnly) {
  const auto rows =
      Rows({{50, 10, 80}, {50, 10, 80}, {50, 10, 80}, {50, 10, 80}});
  EXPECT_EQ(Best(rows, {0, 1}), kVulkan);
  const auto one =
      Rows({{50, 10, 80}, {50, 10, 80}, {50, 10, 80}, {9, 999, 8}});
  EXPECT_EQ(Best(one, {5, 1}), kScalar);
}

TEST(PlacementTest, ThreadsShareTheCpusStages) {
  const auto rows =
      Rows({{40, 20, 20}, {40, 20, 20}, {40, 20, 20}, {40, 20, 20}});
  EXPECT_EQ(Best(rows, {0, 1}), kVulkan);
  EXPECT_EQ(Best(rows, {0, 4}), kScalar);
}

TEST(PlacementTest, WhatIsNotExactIsNeverPlaced) {
  auto rows = Rows({{90, 1, 1}, {90, 1, 1}, {90, 1, 1}, {90, 1, 1}});
  for (KernelReport& row : rows) {
    if (row.kernel == KernelId::kVp9IntraPred &&
        row.variant == Variant::kVulkan) {
      row.gate = GateResult::kWrong;
      row.nanoseconds = 0;
    }
  }
  for (const Placement& placement : SensiblePlacements(rows, {0, 1}, 16)) {
    EXPECT_NE(placement.recipe.variant(KernelId::kVp9IntraPred),
              Variant::kVulkan);
  }
}

// Its work may come in another stream.
TEST(PlacementTest, WhatHadNoWorkIsAsWithAutoUnlessAllElseIsOnTheGpu) {
  auto rows = Rows({{90, 1, 1}, {90, 1, 1}, {90, 1, 1}, {90, 1, 1}});
  for (KernelReport& row : rows) {
    if (row.kernel == KernelId::kVp9IntraPred) row.gate = GateResult::kNoWork;
  }
  const auto list = RankPlacements(rows, {0, 1});
  EXPECT_EQ(list.size(), 8u);
  EXPECT_EQ(OfVp9(list[0].recipe), kVulkan);
  Recipe with_auto;
  ASSERT_TRUE(Recipe::Parse("auto", &with_auto).ok());
  for (size_t i = 1; i < list.size(); ++i) {
    EXPECT_EQ(list[i].recipe.variant(KernelId::kVp9IntraPred),
              with_auto.variant(KernelId::kVp9IntraPred));
  }
}

TEST(PlacementTest, WholeRecipesComeFirstAndNothingTwice) {
  const auto rows =
      Rows({{10, 90, 90}, {10, 90, 90}, {10, 90, 90}, {90, 10, 10}});
  const auto list = SensiblePlacements(rows, {5, 1}, 3);
  ASSERT_GE(list.size(), 3u);
  EXPECT_EQ(list[0].label, "all scalar");
  EXPECT_EQ(list[1].label, "all vulkan");
  EXPECT_EQ(list[2].label, "GPU: vp9_loop_filter");
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      EXPECT_NE(list[i].recipe.ToString(), list[k].recipe.ToString());
    }
  }
}

TEST(PlacementTest, WithoutAGpuThereIsOneChoice) {
  std::vector<KernelReport> rows;
  for (size_t i = 0; i < 4; ++i) {
    rows.push_back(Row(i, Variant::kScalar, false, 10));
  }
  EXPECT_EQ(SensiblePlacements(rows, {5, 2}, 3).size(), 1u);
}

constexpr GpuAim kSpeed = GpuAim::kSpeed;
constexpr GpuAim kCpu = GpuAim::kCpu;

RecipeReport Measured(const std::string& recipe, double fps, double cpu) {
  RecipeReport report;
  EXPECT_TRUE(Recipe::Parse(recipe, &report.recipe).ok());
  report.exact = true;
  report.fps = fps;
  report.cpu_seconds = cpu;
  return report;
}

ClipReport Clip(const std::vector<RecipeReport>& recipes) {
  ClipReport clip;
  clip.recipes = recipes;
  return clip;
}

TEST(PlacementTest, TheFastestRecipeOfAllClipsWins) {
  EXPECT_EQ(BestRecipe({}, kSpeed), nullptr);
  const auto clips = {
      Clip({Measured("scalar", 100, 1), Measured("vulkan", 120, 1)}),
      Clip({Measured("scalar", 100, 1), Measured("vulkan", 50, 1)})};
  EXPECT_EQ(OfVp9(BestRecipe(clips, kSpeed)->recipe), kScalar);
}

TEST(PlacementTest, OfTwoEquallyFastTheOneThatLeavesTheCpuAlone) {
  const std::vector<ClipReport> clips = {
      Clip({Measured("scalar", 101, 0.02), Measured("vulkan", 100, 0.01)})};
  EXPECT_EQ(OfVp9(BestRecipe(clips, kSpeed)->recipe), kVulkan);
}

TEST(PlacementTest, ForTheCpuTheOneThatTakesTheLeastOfItAndPlaysEveryClip) {
  const auto clips_with = [](double slow_fps) {
    return std::vector<ClipReport>{
        Clip({Measured("scalar", 900, 0.02), Measured("vulkan", 90, 0.01)}),
        Clip({Measured("scalar", 300, 0.05),
              Measured("vulkan", slow_fps, 0.01)})};
  };
  EXPECT_EQ(OfVp9(BestRecipe(clips_with(kPlays), kCpu)->recipe), kVulkan);
  EXPECT_EQ(OfVp9(BestRecipe(clips_with(kPlays - 1), kCpu)->recipe), kScalar);
  EXPECT_EQ(OfVp9(BestRecipe(clips_with(kPlays), kSpeed)->recipe), kScalar);
}

TEST(PlacementTest, ForTheCpuTheFastestIfVideoPlaysWithNone) {
  const std::vector<ClipReport> clips = {
      Clip({Measured("scalar", 30, 0.1), Measured("vulkan", 20, 0.01)})};
  EXPECT_EQ(OfVp9(BestRecipe(clips, kCpu)->recipe), kScalar);
}

TEST(PlacementTest, ForTheCpuKernelsThatAreSlowerOnTheGpuAreTried) {
  const auto rows =
      Rows({{10, 90, 90}, {10, 90, 90}, {10, 90, 90}, {10, 90, 90}});
  const auto has = [&](GpuAim aim, const std::string& label) {
    const auto list = SensiblePlacements(rows, {5, 1, aim}, 0);
    return std::ranges::find(list, label, &Placement::label) != list.end();
  };
  EXPECT_FALSE(has(kSpeed, "GPU: vp9_loop_filter"));
  EXPECT_TRUE(has(kCpu, "GPU: vp9_loop_filter"));
  EXPECT_EQ(OfVp9(RankPlacements(rows, {5, 1, kCpu})[0].recipe), kVulkan);
}

TEST(PlacementTest, ARecipeThatWasWrongOnAClipCannotWin) {
  std::vector<ClipReport> clips = {
      Clip({Measured("scalar", 10, 1), Measured("vulkan", 100, 1)}),
      Clip({Measured("scalar", 10, 1), Measured("vulkan", 100, 1)})};
  clips[1].recipes[1].exact = false;
  EXPECT_EQ(OfVp9(BestRecipe(clips, kSpeed)->recipe), kScalar);
}

}  // namespace
}  // namespace perdix::bench
