// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters (7.11.3.4) for targets that multiply and add pairs;
// arm64 has its own (inter_filter_neon-inl.h). Included by inter_loops-inl.h
// only.
#if defined(PERDIX_KERNELS_AV1_INTER_INTER_FILTER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_INTER_FILTER_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_INTER_FILTER_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_INTER_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/strips-inl.h"
#include "kernels/simd/lane_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

template <class V>
struct Sums {
  V lower;
  V upper;

  // Assigns. For operator= GCC copies both as one wider vector through memory,
  // and waits there for the halves.
  HWY_INLINE void Take(const Sums& other) {
    lower = other.lower;
    upper = other.upper;
  }
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
    for (int p = 0; p < kPairs; ++p) {
      const SignedT pair[2] = {filter[2 * p], filter[2 * p + 1]};
      Wide both;
      std::memcpy(&both, pair, sizeof(both));
      taps_[p] =
          hn::BitCast(hn::FixedTag<SignedT, 2 * kSums>(), hn::Set(kWide, both));
    }
  }

  // Rows as the functions below take them.
  static HWY_INLINE V Whole(Vector<T, kLanes> rows) {
    V whole;
    if constexpr (kUpper) {
      whole = rows;
    } else {
      whole = hn::ZeroExtendVector(kTag, rows);
    }
    return whole;
  }

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
    W lower = AddTo<0>(add, pairs[0].lower);
    if constexpr (kPairs > 1) lower = AddTo<1>(lower, pairs[1].lower);
    if constexpr (kPairs > 2) lower = AddTo<2>(lower, pairs[2].lower);
    if constexpr (kPairs > 3) lower = AddTo<3>(lower, pairs[3].lower);
    W upper = add;
    if constexpr (kUpper) {
      upper = AddTo<0>(add, pairs[0].upper);
      if constexpr (kPairs > 1) upper = AddTo<1>(upper, pairs[1].upper);
      if constexpr (kPairs > 2) upper = AddTo<2>(upper, pairs[2].upper);
      if constexpr (kPairs > 3) upper = AddTo<3>(upper, pairs[3].upper);
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
  template <int kPair>
  HWY_INLINE W AddTo(W sum, V samples) const {
    if constexpr (sizeof(T) == 1) {
      return hn::Add(sum, Multiply<kPair>(samples));
    } else {
      return AddProducts(kWide, samples, taps_[kPair], sum);
    }
  }

 private:
  Vector<SignedT, 2 * kSums> taps_[kPairs];
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
  }

 private:
  static constexpr int kLoads = kPixelStep == 2 && kPairs > 2 ? 2 : 1;

  template <int kPair>
  HWY_INLINE W Product(Vector<uint8_t, kVectorBytes> samples) const {
    constexpr int kFirst = 2 * kPair * kPixelStep;
    return filter_.template Multiply<kPair>(hn::TableLookupBytes(
        samples, hn::LoadDup128(hn::FixedTag<uint8_t, kVectorBytes>(),
                                kPairTable<kPixelStep>.bytes[kFirst % 8])));
  }

  Filter filter_;
};

// ---- what becomes of sums ----

// Rounds sums of bytes as the last step of Finish does.
class RoundBytes {
 public:
  explicit HWY_INLINE RoundBytes(const Finish& finish)
      : factor_(static_cast<int16_t>(1 << (15 - finish.shift))) {}
  template <class V>
  HWY_INLINE V operator()(V sums) const {
    return hn::MulFixedPoint15(sums, hn::Set(hn::DFromV<V>(), factor_));
  }

 private:
  int16_t factor_;
};

// Sums of a filter's lower and upper lanes.
template <int kRows, int kLanes, class W, typename Out>
HWY_INLINE void StoreSums(const Sums<W>& sums, int count, const Finish& finish,
                          Pixels<Out> out) {
  constexpr int kAll = kRows * kLanes;
  if constexpr (std::is_same_v<hn::TFromV<W>, int32_t>) {
    const auto rows = hn::ReorderDemote2To(
        hn::FixedTag<int16_t, kAll>(), ShiftRightBy(sums.lower, finish.shift),
        ShiftRightBy(sums.upper, finish.shift));
    StoreWide<kRows, kLanes>(rows, count, finish.max, out);
  } else {
    const RoundBytes round(finish);
    const hn::DFromV<W> d;
    if constexpr (kAll <= 8) {
      StoreWide<kRows, kLanes>(round(sums.lower), count, finish.max, out);
    } else if constexpr (sizeof(Out) == 1) {
      StoreRows<kRows, kLanes>(DemoteTwo(hn::FixedTag<uint8_t, kAll>(),
                                         round(sums.lower), round(sums.upper)),
                               count, out);
    } else {
      W first = round(sums.lower);
      W second = round(sums.upper);
      if constexpr (kAll == 32) {
        const W lower = first;
        first = hn::ConcatLowerLower(d, second, lower);
        second = hn::ConcatUpperUpper(d, second, lower);
      }
      StoreRows<1, kAll / 2>(first, 1, out);
      if constexpr (kRows == 1) {
        StoreRows<1, kAll / 2>(second, 1,
                               Pixels<Out>{out.data + kAll / 2, out.stride});
      } else if (count > 1) {
        StoreRows<1, kAll / 2>(second, 1,
                               Pixels<Out>{out.data + out.stride, out.stride});
      }
    }
  }
}

// ---- one pass ----

template <typename T, int kLanes>
constexpr int kRowsOf = HWY_MIN(2, kVectorBytes /
                                       (kLanes * static_cast<int>(sizeof(T))));

// Down kLanes columns, T: uint8_t or int16_t; in: of the first tap.
template <int kLanes, int kPairs, typename T, typename Out>
HWY_NOINLINE void Down(Pixels<const T> in, const int8_t* filter, int rows,
                       Finish finish, Pixels<Out> out) {
  constexpr int kRows = kRowsOf<T, kLanes>;
  using F = Taps<T, kRows * kLanes, kPairs>;
  using V = typename F::V;
  using Pair = typename F::Pair;
  const F taps(filter);
  const auto add = hn::Set(
      F::kWide, static_cast<typename F::Wide>(
                    sizeof(T) == 1 ? finish.add - (1 << (finish.shift - 1))
                                   : finish.add));
  const int last = rows + 2 * kPairs - 2;
  const auto load = [&](int r) HWY_ATTR {
    return F::Whole(LoadRows<kRows, kLanes>(
        in.data + r * in.stride, kRows == 1 || r < last ? in.stride : 0));
  };
  const auto store_sums = [&](int r, const Sums<typename F::W>& sums) HWY_ATTR {
    StoreSums<kRows, kLanes>(
        sums, rows - r, finish,
        Pixels<Out>{out.data + r * out.stride, out.stride});
  };
  const auto store = [&](int r, const Pair* pairs)
                         HWY_ATTR { store_sums(r, taps.Sum(pairs, add)); };
  if constexpr (kRows == 1) {
    Pair even[kPairs];  // from rows 0, 2, ... on
    Pair odd[kPairs];
    V newest = load(0);
    for (int p = 0; p + 1 < kPairs; ++p) {
      const V first = newest;
      const V second = load(2 * p + 1);
      newest = load(2 * p + 2);
      even[p] = F::MakePair(first, second);
      odd[p] = F::MakePair(second, newest);
    }
    for (int r = 0;; r += 2) {
      const V first = newest;
      const V second = load(r + 2 * kPairs - 1);
      even[kPairs - 1] = F::MakePair(first, second);
      store(r, even);
      if (r + 1 >= rows) break;
      newest = load(r + 2 * kPairs);
      odd[kPairs - 1] = F::MakePair(second, newest);
      store(r + 1, odd);
      if (r + 2 >= rows) break;
      for (int p = 0; p + 1 < kPairs; ++p) {
        even[p].Take(even[p + 1]);
        odd[p].Take(odd[p + 1]);
      }
    }
  } else {
    Pair pairs[kPairs];
    for (int p = 0; p + 1 < kPairs; ++p) {
      pairs[p] = F::MakePair(load(2 * p), load(2 * p + 1));
    }
    for (int r = 0; r < rows; r += 2) {
      pairs[kPairs - 1] =
          F::MakePair(load(r + 2 * kPairs - 2), load(r + 2 * kPairs - 1));
      store(r, pairs);
      for (int p = 0; p + 1 < kPairs; ++p) pairs[p].Take(pairs[p + 1]);
    }
  }
}

// Along rows of bytes, to bytes: as many groups of eight as two vectors of sums
// hold.
template <int kLanes, int kPairs, int kPixelStep>
HWY_INLINE void AcrossToBytes(Pixels<const uint8_t> in, const int8_t* filter,
                              int rows, const Finish& finish,
                              Pixels<uint8_t> out) {
  using F = AcrossBytes<kPairs, kPixelStep>;
  constexpr int kGroups = F::kGroups;
  constexpr int kRows = kLanes == 16 ? kGroups : 2 * kGroups;
  constexpr int kApart =
      kLanes == 16 ? 1 : 2;  // rows of the groups of a vector
  const F taps(filter);
  const RoundBytes round(finish);
  const auto add = hn::Set(
      F::kWide, static_cast<int16_t>(finish.add - (1 << (finish.shift - 1))));
  for (int r = 0; r < rows; r += kRows) {
    const auto row = [&](int i) {
      return in.data + HWY_MIN(r + i, rows - 1) * in.stride;
    };
    const uint8_t* const first = row(0);
    const uint8_t* const second = kGroups == 1 ? first : row(kApart);
    const uint8_t* const next = kLanes == 16 ? first + 8 : row(1);
    const uint8_t* const next_second = kGroups == 1   ? next
                                       : kLanes == 16 ? second + 8
                                                      : row(1 + kApart);
    StoreRows<kRows, HWY_MAX(kLanes, 8), kLanes>(
        DemoteTwo(hn::FixedTag<uint8_t, kVectorBytes>(),
                  round(hn::Add(taps.Sum(first, second), add)),
                  round(hn::Add(taps.Sum(next, next_second), add))),
        rows - r, Pixels<uint8_t>{out.data + r * out.stride, out.stride});
  }
}

// To int16_t.
template <int kLanes, int kPairs, int kPixelStep>
HWY_INLINE void AcrossToWide(Pixels<const uint8_t> in, const int8_t* filter,
                             int rows, const Finish& finish,
                             Pixels<int16_t> out) {
  using F = AcrossBytes<kPairs, kPixelStep>;
  constexpr int kGroups = F::kGroups;
  constexpr int kRows = kLanes == 16 ? 1 : kGroups;
  const F taps(filter);
  const RoundBytes round(finish);
  for (int r = 0; r < rows; r += kRows) {
    const uint8_t* const first = in.data + r * in.stride;
    const uint8_t* const second =
        kLanes == 16 ? first + 8
                     : first + (kRows == 2 && r + 1 < rows ? in.stride : 0);
    StoreRows<kRows, HWY_MAX(kLanes, 8), kLanes>(
        round(taps.Sum(first, second)), rows - r,
        Pixels<int16_t>{out.data + r * out.stride, out.stride});
  }
}

// Along rows of 16-bit samples.
template <int kLanes, int kPairs, int kPixelStep, typename Out>
HWY_INLINE void AcrossWide(Pixels<const int16_t> in, const int8_t* filter,
                           int rows, const Finish& finish, Pixels<Out> out) {
  constexpr int kRows = kRowsOf<int16_t, kLanes>;
  using F = Taps<int16_t, kRows * kLanes, kPairs>;
  const F taps(filter);
  const auto add = hn::Set(F::kWide, finish.add);
  for (int r = 0; r < rows; r += kRows) {
    const int16_t* const line = in.data + r * in.stride;
    const ptrdiff_t apart = kRows == 1 || r + 1 < rows ? in.stride : 0;
    const auto load = [&](int t) HWY_ATTR {
      return LoadRows<kRows, kLanes>(line + t * kPixelStep, apart);
    };
    const Pixels<Out> to = {out.data + r * out.stride, out.stride};
    if constexpr (kPixelStep == 1) {
      // Samples side by side are the pairs of taps: of every second result.
      auto even = taps.template AddTo<0>(add, load(0));
      auto odd = taps.template AddTo<0>(add, load(1));
      even = taps.template AddTo<1>(even, load(2));
      odd = taps.template AddTo<1>(odd, load(3));
      if constexpr (kPairs > 2) {
        even = taps.template AddTo<2>(even, load(4));
        odd = taps.template AddTo<2>(odd, load(5));
      }
      if constexpr (kPairs > 3) {
        even = taps.template AddTo<3>(even, load(6));
        odd = taps.template AddTo<3>(odd, load(7));
      }
      even = ShiftRightBy(even, finish.shift);
      odd = hn::ShiftLeft<16>(ShiftRightBy(odd, finish.shift));
      StoreWide<kRows, kLanes>(
          hn::OddEven(hn::BitCast(F::kTag, odd), hn::BitCast(F::kTag, even)),
          rows - r, finish.max, to);
      continue;
    }
    typename F::Pair pairs[kPairs];
    for (int p = 0; p < kPairs; ++p) {
      pairs[p] = F::MakePair(load(2 * p), load(2 * p + 1));
    }
    StoreSums<kRows, kLanes>(taps.Sum(pairs, add), rows - r, finish, to);
  }
}

template <int kLanes, int kPairs, int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE void Across(Pixels<const Sample> in, const int8_t* filter,
                         int rows, Finish finish, Pixels<Out> out) {
  if constexpr (sizeof(Out) == 1) {
    AcrossToBytes<kLanes, kPairs, kPixelStep>(in, filter, rows, finish, out);
  } else if constexpr (sizeof(Sample) == 1) {
    AcrossToWide<kLanes, kPairs, kPixelStep>(in, filter, rows, finish, out);
  } else {
    AcrossWide<kLanes, kPairs, kPixelStep>(
        Pixels<const int16_t>{reinterpret_cast<const int16_t*>(in.data),
                              in.stride},
        filter, rows, finish, out);
  }
}

// ---- passes of a block ----

// The widest strip of each, in samples.
template <typename Sample, typename Out>
constexpr int kAcrossLanes = sizeof(Out) == 1 ? 16 : kWideLanes;
template <typename Sample>
constexpr int kDownLanes = kVectorBytes / static_cast<int>(sizeof(Sample));
template <typename Sample>
constexpr int kBothLanes = kWideLanes;

// Samples that filters read down: of more than 8 bits they fit in int16_t.
HWY_INLINE Pixels<const uint8_t> Downward(Pixels<const uint8_t> in) {
  return in;
}
HWY_INLINE Pixels<const int16_t> Downward(Pixels<const uint16_t> in) {
  return {reinterpret_cast<const int16_t*>(in.data), in.stride};
}

template <int kLanes, int kPairs, int kPixelStep, typename Sample, typename Out>
HWY_INLINE void FilterAcross(Pixels<const Sample> in, const int8_t* filter,
                             int rows, const Passes<Sample, Out>& passes,
                             Pixels<Out> out) {
  Across<kLanes, kPairs, kPixelStep>(in, filter, rows, passes.Across(), out);
}

template <int kLanes, int kPairs, typename Sample, typename Out>
HWY_INLINE void FilterDown(Pixels<const Sample> in, const int8_t* filter,
                           int rows, const Passes<Sample, Out>& passes,
                           Pixels<Out> out) {
  Down<kLanes, kPairs>(Downward(in), filter, rows, passes.Down(), out);
}

template <int kLanes, int kPairsX, int kPairsY, int kPixelStep, typename Sample,
          typename Out>
HWY_INLINE void FilterBoth(Pixels<const Sample> in, const int8_t* filter_x,
                           const int8_t* filter_y, int rows,
                           const Passes<Sample, Out>& passes, Pixels<Out> out) {
  alignas(64) int16_t between[(kMaxPiece + kTaps) * kLanes];
  Across<kLanes, kPairsX, kPixelStep>(in, filter_x, rows + 2 * kPairsY - 1,
                                      passes.First(),
                                      Pixels<int16_t>{between, kLanes});
  Down<kLanes, kPairsY>(Pixels<const int16_t>{between, kLanes}, filter_y, rows,
                        passes.Second(), out);
}

// What the first pass of a scaled block adds to its sums.
template <typename Sample, typename Out>
HWY_INLINE Finish ScaledFirst(const Passes<Sample, Out>& passes) {
  return passes.First();
}
// The second, of one row. in: of the first tap.
template <int kLanes, typename Sample, typename Out>
HWY_INLINE void FilterScaledRow(Pixels<const int16_t> in, const int8_t* filter,
                                const Passes<Sample, Out>& passes, Out* out) {
  Down<kLanes, kTaps / 2>(in, filter, 1, passes.Second(), Pixels<Out>{out, 0});
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_INTER_FILTER_INL_H_
