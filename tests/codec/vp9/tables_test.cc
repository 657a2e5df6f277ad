// SPDX-License-Identifier: BSD-2-Clause
#include "codec/vp9/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace perdix::vp9 {
namespace {

constexpr int kScanSizes[kTxSizes] = {16, 64, 256, 1024};

TEST(Vp9TablesTest, ScansVisitEveryPositionOnce) {
  for (int tx_size = 0; tx_size < kTxSizes; ++tx_size) {
    for (int tx_type = 0; tx_type < kTxTypes; ++tx_type) {
      const ScanStep* scan = scan_orders[tx_size][tx_type];
      std::vector<int> visits(size_t(kScanSizes[tx_size]));
      for (int n = 0; n < kScanSizes[tx_size]; ++n) {
        ASSERT_LT(scan[n].position, kScanSizes[tx_size]);
        ++visits[scan[n].position];
      }
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1))
          << "size " << tx_size << " type " << tx_type;
      EXPECT_EQ(scan[0].position, 0);
    }
  }
}

TEST(Vp9TablesTest, BandsGrowAlongTheScan) {
  // VP9 10.2, coefband_4x4 and coefband_8x8plus: coefficients of a band
  const std::vector<std::vector<int>> lengths = {{1, 2, 3, 4, 3, 3},
                                                 {1, 2, 3, 4, 11, 43},
                                                 {1, 2, 3, 4, 11, 235},
                                                 {1, 2, 3, 4, 11, 1003}};
  for (size_t tx_size = 0; tx_size < kTxSizes; ++tx_size) {
    for (const ScanStep* step : scan_orders[tx_size]) {
      for (int band = 0; band < kCoefBands; ++band) {
        for (int i = 0; i < lengths[tx_size][size_t(band)]; ++i, ++step) {
          ASSERT_EQ(step->set_base, 2 * (2 * band * kCoefContexts + 1));
        }
      }
    }
  }
}

TEST(Vp9TablesTest, CoefficientsLookBackTwiceAtEarlierNeighbours) {
  for (int tx_size = 0; tx_size < kTxSizes; ++tx_size) {
    const size_t width = size_t{4} << tx_size;
    for (const ScanStep* scan : scan_orders[tx_size]) {
      std::vector<int> looks(width * width + width + 1);
      looks[0] = 2;
      for (size_t n = 0; n < width * width; ++n) {
        const ScanStep& step = scan[n];
        ASSERT_EQ(looks[step.position], 2) << "coefficient " << n;
        looks[step.position + 1u] += step.right;
        looks[step.position + width] += step.below;
        if (step.position % width == width - 1) {
          EXPECT_EQ(step.right, 0);
        }
        if (step.position / width == width - 1) {
          EXPECT_EQ(step.below, 0);
        }
      }
    }
  }
}

TEST(Vp9TablesTest, NeighboursFollowTheDirectionOfTheScan) {
  // Position 5 of a 4x4 transform has 1 above and 4 to the left.
  const auto neighbours_of_5 = [](TxType type) {
    int above = 0, left = 0;
    for (const ScanStep* step = scan_orders[TX_4X4][type]; step->position != 5;
         ++step) {
      if (step->position == 1) above = step->below;
      if (step->position == 4) left = step->right;
    }
    return std::pair<int, int>(above, left);
  };
  EXPECT_EQ(neighbours_of_5(DCT_DCT), std::pair(1, 1));
  EXPECT_EQ(neighbours_of_5(ADST_ADST), std::pair(1, 1));
  EXPECT_EQ(neighbours_of_5(ADST_DCT), std::pair(0, 2));  // row scan
  EXPECT_EQ(neighbours_of_5(DCT_ADST), std::pair(2, 0));  // column scan
}

// Every node and every leaf is reached exactly once.
template <size_t kEntries>
void ExpectCompleteTree(const int8_t (&tree)[kEntries], int first_leaf) {
  std::vector<int> nodes(kEntries / 2), leaves(kEntries / 2 + 1);
  nodes[0] = 1;
  for (const int next : tree) {
    if (next > 0) {
      ASSERT_TRUE(next % 2 == 0 && size_t(next) < kEntries) << next;
      ++nodes[size_t(next / 2)];
    } else {
      ASSERT_TRUE(-next >= first_leaf &&
                  size_t(-next - first_leaf) < leaves.size())
          << next;
      ++leaves[size_t(-next - first_leaf)];
    }
  }
  EXPECT_EQ(nodes, std::vector<int>(nodes.size(), 1));
  EXPECT_EQ(leaves, std::vector<int>(leaves.size(), 1));
}

TEST(Vp9TablesTest, TreesReachEveryLeafOnce) {
  ExpectCompleteTree(partition_tree, 0);
  ExpectCompleteTree(intra_mode_tree, 0);
  ExpectCompleteTree(segment_tree, 0);
  ExpectCompleteTree(inter_mode_tree, 0);
  ExpectCompleteTree(interp_filter_tree, 0);
  ExpectCompleteTree(tx_size_8_tree, 0);
  ExpectCompleteTree(tx_size_16_tree, 0);
  ExpectCompleteTree(tx_size_32_tree, 0);
  ExpectCompleteTree(mv_joint_tree, 0);
  ExpectCompleteTree(mv_class_tree, 0);
  ExpectCompleteTree(mv_fr_tree, 0);
}

TEST(Vp9TablesTest, SizesAgreeWithEachOther) {
  for (int size = 0; size < kBlockSizes; ++size) {
    const int wide = num_4x4_blocks_wide_lookup[size];
    const int high = num_4x4_blocks_high_lookup[size];
    EXPECT_EQ(wide, 1 << b_width_log2_lookup[size]);
    EXPECT_EQ(high, 1 << b_height_log2_lookup[size]);
    EXPECT_EQ(num_8x8_blocks_wide_lookup[size], (wide + 1) / 2);
    EXPECT_EQ(num_8x8_blocks_high_lookup[size], (high + 1) / 2);
    EXPECT_EQ(num_8x8_blocks_wide_lookup[size],
              1 << mi_width_log2_lookup[size]);
    EXPECT_EQ(num_8x8_blocks_high_lookup[size],
              1 << mi_height_log2_lookup[size]);
    EXPECT_EQ(1 << max_txsize_lookup[size], std::min({wide, high, 8}));
  }
}

TEST(Vp9TablesTest, PartitionsHalveSquareBlocks) {
  for (const int size : {BLOCK_8X8, BLOCK_16X16, BLOCK_32X32, BLOCK_64X64}) {
    for (int partition = 0; partition < kPartitionTypes; ++partition) {
      const int half = subsize_lookup[partition][size];
      const bool rows =
          partition == PARTITION_HORZ || partition == PARTITION_SPLIT;
      const bool columns =
          partition == PARTITION_VERT || partition == PARTITION_SPLIT;
      ASSERT_LT(half, BLOCK_INVALID);
      EXPECT_EQ(b_width_log2_lookup[half], b_width_log2_lookup[size] - columns);
      EXPECT_EQ(b_height_log2_lookup[half], b_height_log2_lookup[size] - rows);
    }
  }
}

TEST(Vp9TablesTest, ChromaTransformsFitTheirBlocks) {
  EXPECT_EQ(GetUvTxSize(BLOCK_64X64, TX_32X32, 1, 1), TX_32X32);
  EXPECT_EQ(GetUvTxSize(BLOCK_32X32, TX_32X32, 1, 1), TX_16X16);
  EXPECT_EQ(GetUvTxSize(BLOCK_32X32, TX_32X32, 0, 0), TX_32X32);
  EXPECT_EQ(GetUvTxSize(BLOCK_64X32, TX_32X32, 0, 1), TX_16X16);
  EXPECT_EQ(GetUvTxSize(BLOCK_64X32, TX_32X32, 1, 0), TX_32X32);
  EXPECT_EQ(GetUvTxSize(BLOCK_8X8, TX_8X8, 1, 1), TX_4X4);
  EXPECT_EQ(GetUvTxSize(BLOCK_4X8, TX_4X4, 1, 1), TX_4X4);
}

TEST(Vp9TablesTest, StepsGrowWithTheIndex) {
  for (int depth = 0; depth < kBitDepths; ++depth) {
    for (int i = 1; i < kQIndices; ++i) {
      EXPECT_GE(dc_qlookup[depth][i], dc_qlookup[depth][i - 1]);
      EXPECT_GT(ac_qlookup[depth][i], ac_qlookup[depth][i - 1]);
    }
  }
}

TEST(Vp9TablesTest, Category6SharesItsLowBitsBetweenDepths) {
  EXPECT_EQ(Cat6Bits(8), 14);
  EXPECT_EQ(Cat6Bits(12), 18);
  EXPECT_EQ(Cat6Probs(8)[0], 254);
  EXPECT_EQ(Cat6Probs(10)[0], 255);
  EXPECT_EQ(Cat6Probs(12) + 18, Cat6Probs(8) + 14);
}

}  // namespace
}  // namespace perdix::vp9
