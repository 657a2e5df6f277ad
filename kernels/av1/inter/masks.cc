// SPDX-License-Identifier: BSD-2-Clause
// Tables of 7.11.3.9, .11 and .13. The 288 wedge masks are cut out of twelve
// master masks: six directions, and their complements.
#include "kernels/av1/inter/masks.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace perdix::av1 {
namespace {

// ---- wedges (7.11.3.11) ----

constexpr int kMasterSize = 64;  // MASK_MASTER_SIZE
static_assert(kMasterSize == kWedgeStride);

enum Direction : uint8_t {
  kHorizontal,
  kVertical,
  kOblique27,
  kOblique63,
  kOblique117,
  kOblique153,
  kDirections
};

// What all three master lines have left and right of their middle part.
struct MasterLine {
  uint8_t first;  // column of the middle part; 0 before, 64 after it
  uint8_t middle[8];

  constexpr uint8_t At(int column) const {
    if (column < first) return 0;
    return column < first + 8 ? middle[column - first] : kMaskOne;
  }
};
constexpr MasterLine kObliqueOdd = {28, {1, 2, 6, 18, 37, 53, 60, 63}};
constexpr MasterLine kObliqueEven = {28, {1, 4, 11, 27, 46, 58, 62, 63}};
constexpr MasterLine kUpright = {29, {2, 7, 21, 43, 57, 62, 64, 64}};

struct Wedge {
  Direction direction;
  uint8_t x_offset;  // eighths of the block
  uint8_t y_offset;
};

constexpr int kWedges = 16;
// Wedge_Codebook: higher than wide, wider than high, square.
constexpr Wedge kCodebook[3][kWedges] = {{{kOblique27, 4, 4},
                                          {kOblique63, 4, 4},
                                          {kOblique117, 4, 4},
                                          {kOblique153, 4, 4},
                                          {kHorizontal, 4, 2},
                                          {kHorizontal, 4, 4},
                                          {kHorizontal, 4, 6},
                                          {kVertical, 4, 4},
                                          {kOblique27, 4, 2},
                                          {kOblique27, 4, 6},
                                          {kOblique153, 4, 2},
                                          {kOblique153, 4, 6},
                                          {kOblique63, 2, 4},
                                          {kOblique63, 6, 4},
                                          {kOblique117, 2, 4},
                                          {kOblique117, 6, 4}},
                                         {{kOblique27, 4, 4},
                                          {kOblique63, 4, 4},
                                          {kOblique117, 4, 4},
                                          {kOblique153, 4, 4},
                                          {kVertical, 2, 4},
                                          {kVertical, 4, 4},
                                          {kVertical, 6, 4},
                                          {kHorizontal, 4, 4},
                                          {kOblique27, 4, 2},
                                          {kOblique27, 4, 6},
                                          {kOblique153, 4, 2},
                                          {kOblique153, 4, 6},
                                          {kOblique63, 2, 4},
                                          {kOblique63, 6, 4},
                                          {kOblique117, 2, 4},
                                          {kOblique117, 6, 4}},
                                         {{kOblique27, 4, 4},
                                          {kOblique63, 4, 4},
                                          {kOblique117, 4, 4},
                                          {kOblique153, 4, 4},
                                          {kHorizontal, 4, 2},
                                          {kHorizontal, 4, 6},
                                          {kVertical, 2, 4},
                                          {kVertical, 6, 4},
                                          {kOblique27, 4, 2},
                                          {kOblique27, 4, 6},
                                          {kOblique153, 4, 2},
                                          {kOblique153, 4, 6},
                                          {kOblique63, 2, 4},
                                          {kOblique63, 6, 4},
                                          {kOblique117, 2, 4},
                                          {kOblique117, 6, 4}}};

constexpr int kLeastWedgeLog2 = 3;
constexpr int kWedgeSizes = 3;  // 8, 16, 32 in each direction

struct WedgeTables {
  // [1]: complements.
  uint8_t master[2][kDirections][kMasterSize][kMasterSize];
  // flipSign of the table's initialisation, a bit for each wedge.
  uint16_t flips[kWedgeSizes][kWedgeSizes];  // by width, height
};

constexpr const Wedge& FindWedge(uint32_t width_log2, uint32_t height_log2,
                                 uint32_t index) {
  const int shape = height_log2 > width_log2   ? 0
                    : height_log2 < width_log2 ? 1
                                               : 2;
  return kCodebook[shape][index];
}

// The block's upper left corner in the master mask.
constexpr int Corner(int eighths, uint32_t size_log2) {
  return kMasterSize / 2 - ((eighths << size_log2) >> 3);
}

constexpr void MakeMasters(WedgeTables& tables) {
  auto& master = tables.master[0];
  int shift = kMasterSize / 4;
  for (int i = 0; i < kMasterSize; ++i) {
    if (i % 2 != 0) --shift;
    for (int j = 0; j < kMasterSize; ++j) {
      const int column = std::clamp(j - shift, 0, kMasterSize - 1);
      const uint8_t oblique =
          (i % 2 == 0 ? kObliqueEven : kObliqueOdd).At(column);
      const auto inverse = static_cast<uint8_t>(kMaskOne - oblique);
      master[kOblique63][i][j] = oblique;
      master[kOblique27][j][i] = oblique;
      master[kOblique117][i][kMasterSize - 1 - j] = inverse;
      master[kOblique153][kMasterSize - 1 - j][i] = inverse;
      master[kVertical][i][j] = kUpright.At(j);
      master[kHorizontal][j][i] = kUpright.At(j);
    }
  }
  for (int d = 0; d < kDirections; ++d) {
    for (int i = 0; i < kMasterSize; ++i) {
      for (int j = 0; j < kMasterSize; ++j) {
        tables.master[1][d][i][j] =
            static_cast<uint8_t>(kMaskOne - master[d][i][j]);
      }
    }
  }
}

// Whether the mean of the block's first row and column is below one half.
constexpr bool Flips(const WedgeTables& tables, const Wedge& wedge,
                     uint32_t width_log2, uint32_t height_log2) {
  const auto& master = tables.master[0][wedge.direction];
  const int x = Corner(wedge.x_offset, width_log2);
  const int y = Corner(wedge.y_offset, height_log2);
  const int width = 1 << width_log2;
  const int height = 1 << height_log2;
  int sum = 0;
  for (int i = 0; i < width; ++i) sum += master[y][x + i];
  for (int i = 1; i < height; ++i) sum += master[y + i][x];
  const int count = width + height - 1;
  return (sum + count / 2) / count < kMaskOne / 2;
}

constexpr WedgeTables MakeWedges() {
  WedgeTables tables = {};
  MakeMasters(tables);
  for (uint32_t w = 0; w < kWedgeSizes; ++w) {
    for (uint32_t h = 0; h < kWedgeSizes; ++h) {
      for (uint32_t i = 0; i < kWedges; ++i) {
        const uint32_t w_log2 = w + kLeastWedgeLog2;
        const uint32_t h_log2 = h + kLeastWedgeLog2;
        if (Flips(tables, FindWedge(w_log2, h_log2, i), w_log2, h_log2)) {
          tables.flips[w][h] |= static_cast<uint16_t>(1 << i);
        }
      }
    }
  }
  return tables;
}

constexpr WedgeTables kTables = MakeWedges();

// ---- overlapping blocks (7.11.3.9), inter-intra (7.11.3.13) ----

// The mask of length n begins at n - 2.
constexpr uint8_t kObmcMasks[62] = {
    45, 64,                                                          // 2
    39, 50, 59, 64,                                                  // 4
    36, 42, 48, 53, 57, 61, 64, 64,                                  // 8
    34, 37, 40, 43, 46, 49, 52, 54,                                  // 16
    56, 58, 60, 61, 64, 64, 64, 64, 33, 35, 36, 38, 40, 41, 43, 44,  // 32
    45, 47, 48, 50, 51, 52, 53, 55, 56, 57, 58, 59, 60, 60, 61, 62,
    64, 64, 64, 64, 64, 64, 64, 64};

constexpr int kMaxSuperblock = 128;  // MAX_SB_SIZE
// Ii_Weights_1d.
constexpr uint8_t kSmoothWeights[kMaxSuperblock] = {
    60, 58, 56, 54, 52, 50, 48, 47, 45, 44, 42, 41, 39, 38, 37, 35, 34, 33, 32,
    31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 22, 21, 20, 19, 19, 18, 18, 17, 16,
    16, 15, 15, 14, 14, 13, 13, 12, 12, 12, 11, 11, 10, 10, 10, 9,  9,  9,  8,
    8,  8,  8,  7,  7,  7,  7,  6,  6,  6,  6,  6,  5,  5,  5,  5,  5,  4,  4,
    4,  4,  4,  4,  4,  4,  3,  3,  3,  3,  3,  3,  3,  3,  3,  2,  2,  2,  2,
    2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  1,  1,  1,  1,  1,  1,  1,  1,
    1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1};

enum SmoothMode : uint32_t { kDc, kV, kH, kSmooth };

// Four pixels of a chroma mask, the mean of two weights side by side in one or
// two rows: both bytes of each.
template <int kRows>
inline uint64_t MeanWeights(const uint8_t* luma, ptrdiff_t stride) {
  constexpr uint64_t kOnes = 0x0001'0001'0001'0001;  // four lanes of 16 bits
  constexpr uint64_t kBytes = 0xff * kOnes;
  uint64_t sums = kRows * kOnes;
  for (int r = 0; r < kRows; ++r) {
    uint64_t row;
    std::memcpy(&row, luma + r * stride, sizeof(row));
    sums += (row & kBytes) + ((row >> 8) & kBytes);
  }
  const uint64_t means = (sums >> kRows) & kBytes;
  return means | means << 8;
}

// width: a multiple of 4.
template <int kRows>
void MakeChromaMask(MaskRows luma, int width, int height,
                    uint8_t* __restrict chroma) {
  for (int r = 0; r < height; ++r) {
    const uint8_t* const row = luma.data + r * kRows * luma.stride;
    for (int c = 0; c < width; c += 4, chroma += sizeof(uint64_t)) {
      const uint64_t weights = MeanWeights<kRows>(row + 2 * c, luma.stride);
      std::memcpy(chroma, &weights, sizeof(weights));
    }
  }
}

// Chroma of luma's size.
void RepeatMask(MaskRows luma, int width, int height,
                uint8_t* __restrict chroma) {
  for (int r = 0; r < height; ++r, chroma += 2 * width) {
    for (int i = 0; i < 2 * width; ++i)
      chroma[i] = luma.data[r * luma.stride + i / 2];
  }
}

}  // namespace

const uint8_t* WedgeMask(uint32_t width_log2, uint32_t height_log2,
                         uint32_t flip_sign, uint32_t wedge_index) {
  assert(width_log2 - kLeastWedgeLog2 < kWedgeSizes &&
         height_log2 - kLeastWedgeLog2 < kWedgeSizes);
  const Wedge& wedge = FindWedge(width_log2, height_log2, wedge_index);
  const uint32_t flips =
      kTables
          .flips[width_log2 - kLeastWedgeLog2][height_log2 - kLeastWedgeLog2];
  const uint32_t complement = ((flips >> wedge_index) & 1) ^ flip_sign;
  return &kTables.master[complement][wedge.direction][Corner(
      wedge.y_offset, height_log2)][Corner(wedge.x_offset, width_log2)];
}

std::span<const uint8_t> WedgeMasters() {
  return {&kTables.master[0][0][0][0], sizeof(kTables.master)};
}

const uint8_t* ObmcMask(int length) { return &kObmcMasks[length - 2]; }

void ChromaMask(MaskRows luma, uint32_t subsampling_x, uint32_t subsampling_y,
                int width, int height, uint8_t* chroma) {
  if (subsampling_y != 0) {
    MakeChromaMask<2>(luma, width, height, chroma);
  } else if (subsampling_x != 0) {
    MakeChromaMask<1>(luma, width, height, chroma);
  } else {
    RepeatMask(luma, width, height, chroma);
  }
}

void SmoothMask(uint32_t mode, int width, int height, int pixel_step,
                uint8_t* mask) {
  const int scale = kMaxSuperblock / std::max(width, height);
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      const int at = mode == kV ? i : mode == kH ? j : std::min(i, j);
      const uint8_t weight =
          mode == kDc ? kMaskOne / 2 : kSmoothWeights[at * scale];
      for (int s = 0; s < pixel_step; ++s) *mask++ = weight;
    }
  }
}

}  // namespace perdix::av1
