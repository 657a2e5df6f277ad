// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/fill_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace perdix::av1 {
namespace {

template <typename Cell>
void SetsEachCellAndNoOther() {
  constexpr int kStride = 36, kRows = 5, kFirst = kStride + 2, kHeight = 3;
  for (int width = 0; width <= 32; ++width) {
    std::vector<Cell> cells(kStride * kRows, 1);
    FillRows(&cells[kFirst], kStride, Cell{7}, width, kHeight);
    for (int i = 0; i < kStride * kRows; ++i) {
      const int row = (i - kFirst) / kStride, column = (i - kFirst) % kStride;
      const bool set = i >= kFirst && row < kHeight && column < width;
      ASSERT_EQ(cells[size_t(i)], Cell(set ? 7 : 1)) << width << " at " << i;
    }
  }
}

TEST(Av1FillRowsTest, SetsEachCellOf4BytesAndNoOther) {
  SetsEachCellAndNoOther<uint32_t>();
}

TEST(Av1FillRowsTest, SetsEachCellOf8BytesAndNoOther) {
  SetsEachCellAndNoOther<uint64_t>();
}

}  // namespace
}  // namespace perdix::av1
