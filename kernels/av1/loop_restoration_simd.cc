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

// Seven taps: of the sample itself, and of those to both sides of it.
class WienerTaps {
 public:
  explicit HWY_ATTR WienerTaps(uint32_t packed)
      : outer_(Tap(packed, 0), Tap(packed, 1)),
        inner_(Tap(packed, 2),
               128 - 2 * (Tap(packed, 0) + Tap(packed, 1) + Tap(packed, 2))) {}

  // (start + the samples around at times taps) >> shift. The sum of two samples
  // has 16 bits.
  HWY_INLINE HWY_ATTR VWords Convolve(const int16_t* at, ptrdiff_t step,
                                      VSums start, int shift) const {
    const Words d;
    const auto both = [&](ptrdiff_t i) HWY_ATTR {
      return hn::Add(hn::LoadU(d, at - i * step), hn::LoadU(d, at + i * step));
    };
    WordSums sums(start);
    sums.Add(both(3), both(2), outer_);
    sums.Add(both(1), hn::LoadU(d, at), inner_);
    return sums.Shifted(shift);
  }

 private:
  static int Tap(uint32_t packed, int i) {
    return static_cast<int8_t>(packed >> (8 * i));
  }

  const FactorPair outer_;
  const FactorPair inner_;
};

constexpr int kRows = kRestorationPiece + 2 * kRestorationBorder;

// Between the passes values are kept less the middle of their range, so that
// two of them add up to 16 bits at any depth. Taps add up to 128.
HWY_NOINLINE HWY_ATTR void WienerPasses(const RestorationUnit& unit,
                                        const RestorationPiece& piece,
                                        uint16_t* to) {
  const Words d;
  const Sums d32;
  const int round0 = piece.bit_depth == 12 ? 5 : 3;   // InterRound0
  const int round1 = piece.bit_depth == 12 ? 9 : 11;  // InterRound1
  const int half_range = 1 << (piece.bit_depth + 7 - round0);
  const int middle = half_range / 2;
  alignas(32) int16_t rows[kRows * kRestorationPiece];

  const WienerTaps horizontal(unit.horizontal);
  const VSums first_round =
      hn::Set(d32, (1 << (round0 - 1)) - (middle << round0));
  const VWords lowest = hn::Set(d, static_cast<int16_t>(-half_range));
  const VWords highest = hn::Set(d, static_cast<int16_t>(half_range - 1));
  for (int y = 0; y < piece.height + 6; ++y) {
    const int16_t* from = piece.samples + (y - 3) * kRestorationPitch;
    int16_t* row = rows + y * kRestorationPiece;
    for (int x = 0; x < piece.width; x += kWords) {
      const VWords v = horizontal.Convolve(from + x, 1, first_round, round0);
      hn::Store(hn::Min(hn::Max(v, lowest), highest), d, row + x);
    }
  }

  const WienerTaps vertical(unit.vertical);
  const VSums second_round = hn::Set(d32, (1 << (round1 - 1)) + (middle << 7));
  const VWords max_sample =
      hn::Set(d, static_cast<int16_t>((1 << piece.bit_depth) - 1));
  for (int y = 0; y < piece.height; ++y, to += kRestorationPiece) {
    const int16_t* row = rows + (y + 3) * kRestorationPiece;
    for (int x = 0; x < piece.width; x += kWords) {
      const VWords v =
          vertical.Convolve(row + x, kRestorationPiece, second_round, round1);
      hn::Store(hn::BitCast(hn::RebindToUnsigned<Words>(),
                            hn::Min(hn::Max(v, hn::Zero(d)), max_sample)),
                hn::RebindToUnsigned<Words>(), to + x);
    }
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
  static HWY_NOINLINE HWY_ATTR void Join(const uint16_t* first,
                                         const uint16_t* second, int count,
                                         Sample* pairs) {
    if (count < kWords) {
      return RestorationLines::Join(first, second, count, pairs);
    }
    const hn::RebindToUnsigned<Words> d;
    ForEachVector(count, [&](int i) HWY_ATTR {
      const auto even = hn::LoadU(d, first + i);
      const auto odd = hn::LoadU(d, second + i);
      if constexpr (sizeof(Sample) == 1) {
        const hn::Repartition<uint8_t, Words> bytes;
        hn::StoreU(hn::BitCast(bytes, hn::Or(even, hn::ShiftLeft<8>(odd))),
                   bytes, pairs + 2 * i);
      } else {
        hn::StoreInterleaved2(even, odd, d, pairs + 2 * i);
      }
    });
  }
};

struct Vectors : LinesOnVectors {
  static void Wiener(const RestorationUnit& unit, const RestorationPiece& piece,
                     uint16_t* to) {
    WienerPasses(unit, piece, to);
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
