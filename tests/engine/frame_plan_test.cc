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
  explicit ManyStages(size_t count)
      : pass_{.name = "pass",
              .kernels = std::span(kernels_).first(count),
              .after = {}},
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
    return PlanFrame(codec_, Recipe(), frame, nullptr, plan);
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

// The codecs assert it; here is who asserts that they all do.
TEST(FramePlanTest, HasRoomForEveryCodec) {
  for (const CodecRow* codec : Codecs()) {
    EXPECT_LE(StageCount(codec->passes), kMaxStages) << codec->name;
    EXPECT_LE(codec->passes.size(), kMaxPasses) << codec->name;
  }
}

}  // namespace
}  // namespace perdix
