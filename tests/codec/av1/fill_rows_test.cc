// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/fill_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace perdix::av1 {
namespace {

TEST(Av1FillRowsTest, SetsEachCellAndNoOther) {
  constexpr int kStride = 36, kRows = 5, kFirst = kStride + 2, kHeight = 3;
  for (int width = 0; width <= 32; ++width) {
    std::vector<uint64_t> cells(kStride * kRows, 1);
    FillRows(&cells[kFirst], kStride, uint64_t{7}, width, kHeight);
    for (int i = 0; i < kStride * kRows; ++i) {
      const int row = (i - kFirst) / kStride, column = (i - kFirst) % kStride;
      const bool set = i >= kFirst && row < kHeight && column < width;
      ASSERT_EQ(cells[size_t(i)], set ? 7u : 1u) << width << " at " << i;
    }
  }
}

}  // namespace
}  // namespace perdix::av1
