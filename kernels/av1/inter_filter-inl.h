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
#if !HWY_ARCH_ARM_A64
    for (int p = 0; p < kPairs; ++p) {
      const SignedT pair[2] = {filter[2 * p], filter[2 * p + 1]};
      Wide both;
      std::memcpy(&both, pair, sizeof(both));
      taps_[p] =
          hn::BitCast(hn::FixedTag<SignedT, 2 * kSums>(), hn::Set(kWide, both));
    }
#else
    for (int t = 0; t < 2 * kPairs; ++t)
      taps_[t] =
          hn::Set(hn::FixedTag<SignedT, 2 * kSums>(), SignedT{filter[t]});
#endif
  }

  // Rows as the functions below take them.
  static HWY_INLINE V Whole(Vector<T, kLanes> rows) {
    V whole;
    if constexpr (kUpper) {
      whole = rows;
    } else {
      whole = hn::ZeroExtendVector(kTag, rows);
    }
#if HWY_ARCH_ARM_A64
    if constexpr (sizeof(T) == 1)
      whole = hn::Xor(whole, hn::Set(kTag, uint8_t{128}));
#endif
    return whole;
  }

#if !HWY_ARCH_ARM_A64

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
    HWY_INLINE Pair() {}  // GCC's own would not be of this target
    HWY_INLINE Pair(V a, V b) : first(a), second(b) {}
    V first;
    V second;
  };
  static HWY_INLINE Pair MakePair(V first, V second) { return {first, second}; }

  HWY_INLINE Sums<W> Sum(const Pair* pairs, W add) const {
    Sums<W> sums = {Start(add), Start(add)};
    for (int p = 0; p < kPairs; ++p) {
      AddProducts(pairs[p].first, taps_[2 * p], sums);
      AddProducts(pairs[p].second, taps_[2 * p + 1], sums);
    }
    return sums;
  }

  // Of a ring of rows, as many as taps, of which <first> is the first tap's.
  HWY_INLINE Sums<W> SumRing(const V* ring, int first, W add) const {
    Sums<W> sums = {Start(add), Start(add)};
#pragma GCC unroll 8
    for (int t = 0; t < 2 * kPairs; ++t)
      AddProducts(ring[(first + t) % (2 * kPairs)], taps_[t], sums);
    return sums;
  }

  // Of eight bytes side by side.
  template <int kPixelStep>
  HWY_INLINE W SumRow(const T* from) const {
    const V start = Whole(hn::LoadU(kTag, from));
    V end = start;
    if constexpr (kPixelStep == 2) end = Whole(hn::LoadU(kTag, from + 8));
    return AddRow<kPixelStep, 0>(start, end, Start(hn::Zero(kWide)));
  }

 private:
  // Bytes are less 128, and the taps add up to 64.
  static HWY_INLINE W Start(W add) {
    if constexpr (sizeof(T) == 1) {
      return hn::Add(add, hn::Set(kWide, Wide{64 * 128}));
    } else {
      return add;
    }
  }

  HWY_INLINE void AddProducts(V samples, Vector<SignedT, 2 * kSums> tap,
                              Sums<W>& sums) const {
    if constexpr (sizeof(T) == 1) {
      const int8x16_t values = vreinterpretq_s8_u8(samples.raw);
      sums.lower = W(
          vmlal_s8(sums.lower.raw, vget_low_s8(values), vget_low_s8(tap.raw)));
      if constexpr (kUpper)
        sums.upper = W(vmlal_high_s8(sums.upper.raw, values, tap.raw));
    } else {
      sums.lower = W(vmlal_s16(sums.lower.raw, vget_low_s16(samples.raw),
                               vget_low_s16(tap.raw)));
      sums.upper = W(vmlal_high_s16(sums.upper.raw, samples.raw, tap.raw));
    }
  }

  // start: from the first sample on, end: from 8 bytes after it.
  template <int kPixelStep, int kTap>
  HWY_INLINE W AddRow(V start, V end, W sum) const {
    constexpr int kOffset = kTap * kPixelStep;
    V samples = kOffset < 8 ? start : end;
    if constexpr (kOffset % 8 != 0)
      samples = hn::CombineShiftRightBytes<kOffset % 8>(kTag, samples, samples);
    sum = W(vmlal_s8(sum.raw, vget_low_s8(vreinterpretq_s8_u8(samples.raw)),
                     vget_low_s8(taps_[kTap].raw)));
    if constexpr (kTap + 1 < 2 * kPairs) {
      return AddRow<kPixelStep, kTap + 1>(start, end, sum);
    } else {
      return sum;
    }
  }

  Vector<SignedT, 2 * kSums> taps_[2 * kPairs];

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
#if !HWY_ARCH_ARM_A64
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
    return filter_.template SumRow<kPixelStep>(first);
#endif
  }

 private:
#if !HWY_ARCH_ARM_A64
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
