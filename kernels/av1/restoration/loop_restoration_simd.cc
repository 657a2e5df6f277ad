// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration (AV1 7.17) on vectors: what loop_restoration.cc does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/restoration/loop_restoration_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/restoration/restoration_walk.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/restoration/self_guided-inl.h"
#include "kernels/av1/restoration/wiener-inl.h"
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

// Writes count samples of two lines.
template <class Down, typename Sample>
HWY_INLINE HWY_ATTR void FilterDown(const Down& down, int16_t* const* pairs,
                                    int count, Sample* first, Sample* second) {
  int x = 0;
  for (; x + kWienerSamples <= count; x += kWienerSamples) {
    down.FilterGroup(pairs, x, first + x, second + x);
  }
  if (x == count) return;
  Sample last[2][kWienerSamples];
  down.FilterGroup(pairs, x, last[0], last[1]);
  std::copy_n(last[0], count - x, first + x);
  std::copy_n(last[1], count - x, second + x);
}

template <int kReach, int kComponents, typename Sample>
HWY_NOINLINE HWY_ATTR void WienerPasses(const WienerFilter& filter,
                                        RestorationSource<Sample>& source,
                                        const Plane& plane, int y0) {
  const RestorationExtent& piece = source.piece;
  const int count = kComponents * piece.width;
  alignas(64) int16_t ring[kReach + 1][2 * kWienerPiece];
  Sample unused[kWienerPiece];
  const WienerAcross<kReach, kComponents, Sample> across(filter);
  const WienerDown<kReach, kComponents, Sample> down(filter);
  for (int y = -2 * kReach; y < piece.height; y += 2) {
    const int line = y + kRestorationBorder + kReach;
    int16_t* pairs[kReach + 1];  // the last one is written
    for (int i = 0; i <= kReach; ++i) {
      pairs[i] = ring[(y / 2 + kReach + i) % (kReach + 1)];
    }
    across.Filter(source.Line(line, 0), source.Line(line + 1, 1), count,
                  pairs[kReach]);
    if (y < 0) continue;
    const auto to = [&](int i) {
      return plane.Row<Sample>(static_cast<uint32_t>(y0 + i)) +
             kComponents * piece.x;
    };
    FilterDown(down, pairs, count, to(y),
               y + 1 < piece.height ? to(y + 1) : unused);
  }
}

template <int kComponents, typename Sample>
void FilterWiener(const RestorationUnit* const* units,
                  RestorationSource<Sample>& source, const Plane& plane,
                  int y) {
  const RestorationUnit* const last = units[kComponents - 1];
  const WienerFilter filter = {{{units[0], &RestorationUnit::horizontal},
                                {last, &RestorationUnit::horizontal}},
                               {{units[0], &RestorationUnit::vertical},
                                {last, &RestorationUnit::vertical}},
                               source.piece.bit_depth};
  if (filter.horizontal[0].of[0] == 0 && filter.horizontal[1].of[0] == 0 &&
      filter.vertical[0].of[0] == 0 && filter.vertical[1].of[0] == 0) {
    WienerPasses<2, kComponents>(filter, source, plane, y);
  } else {
    WienerPasses<3, kComponents>(filter, source, plane, y);
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
                     RestorationSource<Sample>& source, const Plane& plane,
                     int y) {
    if (source.piece.components == 1) {
      return FilterWiener<1>(units, source, plane, y);
    }
    FilterWiener<2>(units, source, plane, y);
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
