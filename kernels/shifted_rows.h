// SPDX-License-Identifier: BSD-2-Clause
// Samples of a reference whose values are in the upper bits
// (PictureView::shift), brought to the lower ones on the way to a filter.
#ifndef PERDIX_KERNELS_SHIFTED_ROWS_H_
#define PERDIX_KERNELS_SHIFTED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perdix {

// Samples that are read, and written, at once: after the last one of a row too.
inline constexpr int kShiftedAtOnce = 16;

// 1 or 2 bytes a sample; those of one byte have no shift.
template <typename Sample>
inline void CopyUnshifted(const Sample* from, uint32_t shift, int count,
                          Sample* to) {
  if (sizeof(Sample) == 1 || shift == 0) {
    std::memcpy(to, from, sizeof(Sample) * static_cast<size_t>(count));
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = static_cast<Sample>(from[i] >> shift);
}

// What CopyRowsUnshifted reads and writes of a row of <count> samples.
constexpr int RoundUpToShifted(int count) {
  return (count + kShiftedAtOnce - 1) / kShiftedAtOnce * kShiftedAtOnce;
}

inline void CopyRowsUnshifted(const uint16_t* from, ptrdiff_t from_stride,
                              uint32_t shift, int count, int rows, uint16_t* to,
                              ptrdiff_t to_stride) {
  // GCC's own vectors: of an array it would shift lanes of 32 bits.
  using Samples [[gnu::vector_size(16)]] = uint16_t;
  for (int r = 0; r < rows; ++r, from += from_stride, to += to_stride) {
    for (int i = 0; i < count; i += kShiftedAtOnce) {
      Samples samples[kShiftedAtOnce * sizeof(uint16_t) / sizeof(Samples)];
      std::memcpy(samples, from + i, sizeof(samples));
      for (Samples& some : samples) some >>= static_cast<uint16_t>(shift);
      std::memcpy(to + i, samples, sizeof(samples));
    }
  }
}

}  // namespace perdix

#endif  // PERDIX_KERNELS_SHIFTED_ROWS_H_
