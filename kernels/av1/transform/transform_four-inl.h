// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms of 4x4 coefficients to larger blocks, lanes of 16 bits,
// for inverse_transform_simd.cc: rows in registers, from the coefficients to
// the four lines that columns begin with.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_FOUR_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_FOUR_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_FOUR_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_FOUR_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_lines-inl.h"
#include "kernels/av1/transform/transform_shape.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// t: four columns of four rows, as LoadColumns gives them. groups: of columns,
// of four lines each. shift: not 0, as of all blocks larger than 8x8.
template <TransformKind kKind, int kLog2>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void TransformFourRows(const int16_t* t,
                                                         bool flip, int shift,
                                                         int16_t* groups) {
  using L = FourLanes16;
  constexpr int kSize = 1 << kLog2;
  constexpr int kGroup = GroupOf<int16_t>(kSize);
  using Group = Lanes16<kGroup>;
  L::V v[std::max(kSize, 8)];
  Repeat<4>([&](auto i)
                HWY_ATTR { v[i] = hn::LoadU(L::D(), t + i * L::kCount); });
  if constexpr (kSize == 4) {
    Repeat<4>([&](auto i) HWY_ATTR { v[4 + i] = hn::Zero(L::D()); });
  }
  TransformArray<L, kKind, kLog2, 4>(L(Limits::OfBits(16))).RunAll(v);
  if (kKind == TransformKind::kAdst && flip) {
    Repeat<kSize / 2>([&](auto i)
                          HWY_ATTR { std::swap(v[i], v[kSize - 1 - i]); });
  }
  Repeat<std::max(kSize, 8) / kGroup>([&](auto group) HWY_ATTR {
    typename Group::V lines[4];
    TransposeFour<kGroup>(v + group * kGroup, lines);
    Repeat<4>([&](auto i) HWY_ATTR {
      hn::StoreU(Group::Round2(lines[i], shift), typename Group::D(),
                 groups + (group * 4 + i) * kGroup);
    });
  });
}

// By kind, then by log2 of the length, from 4 on: see KindOfLength.
using TransformFour = void (*)(const int16_t* t, bool flip, int shift,
                               int16_t* groups);
constexpr std::array<std::array<TransformFour, 5>, 2> kTransformFourRows = {
    {{TransformFourRows<TransformKind::kDct, 2>,
      TransformFourRows<TransformKind::kDct, 3>,
      TransformFourRows<TransformKind::kDct, 4>,
      TransformFourRows<TransformKind::kDct, 5>,
      TransformFourRows<TransformKind::kDct, 6>},
     {TransformFourRows<TransformKind::kAdst, 2>,
      TransformFourRows<TransformKind::kAdst, 3>,
      TransformFourRows<TransformKind::kAdst, 4>,
      TransformFourRows<TransformKind::kDct, 5>,
      TransformFourRows<TransformKind::kDct, 6>}}};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
