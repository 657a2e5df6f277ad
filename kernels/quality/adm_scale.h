// SPDX-License-Identifier: BSD-2-Clause
// What a scale of ADM has in common for all of its samples: the compared part
// of its bands, and the shifts of its sums.
#ifndef PERDIX_KERNELS_QUALITY_ADM_SCALE_H_
#define PERDIX_KERNELS_QUALITY_ADM_SCALE_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/shared/quality.h"

namespace perdix::quality {

// [begin, end) of the rows or columns of a band.
struct AdmSpan {
  int begin;
  int end;

  int size() const { return end - begin; }
};

// A tenth is left out at both ends.
constexpr AdmSpan AdmRegion(int n) {
  const int begin = std::max(n - 5, 0) / 10;
  return {begin, n - begin};
}

// What AdmRegion(n) and the masks of its samples need.
constexpr AdmSpan AdmReach(int n) {
  const AdmSpan region = AdmRegion(n);
  return {std::max(region.begin - 1, 0), std::min(region.end + 1, n)};
}

constexpr int CeilLog2(uint32_t x) { return std::bit_width(x - 1); }

struct AdmScale {
  AdmScale(int scale, int width, int height, int gain_limit)
      : scale(scale),
        gain_limit(gain_limit),
        width(width),
        height(height),
        columns(AdmRegion(width)),
        rows(AdmRegion(height)),
        row_shift(CeilLog2(uint32_t(height))) {
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      cube_shift[i] =
          CeilLog2(uint32_t(width)) - (scale == 0 ? kAdmCubeShift[i] : 0);
    }
    if (scale == 0) {
      const uint32_t area = uint32_t(columns.size()) * uint32_t(rows.size());
      den_cube_shift = 0;
      den_row_shift = std::max(0, CeilLog2(area) - 20);
    } else {
      den_cube_shift = CeilLog2(uint32_t(columns.size()));
      den_row_shift = CeilLog2(uint32_t(rows.size()));
    }
  }

  int scale;
  int gain_limit;
  int width;  // of a band
  int height;
  AdmSpan columns;  // that are compared
  AdmSpan rows;
  // Bits that a masked sample's cube loses, and then the sum of a row.
  int cube_shift[PERDIX_ADM_BANDS];
  int row_shift;
  // The same of the denominator.
  int den_cube_shift;
  int den_row_shift;
};

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_ADM_SCALE_H_
