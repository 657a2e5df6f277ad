// SPDX-License-Identifier: BSD-2-Clause
#include "engine/parse_grid.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

TEST(ParseGridTest, RowComesAfterTheOneAboveIt) {
  ParseGrid grid;
  grid.Reset(3, 2, 3);
  EXPECT_EQ(grid.kept_rows(), 3u);
  for (uint32_t row = 0; row < 3; ++row) {
    EXPECT_TRUE(grid.Meet(0, row));
    EXPECT_TRUE(grid.Meet(1, row));
  }
}

TEST(ParseGridTest, RowBeyondThoseKeptWaitsForRoomToo) {
  ParseGrid grid;
  grid.Reset(4, 1, 2);
  EXPECT_TRUE(grid.Meet(0, 0));
  EXPECT_TRUE(grid.Meet(0, 1));
  EXPECT_FALSE(grid.Meet(0, 2));  // room first
  EXPECT_TRUE(grid.Meet(0, 2));
  EXPECT_FALSE(grid.Meet(0, 3));
  EXPECT_TRUE(grid.Meet(0, 3));
}

TEST(ParseGridTest, RowAndFrameEndWithTheirLastTileColumn) {
  ParseGrid grid;
  grid.Reset(2, 3, 2);
  for (const bool last : {false, false, true}) {
    EXPECT_EQ(grid.EndRow(1), last);
    EXPECT_EQ(grid.EndRow(0), last);
    EXPECT_EQ(grid.EndTile(), last);
  }
}

TEST(ParseGridTest, AnotherFrameBeginsAnew) {
  ParseGrid grid;
  grid.Reset(2, 1, 1);
  EXPECT_TRUE(grid.Meet(0, 0));
  EXPECT_FALSE(grid.Meet(0, 1));
  grid.Reset(5, 2, 5);  // larger
  EXPECT_TRUE(grid.Meet(1, 4));
  EXPECT_FALSE(grid.EndRow(4));
  grid.Reset(1, 1, 1);
  EXPECT_TRUE(grid.Meet(0, 0));
  EXPECT_TRUE(grid.EndRow(0));
  EXPECT_TRUE(grid.EndTile());
}

}  // namespace
}  // namespace perdix
