// SPDX-License-Identifier: BSD-2-Clause
// Levels of the loop filter: facts of 7.14.4 and 7.14.5.
#include "codec/av1/edge_levels.h"

#include <gtest/gtest.h>

#include "codec/av1/frame_state.h"

namespace perdix::av1 {
namespace {

constexpr int8_t kNoDeltas[kFrameLfCount] = {};

// Levels of luma 20 and 40, of U 10, of V 0; no deltas.
std::unique_ptr<FrameState> NewFrame() {
  auto frame = std::make_unique<FrameState>();
  uint8_t* level = frame->header.loop_filter.level;
  level[0] = 20;
  level[1] = 40;
  level[2] = 10;
  return frame;
}

TEST(Av1EdgeLevelsTest, AreTheHeadersWithoutDeltas) {
  const auto frame = NewFrame();
  const EdgeLevels levels =
      SelectEdgeLevels(*frame, 0, LAST_FRAME, 1, kNoDeltas);
  EXPECT_EQ(levels.of[0], 20);
  EXPECT_EQ(levels.of[1], 40);
  EXPECT_EQ(levels.of[2], 10);
  EXPECT_EQ(levels.of[3], 0);
}

TEST(Av1EdgeLevelsTest, ReferenceAndModeDeltasDoubleFrom32On) {
  const auto frame = NewFrame();
  auto& filter = frame->header.loop_filter;
  filter.flags = V4L2_AV1_LOOP_FILTER_FLAG_DELTA_ENABLED;
  filter.ref_deltas[INTRA_FRAME] = 3;
  filter.ref_deltas[GOLDEN_FRAME] = -5;
  filter.mode_deltas[0] = 30;
  filter.mode_deltas[1] = 1;
  EdgeLevels levels = SelectEdgeLevels(*frame, 0, GOLDEN_FRAME, 1, kNoDeltas);
  EXPECT_EQ(levels.of[0], 20 - 5 + 1);
  EXPECT_EQ(levels.of[1], 40 + 2 * (-5 + 1));
  levels = SelectEdgeLevels(*frame, 0, GOLDEN_FRAME, 0, kNoDeltas);
  EXPECT_EQ(levels.of[1], 63);  // clipped
  // intra: no mode delta
  levels = SelectEdgeLevels(*frame, 0, INTRA_FRAME, 0, kNoDeltas);
  EXPECT_EQ(levels.of[0], 20 + 3);
  EXPECT_EQ(levels.of[1], 40 + 2 * 3);
}

// A plane that the header leaves out stays so (7.14.1).
TEST(Av1EdgeLevelsTest, DeltasDoNotSwitchAPlaneOfChromaOn) {
  const auto frame = NewFrame();
  const int8_t deltas[kFrameLfCount] = {5, 0, 0, 0};
  const EdgeLevels levels = SelectEdgeLevels(*frame, 0, LAST_FRAME, 0, deltas);
  EXPECT_EQ(levels.of[0], 25);
  EXPECT_EQ(levels.of[1], 45);  // without delta_lf_multi, the first is all's
  EXPECT_EQ(levels.of[2], 15);
  EXPECT_EQ(levels.of[3], 0);
}

TEST(Av1EdgeLevelsTest, EachPlaneAndDirectionHasItsDeltaAndFeature) {
  const auto frame = NewFrame();
  frame->delta_lf_multi = true;
  frame->segmentation_enabled = true;
  SegmentParams& segment = frame->segments[3];
  segment.feature_enabled = 1 << SEG_LVL_ALT_LF_Y_H | 1 << SEG_LVL_ALT_LF_U;
  segment.feature_data[SEG_LVL_ALT_LF_Y_H] = -63;
  segment.feature_data[SEG_LVL_ALT_LF_U] = 7;
  const int8_t deltas[kFrameLfCount] = {-1, 63, -3, 4};
  const EdgeLevels levels = SelectEdgeLevels(*frame, 3, LAST_FRAME, 0, deltas);
  EXPECT_EQ(levels.of[0], 19);
  EXPECT_EQ(levels.of[1], 0);  // 40 + 63 is clipped before the segment's -63
  EXPECT_EQ(levels.of[2], 14);
  EXPECT_EQ(levels.of[3], 0);
}

}  // namespace
}  // namespace perdix::av1
