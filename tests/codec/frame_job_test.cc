// SPDX-License-Identifier: BSD-2-Clause
#include "codec/frame_job.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

constexpr uint32_t kRows = 5;
constexpr uint32_t kColumns = 2;

TileLists NewLists(uint32_t kept_rows) {
  FrameParams params = {};
  params.sb_rows = kRows;
  params.bit_depth = 8;
  params.subsampling_x = params.subsampling_y = 1;
  TileLists lists;
  lists.Reset(params, 0, kColumns);
  lists.kept_rows = kept_rows;
  return lists;
}

// As tile.cc: one inter block in each superblock, named by its position.
void WriteRow(TileLists& lists, uint32_t row) {
  lists.BeginRow(row);
  for (uint32_t col = 0; col < kColumns; ++col) {
    lists.inter_blocks.Append({PackPosition(col, row), 0, 0, 0});
    SuperblockIndex& end = lists.index[1 + row * kColumns + col];
    end.inter_blocks = uint32_t(lists.inter_blocks.size());
  }
}

void ExpectRow(const TileLists& lists, uint32_t row) {
  for (uint32_t col = 0; col < kColumns; ++col) {
    const Range items =
        lists.Items(&SuperblockIndex::inter_blocks, row, col, col + 1);
    ASSERT_EQ(items.end - items.begin, 1u);
    EXPECT_EQ(lists.View().inter_blocks[items.begin].position,
              PackPosition(col, row));
  }
}

TEST(TileListsTest, HoldAFrameInOnePiece) {
  TileLists lists = NewLists(kRows);
  for (uint32_t row = 0; row < kRows; ++row) WriteRow(lists, row);
  for (uint32_t row = 0; row < kRows; ++row) ExpectRow(lists, row);
  EXPECT_EQ(lists.Written().inter_blocks.size(), kRows * kColumns);
}

TEST(TileListsTest, UseTheRoomOfRowsThatAreReconstructed) {
  TileLists lists = NewLists(2);
  for (uint32_t row = 0; row < kRows; ++row) {
    WriteRow(lists, row);
    ExpectRow(lists, row);
    if (row > 0) ExpectRow(lists, row - 1);
  }
  EXPECT_EQ(lists.Items(&SuperblockIndex::inter_blocks, 4, 0, 2).begin,
            lists.Items(&SuperblockIndex::inter_blocks, 0, 0, 2).begin);
}

}  // namespace
}  // namespace perdix
