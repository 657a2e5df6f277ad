// SPDX-License-Identifier: BSD-2-Clause
// Shifts of all lanes by a number of bits that is known at run time only, for
// each Highway target. With AVX-512 by a vector of that number: one operation.
// By a scalar there are two, the second of them a shuffle.
#if defined(PERDIX_KERNELS_SIMD_LANE_SHIFTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_SIMD_LANE_SHIFTS_INL_H_
#undef PERDIX_KERNELS_SIMD_LANE_SHIFTS_INL_H_
#else
#define PERDIX_KERNELS_SIMD_LANE_SHIFTS_INL_H_
#endif

#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

template <class V>
HWY_INLINE HWY_ATTR V EachLane(V /*like*/, int bits) {
  const hn::DFromV<V> d;
  return hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(bits));
}
// bits: 0 to one less than a lane has.
template <class V>
HWY_INLINE HWY_ATTR V ShiftRightBy(V v, int bits) {
  if (__builtin_constant_p(bits)) return hn::ShiftRightSame(v, bits);
  return hn::Shr(v, EachLane(v, bits));
}
template <class V>
HWY_INLINE HWY_ATTR V ShiftLeftBy(V v, int bits) {
  if (__builtin_constant_p(bits)) return hn::ShiftLeftSame(v, bits);
  return hn::Shl(v, EachLane(v, bits));
}

#else

template <class V>
HWY_INLINE HWY_ATTR V ShiftRightBy(V v, int bits) {
  return hn::ShiftRightSame(v, bits);
}
template <class V>
HWY_INLINE HWY_ATTR V ShiftLeftBy(V v, int bits) {
  return hn::ShiftLeftSame(v, bits);
}

#endif

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // PERDIX_KERNELS_SIMD_LANE_SHIFTS_INL_H_
