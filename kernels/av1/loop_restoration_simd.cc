// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration (AV1 7.17) on vectors: what loop_restoration.cc does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/loop_restoration_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/restoration_walk.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/self_guided-inl.h"
#include "kernels/av1/word_sums-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void LoopRestoration8(const KernelArgs& args, Range range) {
  LoopRestoration<uint8_t>(args, range);
}
void LoopRestoration16(const KernelArgs& args, Range range) {
  LoopRestoration<uint16_t>(args, range);
}

#else

namespace {

// ---- Wiener (7.17.4, 7.17.5) ----

HWY_INLINE HWY_ATTR VWords LoadWords(const uint8_t* from) {
  return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<uint8_t, Words>(), from));
}
HWY_INLINE HWY_ATTR VWords LoadWords(const uint16_t* from) {
  return hn::BitCast(Words(), hn::LoadU(hn::RebindToUnsigned<Words>(), from));
}
HWY_INLINE HWY_ATTR VWords LoadWords(const int16_t* from) {
  return hn::LoadU(Words(), from);
}

// The sum of the samples i steps before and behind at.
template <typename T>
HWY_INLINE HWY_ATTR VWords BothAt(const T* at, ptrdiff_t step, int i) {
  return hn::Add(LoadWords(at - i * step), LoadWords(at + i * step));
}

// RestorationUnit's taps of one direction, for even and for odd lanes.
struct TapsInTurn {
  uint32_t even;
  uint32_t odd;

  static int Tap(uint32_t packed, int i) {
    return static_cast<int8_t>(packed >> (8 * i));
  }
  // Of the sample itself, less 128.
  static int Middle(uint32_t packed) {
    return -2 * (Tap(packed, 0) + Tap(packed, 1) + Tap(packed, 2));
  }
  // Of the samples 3 - i steps away.
  HWY_ATTR VWords Outer(int i) const {
    return InTurn(Tap(even, i), Tap(odd, i));
  }
  // Of the sample itself, less 128, and <more>.
  HWY_ATTR VWords Centre(int more) const {
    return InTurn(Middle(even) + more, Middle(odd) + more);
  }

 private:
  static HWY_ATTR VWords InTurn(int even, int odd) {
    return hn::OddEven(SetWords(odd), SetWords(even));
  }
};

// What is added to a sum before it is shifted: a product of 16-bit factors.
struct WienerRound {
  int a;
  int b;
};

// Sums with 32 bits. kOuter: whether some tap three steps away is not 0.
template <bool kOuter>
class WienerTaps {
 public:
  HWY_ATTR WienerTaps(TapsInTurn taps, WienerRound round, int shift)
      : first_(taps.Outer(kOuter ? 0 : 1), taps.Outer(kOuter ? 1 : 2)),
        second_(kOuter ? taps.Outer(2) : SetWords(round.b), taps.Centre(128)),
        start_(hn::Set(Sums(), kOuter ? round.a * round.b : 0)),
        constant_(SetWords(round.a)),
        shift_(shift) {}

  // The sum of two samples has 16 bits.
  template <typename T>
  HWY_INLINE HWY_ATTR VWords Convolve(const T* at, ptrdiff_t step) const {
    WordSums sums(start_);
    if constexpr (kOuter) {
      sums.Add(BothAt(at, step, 3), BothAt(at, step, 2), first_);
      sums.Add(BothAt(at, step, 1), LoadWords(at), second_);
    } else {
      sums.Add(BothAt(at, step, 2), BothAt(at, step, 1), first_);
      sums.Add(constant_, LoadWords(at), second_);
    }
    return sums.Shifted(shift_);
  }

 private:
  const FactorPair first_;
  const FactorPair second_;
  const VSums start_;
  const VWords constant_;
  const int shift_;
};

// ---- along lines ----

// The results are kept less the middle of their range, so that two of them add
// up to 16 bits at any depth. Taps add up to 128.
template <bool kOuter, typename Sample>
class WienerAcross {
 public:
  HWY_ATTR WienerAcross(TapsInTurn taps, int bit_depth)
      : WienerAcross(taps, bit_depth == 12 ? 5 : 3, bit_depth) {}

  HWY_INLINE HWY_ATTR VWords Filter(const Sample* at, ptrdiff_t step) const {
    return hn::Min(hn::Max(taps_.Convolve(at, step), lowest_), highest_);
  }

 private:
  // round0: InterRound0.
  HWY_ATTR WienerAcross(TapsInTurn taps, int round0, int bit_depth)
      : taps_(taps, {1 << (round0 - 1), 1 - (1 << (bit_depth + 7 - round0))},
              round0),
        lowest_(SetWords(-(1 << (bit_depth + 7 - round0)))),
        highest_(SetWords((1 << (bit_depth + 7 - round0)) - 1)) {}

  const WienerTaps<kOuter> taps_;
  const VWords lowest_;
  const VWords highest_;
};

// 8 bits. The sample times 128 is within 16 bits, if 2^14 are subtracted, and
// so is what the taps, -5..10, -23..8, -17..46, add to it. A sum that is not is
// beyond the range of the result.
template <bool kOuter>
class WienerAcross<kOuter, uint8_t> {
 public:
  HWY_ATTR WienerAcross(TapsInTurn taps, int /*bit_depth*/)
      : taps_{taps.Outer(0), taps.Outer(1), taps.Outer(2), taps.Centre(0)} {}

  HWY_INLINE HWY_ATTR VWords Filter(const uint8_t* at, ptrdiff_t step) const {
    const VWords centre = LoadWords(at);
    VWords sum = hn::Mul(centre, taps_[3]);
    for (int i = kOuter ? 3 : 2; i > 0; --i) {
      sum = hn::Add(sum, hn::Mul(BothAt(at, step, i), taps_[3 - i]));
    }
    const VWords start =
        hn::Add(hn::ShiftLeft<7>(centre), SetWords(4 - (1 << 14)));
    return hn::ShiftRight<3>(hn::SaturatedAdd(start, sum));
  }

 private:
  const VWords taps_[4];
};

HWY_INLINE HWY_ATTR void StoreSamples(VWords v, VWords /*highest*/,
                                      uint8_t* to) {
  const hn::Rebind<uint8_t, Words> d;
  hn::StoreU(hn::DemoteTo(d, v), d, to);
}
HWY_INLINE HWY_ATTR void StoreSamples(VWords v, VWords highest, uint16_t* to) {
  const hn::RebindToUnsigned<Words> d;
  hn::StoreU(hn::BitCast(d, hn::Min(hn::Max(v, hn::Zero(Words())), highest)), d,
             to);
}

template <bool kOuter, int kComponents, typename Sample>
HWY_NOINLINE HWY_ATTR void WienerPasses(const RestorationUnit* const* units,
                                        const RestorationSource<Sample>& source,
                                        Sample* to) {
  constexpr int kPitch = kComponents * kRestorationPiece;
  const int count = kComponents * source.width;
  const auto taps = [&](uint32_t RestorationUnit::*direction) {
    return TapsInTurn{WienerTapsOf(units[0], direction),
                      WienerTapsOf(units[kComponents - 1], direction)};
  };
  alignas(32) int16_t rows[kSourceLines * kPitch];
  const WienerAcross<kOuter, Sample> across(taps(&RestorationUnit::horizontal),
                                            source.bit_depth);
  for (int y = 0; y < source.height + 2 * kRestorationBorder; ++y) {
    const Sample* from = source.lines[y];
    int16_t* row = rows + y * kPitch;
    for (int x = 0; x < count; x += kWords) {
      hn::Store(across.Filter(from + x, kComponents), Words(), row + x);
    }
  }

  // InterRound1. The middle of the range is added again.
  const int round1 = source.bit_depth == 12 ? 9 : 11;
  const int middle = 1 << (source.bit_depth + round1 - 8);
  const WienerTaps<kOuter> down(taps(&RestorationUnit::vertical),
                                {128, middle + (1 << (round1 - 8))}, round1);
  const VWords highest = SetWords((1 << source.bit_depth) - 1);
  for (int y = 0; y < source.height; ++y, to += kRestoredPitch) {
    const int16_t* row = rows + (y + kRestorationBorder) * kPitch;
    for (int x = 0; x < count; x += kWords) {
      StoreSamples(down.Convolve(row + x, kPitch), highest, to + x);
    }
  }
}

template <int kComponents, typename Sample>
void FilterWiener(const RestorationUnit* const* units,
                  const RestorationSource<Sample>& source, Sample* to) {
  uint32_t taps = 0;
  for (int i = 0; i < kComponents; ++i) {
    taps |= WienerTapsOf(units[i], &RestorationUnit::vertical) |
            WienerTapsOf(units[i], &RestorationUnit::horizontal);
  }
  if ((taps & 0xff) != 0) {
    WienerPasses<true, kComponents>(units, source, to);
  } else {
    WienerPasses<false, kComponents>(units, source, to);
  }
}

// run(i) for each vector of count lanes from i on. The last one overlaps with
// the one before it. count: kWords at least.
template <class Run>
HWY_INLINE HWY_ATTR void ForEachVector(int count, const Run& run) {
  int i = 0;
  for (; i + kWords <= count; i += kWords) run(i);
  if (i < count) run(count - kWords);
}

// RestorationLines on vectors.
struct LinesOnVectors {
  template <typename Sample>
  static HWY_NOINLINE HWY_ATTR void Widen(const Sample* from, int count,
                                          int16_t* to) {
    if (count < kWords) return RestorationLines::Widen(from, count, to);
    ForEachVector(count, [&](int i) HWY_ATTR {
      const auto v = hn::LoadU(hn::Rebind<Sample, Words>(), from + i);
      if constexpr (sizeof(Sample) == 1) {
        hn::StoreU(hn::PromoteTo(Words(), v), Words(), to + i);
      } else {
        hn::StoreU(hn::BitCast(Words(), v), Words(), to + i);
      }
    });
  }

  template <typename Sample>
  static HWY_NOINLINE HWY_ATTR void Split(const Sample* pairs, int count,
                                          int16_t* first, int16_t* second) {
    if (count < kWords) {
      return RestorationLines::Split(pairs, count, first, second);
    }
    const hn::RebindToUnsigned<Words> d;
    ForEachVector(count, [&](int i) HWY_ATTR {
      auto even = hn::Zero(d);
      auto odd = hn::Zero(d);
      if constexpr (sizeof(Sample) == 1) {
        const auto v = hn::BitCast(
            d, hn::LoadU(hn::Repartition<uint8_t, Words>(), pairs + 2 * i));
        even = hn::And(v, hn::Set(d, 0xff));
        odd = hn::ShiftRight<8>(v);
      } else {
        hn::LoadInterleaved2(d, pairs + 2 * i, even, odd);
      }
      hn::StoreU(hn::BitCast(Words(), even), Words(), first + i);
      hn::StoreU(hn::BitCast(Words(), odd), Words(), second + i);
    });
  }

  template <typename Sample>
  static HWY_NOINLINE HWY_ATTR void Narrow(const uint16_t* from, int count,
                                           Sample* to) {
    if (count < kWords) return RestorationLines::Narrow(from, count, to);
    const hn::RebindToUnsigned<Words> d;
    ForEachVector(count, [&](int i) HWY_ATTR {
      const auto v = hn::LoadU(d, from + i);
      if constexpr (sizeof(Sample) == 1) {
        const hn::Rebind<uint8_t, Words> bytes;
        hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(Words(), v)), bytes, to + i);
      } else {
        hn::StoreU(v, d, to + i);
      }
    });
  }

  template <typename Sample>
  static HWY_NOINLINE HWY_ATTR void Put(const uint16_t* from, int count,
                                        int component, Sample* pairs) {
    if (count < kWords) {
      return RestorationLines::Put(from, count, component, pairs);
    }
    const hn::RebindToUnsigned<Words> d;
    ForEachVector(count, [&](int i) HWY_ATTR {
      const auto v = hn::LoadU(d, from + i);
      if constexpr (sizeof(Sample) == 1) {
        const hn::Repartition<uint8_t, Words> bytes;
        const auto both = hn::BitCast(d, hn::LoadU(bytes, pairs + 2 * i));
        const auto low = hn::Set(d, 0xff);
        const auto put = component == 0
                             ? hn::Or(hn::AndNot(low, both), v)
                             : hn::Or(hn::And(both, low), hn::ShiftLeft<8>(v));
        hn::StoreU(hn::BitCast(bytes, put), bytes, pairs + 2 * i);
      } else {
        auto even = hn::Zero(d);
        auto odd = hn::Zero(d);
        hn::LoadInterleaved2(d, pairs + 2 * i, even, odd);
        (component == 0 ? even : odd) = v;
        hn::StoreInterleaved2(even, odd, d, pairs + 2 * i);
      }
    });
  }
};

struct Vectors : LinesOnVectors {
  template <typename Sample>
  static void Wiener(const RestorationUnit* const* units,
                     const RestorationSource<Sample>& source, Sample* to) {
    if (source.components == 1) return FilterWiener<1>(units, source, to);
    FilterWiener<2>(units, source, to);
  }
  static void SelfGuided(const RestorationUnit& unit,
                         const RestorationPiece& piece, uint16_t* to) {
    SelfGuidedOnLanes(unit, piece, to);
  }
};

}  // namespace

void LoopRestoration8(const KernelArgs& args, Range range) {
  LoopRestorationRows<uint8_t, Vectors>(args, range);
}
void LoopRestoration16(const KernelArgs& args, Range range) {
  LoopRestorationRows<uint16_t, Vectors>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(LoopRestoration8);
HWY_EXPORT(LoopRestoration16);

template <>
void LoopRestorationSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(LoopRestoration8)(args, range);
}
template <>
void LoopRestorationSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(LoopRestoration16)(args, range);
}

}  // namespace perdix::av1
#endif
