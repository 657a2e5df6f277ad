// SPDX-License-Identifier: BSD-2-Clause
// What a transform block's record says, unpacked, and the shortcut of a lone
// DC: for all variants of the inverse transform.
#ifndef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_BLOCK_H_
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_BLOCK_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/av1/transform/transform_1d.h"
#include "kernels/av1/transform/transform_shape.h"

namespace perdix::av1 {

// What coefficients are, and everything else that is stored: at 8 bits clamped
// to 16.
template <typename Sample>
using Stored = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;

struct Shape {
  explicit Shape(uint32_t shape)
      : width_log2(static_cast<int>(TransformWidthLog2(shape))),
        height_log2(static_cast<int>(TransformHeightLog2(shape))),
        width(1 << width_log2),
        height(1 << height_log2),
        stored_width_log2(std::min(
            2 + static_cast<int>(TransformStoredWidth(shape)), width_log2)),
        stored_height_log2(std::min(
            2 + static_cast<int>(TransformStoredHeight(shape)), height_log2)),
        stored_width(1 << stored_width_log2),
        stored_height(1 << stored_height_log2),
        row_shift(kTransformRowShift[width_log2 - 2][height_log2 - 2]),
        rectangle(width_log2 - height_log2 == 1 ||
                  height_log2 - width_log2 == 1) {}

  int width_log2;
  int height_log2;
  int width;
  int height;
  int stored_width_log2;
  int stored_height_log2;
  int stored_width;
  int stored_height;
  int row_shift;
  bool rectangle;  // 2:1
};

// What DCT_DCT gives everywhere if there is nothing but the DC: the first
// rotation and one clamp in both directions.
inline int32_t ResidualOfDc(int32_t dc, const Shape& shape, int bit_depth) {
  const Limits row_limits = Limits::OfBits(RowClampBits(bit_depth));
  const Limits column_limits = Limits::OfBits(ColumnClampBits(bit_depth));
  if (shape.rectangle) dc = WrapRound(WrapMul(dc, kRectangleScale), 12);
  int32_t value = row_limits.Clamp(WrapRound(WrapMul(dc, Cos128(32)), 12));
  if (shape.row_shift != 0) value = WrapRound(value, shape.row_shift);
  value = column_limits.Clamp(value);
  value = column_limits.Clamp(WrapRound(WrapMul(value, Cos128(32)), 12));
  return WrapRound(value, kTransformColumnShift);
}

template <typename Sample>
const Stored<Sample>* CoefficientsOf(const KernelArgs& args,
                                     const TransformBlock& block) {
  return reinterpret_cast<const Stored<Sample>*>(
      &args.lists.coefficients[block.coefficients]);
}

inline int MaxSample(const KernelArgs& args) {
  return (1 << args.params->bit_depth) - 1;
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_BLOCK_H_
