// SPDX-License-Identifier: BSD-2-Clause
// Vectors of one or more rows of a strip of samples, for each Highway target.
#if defined(PERDIX_KERNELS_AV1_STRIPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_STRIPS_INL_H_
#undef PERDIX_KERNELS_AV1_STRIPS_INL_H_
#else
#define PERDIX_KERNELS_AV1_STRIPS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/av1/inter/reference_block.h"
#include "kernels/simd/pair_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectorBytes = HWY_MIN(HWY_MAX_BYTES, 32);  // 64 are no faster
constexpr int kWideLanes = kVectorBytes / 2;

template <typename T, int kLanes>
using Vector = hn::VFromD<hn::FixedTag<T, kLanes>>;

// kRows rows of kLanes samples in one vector.
template <int kRows, int kLanes, typename T>
HWY_INLINE Vector<T, kRows * kLanes> LoadRows(const T* at, ptrdiff_t stride) {
  if constexpr (kRows == 1) {
    return hn::LoadU(hn::FixedTag<T, kLanes>(), at);
  } else {
    constexpr int kHalf = kRows / 2;
    return hn::Combine(hn::FixedTag<T, kRows * kLanes>(),
                       LoadRows<kHalf, kLanes>(at + kHalf * stride, stride),
                       LoadRows<kHalf, kLanes>(at, stride));
  }
}

// The first <count> of these rows, the first kStored samples of each.
template <int kRows, int kLanes, int kStored = kLanes, class V, typename T>
HWY_INLINE void StoreRows(V rows, int count, Pixels<T> out) {
  if constexpr (kRows == 1 && kLanes == kStored) {
    hn::StoreU(rows, hn::FixedTag<T, kLanes>(), out.data);
  } else if constexpr (kRows == 1) {
    const hn::FixedTag<T, kLanes / 2> half;
    StoreRows<1, kLanes / 2, kStored>(hn::LowerHalf(half, rows), count, out);
  } else {
    constexpr int kHalf = kRows / 2;
    const hn::FixedTag<T, kHalf * kLanes> half;
    StoreRows<kHalf, kLanes, kStored>(hn::LowerHalf(half, rows), count, out);
    if (count > kHalf) {
      StoreRows<kHalf, kLanes, kStored>(
          hn::UpperHalf(half, rows), count - kHalf,
          Pixels<T>{out.data + kHalf * out.stride, out.stride});
    }
  }
}

// 16-bit results as samples or as they are.
template <int kRows, int kLanes, int kStored = kLanes, class V, typename Out>
HWY_INLINE void StoreWide(V rows, int count, int max, Pixels<Out> out) {
  if constexpr (std::is_same_v<Out, uint8_t>) {
    StoreRows<kRows, kLanes, kStored>(
        hn::DemoteTo(hn::FixedTag<uint8_t, kRows * kLanes>(), rows), count,
        out);
  } else if constexpr (std::is_same_v<Out, uint16_t>) {
    const hn::DFromV<V> d;
    const V limited = hn::Min(hn::Max(rows, hn::Zero(d)),
                              hn::Set(d, static_cast<int16_t>(max)));
    StoreRows<kRows, kLanes, kStored>(
        hn::BitCast(hn::FixedTag<uint16_t, kRows * kLanes>(), limited), count,
        out);
  } else {
    StoreRows<kRows, kLanes, kStored>(rows, count, out);
  }
}

// Calls strip(std::integral_constant lanes, first sample) for all of a row,
// whose samples are a multiple of 4.
template <int kWidest, class Strip>
HWY_INLINE void ForStrips(int samples, const Strip& strip) {
  int i = 0;
  for (; i + kWidest <= samples; i += kWidest) {
    strip(std::integral_constant<int, kWidest>(), i);
  }
  if constexpr (kWidest > 16) {
    if (samples & 16) {
      strip(std::integral_constant<int, 16>(), i);
      i += 16;
    }
  }
  if constexpr (kWidest > 8) {
    if (samples & 8) {
      strip(std::integral_constant<int, 8>(), i);
      i += 8;
    }
  }
  if constexpr (kWidest > 4) {
    if (samples & 4) strip(std::integral_constant<int, 4>(), i);
  }
}

#if HWY_ARCH_X86 && HWY_MAJOR == 1 && HWY_MINOR == 0
// What Highway of Debian 12 lacks.

HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 8>,
                                       hn::Vec128<uint8_t> a,
                                       hn::Vec128<int8_t> b) {
  return hn::Vec128<int16_t>{_mm_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto DemoteTwo(hn::FixedTag<uint8_t, 16>, hn::Vec128<int16_t> a,
                          hn::Vec128<int16_t> b) {
  return hn::Vec128<uint8_t>{_mm_packus_epi16(a.raw, b.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 16>,
                                       hn::Vec256<uint8_t> a,
                                       hn::Vec256<int8_t> b) {
  return hn::Vec256<int16_t>{_mm256_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto DemoteTwo(hn::FixedTag<uint8_t, 32>, hn::Vec256<int16_t> a,
                          hn::Vec256<int16_t> b) {
  return hn::Vec256<uint8_t>{_mm256_packus_epi16(a.raw, b.raw)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 32>,
                                       hn::Vec512<uint8_t> a,
                                       hn::Vec512<int8_t> b) {
  return hn::Vec512<int16_t>{_mm512_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto DemoteTwo(hn::FixedTag<uint8_t, 64>, hn::Vec512<int16_t> a,
                          hn::Vec512<int16_t> b) {
  return hn::Vec512<uint8_t>{_mm512_packus_epi16(a.raw, b.raw)};
}
#endif

#else

// Per block of 16 bytes: what interleaving in such blocks took apart.
#if HWY_ARCH_ARM_A64
HWY_INLINE auto DemoteTwo(hn::FixedTag<uint8_t, 16>, hn::Vec128<int16_t> lower,
                          hn::Vec128<int16_t> upper) {
  return hn::Vec128<uint8_t>(
      vqmovun_high_s16(vqmovun_s16(lower.raw), upper.raw));
}
#else
using hn::SatWidenMulPairwiseAdd;
template <class D, class V>
HWY_INLINE auto DemoteTwo(D d, V lower, V upper) {
  return hn::ReorderDemote2To(d, lower, upper);
}
#endif

#endif

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_STRIPS_INL_H_
