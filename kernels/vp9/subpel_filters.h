// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters of VP9 8.5.2.4, for every variant of inter
// prediction.
#ifndef PERDIX_KERNELS_VP9_SUBPEL_FILTERS_H_
#define PERDIX_KERNELS_VP9_SUBPEL_FILTERS_H_

#include <cstdint>

namespace perdix::vp9 {

inline constexpr int kTaps = 8;
inline constexpr int kSubpelBits = 4;  // positions are in 1/16 pixel
inline constexpr int kSubpelPositions = 1 << kSubpelBits;

// subpel_filters of VP9 8.5.2.4, in the order of InterBlock's filter.
inline constexpr int16_t kSubpelFilters[4][kSubpelPositions][kTaps] = {
    // regular
    {{0, 0, 0, 128, 0, 0, 0, 0},
     {0, 1, -5, 126, 8, -3, 1, 0},
     {-1, 3, -10, 122, 18, -6, 2, 0},
     {-1, 4, -13, 118, 27, -9, 3, -1},
     {-1, 4, -16, 112, 37, -11, 4, -1},
     {-1, 5, -18, 105, 48, -14, 4, -1},
     {-1, 5, -19, 97, 58, -16, 5, -1},
     {-1, 6, -19, 88, 68, -18, 5, -1},
     {-1, 6, -19, 78, 78, -19, 6, -1},
     {-1, 5, -18, 68, 88, -19, 6, -1},
     {-1, 5, -16, 58, 97, -19, 5, -1},
     {-1, 4, -14, 48, 105, -18, 5, -1},
     {-1, 4, -11, 37, 112, -16, 4, -1},
     {-1, 3, -9, 27, 118, -13, 4, -1},
     {0, 2, -6, 18, 122, -10, 3, -1},
     {0, 1, -3, 8, 126, -5, 1, 0}},
    // smooth
    {{0, 0, 0, 128, 0, 0, 0, 0},
     {-3, -1, 32, 64, 38, 1, -3, 0},
     {-2, -2, 29, 63, 41, 2, -3, 0},
     {-2, -2, 26, 63, 43, 4, -4, 0},
     {-2, -3, 24, 62, 46, 5, -4, 0},
     {-2, -3, 21, 60, 49, 7, -4, 0},
     {-1, -4, 18, 59, 51, 9, -4, 0},
     {-1, -4, 16, 57, 53, 12, -4, -1},
     {-1, -4, 14, 55, 55, 14, -4, -1},
     {-1, -4, 12, 53, 57, 16, -4, -1},
     {0, -4, 9, 51, 59, 18, -4, -1},
     {0, -4, 7, 49, 60, 21, -3, -2},
     {0, -4, 5, 46, 62, 24, -3, -2},
     {0, -4, 4, 43, 63, 26, -2, -2},
     {0, -3, 2, 41, 63, 29, -2, -2},
     {0, -3, 1, 38, 64, 32, -1, -3}},
    // sharp
    {{0, 0, 0, 128, 0, 0, 0, 0},
     {-1, 3, -7, 127, 8, -3, 1, 0},
     {-2, 5, -13, 125, 17, -6, 3, -1},
     {-3, 7, -17, 121, 27, -10, 5, -2},
     {-4, 9, -20, 115, 37, -13, 6, -2},
     {-4, 10, -23, 108, 48, -16, 8, -3},
     {-4, 10, -24, 100, 59, -19, 9, -3},
     {-4, 11, -24, 90, 70, -21, 10, -4},
     {-4, 11, -23, 80, 80, -23, 11, -4},
     {-4, 10, -21, 70, 90, -24, 11, -4},
     {-3, 9, -19, 59, 100, -24, 10, -4},
     {-3, 8, -16, 48, 108, -23, 10, -4},
     {-2, 6, -13, 37, 115, -20, 9, -4},
     {-2, 5, -10, 27, 121, -17, 7, -3},
     {-1, 3, -6, 17, 125, -13, 5, -2},
     {0, 1, -3, 8, 127, -7, 3, -1}},
    // bilinear
    {{0, 0, 0, 128, 0, 0, 0, 0},
     {0, 0, 0, 120, 8, 0, 0, 0},
     {0, 0, 0, 112, 16, 0, 0, 0},
     {0, 0, 0, 104, 24, 0, 0, 0},
     {0, 0, 0, 96, 32, 0, 0, 0},
     {0, 0, 0, 88, 40, 0, 0, 0},
     {0, 0, 0, 80, 48, 0, 0, 0},
     {0, 0, 0, 72, 56, 0, 0, 0},
     {0, 0, 0, 64, 64, 0, 0, 0},
     {0, 0, 0, 56, 72, 0, 0, 0},
     {0, 0, 0, 48, 80, 0, 0, 0},
     {0, 0, 0, 40, 88, 0, 0, 0},
     {0, 0, 0, 32, 96, 0, 0, 0},
     {0, 0, 0, 24, 104, 0, 0, 0},
     {0, 0, 0, 16, 112, 0, 0, 0},
     {0, 0, 0, 8, 120, 0, 0, 0}}};

// The same in 8 bits, but for position 0: its 128 is not there.
struct SubpelFilters8 {
  int8_t taps[4][kSubpelPositions][kTaps];
};
inline constexpr SubpelFilters8 kSubpelFilters8 = [] {
  SubpelFilters8 filters = {};
  for (int kind = 0; kind < 4; ++kind) {
    for (int position = 1; position < kSubpelPositions; ++position) {
      for (int t = 0; t < kTaps; ++t) {
        filters.taps[kind][position][t] =
            static_cast<int8_t>(kSubpelFilters[kind][position][t]);
      }
    }
  }
  return filters;
}();

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_SUBPEL_FILTERS_H_
