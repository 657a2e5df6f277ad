// SPDX-License-Identifier: BSD-2-Clause
// What the scalar and the SIMD inverse transform share: the numbers of VP9
// 8.7.1.1 and where a transform block lies in the target.
#ifndef PERDIX_KERNELS_VP9_TRANSFORM_BLOCK_H_
#define PERDIX_KERNELS_VP9_TRANSFORM_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/decoded_area.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

// ---- VP9 8.7.1.1, 8.7.1.4 ----

inline constexpr int kCosBits = 14;

// Round(16384 * cos(k * pi / 64)).
inline constexpr int32_t kCos64[33] = {
    16384, 16364, 16305, 16207, 16069, 15893, 15679, 15426, 15137, 14811, 14449,
    14053, 13623, 13160, 12665, 12140, 11585, 11003, 10394, 9760,  9102,  8423,
    7723,  7005,  6270,  5520,  4756,  3981,  3196,  2404,  1606,  804,   0};

// Round(16384 * sqrt(2) * sin(k * pi / 9) * 2 / 3).
inline constexpr int32_t kSinpi1 = 5283;
inline constexpr int32_t kSinpi2 = 9929;
inline constexpr int32_t kSinpi3 = 13377;
inline constexpr int32_t kSinpi4 = 15212;

// angle: -32..64, in units of pi / 64.
constexpr int32_t Cos64(int angle) {
  const int positive = angle < 0 ? -angle : angle;
  return positive <= 32 ? kCos64[positive] : -kCos64[64 - positive];
}
constexpr int32_t Sin64(int angle) { return Cos64(angle - 32); }

// Reverses the low bits of x.
constexpr int Brev(int bits, int x) {
  int reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= ((x >> i) & 1) << (bits - 1 - i);
  return reversed;
}

// Order of the outputs of the ADST (8.7.1.7, 8.7.1.9): T[i] becomes
// T[order[i]]; order[i] < 0 stands for -T[~order[i]].
inline constexpr int kAdst8Order[8] = {0, ~4, 6, ~2, 3, ~7, 5, ~1};
inline constexpr int kAdst16Order[16] = {0, ~8, 12, ~4, 6, 14,  10, 2,
                                         3, 11, 15, 7,  5, ~13, 9,  ~1};

// With coefficients of 32 bits: while their absolute values add up to no more,
// no sum of products of a DCT or an ADST needs more than 32 bits, and results
// are the same if such sums wrap (transform_lanes-inl.h says why).
inline constexpr uint32_t kMostSum32 = 127 << 10;

// ---- VP9 8.7.2 ----

enum : uint32_t { kAdstColumns = 1, kAdstRows = 2 };  // bits of tx_type
inline constexpr int kWhtRowShift = 2;

// Bits by which the residual of 1 << size_log2 columns is rounded.
constexpr int OutputShift(int size_log2) { return std::min(6, size_log2 + 2); }

// ---- the target ----

// The part of a transform block inside the decoded area, at least 4 x 4 pixels.
template <typename Sample>
struct TargetBlock {
  Sample* pixels;
  ptrdiff_t stride;  // samples
  int components;    // of a pixel: 1 luma, 2 chroma
  int component;     // of these the block's: 1 for V
  int width;         // pixels
  int height;
};

// size: of the block, pixels.
template <typename Sample>
TargetBlock<Sample> LocateBlock(const KernelArgs& args,
                                const TransformBlock& block, int size) {
  const uint32_t component = TransformComponent(block.shape);
  const uint32_t plane_index = component == 0 ? kLuma : kChroma;
  const Plane& plane = args.target.planes[plane_index];
  const DecodedArea area = PlaneDecodedArea(*args.params, plane_index);
  const int x = static_cast<int>(PositionX4(block.position)) * 4;
  const int y = static_cast<int>(PositionY4(block.position)) * 4;
  const int components = plane_index == kLuma ? 1 : 2;
  return {plane.Row<Sample>(static_cast<uint32_t>(y)) + x * components,
          static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample)),
          components,
          component == 2 ? 1 : 0,
          std::min(size, area.width - x),
          std::min(size, area.height - y)};
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_TRANSFORM_BLOCK_H_
