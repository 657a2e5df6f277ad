// SPDX-License-Identifier: BSD-2-Clause
// Products of 16-bit lanes, of which those beside each other are added, for
// each Highway target.
#if defined(PERDIX_KERNELS_SIMD_PAIR_PRODUCTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_SIMD_PAIR_PRODUCTS_INL_H_
#undef PERDIX_KERNELS_SIMD_PAIR_PRODUCTS_INL_H_
#else
#define PERDIX_KERNELS_SIMD_PAIR_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_MAJOR == 1 && HWY_MINOR == 0
// What Highway of Debian 12 lacks.

HWY_INLINE auto WidenMulPairwiseAdd(hn::FixedTag<int32_t, 4>,
                                    hn::Vec128<int16_t> a,
                                    hn::Vec128<int16_t> b) {
  return hn::Vec128<int32_t>{_mm_madd_epi16(a.raw, b.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE auto WidenMulPairwiseAdd(hn::FixedTag<int32_t, 8>,
                                    hn::Vec256<int16_t> a,
                                    hn::Vec256<int16_t> b) {
  return hn::Vec256<int32_t>{_mm256_madd_epi16(a.raw, b.raw)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE auto WidenMulPairwiseAdd(hn::FixedTag<int32_t, 16>,
                                    hn::Vec512<int16_t> a,
                                    hn::Vec512<int16_t> b) {
  return hn::Vec512<int32_t>{_mm512_madd_epi16(a.raw, b.raw)};
}
#endif

#elif !HWY_ARCH_ARM_A64
using hn::WidenMulPairwiseAdd;
#endif

#if !HWY_ARCH_ARM_A64

// sum + the products: with AVX-512's VNNI in one instruction, which Highway of
// Debian 12 does not use. By name, which assemblers encode as AVX-512's: for
// the intrinsics GCC takes AVX-VNNI's, as that Highway allows it, and not all
// CPUs that run this have that.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
template <class D, class V>
HWY_INLINE hn::VFromD<D> AddProducts(D, V a, V b, hn::VFromD<D> sum) {
  asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
}
#else
template <class D, class V>
HWY_INLINE hn::VFromD<D> AddProducts(D d, V a, V b, hn::VFromD<D> sum) {
  return hn::Add(sum, WidenMulPairwiseAdd(d, a, b));
}
#endif

#endif

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // PERDIX_KERNELS_SIMD_PAIR_PRODUCTS_INL_H_
