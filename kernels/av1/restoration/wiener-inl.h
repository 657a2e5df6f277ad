// SPDX-License-Identifier: BSD-2-Clause
// The two passes of Wiener's filter (AV1 7.17.4) over two lines, on vectors.
//
// What goes along lines writes pairs of lines, in an order of its own, which
// what goes down them reads: two samples for each sample of a line. kReach: 3,
// or 2 if the taps three steps away are 0. Lines begin with the first sample of
// a piece; what is around it and behind it is there, too.
#if defined(PERDIX_KERNELS_AV1_RESTORATION_WIENER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_AV1_RESTORATION_WIENER_INL_H_
#undef PERDIX_KERNELS_AV1_RESTORATION_WIENER_INL_H_
#else
#define PERDIX_KERNELS_AV1_RESTORATION_WIENER_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/restoration/restoration_walk.h"
#include "kernels/av1/strips-inl.h"
#include "kernels/simd/lane_shifts-inl.h"
#include "kernels/simd/word_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// A component's seven taps. They add up to 128.
struct WienerTaps {
  WienerTaps(const RestorationUnit* unit,
             uint32_t RestorationUnit::*direction) {
    const uint32_t packed = WienerTapsOf(unit, direction);
    for (int i = 0; i < 3; ++i) {
      of[i] = of[6 - i] = static_cast<int8_t>(packed >> (8 * i));
    }
    of[3] = 128 - 2 * (of[0] + of[1] + of[2]);
  }

  int of[7];
};

// By component.
struct WienerFilter {
  WienerTaps horizontal[2];
  WienerTaps vertical[2];
  int bit_depth;

  int Round0() const { return bit_depth == 12 ? 5 : 3; }   // InterRound0
  int Round1() const { return bit_depth == 12 ? 9 : 11; }  // InterRound1
  // Lowest value of what the first pass makes, and the range above it.
  int Lowest() const { return -(1 << (bit_depth + 6 - Round0())); }
  int Range() const { return 1 << (bit_depth + 8 - Round0()); }
  int HighestSample() const { return (1 << bit_depth) - 1; }
};

template <class V>
HWY_INLINE HWY_ATTR V ClampLanes(V v, V lowest, V highest) {
  return hn::Min(hn::Max(v, lowest), highest);
}

// Vectors of 64 bytes where products are added in one operation.
using WienerLanes =
    hn::FixedTag<int16_t,
                 HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL ? 32 : kWords>;
using VWiener = hn::VFromD<WienerLanes>;
constexpr int kWienerLanes = static_cast<int>(hn::MaxLanes(WienerLanes()));

// Samples of a group, which FilterGroup makes of two lines: those in the middle
// of kReach + 1 pairs.
constexpr int kWienerSamples = 2 * kWienerLanes;

#if HWY_ARCH_X86

// x86 adds the products of lanes that are beside each other. Along a line these
// are two pixels, so that even and odd pixels go ways of their own, which end
// where they are stored. Down they are two lines that are interleaved.
//
// The first pass adds what the second one needs to round.

using WienerWide = hn::RepartitionToWide<WienerLanes>;
using VWienerWide = hn::VFromD<WienerWide>;

HWY_INLINE HWY_ATTR VWiener SetWiener(int value) {
  return hn::Set(WienerLanes(), static_cast<int16_t>(value));
}

// Tap i of a component and the next one, beside each other in a lane of D, for
// components in turn.
template <int kComponents, class D>
HWY_INLINE HWY_ATTR hn::VFromD<D> TapPair(D d, const WienerTaps* taps, int i) {
  using T = hn::TFromD<D>;
  const auto pair = [&](const WienerTaps& component) HWY_ATTR {
    const auto tap = [&](int k) {
      return static_cast<uint32_t>(k < 0 || k > 6 ? 0 : component.of[k]);
    };
    constexpr int kBits = 4 * sizeof(T);
    return hn::Set(d, static_cast<T>((tap(i) & ((1u << kBits) - 1)) |
                                     tap(i + 1) << kBits));
  };
  return hn::OddEven(pair(taps[kComponents - 1]), pair(taps[0]));
}

// Per 16 bytes: the units of the first half and those of the second in turn.
template <int kUnitBytes, class V>
HWY_INLINE HWY_ATTR V InterleaveHalves(V v) {
  struct Table {
    constexpr Table() {
      for (int i = 0; i < 16; ++i) {
        const int unit = i / kUnitBytes;
        of[i] = static_cast<uint8_t>(unit % 2 * 8 + unit / 2 * kUnitBytes +
                                     i % kUnitBytes);
      }
    }
    uint8_t of[16] = {};
  };
  alignas(16) static constexpr Table kTable;
  const hn::Repartition<uint8_t, hn::DFromV<V>> bytes;
  return hn::BitCast(hn::DFromV<V>(),
                     hn::TableLookupBytes(hn::BitCast(bytes, v),
                                          hn::LoadDup128(bytes, kTable.of)));
}

// Pairs of pixels, component by component. D: as wide as WienerLanes.
template <int kComponents, class D, typename Sample>
HWY_INLINE HWY_ATTR hn::VFromD<D> LoadPixels(D d, const Sample* from) {
  const auto v = hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(from));
  if constexpr (kComponents == 1) return v;
  struct Table {
    constexpr Table() {
      constexpr int kBytes = sizeof(Sample);
      for (int i = 0; i < 16; ++i) {
        const int sample = i / kBytes;
        const int swapped = sample % 4 == 1   ? sample + 1
                            : sample % 4 == 2 ? sample - 1
                                              : sample;
        of[i] = static_cast<uint8_t>(swapped * kBytes + i % kBytes);
      }
    }
    uint8_t of[16] = {};
  };
  alignas(16) static constexpr Table kTable;
  const hn::Repartition<uint8_t, D> bytes;
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, v),
                                             hn::LoadDup128(bytes, kTable.of)));
}

// Half of a group: as many samples as WienerLanes has, from at + half *
// kWienerLanes on.
template <int kReach, int kComponents, typename Sample>
class WienerHalf {
 public:
  HWY_ATTR explicit WienerHalf(const WienerFilter& filter)
      : WienerHalf(filter, 1 << (filter.Round1() - 8)) {}

  HWY_INLINE HWY_ATTR VWiener Filter(const Sample* at, int half) const {
    const Sample* const first = at + half * kWienerLanes - kReach * kComponents;
    const WienerWide d;
    VWienerWide even = start_;
    VWienerWide odd = start_;
    for (int i = 0; i <= kReach; ++i) {
      const Sample* const from = first + 2 * i * kComponents;
      even = AddProducts(d, LoadPixels<kComponents>(WienerLanes(), from),
                         taps_[i], even);
      odd = AddProducts(
          d, LoadPixels<kComponents>(WienerLanes(), from + kComponents),
          taps_[i], odd);
    }
    return ClampLanes(
        hn::ReorderDemote2To(WienerLanes(), ShiftRightBy(even, shift_),
                             ShiftRightBy(odd, shift_)),
        lowest_, highest_);
  }

 private:
  HWY_ATTR WienerHalf(const WienerFilter& filter, int more)
      : start_(hn::Set(WienerWide(), (more << filter.Round0()) +
                                         (1 << (filter.Round0() - 1)))),
        lowest_(SetWiener(filter.Lowest() + more)),
        highest_(SetWiener(filter.Lowest() + filter.Range() - 1 + more)),
        shift_(filter.Round0()) {
    for (int i = 0; i <= kReach; ++i) {
      taps_[i] = hn::BitCast(
          WienerLanes(), TapPair<kComponents>(WienerWide(), filter.horizontal,
                                              3 - kReach + 2 * i));
    }
  }

  VWiener taps_[kReach + 1];
  const VWienerWide start_;
  const VWiener lowest_;
  const VWiener highest_;
  const int shift_;
};

// Half 0: the even pixels, half 1: the odd ones. The sample times 127 is within
// 16 bits, if 2^14 are subtracted, and so is what the taps, -5..10, -23..8,
// -17..46, add to it. A sum that is not is beyond the range of the result.
template <int kReach, int kComponents>
class WienerHalf<kReach, kComponents, uint8_t> {
 public:
  HWY_ATTR explicit WienerHalf(const WienerFilter& filter)
      : centre_(hn::BitCast(kTaps, SetWiener(127 << (8 * (kReach % 2))))),
        back_(SetWiener((1 << 11) + (1 << (filter.Round1() - 8)))) {
    WienerTaps taps[2] = {filter.horizontal[0], filter.horizontal[1]};
    for (WienerTaps& component : taps) component.of[3] -= 127;
    for (int i = 0; i <= kReach; ++i) {
      taps_[i] = hn::BitCast(
          kTaps, TapPair<kComponents>(WienerLanes(), taps, 3 - kReach + 2 * i));
    }
  }

  HWY_INLINE HWY_ATTR VWiener Filter(const uint8_t* at, int half) const {
    const uint8_t* const first = at + (half - kReach) * kComponents;
    VWiener start = SetWiener(4 - (1 << 14));
    VWiener sum = hn::Zero(WienerLanes());
    for (int i = 0; i <= kReach; ++i) {
      const auto pixels =
          LoadPixels<kComponents>(kBytes, first + 2 * i * kComponents);
      sum =
          hn::Add(sum, SatWidenMulPairwiseAdd(WienerLanes(), pixels, taps_[i]));
      if (i == kReach / 2) {
        start = hn::Add(start,
                        SatWidenMulPairwiseAdd(WienerLanes(), pixels, centre_));
      }
    }
    return hn::Add(hn::ShiftRight<3>(hn::SaturatedAdd(start, sum)), back_);
  }

 private:
  static constexpr hn::Repartition<uint8_t, WienerLanes> kBytes = {};
  static constexpr hn::Repartition<int8_t, WienerLanes> kTaps = {};

  hn::VFromD<hn::Repartition<int8_t, WienerLanes>> taps_[kReach + 1];
  const hn::VFromD<hn::Repartition<int8_t, WienerLanes>> centre_;
  const VWiener back_;
};

template <int kReach, int kComponents, typename Sample>
class WienerAcross {
 public:
  HWY_ATTR explicit WienerAcross(const WienerFilter& filter) : half_(filter) {}

  HWY_INLINE HWY_ATTR void Filter(const Sample* a, const Sample* b, int count,
                                  int16_t* pairs) const {
    const WienerLanes d;
    for (int x = 0; x < count; x += kWienerSamples) {
      for (int half = 0; half < 2; ++half) {
        const VWiener of_a = half_.Filter(a + x, half);
        const VWiener of_b = half_.Filter(b + x, half);
        int16_t* const to = pairs + 2 * (x + half * kWienerLanes);
        hn::Store(hn::InterleaveLower(d, of_a, of_b), d, to);
        hn::Store(hn::InterleaveUpper(d, of_a, of_b), d, to + kWienerLanes);
      }
    }
  }

 private:
  const WienerHalf<kReach, kComponents, Sample> half_;
};

template <int kReach, int kComponents, typename Sample>
class WienerDown {
 public:
  HWY_ATTR explicit WienerDown(const WienerFilter& filter)
      : highest_(SetWiener(filter.HighestSample())), shift_(filter.Round1()) {
    for (int line = 0; line < 2; ++line) {
      for (int i = 0; i <= kReach; ++i) {
        taps_[line][i] = hn::BitCast(
            WienerLanes(), TapPair<kComponents>(WienerWide(), filter.vertical,
                                                3 - kReach + 2 * i - line));
      }
    }
  }

  HWY_INLINE HWY_ATTR void FilterGroup(int16_t* const* pairs, int x,
                                       Sample* first, Sample* second) const {
    VWiener results[2][2];
    for (int half = 0; half < 2; ++half) {
      VWienerWide sums[2][2];
      for (int part = 0; part < 2; ++part) {
        const int at = 2 * (x + half * kWienerLanes) + part * kWienerLanes;
        for (int i = 0; i <= kReach; ++i) {
          const VWiener pair = hn::Load(WienerLanes(), pairs[i] + at);
          for (int line = 0; line < 2; ++line) {
            sums[line][part] =
                i == 0 ? WidenMulPairwiseAdd(WienerWide(), pair, taps_[line][i])
                       : AddProducts(WienerWide(), pair, taps_[line][i],
                                     sums[line][part]);
          }
        }
      }
      for (int line = 0; line < 2; ++line) {
        results[line][half] = hn::ReorderDemote2To(
            WienerLanes(), ShiftRightBy(sums[line][0], shift_),
            ShiftRightBy(sums[line][1], shift_));
      }
    }
    Store(results[0], first);
    Store(results[1], second);
  }

 private:
  HWY_INLINE HWY_ATTR void Store(const VWiener* halves, uint8_t* to) const {
    const hn::Repartition<uint8_t, WienerLanes> d;
    hn::StoreU(
        InterleaveHalves<kComponents>(DemoteTwo(d, halves[0], halves[1])), d,
        to);
  }
  HWY_INLINE HWY_ATTR void Store(const VWiener* halves, uint16_t* to) const {
    const hn::RebindToUnsigned<WienerLanes> d;
    for (int half = 0; half < 2; ++half) {
      const VWiener v =
          ClampLanes(halves[half], hn::Zero(WienerLanes()), highest_);
      hn::StoreU(hn::BitCast(d, InterleaveHalves<2 * kComponents>(v)), d,
                 to + half * kWienerLanes);
    }
  }

  VWiener taps_[2][kReach + 1];
  const VWiener highest_;
  const int shift_;
};

#else

// Elsewhere lines' samples that have the same factor are added first, and the
// two lines of a pair follow each other.
//
// What the first pass makes is kept less the middle of its range, so that two
// of them add up to 16 bits at any depth.

HWY_INLINE HWY_ATTR VWords LoadWords(const uint8_t* from) {
  return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<uint8_t, Words>(), from));
}
HWY_INLINE HWY_ATTR VWords LoadWords(const uint16_t* from) {
  return hn::BitCast(Words(), hn::LoadU(hn::RebindToUnsigned<Words>(), from));
}

// The sum of the samples i steps before and behind at.
template <typename T>
HWY_INLINE HWY_ATTR VWords BothAt(const T* at, ptrdiff_t step, int i) {
  return hn::Add(LoadWords(at - i * step), LoadWords(at + i * step));
}
// The sum of the lines i before and after one.
HWY_INLINE HWY_ATTR VWords BothAt(const VWords* line, int i) {
  return hn::Add(line[-i], line[i]);
}

// Tap i, of components in turn, and more.
HWY_INLINE HWY_ATTR VWords TapInTurn(const WienerTaps* taps, int i,
                                     int components, int more = 0) {
  return hn::OddEven(SetWords(taps[components - 1].of[i] + more),
                     SetWords(taps[0].of[i] + more));
}

// What is added to a sum before it is shifted: a product of 16-bit factors.
struct WienerRound {
  int a;
  int b;
};

// Sums with 32 bits.
template <int kReach, int kComponents>
class WienerSums {
 public:
  HWY_ATTR WienerSums(const WienerTaps* taps, WienerRound round, int shift)
      : first_(TapInTurn(taps, 3 - kReach, kComponents),
               TapInTurn(taps, 4 - kReach, kComponents)),
        second_(
            kReach == 3 ? TapInTurn(taps, 2, kComponents) : SetWords(round.b),
            TapInTurn(taps, 3, kComponents)),
        start_(hn::Set(Sums(), kReach == 3 ? round.a * round.b : 0)),
        constant_(SetWords(round.a)),
        shift_(shift) {}

  // both(i): the sum of two samples i away has 16 bits.
  template <class Both>
  HWY_INLINE HWY_ATTR VWords Convolve(const Both& both, VWords centre) const {
    WordSums sums(start_);
    sums.Add(both(kReach), both(kReach - 1), first_);
    sums.Add(kReach == 3 ? both(1) : constant_, centre, second_);
    return sums.Shifted(shift_);
  }

 private:
  const FactorPair first_;
  const FactorPair second_;
  const VSums start_;
  const VWords constant_;
  const int shift_;
};

// Along a line.
template <int kReach, int kComponents, typename Sample>
class WienerLine {
 public:
  HWY_ATTR explicit WienerLine(const WienerFilter& filter)
      : sums_(filter.horizontal,
              {1 << (filter.Round0() - 1), 1 - filter.Range() / 2},
              filter.Round0()),
        lowest_(SetWords(-filter.Range() / 2)),
        highest_(SetWords(filter.Range() / 2 - 1)) {}

  HWY_INLINE HWY_ATTR VWords Filter(const Sample* at) const {
    const auto both = [&](int i)
                          HWY_ATTR { return BothAt(at, kComponents, i); };
    return ClampLanes(sums_.Convolve(both, LoadWords(at)), lowest_, highest_);
  }

 private:
  const WienerSums<kReach, kComponents> sums_;
  const VWords lowest_;
  const VWords highest_;
};

// 8 bits. The sample times 128 is within 16 bits, if 2^14 are subtracted, and
// so is what the taps, see WienerHalf, add to it. A sum that is not is beyond
// the range of the result.
template <int kReach, int kComponents>
class WienerLine<kReach, kComponents, uint8_t> {
 public:
  HWY_ATTR explicit WienerLine(const WienerFilter& filter) {
    for (int i = 0; i < 4; ++i) {
      taps_[i] = TapInTurn(filter.horizontal, i, kComponents, i < 3 ? 0 : -128);
    }
  }

  HWY_INLINE HWY_ATTR VWords Filter(const uint8_t* at) const {
    const VWords centre = LoadWords(at);
    VWords sum = hn::Mul(centre, taps_[3]);
    for (int i = kReach; i > 0; --i) {
      sum = hn::Add(sum, hn::Mul(BothAt(at, kComponents, i), taps_[3 - i]));
    }
    const VWords start =
        hn::Add(hn::ShiftLeft<7>(centre), SetWords(4 - (1 << 14)));
    return hn::ShiftRight<3>(hn::SaturatedAdd(start, sum));
  }

 private:
  VWords taps_[4];
};

template <int kReach, int kComponents, typename Sample>
class WienerAcross {
 public:
  HWY_ATTR explicit WienerAcross(const WienerFilter& filter) : line_(filter) {}

  HWY_INLINE HWY_ATTR void Filter(const Sample* a, const Sample* b, int count,
                                  int16_t* pair) const {
    for (int x = 0; x < count; x += kWords) {
      hn::Store(line_.Filter(a + x), Words(), pair + x);
      hn::Store(line_.Filter(b + x), Words(), pair + kWienerPiece + x);
    }
  }

 private:
  const WienerLine<kReach, kComponents, Sample> line_;
};

template <int kReach, int kComponents, typename Sample>
class WienerDown {
 public:
  HWY_ATTR explicit WienerDown(const WienerFilter& filter)
      : sums_(filter.vertical,
              {128, filter.Range() / 4 + (1 << (filter.Round1() - 8))},
              filter.Round1()),
        highest_(SetWords(filter.HighestSample())) {}

  HWY_INLINE HWY_ATTR void FilterGroup(int16_t* const* pairs, int group,
                                       Sample* first, Sample* second) const {
    for (int i = 0; i < kWienerSamples; i += kWords) {
      VWords lines[2 * kReach + 2];
      for (int line = 0; line < 2 * kReach + 2; ++line) {
        lines[line] = hn::Load(
            Words(), pairs[line / 2] + line % 2 * kWienerPiece + group + i);
      }
      Store(Line(lines + kReach), first + i);
      Store(Line(lines + kReach + 1), second + i);
    }
  }

 private:
  HWY_INLINE HWY_ATTR VWords Line(const VWords* line) const {
    const auto both = [&](int i) HWY_ATTR { return BothAt(line, i); };
    return sums_.Convolve(both, *line);
  }
  HWY_INLINE HWY_ATTR void Store(VWords v, uint8_t* to) const {
    const hn::Rebind<uint8_t, Words> d;
    hn::StoreU(hn::DemoteTo(d, v), d, to);
  }
  HWY_INLINE HWY_ATTR void Store(VWords v, uint16_t* to) const {
    const hn::RebindToUnsigned<Words> d;
    hn::StoreU(hn::BitCast(d, ClampLanes(v, hn::Zero(Words()), highest_)), d,
               to);
  }

  const WienerSums<kReach, kComponents> sums_;
  const VWords highest_;
};

#endif

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_RESTORATION_WIENER_INL_H_
