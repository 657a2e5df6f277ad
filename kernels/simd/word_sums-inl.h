// SPDX-License-Identifier: BSD-2-Clause
// Sums of products of 16-bit lanes, with 32 bits.
#if defined(PERDIX_KERNELS_SIMD_WORD_SUMS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_SIMD_WORD_SUMS_INL_H_
#undef PERDIX_KERNELS_SIMD_WORD_SUMS_INL_H_
#else
#define PERDIX_KERNELS_SIMD_WORD_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/simd/lane_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::FixedTag<int16_t, HWY_MAX_BYTES >= 32 ? 16 : 8>;
using VWords = hn::VFromD<Words>;
using Sums = hn::RepartitionToWide<Words>;
using VSums = hn::VFromD<Sums>;
constexpr int kWords = static_cast<int>(hn::MaxLanes(Words()));

HWY_INLINE HWY_ATTR VWords SetWords(int value) {
  return hn::Set(Words(), static_cast<int16_t>(value));
}

// Two factors for each lane of D, as a sum of two products takes them.
template <class D>
class FactorPairOf {
  using V = hn::VFromD<D>;

 public:
  HWY_ATTR FactorPairOf() {}  // GCC's own would not be of this target
  // a: of all lanes, as b.
  HWY_ATTR FactorPairOf(int a, int b)
      : FactorPairOf(hn::Set(D(), static_cast<int16_t>(a)),
                     hn::Set(D(), static_cast<int16_t>(b))) {}
#if HWY_ARCH_X86  // products of lanes that are beside each other are added
  HWY_ATTR FactorPairOf(V a, V b)
      : low_(hn::InterleaveLower(D(), a, b)),
        high_(hn::InterleaveUpper(D(), a, b)) {}
#else
  HWY_ATTR FactorPairOf(V a, V b) : low_(a), high_(b) {}
#endif

 private:
  template <class>
  friend class WordSumsOf;
  V low_;
  V high_;
};
using FactorPair = FactorPairOf<Words>;

// A sum for each lane, in the order that it takes.
template <class D>
class WordSumsOf {
  using V = hn::VFromD<D>;
  using DSums = hn::RepartitionToWide<D>;
  using VDSums = hn::VFromD<DSums>;

 public:
  explicit HWY_INLINE HWY_ATTR WordSumsOf(VDSums start)
      : low_(start), high_(start) {}

  // Adds a and b times their factors.
  HWY_INLINE HWY_ATTR void Add(V a, V b, const FactorPairOf<D>& factors) {
#if HWY_ARCH_X86
    const D d;
    const DSums d32;
    // Lanes stay in their block of 16 bytes, as ReorderDemote2To expects.
    VDSums unused = hn::Zero(d32);
    low_ = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveLower(d, a, b),
                                         factors.low_, low_, unused);
    high_ = hn::ReorderWidenMulAccumulate(d32, hn::InterleaveUpper(d, a, b),
                                          factors.high_, high_, unused);
#else
    Accumulate(a, factors.low_);
    Accumulate(b, factors.high_);
#endif
  }

  // Shifted, and as close as 16 bits allow.
  HWY_INLINE HWY_ATTR V Shifted(int shift) const {
    return hn::ReorderDemote2To(D(), ShiftRightBy(low_, shift),
                                ShiftRightBy(high_, shift));
  }

  // One after the other; of 16 lanes at most.
  HWY_INLINE HWY_ATTR void Store(int32_t* to) const {
    const DSums d32;
    constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
    static_assert(kLanes <= 16);
    if constexpr (kLanes == 16) {
      hn::StoreU(hn::ConcatLowerLower(d32, high_, low_), d32, to);
      hn::StoreU(hn::ConcatUpperUpper(d32, high_, low_), d32, to + kLanes / 2);
    } else {
      hn::StoreU(low_, d32, to);
      hn::StoreU(high_, d32, to + kLanes / 2);
    }
  }

 private:
#if !HWY_ARCH_X86
  HWY_INLINE HWY_ATTR void Accumulate(V v, V factors) {
    const DSums d32;
#if HWY_ARCH_ARM_A64  // adds to the lower and to the upper half
    low_ = hn::ReorderWidenMulAccumulate(d32, v, factors, low_, high_);
#else
    const hn::Half<D> half;
    low_ = hn::Add(low_, hn::Mul(hn::PromoteTo(d32, hn::LowerHalf(v)),
                                 hn::PromoteTo(d32, hn::LowerHalf(factors))));
    high_ = hn::Add(high_,
                    hn::Mul(hn::PromoteTo(d32, hn::UpperHalf(half, v)),
                            hn::PromoteTo(d32, hn::UpperHalf(half, factors))));
#endif
  }
#endif

  VDSums low_;
  VDSums high_;
};
using WordSums = WordSumsOf<Words>;

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_SIMD_WORD_SUMS_INL_H_
