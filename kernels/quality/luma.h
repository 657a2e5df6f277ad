// SPDX-License-Identifier: BSD-2-Clause
// Luma as the features of quality see it: samples of 16 bits, whatever the
// picture's depth, and what they do at its borders.
#ifndef PERDIX_KERNELS_QUALITY_LUMA_H_
#define PERDIX_KERNELS_QUALITY_LUMA_H_

#include <cstddef>
#include <cstdint>

#include "kernels/quality/arena.h"

namespace perdix::quality {

struct Luma {
  uint16_t* data = nullptr;
  size_t stride = 0;  // samples
  int width = 0;
  int height = 0;

  uint16_t* Row(int y) const { return data + stride * size_t(y); }
};

// Rows begin cache lines. At least kReadAhead samples behind the end of a row
// may be read and written; their values are undefined.
inline constexpr size_t kReadAhead = 32;
inline Luma TakeLuma(int width, int height, Arena& arena) {
  const size_t stride =
      (size_t(width) + 2 * kReadAhead - 1) & ~(kReadAhead - 1);
  return {arena.Take<uint16_t>(stride * size_t(height)), stride, width, height};
}

// The two pictures of a pair.
struct LumaPair {
  Luma reference;
  Luma decoded;
  int bit_depth = 8;
  int gain_limit = 100;  // of a decoded picture with more contrast
};

// The sample that stands in for one beyond a border of n samples. The sample at
// the border itself is not repeated.
constexpr int Mirrored(int i, int n) {
  return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i;
}

// x / 2^bits, halves upwards.
constexpr int64_t RoundShift(int64_t x, int bits) {
  return bits == 0 ? x : (x + (int64_t{1} << (bits - 1))) >> bits;
}
constexpr uint64_t RoundShift(uint64_t x, int bits) {
  return bits == 0 ? x : (x + (uint64_t{1} << (bits - 1))) >> bits;
}

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_LUMA_H_
