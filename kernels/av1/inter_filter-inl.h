// SPDX-License-Identifier: BSD-2-Clause
// One interpolation filter (7.11.3.4) on vectors, for each Highway target.
// Included by inter_pred_simd.cc only.
#if defined(PERDIX_KERNELS_AV1_INTER_FILTER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_FILTER_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_FILTER_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/strips-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

template <class V>
struct Sums {
  V lower;
  V upper;
};

// 2 * kPairs taps, for rows of T: uint8_t, whose sums are int16_t, or int16_t,
// whose sums are int32_t. kLanes: of a vector of samples, 16 bytes at least, or
// 8: of these only the lower sums count.
template <typename T, int kLanes, int kPairs>
class Taps {
 public:
  using Wide = std::conditional_t<sizeof(T) == 1, int16_t, int32_t>;
  using SignedT = std::conditional_t<sizeof(T) == 1, int8_t, int16_t>;
  static constexpr bool kUpper = kLanes * sizeof(T) >= 16;
  static constexpr int kSums = kUpper ? kLanes / 2 : kLanes;
  static constexpr hn::FixedTag<T, 2 * kSums> kTag{};
  static constexpr hn::FixedTag<Wide, kSums> kWide{};
  using V = Vector<T, 2 * kSums>;
  using W = Vector<Wide, kSums>;

  HWY_INLINE explicit Taps(const int8_t* filter) {
#if HWY_ARCH_X86
    for (int p = 0; p < kPairs; ++p) {
      const SignedT pair[2] = {filter[2 * p], filter[2 * p + 1]};
      Wide both;
      std::memcpy(&both, pair, sizeof(both));
      taps_[p] =
          hn::BitCast(hn::FixedTag<SignedT, 2 * kSums>(), hn::Set(kWide, both));
    }
#else
    for (int t = 0; t < 2 * kPairs; ++t)
      taps_[t] = hn::Set(kTapTag, int16_t{filter[t]});
#endif
  }

  static HWY_INLINE V Whole(Vector<T, kLanes> rows) {
    if constexpr (kUpper) {
      return rows;
    } else {
      return hn::ZeroExtendVector(kTag, rows);
    }
  }

#if HWY_ARCH_X86

  // Two rows as two taps need them.
  using Pair = Sums<V>;
  static HWY_INLINE Pair MakePair(V first, V second) {
    const V lower = hn::InterleaveLower(kTag, first, second);
    if constexpr (kUpper) {
      return {lower, hn::InterleaveUpper(kTag, first, second)};
    } else {
      return {lower, lower};
    }
  }

  HWY_INLINE Sums<W> Sum(const Pair* pairs, W add) const {
    W lower = hn::Add(add, Multiply<0>(pairs[0].lower));
    W upper = add;
    if constexpr (kPairs > 1)
      lower = hn::Add(lower, Multiply<1>(pairs[1].lower));
    if constexpr (kPairs > 2)
      lower = hn::Add(lower, Multiply<2>(pairs[2].lower));
    if constexpr (kPairs > 3)
      lower = hn::Add(lower, Multiply<3>(pairs[3].lower));
    if constexpr (kUpper) {
      upper = hn::Add(add, Multiply<0>(pairs[0].upper));
      if constexpr (kPairs > 1)
        upper = hn::Add(upper, Multiply<1>(pairs[1].upper));
      if constexpr (kPairs > 2)
        upper = hn::Add(upper, Multiply<2>(pairs[2].upper));
      if constexpr (kPairs > 3)
        upper = hn::Add(upper, Multiply<3>(pairs[3].upper));
    }
    return {lower, upper};
  }

  // The products of pair kPair, added up.
  template <int kPair>
  HWY_INLINE W Multiply(V samples) const {
    if constexpr (sizeof(T) == 1) {  // taps are halved: no pair saturates
      return SatWidenMulPairwiseAdd(kWide, samples, taps_[kPair]);
    } else {
      return WidenMulPairwiseAdd(kWide, samples, taps_[kPair]);
    }
  }

 private:
  Vector<SignedT, 2 * kSums> taps_[kPairs];

#else  // products of single taps

  struct Pair {
    V first;
    V second;
  };
  static HWY_INLINE Pair MakePair(V first, V second) { return {first, second}; }

  HWY_INLINE Sums<W> Sum(const Pair* pairs, W add) const {
    Sums<W> sums = {add, add};
    for (int p = 0; p < kPairs; ++p) {
      AddProducts(pairs[p].first, taps_[2 * p], sums);
      AddProducts(pairs[p].second, taps_[2 * p + 1], sums);
    }
    return sums;
  }

  // Of samples side by side.
  HWY_INLINE W SumRow(const T* from, int step, W add) const {
    for (int t = 0; t < 2 * kPairs; ++t) {
      add = hn::MulAdd(hn::PromoteTo(kWide, hn::LoadU(hn::FixedTag<T, kSums>(),
                                                      from + t * step)),
                       taps_[t], add);
    }
    return add;
  }

 private:
  static constexpr int kTapLanes = sizeof(T) == 1 ? kSums : 2 * kSums;
  static constexpr hn::FixedTag<int16_t, kTapLanes> kTapTag{};

  static HWY_INLINE void AddProducts(V samples, Vector<int16_t, kTapLanes> tap,
                                     Sums<W>& sums) {
    if constexpr (sizeof(T) == 1) {
      const hn::FixedTag<T, kSums> half;
      sums.lower = hn::MulAdd(
          hn::PromoteTo(kWide, hn::LowerHalf(half, samples)), tap, sums.lower);
      if constexpr (kUpper) {
        sums.upper =
            hn::MulAdd(hn::PromoteTo(kWide, hn::UpperHalf(half, samples)), tap,
                       sums.upper);
      }
    } else {
      sums.lower = hn::ReorderWidenMulAccumulate(kWide, samples, tap,
                                                 sums.lower, sums.upper);
    }
  }

  Vector<int16_t, kTapLanes> taps_[2 * kPairs];

#endif
};

// bytes[n]: indices, among 16 samples from n before them, of the pairs that go
// with two taps of eight samples side by side.
struct PairTable {
  alignas(16) uint8_t bytes[8][16];
};
constexpr PairTable MakePairTable(int pixel_step) {
  PairTable table = {};
  for (int n = 0; n < 8; ++n) {
    for (int i = 0; i < 8; ++i) {
      table.bytes[n][2 * i] = static_cast<uint8_t>((n + i) & 15);
      table.bytes[n][2 * i + 1] =
          static_cast<uint8_t>((n + i + pixel_step) & 15);
    }
  }
  return table;
}
template <int kPixelStep>
constexpr PairTable kPairTable = MakePairTable(kPixelStep);

// One filter along rows of 8-bit samples. A vector of sums is of kGroups groups
// of eight samples, each from its own address. Reads up to 24 bytes of a group.
template <int kPairs, int kPixelStep>
class AcrossBytes {
 public:
  static constexpr int kGroups = kVectorBytes / 16;
  using Filter = Taps<uint8_t, kVectorBytes, kPairs>;
  using W = typename Filter::W;
  static constexpr hn::FixedTag<int16_t, kVectorBytes / 2> kWide{};

  HWY_INLINE explicit AcrossBytes(const int8_t* filter) : filter_(filter) {}

  // second: of the second group where there are two.
  HWY_INLINE W Sum(const uint8_t* first, const uint8_t* second) const {
#if HWY_ARCH_X86
    const ptrdiff_t apart = second - first;
    const auto start = LoadRows<kGroups, 16>(first, apart);
    const auto next =
        kLoads == 1 ? start : LoadRows<kGroups, 16>(first + 8, apart);
    W sum = hn::Add(Product<0>(start), Product<1>(start));
    if constexpr (kPairs > 2)
      sum = hn::Add(sum, Product<2>(kPixelStep == 1 ? start : next));
    if constexpr (kPairs > 3)
      sum = hn::Add(sum, Product<3>(kPixelStep == 1 ? start : next));
    return sum;
#else
    static_cast<void>(second);
    return filter_.SumRow(first, kPixelStep, hn::Zero(kWide));
#endif
  }

 private:
#if HWY_ARCH_X86
  static constexpr int kLoads = kPixelStep == 2 && kPairs > 2 ? 2 : 1;

  template <int kPair>
  HWY_INLINE W Product(Vector<uint8_t, kVectorBytes> samples) const {
    constexpr int kFirst = 2 * kPair * kPixelStep;
    return filter_.template Multiply<kPair>(hn::TableLookupBytes(
        samples, hn::LoadDup128(hn::FixedTag<uint8_t, kVectorBytes>(),
                                kPairTable<kPixelStep>.bytes[kFirst % 8])));
  }
#endif

  Filter filter_;
};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_FILTER_INL_H_
