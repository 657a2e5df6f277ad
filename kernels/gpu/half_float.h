// SPDX-License-Identifier: BSD-2-Clause
// Filter taps as half floats, for tables that shaders read.
#ifndef PERDIX_KERNELS_GPU_HALF_FLOAT_H_
#define PERDIX_KERNELS_GPU_HALF_FLOAT_H_

#include <bit>
#include <cstdint>

namespace perdix::gpu {

// The bits of tap / 2^scale_log2, which is exact: |tap| has at most 11 bits.
constexpr uint32_t HalfFloatOf(int tap, uint32_t scale_log2) {
  if (tap == 0) return 0;
  const auto magnitude = static_cast<uint32_t>(tap < 0 ? -tap : tap);
  const auto top = static_cast<uint32_t>(std::bit_width(magnitude)) - 1;
  const uint32_t exponent = top + 15 - scale_log2;  // 15: bias of the format
  const uint32_t mantissa = (magnitude << (10 - top)) & 0x3ff;
  return (tap < 0 ? 0x8000u : 0u) | (exponent << 10) | mantissa;
}
static_assert(HalfFloatOf(8, 3) == 0x3c00 && HalfFloatOf(-24, 3) == 0xc200 &&
              HalfFloatOf(128, 7) == 0x3c00 && HalfFloatOf(-3, 7) == 0xa600);

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_HALF_FLOAT_H_
