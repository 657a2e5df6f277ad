// SPDX-License-Identifier: BSD-2-Clause
// What is summed of a picture's luma that is shown. Samples are values: without
// PictureView::shift.
#ifndef PERDIX_KERNELS_LUMA_SUMS_H_
#define PERDIX_KERNELS_LUMA_SUMS_H_

#include <cstdint>

namespace perdix {

struct LumaSums {
  uint64_t total = 0;  // of all samples
  uint64_t dark = 0;   // number of samples at or below a level
  // Absolute differences to the samples of another picture; 0 without one.
  uint64_t difference = 0;

  bool operator==(const LumaSums&) const = default;
  LumaSums& operator+=(const LumaSums& more) {
    total += more.total;
    dark += more.dark;
    difference += more.difference;
    return *this;
  }
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_LUMA_SUMS_H_
