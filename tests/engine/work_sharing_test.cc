// SPDX-License-Identifier: BSD-2-Clause
#include "engine/work_sharing.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

TEST(WorkSharingTest, OneWorkerDoesAllAndIsNeverAhead) {
  const WorkSharing sharing = {
      .workers = 1, .rows = 17, .columns = 30, .tile_cols = 4, .home = 0};
  EXPECT_EQ(sharing.RowsAhead(), 1u);
  EXPECT_EQ(sharing.Chunks(), 1u);
  EXPECT_EQ(sharing.HomeOfParsing(3, 16), 0);
  EXPECT_EQ(sharing.HomeOf(16, 0, 1), 0);
}

TEST(WorkSharingTest, FrameOfAWorkerStaysWithIt) {
  const WorkSharing sharing = {.workers = 4,
                               .rows = 17,
                               .columns = 30,
                               .tile_cols = 4,
                               .overlaps = true,
                               .home = 2};
  EXPECT_FALSE(sharing.ByRows());
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sharing.HomeOfParsing(i, i), 2);
    EXPECT_EQ(sharing.HomeOf(i, i, 4), 2);
  }
}

TEST(WorkSharingTest, OverlappingFramesAreSharedByRowsIfThereAreEnough) {
  WorkSharing sharing = {
      .workers = 2, .rows = 6, .columns = 13, .tile_cols = 1, .overlaps = true};
  EXPECT_TRUE(sharing.ByRows());
  EXPECT_EQ(sharing.Chunks(), 1u);
  for (uint32_t row = 0; row < 6; ++row) {
    EXPECT_EQ(sharing.HomeOfParsing(0, row), row < 3 ? 0 : 1);
    EXPECT_EQ(sharing.HomeOf(row, 0, 1), row < 3 ? 0 : 1);
  }
  const uint32_t ahead = sharing.RowsAhead();
  sharing.rows = 5;
  EXPECT_FALSE(sharing.ByRows());
  EXPECT_LT(sharing.RowsAhead(), ahead);
}

TEST(WorkSharingTest, WorkersHaveTileColumnsIfThereAreEnough) {
  const WorkSharing sharing = {
      .workers = 2, .rows = 17, .columns = 30, .tile_cols = 4};
  EXPECT_EQ(sharing.Chunks(), 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sharing.HomeOfParsing(i, 0), i < 2 ? 0 : 1);
    EXPECT_EQ(sharing.HomeOf(0, i, 4), i < 2 ? 0 : 1);
  }
}

TEST(WorkSharingTest, ElseOneParsesAndTheOthersReconstruct) {
  const WorkSharing sharing = {
      .workers = 3, .rows = 17, .columns = 30, .tile_cols = 1};
  EXPECT_EQ(sharing.RowsAhead(), 4u);
  EXPECT_EQ(sharing.HomeOfParsing(0, 16), 0);
  EXPECT_EQ(sharing.HomeOf(0, 0, 2), 1);
  EXPECT_EQ(sharing.HomeOf(16, 1, 2), 2);
}

TEST(WorkSharingTest, WholeRowsGoRoundTheWorkersThatDoNotParse) {
  WorkSharing sharing = {
      .workers = 3, .rows = 17, .columns = 30, .tile_cols = 4};
  for (uint32_t row = 0; row < 17; ++row) {
    EXPECT_EQ(sharing.HomeOfRow(row), int(row % 3));
  }
  sharing.tile_cols = 1;
  for (uint32_t row = 0; row < 17; ++row) {
    EXPECT_EQ(sharing.HomeOfRow(row), int(1 + row % 2));
  }
  sharing.overlaps = true;
  EXPECT_EQ(sharing.HomeOfRow(5), 0);
  EXPECT_EQ(sharing.HomeOfRow(6), 1);
  sharing.home = 2;
  EXPECT_EQ(sharing.HomeOfRow(0), 2);
}

TEST(WorkSharingTest, NarrowFramesHaveFewCells) {
  for (uint32_t columns = 1; columns < 12; ++columns) {
    const WorkSharing sharing = {
        .workers = 8, .rows = 1, .columns = columns, .tile_cols = 1};
    EXPECT_EQ(sharing.Chunks(), columns < 8 ? 1u : 2u) << columns;
  }
}

}  // namespace
}  // namespace perdix
