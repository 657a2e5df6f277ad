// SPDX-License-Identifier: BSD-2-Clause
// Motion of the reference on vectors: what motion.cc does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quality/motion_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstdint>

#include "kernels/quality/motion.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/quality/lanes-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::quality::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

QualityWord Motion(const Luma& previous, const Luma& current, int bit_depth,
                   Arena& arena) {
  return MeasureMotion(previous, current, bit_depth, arena);
}

#else

namespace {

constexpr int kRadius = 2;
constexpr int kTaps = 2 * kRadius + 1;

// Taps 2 pair and 2 pair + 1; behind the last one is none.
HWY_INLINE HWY_ATTR V16 TapsOf(int pair) {
  const int second = 2 * pair + 1;
  return EachPair(
      {static_cast<int16_t>(kMotionFilter[2 * pair]),
       static_cast<int16_t>(second < kTaps ? kMotionFilter[second] : 0)});
}
constexpr int kPairs = (kTaps + 1) / 2;

// A blurred row of 17 bits with a sign, by its upper bits and its lowest 8.
struct SplitRow {
  int16_t* high;
  int16_t* low;
};

HWY_NOINLINE HWY_ATTR void BlurColumns(const Luma& previous,
                                       const Luma& current, int y,
                                       int bit_depth, const SplitRow& to) {
  const D16 d;
  const uint16_t* from[kTaps + 1];
  const uint16_t* now[kTaps + 1];
  for (int k = 0; k <= kTaps; ++k) {
    const int line =
        Mirrored(y - kRadius + (k == kTaps ? k - 1 : k), current.height);
    from[k] = previous.Row(line);
    now[k] = current.Row(line);
  }
  const auto blurred = [bit_depth](V32 sum) HWY_ATTR {
    return hn::ShiftRightSame(hn::Add(sum, Set32(1 << (bit_depth - 1))),
                              bit_depth);
  };
  for (int x = 0; x < current.width; x += kLanes16) {
    const auto difference = [&](int k) HWY_ATTR {
      const DU16 samples;
      return hn::BitCast(d, hn::Sub(hn::LoadU(samples, from[k] + x),
                                    hn::LoadU(samples, now[k] + x)));
    };
    ColumnSum sum;
    for (int i = 0; i < kPairs; ++i) {
      sum.Add(difference(2 * i), difference(2 * i + 1), TapsOf(i));
    }
    const V32 a = blurred(sum.low);
    const V32 b = blurred(sum.high);
    const V32 byte = Set32(0xff);
    hn::StoreU(ColumnSum(hn::ShiftRight<8>(a), hn::ShiftRight<8>(b)).Narrow(),
               d, to.high + x);
    hn::StoreU(ColumnSum(hn::And(a, byte), hn::And(b, byte)).Narrow(), d,
               to.low + x);
  }
  for (int16_t* row : {to.high, to.low}) {
    for (int k = 1; k <= kRadius; ++k) {
      row[-k] = row[k];
      row[current.width - 1 + k] = row[current.width - 1 - k];
    }
  }
}

// The sum over a row of which lanes begin at <row>: of every second sample.
HWY_INLINE HWY_ATTR V32 SumRow(const int16_t* row) {
  V32 sum = hn::Zero(D32());
  for (int i = 0; i < kPairs; ++i) {
    sum = AddPairProducts(hn::LoadU(D16(), row - kRadius + 2 * i), TapsOf(i),
                          sum);
  }
  return sum;
}

HWY_NOINLINE HWY_ATTR int64_t BlurredSum(const SplitRow& row, int width) {
  const V32 places = hn::ShiftLeft<1>(hn::Iota(D32(), 0));
  VU64 sum = hn::Zero(DU64());
  // Even places, odd places.
  for (int x = 0; x < width; x += (x & 1) != 0 ? kLanes16 - 1 : 1) {
    const V32 low =
        hn::ShiftRight<8>(hn::Add(SumRow(row.low + x), Set32(32768)));
    const V32 blurred = hn::ShiftRight<8>(hn::Add(SumRow(row.high + x), low));
    const V32 absolute =
        hn::IfThenElseZero(hn::Lt(places, Set32(width - x)), hn::Abs(blurred));
    sum = AddWords(hn::BitCast(DU32(), absolute), sum);
  }
  return SumLanes(sum);
}

}  // namespace

QualityWord Motion(const Luma& previous, const Luma& current, int bit_depth,
                   Arena& arena) {
  const auto take = [&] {
    return arena.Take<int16_t>(size_t(current.width) + 4 * kReadAhead) +
           kReadAhead;
  };
  const SplitRow row = {take(), take()};
  int64_t sum = 0;
  for (int y = 0; y < current.height; ++y) {
    BlurColumns(previous, current, y, bit_depth, row);
    sum += BlurredSum(row, current.width);
  }
  return sum;
}

#endif  // HWY_TARGET

}  // namespace perdix::quality::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::quality {

HWY_EXPORT(Motion);

QualityWord MeasureMotionSimd(const Luma& previous, const Luma& current,
                              int bit_depth, Arena& arena) {
  return HWY_DYNAMIC_DISPATCH(Motion)(previous, current, bit_depth, arena);
}

}  // namespace perdix::quality
#endif
