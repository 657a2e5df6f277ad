// SPDX-License-Identifier: BSD-2-Clause
// CDEF (AV1 7.15) on vectors: what cdef.cc does, to 16 samples at once where
// vectors are as long.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/cdef_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/cdef_walk.h"
#include "kernels/av1/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void Cdef8(const KernelArgs& args, Range range) { Cdef<uint8_t>(args, range); }
void Cdef16(const KernelArgs& args, Range range) {
  Cdef<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- 7.15.2 ----

// Of two blocks beside each other, each in 16 bytes of a vector; where vectors
// are shorter, of one.
constexpr int kBlocks = HWY_MAX_BYTES >= 32 ? 2 : 1;
using Line = hn::FixedTag<int16_t, 8 * kBlocks>;
using VLine = hn::VFromD<Line>;
using Costs = hn::RepartitionToWide<Line>;
using VCosts = hn::VFromD<Costs>;

// Sums of an 8x8's samples along lines of a direction: of lines 0 to 7, and of
// the others.
struct LineSums {
  VLine first;
  VLine rest;
};

// Rows or pairs of rows, each one lane further to the right than the last.
template <int kShift>
HWY_INLINE HWY_ATTR void AddShifted(VLine row, LineSums& sums) {
  if constexpr (kShift == 0) {
    sums.first = hn::Add(sums.first, row);
  } else {
    const Line d;
    sums.first = hn::Add(sums.first, hn::ShiftLeftLanes<kShift>(d, row));
    sums.rest = hn::Add(sums.rest, hn::ShiftRightLanes<8 - kShift>(d, row));
  }
}

// Squares, added for lanes that are beside each other.
HWY_INLINE HWY_ATTR VCosts PairsOfSquares(VLine sums) {
  const Costs d;
  VCosts odd = hn::Zero(d);
  const VCosts even =
      hn::ReorderWidenMulAccumulate(d, sums, sums, hn::Zero(d), odd);
  return hn::Add(even, odd);
}

// Squares of lines and of those that weigh the same.
HWY_INLINE HWY_ATTR VCosts Weighted(VLine lines, VLine others,
                                    const int32_t (&weights)[8]) {
  const Line d;
  const Costs d32;
  const auto squares = [&](VLine lines_and_others) HWY_ATTR {
#if HWY_ARCH_X86
    return PairsOfSquares(lines_and_others);
#else  // where lanes are not added to the ones beside them
    const auto low = hn::PromoteTo(d32, hn::LowerHalf(lines_and_others));
    const auto high =
        hn::PromoteTo(d32, hn::UpperHalf(hn::Half<Line>(), lines_and_others));
    const auto low2 = hn::Mul(low, low);
    const auto high2 = hn::Mul(high, high);
    return hn::Add(hn::ConcatEven(d32, high2, low2),
                   hn::ConcatOdd(d32, high2, low2));
#endif
  };
  return hn::Add(hn::Mul(squares(hn::InterleaveLower(d, lines, others)),
                         hn::LoadDup128(d32, weights)),
                 hn::Mul(squares(hn::InterleaveUpper(d, lines, others)),
                         hn::LoadDup128(d32, weights + 4)));
}

// By lanes: Div_Table, for 1 to 8 samples, and for 2, 4, 6, 8, ..
alignas(16) constexpr int32_t kDiagonal[8] = {840, 420, 280, 210,
                                              168, 140, 120, 105};
alignas(16) constexpr int32_t kOblique[8] = {420, 210, 140, 105,
                                             105, 105, 105, 105};
// The lane of <rest> with the line that weighs as much as each of <first>.
#define PERDIX_LANE(i) 2 * (i), 2 * (i) + 1
alignas(16) constexpr uint8_t kDiagonalOthers[16] = {
    PERDIX_LANE(6), PERDIX_LANE(5), PERDIX_LANE(4), PERDIX_LANE(3),
    PERDIX_LANE(2), PERDIX_LANE(1), PERDIX_LANE(0), PERDIX_LANE(7)};
alignas(16) constexpr uint8_t kObliqueOthers[16] = {
    PERDIX_LANE(2), PERDIX_LANE(1), PERDIX_LANE(0), PERDIX_LANE(7),
    PERDIX_LANE(7), PERDIX_LANE(7), PERDIX_LANE(7), PERDIX_LANE(7)};
#undef PERDIX_LANE

HWY_INLINE HWY_ATTR VCosts CostOf(const LineSums& sums,
                                  const uint8_t (&others)[16],
                                  const int32_t (&weights)[8]) {
  const hn::Repartition<uint8_t, Line> bytes;
  return Weighted(
      sums.first,
      hn::TableLookupBytes(sums.rest,
                           hn::BitCast(Line(), hn::LoadDup128(bytes, others))),
      weights);
}

// Of a direction and of the one across: rows in both orders.
HWY_INLINE HWY_ATTR void DiagonalCosts(const VLine* rows, VCosts& cost0,
                                       VCosts& cost4) {
  const VLine zero = hn::Zero(Line());
  LineSums sums = {zero, zero};
  AddShifted<0>(rows[0], sums);
  AddShifted<1>(rows[1], sums);
  AddShifted<2>(rows[2], sums);
  AddShifted<3>(rows[3], sums);
  AddShifted<4>(rows[4], sums);
  AddShifted<5>(rows[5], sums);
  AddShifted<6>(rows[6], sums);
  AddShifted<7>(rows[7], sums);
  cost0 = CostOf(sums, kDiagonalOthers, kDiagonal);
  sums = {zero, zero};
  AddShifted<0>(rows[7], sums);
  AddShifted<1>(rows[6], sums);
  AddShifted<2>(rows[5], sums);
  AddShifted<3>(rows[4], sums);
  AddShifted<4>(rows[3], sums);
  AddShifted<5>(rows[2], sums);
  AddShifted<6>(rows[1], sums);
  AddShifted<7>(rows[0], sums);
  cost4 = CostOf(sums, kDiagonalOthers, kDiagonal);
}

// Directions 5, 6, 7 of rows; of columns 3, 2, 1.
HWY_INLINE HWY_ATTR void SteepCosts(const VLine* rows, VCosts& cost5,
                                    VCosts& cost6, VCosts& cost7) {
  const VLine zero = hn::Zero(Line());
  VLine pairs[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs[i] = hn::Add(rows[2 * i], rows[2 * i + 1]);
  }
  LineSums sums = {zero, zero};
  AddShifted<0>(pairs[0], sums);
  AddShifted<1>(pairs[1], sums);
  AddShifted<2>(pairs[2], sums);
  AddShifted<3>(pairs[3], sums);
  cost7 = CostOf(sums, kObliqueOthers, kOblique);
  sums = {zero, zero};
  AddShifted<0>(pairs[3], sums);
  AddShifted<1>(pairs[2], sums);
  AddShifted<2>(pairs[1], sums);
  AddShifted<3>(pairs[0], sums);
  cost5 = CostOf(sums, kObliqueOthers, kOblique);
  const VLine columns =
      hn::Add(hn::Add(pairs[0], pairs[1]), hn::Add(pairs[2], pairs[3]));
  cost6 = hn::Mul(PairsOfSquares(columns), hn::Set(Costs(), 105));
}

HWY_INLINE HWY_ATTR void Transpose(VLine (&rows)[8]) {
  const Line d;
#pragma GCC unroll 3
  for (int round = 0; round < 3; ++round) {
    VLine next[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + 4]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 4]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) rows[i] = next[i];
  }
}

// The sum of each vector's lanes.
HWY_INLINE HWY_ATTR VCosts SumsOfLanes(const VCosts* v) {
  const Costs d;
  const auto halves = [&](VCosts a, VCosts b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  const VCosts first = halves(v[0], v[2]);
  const VCosts second = halves(v[1], v[3]);
  return halves(first, second);
}

// Of kBlocks.
HWY_NOINLINE HWY_ATTR void FindDirections(const uint16_t* blocks, int bit_depth,
                                          CdefDirection* found) {
  const Line d;
  const hn::RebindToUnsigned<Line> d16;
  VLine rows[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    const auto samples = hn::LoadU(d16, blocks + i * kCdefPitch);
    rows[i] =
        hn::Sub(hn::BitCast(d, hn::ShiftRightSame(samples, bit_depth - 8)),
                hn::Set(d, int16_t{128}));
  }
  VCosts costs[8];
  DiagonalCosts(rows, costs[0], costs[4]);
  SteepCosts(rows, costs[5], costs[6], costs[7]);
  Transpose(rows);
  SteepCosts(rows, costs[3], costs[2], costs[1]);

  const Costs d32;
  const VCosts low = SumsOfLanes(costs);
  const VCosts high = SumsOfLanes(costs + 4);
  // Of each block, in all of its lanes.
  VCosts most = hn::Max(low, high);
  most = hn::Max(most, hn::Shuffle2301(most));
  most = hn::Max(most, hn::Shuffle1032(most));
  alignas(32) int32_t all[2][4 * kBlocks];
  hn::Store(low, d32, all[0]);
  hn::Store(high, d32, all[1]);
  uint8_t bits[2] = {};
  hn::StoreMaskBits(d32, hn::Eq(low, most), bits);
  hn::StoreMaskBits(d32, hn::Eq(high, most), bits + 1);
  for (int i = 0; i < kBlocks; ++i) {
    const int shift = 4 * i;
    const uint32_t equal =
        ((bits[0] >> shift) & 15u) | ((bits[1] >> shift) & 15u) << 4;
    const int best = std::countr_zero(equal);
    const auto cost = [&](int direction) {
      return all[direction / 4][shift + direction % 4];
    };
    found[i] = {best, (cost(best) - cost((best + 4) & 7)) >> 10};
  }
}

// ---- 7.15.3 ----

// A vector has 16 samples of a line or eight of each of two lines; where
// vectors are shorter, eight of one line.
constexpr int kMostLanes = HWY_MAX_BYTES >= 32 ? 16 : 8;
using Samples = hn::FixedTag<uint16_t, kMostLanes>;
using VSamples = hn::VFromD<Samples>;
using Differences = hn::RebindToSigned<Samples>;
using VDifferences = hn::VFromD<Differences>;

// kLines: 1 or 2.
template <int kLines>
HWY_INLINE HWY_ATTR VSamples LoadLines(const uint16_t* from) {
  if constexpr (kLines == 1) {
    return hn::LoadU(Samples(), from);
  } else {
    const hn::Half<Samples> line;
    return hn::Combine(Samples(), hn::LoadU(line, from + kCdefPitch),
                       hn::LoadU(line, from));
  }
}

template <int kLines, typename Sample>
HWY_INLINE HWY_ATTR void StoreLines(VDifferences v, Sample* to,
                                    ptrdiff_t stride) {
  const hn::Rebind<Sample, Differences> d;
  const auto samples = [&]() HWY_ATTR {
    if constexpr (sizeof(Sample) == 1) {
      return hn::DemoteTo(d, v);
    } else {
      return hn::BitCast(d, v);
    }
  }();
  if constexpr (kLines == 1) {
    hn::StoreU(samples, d, to);
  } else {
    const hn::Half<decltype(d)> line;
    hn::StoreU(hn::LowerHalf(line, samples), line, to);
    hn::StoreU(hn::UpperHalf(line, samples), line, to + stride);
  }
}

// Taps of one strength.
struct Strength {
  VSamples limit;
  int shift;

  // constrain.
  HWY_INLINE HWY_ATTR VDifferences Constrain(VSamples p, VSamples x) const {
    const Differences d;
    const VDifferences difference = hn::BitCast(d, hn::Sub(p, x));
    const VSamples size = hn::BitCast(Samples(), hn::Abs(difference));
    const VSamples room =
        hn::SaturatedSub(limit, hn::ShiftRightSame(size, shift));
    const VDifferences most = hn::BitCast(d, room);
    return hn::Max(hn::Min(difference, most), hn::Neg(most));
  }
};

// What the taps add to samples x, and the range of them all.
struct Sum {
  VSamples x;
  VDifferences sum;
  VSamples low;
  VDifferences high;

  // Both samples of a tap.
  template <int kLines, bool kRange>
  HWY_INLINE HWY_ATTR VDifferences Tap(const uint16_t* at, ptrdiff_t offset,
                                       const Strength& strength) {
    const VSamples p = LoadLines<kLines>(at + offset);
    const VSamples q = LoadLines<kLines>(at - offset);
    if constexpr (kRange) {
      const Differences d;
      low = hn::Min(low, hn::Min(p, q));
      high = hn::Max(high, hn::Max(hn::BitCast(d, p), hn::BitCast(d, q)));
    }
    return hn::Add(strength.Constrain(p, x), strength.Constrain(q, x));
  }

  template <bool kRange>
  HWY_INLINE HWY_ATTR VDifferences Result() const {
    const Differences d;
    const VDifferences rounded = hn::Add(
        hn::Add(sum, hn::BroadcastSignBit(sum)), hn::Set(d, int16_t{8}));
    const VDifferences value =
        hn::Add(hn::BitCast(d, x), hn::ShiftRight<4>(rounded));
    if constexpr (!kRange) return value;
    return hn::Min(hn::Max(value, hn::BitCast(d, low)), high);
  }
};

// With one strength alone the range of the samples is never left.
template <int kLines, bool kPrimary, bool kSecondary, typename Sample>
HWY_NOINLINE HWY_ATTR void FilterColumns(const CdefFilter& filter,
                                         const uint16_t* block, Sample* to,
                                         ptrdiff_t stride, int height) {
  constexpr bool kRange = kPrimary && kSecondary;
  const Samples d16;
  const Differences d;
  const Strength primary = {hn::Set(d16, static_cast<uint16_t>(filter.primary)),
                            filter.primary_shift};
  const Strength secondary = {
      hn::Set(d16, static_cast<uint16_t>(filter.secondary)),
      filter.secondary_shift};
  const auto first = hn::Set(d, static_cast<int16_t>(filter.primary_taps[0]));
  const auto second = hn::Set(d, static_cast<int16_t>(filter.primary_taps[1]));
  const auto& offsets = filter.offsets;
  for (int y = 0; y < height; y += kLines) {
    const VSamples x = LoadLines<kLines>(block);
    Sum sum = {x, hn::Zero(d), x, hn::BitCast(d, x)};
    if constexpr (kSecondary) {
      const VDifferences near =
          hn::Add(sum.Tap<kLines, kRange>(block, offsets[1][0], secondary),
                  sum.Tap<kLines, kRange>(block, offsets[2][0], secondary));
      const VDifferences far =
          hn::Add(sum.Tap<kLines, kRange>(block, offsets[1][1], secondary),
                  sum.Tap<kLines, kRange>(block, offsets[2][1], secondary));
      sum.sum = hn::Add(hn::Add(near, near), far);
    }
    if constexpr (kPrimary) {
      const VDifferences near =
          sum.Tap<kLines, kRange>(block, offsets[0][0], primary);
      const VDifferences far =
          sum.Tap<kLines, kRange>(block, offsets[0][1], primary);
      sum.sum =
          hn::Add(sum.sum, hn::Add(hn::Mul(near, first), hn::Mul(far, second)));
    }
    StoreLines<kLines>(sum.Result<kRange>(), to, stride);
    block += kLines * kCdefPitch;
    to += kLines * stride;
  }
}

template <class D, typename Sample>
HWY_INLINE HWY_ATTR void WidenVector(D d, const Sample* from, uint16_t* to) {
  const auto v = hn::LoadU(hn::Rebind<Sample, D>(), from);
  if constexpr (sizeof(Sample) == 1) {
    hn::StoreU(hn::PromoteTo(d, v), d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

template <typename Sample>
HWY_NOINLINE HWY_ATTR void WidenLine(const Sample* from, uint32_t count,
                                     uint16_t* to) {
  uint32_t i = 0;
  for (; i + kMostLanes <= count; i += kMostLanes) {
    WidenVector(Samples(), from + i, to + i);
  }
  if (i < count) WidenVector(hn::FixedTag<uint16_t, 8>(), from + i, to + i);
}

struct Vectors {
  static void Directions(const uint16_t* blocks, uint32_t wanted, int bit_depth,
                         CdefDirection* found) {
    if (kBlocks == 2) return FindDirections(blocks, bit_depth, found);
    for (uint32_t i = 0; i < 2; ++i) {
      if (((wanted >> i) & 1) == 0) continue;
      FindDirections(blocks + 8 * i, bit_depth, found + i);
    }
  }

  template <typename Sample>
  static void Widen(const Sample* from, uint32_t count, uint16_t* to) {
    WidenLine(from, count, to);
  }

  template <typename Sample>
  static void Filter(const CdefFilter& filter, const uint16_t* block,
                     Sample* to, ptrdiff_t stride, int width, int height) {
    int x = 0;
    for (; x + kMostLanes <= width; x += kMostLanes) {
      FilterVectors<1>(filter, block + x, to + x, stride, height);
    }
    if (kMostLanes == 16 && x < width) {
      FilterVectors<kMostLanes / 8>(filter, block + x, to + x, stride, height);
    }
  }

 private:
  template <int kLines, typename Sample>
  static void FilterVectors(const CdefFilter& filter, const uint16_t* block,
                            Sample* to, ptrdiff_t stride, int height) {
    if (filter.primary == 0 && filter.secondary == 0) return;
    if (filter.secondary == 0) {
      FilterColumns<kLines, true, false>(filter, block, to, stride, height);
    } else if (filter.primary == 0) {
      FilterColumns<kLines, false, true>(filter, block, to, stride, height);
    } else {
      FilterColumns<kLines, true, true>(filter, block, to, stride, height);
    }
  }
};

}  // namespace

void Cdef8(const KernelArgs& args, Range range) {
  CdefRows<uint8_t, Vectors>(args, range);
}
void Cdef16(const KernelArgs& args, Range range) {
  CdefRows<uint16_t, Vectors>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(Cdef8);
HWY_EXPORT(Cdef16);

template <>
void CdefSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(Cdef8)(args, range);
}
template <>
void CdefSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(Cdef16)(args, range);
}

}  // namespace perdix::av1
#endif
