// SPDX-License-Identifier: BSD-2-Clause
// What all variants of the inverse transform share: the numbers of 7.13.2.1,
// what a record's type stands for, and where its block lies in the target.
#ifndef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_SHAPE_H_
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_SHAPE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/lists.h"
#include "kernels/decoded_area.h"

namespace perdix::av1 {

// ---- 7.13.2.1, 7.13.2.6 ----

// Cos128_Lookup.
inline constexpr int16_t kCos128Quarter[65] = {
    4096, 4095, 4091, 4085, 4076, 4065, 4052, 4036, 4017, 3996, 3973,
    3948, 3920, 3889, 3857, 3822, 3784, 3745, 3703, 3659, 3612, 3564,
    3513, 3461, 3406, 3349, 3290, 3229, 3166, 3102, 3035, 2967, 2896,
    2824, 2751, 2675, 2598, 2520, 2440, 2359, 2276, 2191, 2106, 2019,
    1931, 1842, 1751, 1660, 1567, 1474, 1380, 1285, 1189, 1092, 995,
    897,  799,  700,  601,  501,  401,  301,  201,  101,  0};

// By angle & 255, in units of pi / 128.
inline constexpr std::array<int16_t, 256> kCos128 = [] {
  std::array<int16_t, 256> table = {};
  for (int i = 0; i <= 64; ++i) {
    table[static_cast<size_t>(i)] = kCos128Quarter[i];
    table[static_cast<size_t>(128 - i)] =
        static_cast<int16_t>(-kCos128Quarter[i]);
    table[static_cast<size_t>(128 + i)] =
        static_cast<int16_t>(-kCos128Quarter[i]);
    table[static_cast<size_t>((256 - i) & 255)] = kCos128Quarter[i];
  }
  return table;
}();

constexpr int16_t Cos128(int angle) {
  return kCos128[static_cast<size_t>(angle & 255)];
}
constexpr int16_t Sin128(int angle) { return Cos128(angle - 64); }

inline constexpr int16_t kSinpi1 = 1321;
inline constexpr int16_t kSinpi2 = 2482;
inline constexpr int16_t kSinpi3 = 3344;
inline constexpr int16_t kSinpi4 = 3803;

// 1 / sqrt(2) with 12 fractional bits, for 7.13.3.
inline constexpr int16_t kRectangleScale = 2896;

// brev() of 7.13.2.1.
constexpr int BitReverse(int bits, int x) {
  int reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= ((x >> i) & 1) << (bits - 1 - i);
  return reversed;
}

// 7.13.2.5: output i of an ADST of 1 << n elements is T[this], odd ones
// negated.
constexpr int AdstOutput(int n, int i) {
  const int a = (i >> 3) & 1;
  const int b = ((i >> 2) ^ (i >> 3)) & 1;
  const int c = ((i >> 1) ^ (i >> 2)) & 1;
  const int d = (i ^ (i >> 1)) & 1;
  return ((d << 3) | (c << 2) | (b << 1) | a) >> (4 - n);
}

// ---- the table of 6.10.19 ----

enum class TransformKind : uint8_t { kDct, kAdst, kIdentity };

struct TransformTypeParts {
  TransformKind rows;
  TransformKind columns;
  bool flip_left_right;
  bool flip_up_down;
};

// By TransformType of a record, WHT apart. Names are columns first.
inline constexpr TransformTypeParts kTransformTypes[16] = {
    {TransformKind::kDct, TransformKind::kDct, false, false},
    {TransformKind::kDct, TransformKind::kAdst, false, false},  // ADST_DCT
    {TransformKind::kAdst, TransformKind::kDct, false, false},
    {TransformKind::kAdst, TransformKind::kAdst, false, false},
    {TransformKind::kDct, TransformKind::kAdst, false, true},  // FLIPADST_DCT
    {TransformKind::kAdst, TransformKind::kDct, true, false},
    {TransformKind::kAdst, TransformKind::kAdst, true, true},
    {TransformKind::kAdst, TransformKind::kAdst, true, false},
    {TransformKind::kAdst, TransformKind::kAdst, false, true},
    {TransformKind::kIdentity, TransformKind::kIdentity, false, false},
    {TransformKind::kIdentity, TransformKind::kDct, false, false},  // V_DCT
    {TransformKind::kDct, TransformKind::kIdentity, false, false},
    {TransformKind::kIdentity, TransformKind::kAdst, false, false},  // V_ADST
    {TransformKind::kAdst, TransformKind::kIdentity, false, false},
    {TransformKind::kIdentity, TransformKind::kAdst, false, true},
    {TransformKind::kAdst, TransformKind::kIdentity, true, false},
};

// The place in T of element i, by the kind: 7.13.2.2 and 7.13.2.4, inverted.
// Filled for lengths 4..64 (n 2..6).
using TransformOrder = std::array<uint8_t, 64>;

constexpr TransformOrder MakeInputOrder(TransformKind kind, int n) {
  TransformOrder order = {};
  const int length = 1 << n;
  for (int i = 0; i < length; ++i) {
    int from = i;
    if (kind == TransformKind::kDct) from = BitReverse(n, i);
    if (kind == TransformKind::kAdst && n > 2) {
      from = (i & 1) ? i - 1 : length - i - 1;
    }
    order[static_cast<size_t>(from)] = static_cast<uint8_t>(i);
  }
  return order;
}

// Kinds that a length does not have are DCTs, as Transform1d::Run says.
constexpr TransformKind KindOfLength(TransformKind kind, int n) {
  if (kind == TransformKind::kAdst && n > 4) return TransformKind::kDct;
  if (kind == TransformKind::kIdentity && n > 5) return TransformKind::kDct;
  return kind;
}

// By kind and n - 2.
inline constexpr std::array<std::array<TransformOrder, 5>, 3> kInputOrders =
    [] {
      std::array<std::array<TransformOrder, 5>, 3> orders = {};
      for (int kind = 0; kind < 3; ++kind) {
        for (int n = 2; n <= 6; ++n) {
          orders[static_cast<size_t>(kind)][static_cast<size_t>(n - 2)] =
              MakeInputOrder(KindOfLength(static_cast<TransformKind>(kind), n),
                             n);
        }
      }
      return orders;
    }();

constexpr const TransformOrder& InputOrder(TransformKind kind, int n) {
  return kInputOrders[static_cast<size_t>(kind)][static_cast<size_t>(n - 2)];
}

// ---- 7.13.3 ----

// Transform_Row_Shift, by log2 of width and height, less 2. Pairs that no
// transform has are 0.
inline constexpr uint8_t kTransformRowShift[5][5] = {
    {0, 0, 1, 0, 0},  // 4 wide: 4, 8, 16 high
    {0, 1, 1, 2, 0},  // 8 wide: 4..32
    {1, 1, 2, 1, 2},  // 16 wide
    {0, 2, 1, 2, 1},  // 32 wide: 8..64
    {0, 0, 2, 1, 2},  // 64 wide
};
inline constexpr int kTransformColumnShift = 4;
inline constexpr int kWhtRowShift = 2;

// Bits of what goes into the column transforms (colClampRange).
constexpr int ColumnClampBits(int bit_depth) {
  return std::max(bit_depth + 6, 16);
}
// To how many bits the row transforms' Hadamard rotations clamp
// (rowClampRange).
constexpr int RowClampBits(int bit_depth) { return bit_depth + 8; }

// ---- the target ----

// Where a residual is added: the upper left width x height pixels of the block.
template <typename Sample>
struct ResidualTarget {
  Sample* pixels;    // the first pixel, of whatever component
  ptrdiff_t stride;  // samples
  int components;    // of a pixel: 1 luma, 2 chroma
  int component;     // of these the block's: 1 for V
  int width;         // at most the block's
  int height;
};

// The part of a transform block inside the decoded area, at least 4 x 4 pixels.
template <typename Sample>
ResidualTarget<Sample> LocateResidual(const KernelArgs& args,
                                      const TransformBlock& block) {
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
          std::min(1 << TransformWidthLog2(block.shape), area.width - x),
          std::min(1 << TransformHeightLog2(block.shape), area.height - y)};
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_SHAPE_H_
