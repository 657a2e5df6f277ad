// SPDX-License-Identifier: BSD-2-Clause
// Sums of products of 16-bit lanes, with 32 bits.
#if defined(PERDIX_KERNELS_AV1_WORD_SUMS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_AV1_WORD_SUMS_INL_H_
#undef PERDIX_KERNELS_AV1_WORD_SUMS_INL_H_
#else
#define PERDIX_KERNELS_AV1_WORD_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

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

// Two factors for each lane, as a sum of two products takes them.
class FactorPair {
 public:
  HWY_ATTR FactorPair() {}  // GCC's own would not be of this target
  // a: of all lanes, as b.
  HWY_ATTR FactorPair(int a, int b) : FactorPair(SetWords(a), SetWords(b)) {}
#if HWY_ARCH_X86  // products of lanes that are beside each other are added
  HWY_ATTR FactorPair(VWords a, VWords b)
      : low_(hn::InterleaveLower(Words(), a, b)),
        high_(hn::InterleaveUpper(Words(), a, b)) {}
#else
  HWY_ATTR FactorPair(VWords a, VWords b) : low_(a), high_(b) {}
#endif

 private:
  friend class WordSums;
  VWords low_;
  VWords high_;
};

// A sum for each lane, in the order that it takes.
class WordSums {
 public:
  explicit HWY_INLINE HWY_ATTR WordSums(VSums start)
      : low_(start), high_(start) {}

  // Adds a and b times their factors.
  HWY_INLINE HWY_ATTR void Add(VWords a, VWords b, const FactorPair& factors) {
#if HWY_ARCH_X86
    const Words d;
    const Sums d32;
    // Lanes stay in their block of 16 bytes, as ReorderDemote2To expects.
    VSums unused = hn::Zero(d32);
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
  HWY_INLINE HWY_ATTR VWords Shifted(int shift) const {
    return hn::ReorderDemote2To(Words(), hn::ShiftRightSame(low_, shift),
                                hn::ShiftRightSame(high_, shift));
  }

  // One after the other.
  HWY_INLINE HWY_ATTR void Store(int32_t* to) const {
    constexpr int kHalf = kWords / 2;
    if constexpr (kWords == 16) {
      hn::StoreU(hn::ConcatLowerLower(Sums(), high_, low_), Sums(), to);
      hn::StoreU(hn::ConcatUpperUpper(Sums(), high_, low_), Sums(), to + kHalf);
    } else {
      hn::StoreU(low_, Sums(), to);
      hn::StoreU(high_, Sums(), to + kHalf);
    }
  }

 private:
#if !HWY_ARCH_X86
  HWY_INLINE HWY_ATTR void Accumulate(VWords v, VWords factors) {
    const Sums d32;
#if HWY_ARCH_ARM_A64  // adds to the lower and to the upper half
    low_ = hn::ReorderWidenMulAccumulate(d32, v, factors, low_, high_);
#else
    const hn::Half<Words> half;
    low_ = hn::Add(low_, hn::Mul(hn::PromoteTo(d32, hn::LowerHalf(v)),
                                 hn::PromoteTo(d32, hn::LowerHalf(factors))));
    high_ = hn::Add(high_,
                    hn::Mul(hn::PromoteTo(d32, hn::UpperHalf(half, v)),
                            hn::PromoteTo(d32, hn::UpperHalf(half, factors))));
#endif
  }
#endif

  VSums low_;
  VSums high_;
};

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_WORD_SUMS_INL_H_
