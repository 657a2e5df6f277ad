// SPDX-License-Identifier: BSD-2-Clause
// What the vectors of all features of quality compute with: filters of 16-bit
// samples with sums of 32 bits, and 64-bit products of 32-bit lanes.
#if defined(PERDIX_KERNELS_QUALITY_LANES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_QUALITY_LANES_INL_H_
#undef PERDIX_KERNELS_QUALITY_LANES_INL_H_
#else
#define PERDIX_KERNELS_QUALITY_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/simd/pair_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::quality::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using D64 = hn::RepartitionToWide<D32>;
using DU16 = hn::RebindToUnsigned<D16>;
using DU32 = hn::RebindToUnsigned<D32>;
using DU64 = hn::RebindToUnsigned<D64>;
using V16 = hn::VFromD<D16>;
using V32 = hn::VFromD<D32>;
using V64 = hn::VFromD<D64>;
using VU16 = hn::VFromD<DU16>;
using VU32 = hn::VFromD<DU32>;
using VU64 = hn::VFromD<DU64>;

constexpr int kLanes16 = static_cast<int>(hn::MaxLanes(D16()));
constexpr int kLanes32 = static_cast<int>(hn::MaxLanes(D32()));

HWY_INLINE HWY_ATTR V32 Set32(int32_t value) { return hn::Set(D32(), value); }

// ---- filters ----

// Two taps that neighbours are multiplied by.
struct TapPair {
  int16_t first;
  int16_t second;
};

// The pair in each 32 bits.
HWY_INLINE HWY_ATTR V16 EachPair(TapPair taps) {
  return hn::BitCast(D16(),
                     Set32(static_cast<int32_t>(
                         uint32_t{static_cast<uint16_t>(taps.second)} << 16 |
                         static_cast<uint16_t>(taps.first))));
}

// sum + a b, of lanes that are beside each other: modulo 2^32.
HWY_INLINE HWY_ATTR V32 AddPairProducts(V16 a, V16 b, V32 sum) {
#if HWY_ARCH_X86
  return av1::HWY_NAMESPACE::AddProducts(D32(), a, b, sum);
#else
  const auto even = [](V16 v) HWY_ATTR {
    return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(D32(), v)));
  };
  const auto odd = [](V16 v) HWY_ATTR {
    return hn::ShiftRight<16>(hn::BitCast(D32(), v));
  };
  return hn::Add(sum,
                 hn::Add(hn::Mul(even(a), even(b)), hn::Mul(odd(a), odd(b))));
#endif
}

// A sum for each lane of 16 bits: those of the lower and of the upper half of
// every 16 bytes.
struct ColumnSum {
  // GCC's own would not be of this target.
  HWY_INLINE HWY_ATTR ColumnSum()
      : ColumnSum(hn::Zero(D32()), hn::Zero(D32())) {}
  HWY_INLINE HWY_ATTR ColumnSum(V32 low, V32 high) : low(low), high(high) {}

  HWY_INLINE HWY_ATTR void Add(V16 a, V16 b, V16 taps) {
    const D16 d;
    low = AddPairProducts(hn::InterleaveLower(d, a, b), taps, low);
    high = AddPairProducts(hn::InterleaveUpper(d, a, b), taps, high);
  }

  // Lanes of both, of which each fits 16 bits.
  HWY_INLINE HWY_ATTR V16 Narrow() const {
    return hn::ReorderDemote2To(D16(), low, high);
  }

  V32 low;
  V32 high;
};

// ---- 64 bits ----

// What lanes of 32 bits are in the odd places, moved to the even ones.
template <class V>
HWY_INLINE HWY_ATTR V OddLanes(V v) {
  return hn::BitCast(hn::DFromV<V>(),
                     hn::ShiftRight<32>(hn::BitCast(DU64(), v)));
}

// Products of all lanes: even ones, odd ones.
struct Products {
  HWY_INLINE HWY_ATTR Products(VU32 a, VU32 b)
      : even(hn::MulEven(a, b)), odd(hn::MulEven(OddLanes(a), OddLanes(b))) {}

  VU64 even;
  VU64 odd;
};

HWY_INLINE HWY_ATTR VU32 LowWords(VU64 even, VU64 odd) {
  const DU32 d;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)),
                     hn::BitCast(d, even));
}
HWY_INLINE HWY_ATTR VU32 HighWords(VU64 even, VU64 odd) {
  const DU32 d;
  return hn::OddEven(hn::BitCast(d, odd),
                     hn::BitCast(d, hn::ShiftRight<32>(even)));
}

// The sum of all lanes.
template <class V>
HWY_INLINE HWY_ATTR int64_t SumLanes(V v) {
  using D = hn::DFromV<V>;
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(D())];
  hn::Store(v, D(), lanes);
  int64_t sum = 0;
  for (const auto lane : lanes) sum += static_cast<int64_t>(lane);
  return sum;
}

// The sum of all lanes, which are not negative.
HWY_INLINE HWY_ATTR VU64 AddWords(VU32 words, VU64 sum) {
  const VU64 pairs = hn::BitCast(DU64(), words);
  return hn::Add(hn::Add(sum, hn::ShiftRight<32>(pairs)),
                 hn::And(pairs, hn::Set(DU64(), 0xffffffff)));
}

}  // namespace
}  // namespace perdix::quality::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_QUALITY_LANES_INL_H_
