// SPDX-License-Identifier: BSD-2-Clause
// The steps are those of the specification's scans and context tables.
#include "codec/av1/scan_steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codec/av1/tables.h"

namespace perdix::av1 {
namespace {

// 8.3.2, coeff_base without neighbours.
int BaseContext(int size, int tx_class, int row, int column) {
  if (tx_class == TX_CLASS_2D) {
    if (row == 0 && column == 0) return 0;
    return kCoeffBaseCtxOffset[size][std::min(row, 4)][std::min(column, 4)];
  }
  const int along = tx_class == TX_CLASS_VERT ? row : column;
  return kCoeffBasePosCtxOffset[std::min(along, 2)];
}

// 8.3.2, coeff_br without neighbours.
int BrContext(int tx_class, int row, int column) {
  if (row == 0 && column == 0) return 0;
  if (tx_class == TX_CLASS_2D) return row < 2 && column < 2 ? 7 : 14;
  return (tx_class == TX_CLASS_HORIZ ? column : row) == 0 ? 7 : 14;
}

TEST(Av1ScanStepsTest, AreTheSpecificationsScansAndContexts) {
  for (int size = 0; size < kTxSizesAll; ++size) {
    const int width = std::min<int>(kTxWidth[size], 32);
    const int height = std::min<int>(kTxHeight[size], 32);
    for (const int tx_class : {TX_CLASS_2D, TX_CLASS_HORIZ, TX_CLASS_VERT}) {
      const ScanStep* steps = kScanSteps[size][tx_class];
      if (steps == nullptr) {
        // 5.11.48: such types exist up to 16x16 only
        EXPECT_GT(kTxSizeSqrUp[size], TX_16X16);
        continue;
      }
      for (int i = 0; i < width * height; ++i) {
        SCOPED_TRACE(testing::Message() << "size " << size << " class "
                                        << tx_class << " step " << i);
        const int row = kScans[size][tx_class][i] / width;
        const int column = kScans[size][tx_class][i] % width;
        ASSERT_EQ(steps[i].position, row * kLevelStride + column);
        ASSERT_EQ(steps[i].base_context,
                  BaseContext(size, tx_class, row, column));
        ASSERT_EQ(steps[i].br_context, BrContext(tx_class, row, column));
      }
    }
  }
}

}  // namespace
}  // namespace perdix::av1
