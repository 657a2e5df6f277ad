// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_plan.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

#include "codec/codec.h"

namespace perdix {
namespace {

// A codec with <count> stages in one pass.
class ManyStages {
 public:
  explicit ManyStages(size_t count, bool on_cpu = false)
      : pass_{.name = "pass",
              .kernels = std::span(kernels_).first(count),
              .after = {},
              .on_cpu = on_cpu},
        codec_{.name = "many",
               .id = 0,
               .pixelformat = 0,
               .open = nullptr,
               .format = nullptr,
               .passes = {&pass_, 1},
               .lowest_lines = nullptr} {}

  Status Plan(FramePlan* plan) const {
    ParsedFrame frame;
    frame.params.bit_depth = 8;
    return PlanFrame(codec_, Recipe(), frame, {}, plan);
  }

  // Where a recipe wants all of them on a GPU that takes all.
  Status PlanForGpu(FramePlan* plan) const {
    ParsedFrame frame;
    frame.params.bit_depth = 8;
    Recipe recipe;
    if (Status status = Recipe::Parse("vulkan", &recipe); !status.ok()) {
      return status;
    }
    return PlanFrame(codec_, recipe, frame,
                     {.takes = [](KernelId) { return true; }}, plan);
  }

 private:
  const std::array<KernelId, kMaxStages + 1> kernels_ = {};
  const Pass pass_;
  const CodecRow codec_;
};

TEST(FramePlanTest, HasRoomForAsManyStagesAsItSays) {
  FramePlan plan;
  ASSERT_TRUE(ManyStages(kMaxStages).Plan(&plan).ok());
  EXPECT_EQ(plan.stage_count, kMaxStages);
  EXPECT_EQ(plan.segment_count, 1u);
  EXPECT_EQ(plan.segments[0].end, kMaxStages);
}

TEST(FramePlanTest, RefusesOneStageMore) {
  FramePlan plan;
  const Status status = ManyStages(kMaxStages + 1).Plan(&plan);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find(std::to_string(kMaxStages)),
            std::string::npos)
      << status.message();
  EXPECT_EQ(plan.stage_count, 0u);
}

TEST(FramePlanTest, KeepsPassesOnTheCpuThatAreMadeForIt) {
  FramePlan plan;
  ASSERT_TRUE(ManyStages(3, true).PlanForGpu(&plan).ok());
  ASSERT_EQ(plan.segment_count, 1u);
  EXPECT_FALSE(plan.segments[0].gpu);
  ASSERT_TRUE(ManyStages(3, false).PlanForGpu(&plan).ok());
  ASSERT_EQ(plan.segment_count, 1u);
  EXPECT_TRUE(plan.segments[0].gpu);
}

// Where the filters run that a recipe wants on the GPU.
template <size_t kCount>
std::array<bool, kCount> PlannedOnGpu(
    const std::array<KernelId, kCount>& kernels,
    std::array<bool, kCount> wanted) {
  KeepTablesOnCpu(kernels, wanted);
  return wanted;
}

// Deblocking and super-resolution save lines for the filters behind them. What
// is saved on the GPU is seen there alone.
TEST(FramePlanTest, KeepsOnTheCpuWhatWritesTablesThatTheCpuReads) {
  using enum KernelId;
  constexpr std::array kFilters = {kAv1Deblock, kAv1Cdef, kAv1SuperRes,
                                   kAv1LoopRestoration, kAv1FilmGrain};
  struct {
    std::array<bool, 5> wanted;
    std::array<bool, 5> planned;
  } constexpr kCases[] = {
      {{true, true, true, true, true}, {true, true, true, true, true}},
      {{true, true, true, true, false}, {true, true, true, true, false}},
      {{true, false, true, true, true}, {false, false, true, true, true}},
      {{true, true, false, true, true}, {false, true, false, true, true}},
      {{true, true, true, false, true}, {false, true, false, false, true}},
      {{false, true, false, true, false}, {false, true, false, true, false}},
  };
  for (const auto& one : kCases) {
    EXPECT_EQ(PlannedOnGpu(kFilters, one.wanted), one.planned);
  }
}

TEST(FramePlanTest, KeepsOnTheCpuWhatWritesTablesThatAnotherSubmitReads) {
  using enum KernelId;
  using Three = std::array<bool, 3>;
  const std::array kernels = {kAv1Deblock, kAv1FilmGrain, kAv1LoopRestoration};
  EXPECT_EQ(PlannedOnGpu(kernels, {true, false, true}),
            (Three{false, false, true}));
  EXPECT_EQ(PlannedOnGpu(kernels, {true, true, true}),
            (Three{true, true, true}));
}

TEST(FramePlanTest, LeavesOnTheGpuWhatWritesTablesThatNobodyReads) {
  using enum KernelId;
  using Two = std::array<bool, 2>;
  EXPECT_EQ(PlannedOnGpu(std::array{kAv1Deblock, kAv1FilmGrain}, Two{true}),
            Two{true});
  const std::array without_restoration = {kAv1Deblock, kAv1Cdef};
  EXPECT_EQ(PlannedOnGpu(without_restoration, {true, true}), (Two{true, true}));
  EXPECT_EQ(PlannedOnGpu(without_restoration, {true, false}),
            (Two{false, false}));
}

TEST(FramePlanTest, KeepsNeighboursOnTheGpu) {
  struct {
    std::array<bool, 4> wanted;
    std::array<bool, 4> planned;
  } constexpr kCases[] = {
      {{false, false, false, false}, {false, false, false, false}},
      {{true, true, true, true}, {true, true, true, true}},
      {{true, false, true, true}, {false, false, true, true}},
      {{true, true, false, true}, {false, false, false, true}},
      {{true, false, true, false}, {false, false, true, false}},
      {{true, true, false, false}, {true, true, false, false}},
      {{false, true, true, false}, {false, true, true, false}},
  };
  for (const auto& one : kCases) {
    std::array<bool, 4> on_gpu = one.wanted;
    KeepNeighboursOnGpu(on_gpu);
    EXPECT_EQ(on_gpu, one.planned);
  }
}

// The codecs assert it; here is who asserts that they all do.
TEST(FramePlanTest, HasRoomForEveryCodec) {
  for (const CodecRow* codec : Codecs()) {
    EXPECT_LE(StageCount(codec->passes), kMaxStages) << codec->name;
    EXPECT_LE(codec->passes.size(), kMaxPasses) << codec->name;
  }
}

}  // namespace
}  // namespace perdix
