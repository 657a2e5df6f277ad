// SPDX-License-Identifier: BSD-2-Clause
#include "codec/tile_lists.h"

#include <gtest/gtest.h>

#include "kernels/kernel.h"

namespace perdix {
namespace {

constexpr uint32_t kRows = 5;
constexpr Range kColumns = {3, 5};

struct Mark {
  uint32_t row, column, padding[2];
};
constexpr List<Mark> kMarks = {1};

// Items of kMarks, whatever the kernel does.
constexpr KernelRow kKernel = {
    .name = "Mark", .key = "mark", .list = kMarks.index};

TileLists NewLists(uint32_t kept_rows) {
  TileLists lists;
  TileLists::Capacity capacity;
  capacity.records[kMarks.index] = 1;
  lists.Reset(kRows, kColumns, capacity);
  lists.KeepRows(kept_rows);
  return lists;
}

// One record in each superblock, named by its position.
void WriteRow(TileLists& lists, uint32_t row) {
  lists.BeginRow(row);
  for (uint32_t col = kColumns.begin; col < kColumns.end; ++col) {
    lists.Of(kMarks).Append({row, col, {}});
    lists.EndSuperblock(row, col);
  }
}

Range Items(const TileLists& lists, uint32_t row, Range columns) {
  return kKernel.Items(lists.View(), {}, row, columns);
}

void ExpectRow(const TileLists& lists, uint32_t row) {
  for (uint32_t col = kColumns.begin; col < kColumns.end; ++col) {
    const Range items = Items(lists, row, {col, col + 1});
    ASSERT_EQ(items.end - items.begin, 1u);
    const Mark mark = lists.View().Of(kMarks)[items.begin];
    EXPECT_EQ(mark.row, row);
    EXPECT_EQ(mark.column, col);
  }
  const Range all = Items(lists, row, {0, 100});
  EXPECT_EQ(all.end - all.begin, 2u);
}

TEST(TileListsTest, HoldAFrameInOnePiece) {
  TileLists lists = NewLists(kRows);
  for (uint32_t row = 0; row < kRows; ++row) WriteRow(lists, row);
  for (uint32_t row = 0; row < kRows; ++row) ExpectRow(lists, row);
  EXPECT_EQ(lists.Written().Of(kMarks).size(), kRows * lists.width());
}

TEST(TileListsTest, UseTheRoomOfRowsThatAreReconstructed) {
  TileLists lists = NewLists(2);
  for (uint32_t row = 0; row < kRows; ++row) {
    WriteRow(lists, row);
    ExpectRow(lists, row);
    if (row > 0) ExpectRow(lists, row - 1);
  }
  EXPECT_EQ(Items(lists, 4, kColumns).begin, Items(lists, 0, kColumns).begin);
}

TEST(TileListsTest, HaveNoItemsInOtherColumns) {
  TileLists lists = NewLists(kRows);
  WriteRow(lists, 0);
  for (const Range columns : {Range{0, 3}, Range{5, 9}, Range{4, 4}}) {
    const Range items = Items(lists, 0, columns);
    EXPECT_EQ(items.begin, items.end);
  }
}

}  // namespace
}  // namespace perdix
