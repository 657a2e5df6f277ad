// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "codec/av1/quantizer_matrices/tables.h"

namespace perdix::av1 {
namespace {

// The block of this size in samples; BLOCK_INVALID where there is none.
int BlockOf(int width, int height) {
  for (int size = 0; size < kBlockSizes; ++size) {
    if (kBlockWidth[size] == width && kBlockHeight[size] == height) return size;
  }
  return BLOCK_INVALID;
}

TEST(Av1TablesTest, BlockSizesAgree) {
  EXPECT_EQ(BlockOf(16, 64), BLOCK_16X64);
  EXPECT_EQ(BlockOf(128, 64), BLOCK_128X64);
  for (int size = 0; size < kBlockSizes; ++size) {
    EXPECT_EQ(kBlockWidth[size], 4 * kNum4x4BlocksWide[size]);
    EXPECT_EQ(kBlockHeight[size], 4 * kNum4x4BlocksHigh[size]);
    EXPECT_EQ(kBlockWidth[size], 1 << kBlockWidthLog2[size]);
    EXPECT_EQ(kBlockHeight[size], 1 << kBlockHeightLog2[size]);
    EXPECT_EQ(kNum4x4BlocksWide[size], 1 << kMiWidthLog2[size]);
    EXPECT_EQ(kNum4x4BlocksHigh[size], 1 << kMiHeightLog2[size]);
    const int tx_size = kMaxTxSizeRect[size];
    EXPECT_EQ(kTxWidth[tx_size], std::min<int>(64, kBlockWidth[size]));
    EXPECT_EQ(kTxHeight[tx_size], std::min<int>(64, kBlockHeight[size]));
    // 5.11.5: 8..32 in both directions, and not 8x4 and such.
    const int shorter = std::min(kBlockWidth[size], kBlockHeight[size]);
    const int longer = std::max(kBlockWidth[size], kBlockHeight[size]);
    EXPECT_EQ(kWedgeBits[size], shorter >= 8 && longer <= 32 ? 4 : 0) << size;
  }
}

TEST(Av1TablesTest, PartitionsDivideSquares) {
  // Width and height of the (first) part, in parts of the square.
  constexpr std::pair<int, int> kParts[10] = {{1, 1}, {1, 2}, {2, 1}, {2, 2},
                                              {1, 2}, {1, 2}, {2, 1}, {2, 1},
                                              {1, 4}, {4, 1}};
  for (int partition = 0; partition < 10; ++partition) {
    for (int size = 0; size < kBlockSizes; ++size) {
      const int subsize = kPartitionSubsize[partition][size];
      const int width = kBlockWidth[size];
      const auto [across, down] = kParts[partition];
      const bool divides = width == kBlockHeight[size] && width >= 4 * across &&
                           width >= 4 * down;
      if (subsize == BLOCK_INVALID) {
        // 128x32 and 32x128 do not exist.
        EXPECT_TRUE(!divides || width == 128)
            << "partition " << partition << " size " << size;
        continue;
      }
      EXPECT_TRUE(divides) << "partition " << partition << " size " << size;
      EXPECT_EQ(subsize, BlockOf(width / across, width / down));
    }
  }
  EXPECT_EQ(kPartitionSubsize[PARTITION_HORZ_4][BLOCK_128X128], BLOCK_INVALID);
}

TEST(Av1TablesTest, SubsamplingHalvesBlocks) {
  for (int size = 0; size < kBlockSizes; ++size) {
    for (int x = 0; x < 2; ++x) {
      for (int y = 0; y < 2; ++y) {
        const int subsize = kSubsampledSize[size][x][y];
        if (subsize == BLOCK_INVALID) continue;
        EXPECT_EQ(kBlockWidth[subsize], std::max(4, kBlockWidth[size] >> x));
        EXPECT_EQ(kBlockHeight[subsize], std::max(4, kBlockHeight[size] >> y));
      }
    }
    EXPECT_EQ(kSubsampledSize[size][0][0], size);
    EXPECT_NE(kSubsampledSize[size][1][1], BLOCK_INVALID);
  }
}

TEST(Av1TablesTest, TransformSizesAgree) {
  for (int size = 0; size < kTxSizesAll; ++size) {
    const int width = kTxWidth[size], height = kTxHeight[size];
    EXPECT_EQ(width, 1 << kTxWidthLog2[size]);
    EXPECT_EQ(height, 1 << kTxHeightLog2[size]);
    EXPECT_EQ(kFindTxSize[kTxWidthLog2[size] - 2][kTxHeightLog2[size] - 2],
              size);
    EXPECT_EQ(kTxWidth[kTxSizeSqr[size]], std::min(width, height));
    EXPECT_EQ(kTxHeight[kTxSizeSqrUp[size]], std::max(width, height));
    EXPECT_EQ(kTxWidth[kAdjustedTxSize[size]], std::min(width, 32));
    EXPECT_EQ(kTxHeight[kAdjustedTxSize[size]], std::min(height, 32));
    // 5.11.17: the longer side is halved, or both.
    const int split = kSplitTxSize[size];
    EXPECT_EQ(kTxWidth[split], std::max(4, width >= height ? width / 2 : width))
        << size;
    EXPECT_EQ(kTxHeight[split],
              std::max(4, height >= width ? height / 2 : height))
        << size;
  }
  EXPECT_EQ(kFindTxSize[0][3], kTxSizesAll);  // 4x32
}

TEST(Av1TablesTest, ScansVisitEveryPositionOnce) {
  for (int size = 0; size < kTxSizesAll; ++size) {
    for (const uint16_t* scan : kScans[size]) {
      const int count = std::min<int>(32, kTxWidth[size]) *
                        std::min<int>(32, kTxHeight[size]);
      std::vector<int> visits(size_t(count), 0);
      for (int i = 0; i < count; ++i) {
        ASSERT_LT(scan[i], count);
        ++visits[scan[i]];
      }
      EXPECT_EQ(visits, std::vector<int>(size_t(count), 1)) << "size " << size;
      EXPECT_EQ(scan[0], 0);
    }
  }
}

TEST(Av1TablesTest, ScansOfOneDimensionalTransformsGoByRowsOrColumns) {
  for (int size = 0; size < kTxSizesAll; ++size) {
    const int width = kTxWidth[size], height = kTxHeight[size];
    if (std::max(width, height) > 16) continue;
    const uint16_t* by_column = kScans[size][TX_CLASS_HORIZ];
    const uint16_t* by_row = kScans[size][TX_CLASS_VERT];
    for (int i = 0; i < width * height; ++i) {
      EXPECT_EQ(by_row[i], i);
      EXPECT_EQ(by_column[i], i % height * width + i / height);
    }
  }
}

TEST(Av1TablesTest, DefaultScansGoByDiagonals) {
  for (int size = 0; size < kTxSizesAll; ++size) {
    const int width = std::min<int>(32, kTxWidth[size]);
    const int height = std::min<int>(32, kTxHeight[size]);
    const uint16_t* scan = kScans[size][TX_CLASS_2D];
    for (int i = 1; i < width * height; ++i) {
      EXPECT_GE(scan[i] / width + scan[i] % width,
                scan[i - 1] / width + scan[i - 1] % width)
          << "size " << size << " index " << i;
    }
  }
}

template <size_t kCount>
uint16_t SetOf(const uint8_t (&types)[kCount]) {
  uint16_t set = 0;
  for (uint8_t type : types) set = uint16_t(set | 1u << type);
  return set;
}

// Tx_Type_In_Set_Intra (5.11.40), by set. Bit t: TxType t is in the set.
constexpr uint16_t kTxTypesInSetIntra[3] = {0x0001, 0x0e0f, 0x020f};

TEST(Av1TablesTest, TransformTypesOfASetAreThoseThatAreCoded) {
  EXPECT_EQ(SetOf(kTxTypeIntraInvSet1), kTxTypesInSetIntra[1]);
  EXPECT_EQ(SetOf(kTxTypeIntraInvSet2), kTxTypesInSetIntra[2]);
  EXPECT_EQ(SetOf(kTxTypeInterInvSet1), kTxTypesInSetInter[1]);
  EXPECT_EQ(SetOf(kTxTypeInterInvSet2), kTxTypesInSetInter[2]);
  EXPECT_EQ(SetOf(kTxTypeInterInvSet3), kTxTypesInSetInter[3]);
  EXPECT_EQ(std::popcount(kTxTypesInSetIntra[1]), 7);
  EXPECT_EQ(std::popcount(kTxTypesInSetInter[2]), 12);
}

TEST(Av1TablesTest, QuantisersRise) {
  for (int depth = 0; depth < 3; ++depth) {
    for (int i = 1; i < 256; ++i) {
      EXPECT_GE(kDcQlookup[depth][i], kDcQlookup[depth][i - 1]);
      EXPECT_GT(kAcQlookup[depth][i], kAcQlookup[depth][i - 1]);
    }
  }
  EXPECT_EQ(kDcQlookup[0][255], 1336);
  EXPECT_EQ(kAcQlookup[2][255], 29247);
}

TEST(Av1TablesTest, DivisionTablesDivide) {
  for (int i = 1; i < 32; ++i) EXPECT_EQ(kDivMult[i], 16384 / i);
  for (int i = 0; i <= 256; ++i) {
    EXPECT_EQ(kDivLut[i], ((1 << 22) + (256 + i) / 2) / (256 + i));
  }
}

// 9.5.2: every matrix is a subsampled one of 32x32, 32x16 or 16x32.
TEST(Av1TablesTest, QuantiserMatricesAreSubsampled) {
  for (int level = 0; level < 15; ++level) {
    for (int plane_type = 0; plane_type < 2; ++plane_type) {
      for (int size = 0; size < kTxSizesAll; ++size) {
        const int width = std::min<int>(32, kTxWidth[size]);
        const int height = std::min<int>(32, kTxHeight[size]);
        const TxSize full = width == height  ? TX_32X32
                            : width > height ? TX_32X16
                                             : TX_16X32;
        const int step_x = kTxWidth[full] / width;
        const int step_y = kTxHeight[full] / height;
        const uint8_t* from = QuantizerMatrix(level, plane_type, full) +
                              ((step_y + 1) / 2 - 1) * kTxWidth[full] +
                              (step_x + 1) / 2 - 1;
        const uint8_t* matrix =
            QuantizerMatrix(level, plane_type, TxSize(size));
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            ASSERT_EQ(matrix[y * width + x],
                      from[y * step_y * kTxWidth[full] + x * step_x])
                << "level " << level << " size " << size << " at " << x << ", "
                << y;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace perdix::av1
