// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters of 7.11.3.4.
#ifndef PERDIX_KERNELS_AV1_INTER_SUBPEL_FILTERS_H_
#define PERDIX_KERNELS_AV1_INTER_SUBPEL_FILTERS_H_

#include <cstdint>

namespace perdix::av1 {

inline constexpr int kTaps = 8;
inline constexpr int kSubpelPositions = 16;
inline constexpr int kFilterSets = 6;

// Subpel_Filters, each tap halved: all of them are even. So the sum for 8-bit
// samples fits in 16 bits. Tap 3 is that of the sample itself; the taps of a
// filter add up to 64.
inline constexpr int8_t kSubpelFilters[kFilterSets][kSubpelPositions][kTaps] = {
    {{0, 0, 0, 64, 0, 0, 0, 0},
     {0, 1, -3, 63, 4, -1, 0, 0},
     {0, 1, -5, 61, 9, -2, 0, 0},
     {0, 1, -6, 58, 14, -4, 1, 0},
     {0, 1, -7, 55, 19, -5, 1, 0},
     {0, 1, -7, 51, 24, -6, 1, 0},
     {0, 1, -8, 47, 29, -6, 1, 0},
     {0, 1, -7, 42, 33, -6, 1, 0},
     {0, 1, -7, 38, 38, -7, 1, 0},
     {0, 1, -6, 33, 42, -7, 1, 0},
     {0, 1, -6, 29, 47, -8, 1, 0},
     {0, 1, -6, 24, 51, -7, 1, 0},
     {0, 1, -5, 19, 55, -7, 1, 0},
     {0, 1, -4, 14, 58, -6, 1, 0},
     {0, 0, -2, 9, 61, -5, 1, 0},
     {0, 0, -1, 4, 63, -3, 1, 0}},
    {{0, 0, 0, 64, 0, 0, 0, 0},
     {0, 1, 14, 31, 17, 1, 0, 0},
     {0, 0, 13, 31, 18, 2, 0, 0},
     {0, 0, 11, 31, 20, 2, 0, 0},
     {0, 0, 10, 30, 21, 3, 0, 0},
     {0, 0, 9, 29, 22, 4, 0, 0},
     {0, 0, 8, 28, 23, 5, 0, 0},
     {0, -1, 8, 27, 24, 6, 0, 0},
     {0, -1, 7, 26, 26, 7, -1, 0},
     {0, 0, 6, 24, 27, 8, -1, 0},
     {0, 0, 5, 23, 28, 8, 0, 0},
     {0, 0, 4, 22, 29, 9, 0, 0},
     {0, 0, 3, 21, 30, 10, 0, 0},
     {0, 0, 2, 20, 31, 11, 0, 0},
     {0, 0, 2, 18, 31, 13, 0, 0},
     {0, 0, 1, 17, 31, 14, 1, 0}},
    {{0, 0, 0, 64, 0, 0, 0, 0},
     {-1, 1, -3, 63, 4, -1, 1, 0},
     {-1, 3, -6, 62, 8, -3, 2, -1},
     {-1, 4, -9, 60, 13, -5, 3, -1},
     {-2, 5, -11, 58, 19, -7, 3, -1},
     {-2, 5, -11, 54, 24, -9, 4, -1},
     {-2, 5, -12, 50, 30, -10, 4, -1},
     {-2, 5, -12, 45, 35, -11, 5, -1},
     {-2, 6, -12, 40, 40, -12, 6, -2},
     {-1, 5, -11, 35, 45, -12, 5, -2},
     {-1, 4, -10, 30, 50, -12, 5, -2},
     {-1, 4, -9, 24, 54, -11, 5, -2},
     {-1, 3, -7, 19, 58, -11, 5, -2},
     {-1, 3, -5, 13, 60, -9, 4, -1},
     {-1, 2, -3, 8, 62, -6, 3, -1},
     {0, 1, -1, 4, 63, -3, 1, -1}},
    {{0, 0, 0, 64, 0, 0, 0, 0},
     {0, 0, 0, 60, 4, 0, 0, 0},
     {0, 0, 0, 56, 8, 0, 0, 0},
     {0, 0, 0, 52, 12, 0, 0, 0},
     {0, 0, 0, 48, 16, 0, 0, 0},
     {0, 0, 0, 44, 20, 0, 0, 0},
     {0, 0, 0, 40, 24, 0, 0, 0},
     {0, 0, 0, 36, 28, 0, 0, 0},
     {0, 0, 0, 32, 32, 0, 0, 0},
     {0, 0, 0, 28, 36, 0, 0, 0},
     {0, 0, 0, 24, 40, 0, 0, 0},
     {0, 0, 0, 20, 44, 0, 0, 0},
     {0, 0, 0, 16, 48, 0, 0, 0},
     {0, 0, 0, 12, 52, 0, 0, 0},
     {0, 0, 0, 8, 56, 0, 0, 0},
     {0, 0, 0, 4, 60, 0, 0, 0}},
    {{0, 0, 0, 64, 0, 0, 0, 0},
     {0, 0, -2, 63, 4, -1, 0, 0},
     {0, 0, -4, 61, 9, -2, 0, 0},
     {0, 0, -5, 58, 14, -3, 0, 0},
     {0, 0, -6, 55, 19, -4, 0, 0},
     {0, 0, -6, 51, 24, -5, 0, 0},
     {0, 0, -7, 47, 29, -5, 0, 0},
     {0, 0, -6, 42, 33, -5, 0, 0},
     {0, 0, -6, 38, 38, -6, 0, 0},
     {0, 0, -5, 33, 42, -6, 0, 0},
     {0, 0, -5, 29, 47, -7, 0, 0},
     {0, 0, -5, 24, 51, -6, 0, 0},
     {0, 0, -4, 19, 55, -6, 0, 0},
     {0, 0, -3, 14, 58, -5, 0, 0},
     {0, 0, -2, 9, 61, -4, 0, 0},
     {0, 0, -1, 4, 63, -2, 0, 0}},
    {{0, 0, 0, 64, 0, 0, 0, 0},
     {0, 0, 15, 31, 17, 1, 0, 0},
     {0, 0, 13, 31, 18, 2, 0, 0},
     {0, 0, 11, 31, 20, 2, 0, 0},
     {0, 0, 10, 30, 21, 3, 0, 0},
     {0, 0, 9, 29, 22, 4, 0, 0},
     {0, 0, 8, 28, 23, 5, 0, 0},
     {0, 0, 7, 27, 24, 6, 0, 0},
     {0, 0, 6, 26, 26, 6, 0, 0},
     {0, 0, 6, 24, 27, 7, 0, 0},
     {0, 0, 5, 23, 28, 8, 0, 0},
     {0, 0, 4, 22, 29, 9, 0, 0},
     {0, 0, 3, 21, 30, 10, 0, 0},
     {0, 0, 2, 20, 31, 11, 0, 0},
     {0, 0, 2, 18, 31, 13, 0, 0},
     {0, 0, 1, 17, 31, 15, 0, 0}},
};

// The set for a block that is <size> samples wide (high). interp_filter: 0
// EIGHTTAP, 1 SMOOTH, 2 SHARP, 3 BILINEAR.
constexpr int FilterSet(uint32_t interp_filter, int size) {
  constexpr uint8_t kSets[2][4] = {{0, 1, 2, 3}, {4, 5, 4, 3}};
  return kSets[size <= 4 ? 1 : 0][interp_filter];
}

// How many taps in the middle of a filter hold all that are not zero: 1, 4, 6
// or
// 8. Bilinear filters are rare: they count as those with 4.
struct TapCounts {
  uint8_t of[kFilterSets][kSubpelPositions];
};
inline constexpr TapCounts kTapCounts = [] {
  constexpr uint8_t kOfSet[kFilterSets] = {6, 6, 8, 4, 4, 4};
  TapCounts counts = {};
  for (int set = 0; set < kFilterSets; ++set) {
    counts.of[set][0] = 1;
    for (int subpel = 1; subpel < kSubpelPositions; ++subpel)
      counts.of[set][subpel] = kOfSet[set];
  }
  return counts;
}();

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_SUBPEL_FILTERS_H_
