// SPDX-License-Identifier: BSD-2-Clause
// CDEF's search for the direction of blocks (AV1 7.15.2) on vectors.
#if defined(PERDIX_KERNELS_AV1_CDEF_CDEF_DIRECTION_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_AV1_CDEF_CDEF_DIRECTION_INL_H_
#undef PERDIX_KERNELS_AV1_CDEF_CDEF_DIRECTION_INL_H_
#else
#define PERDIX_KERNELS_AV1_CDEF_CDEF_DIRECTION_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/cdef/cdef_walk.h"
#include "kernels/simd/lane_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A vector has so many bytes, of a line or of several.
constexpr int kMostBytes =
    HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL ? 64 : HWY_MIN(HWY_MAX_BYTES, 32);

// Blocks beside each other, each in 16 bytes of a vector.
constexpr int kBlocks = kMostBytes / 16;
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

// The costs of a diagonal direction and of the one across it: the sums of rows
// in both orders.
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

// Samples of 8 bits, of which more are shifted out, less 128.
HWY_INLINE HWY_ATTR VLine LoadRow(const uint8_t* from, int /*bit_depth*/) {
  const Line d;
  return hn::Sub(hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, Line>(), from)),
                 hn::Set(d, int16_t{128}));
}
HWY_INLINE HWY_ATTR VLine LoadRow(const uint16_t* from, int bit_depth) {
  const Line d;
  const auto samples = hn::LoadU(hn::RebindToUnsigned<Line>(), from);
  return hn::Sub(hn::BitCast(d, ShiftRightBy(samples, bit_depth - 8)),
                 hn::Set(d, int16_t{128}));
}

// The directions of kBlocks blocks.
template <typename Sample>
HWY_NOINLINE HWY_ATTR void FindDirections(const Sample* blocks, int bit_depth,
                                          CdefDirection* found) {
  VLine rows[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    rows[i] = LoadRow(blocks + i * kCdefPitch, bit_depth);
  }
  VCosts costs[8];
  DiagonalCosts(rows, costs[0], costs[4]);
  SteepCosts(rows, costs[5], costs[6], costs[7]);
  Transpose(rows);
  SteepCosts(rows, costs[3], costs[2], costs[1]);

  const Costs d32;
  const VCosts low = SumsOfLanes(costs);
  const VCosts high = SumsOfLanes(costs + 4);
  // The highest cost of each block, in all of the block's lanes.
  VCosts most = hn::Max(low, high);
  most = hn::Max(most, hn::Shuffle2301(most));
  most = hn::Max(most, hn::Shuffle1032(most));
  alignas(kMostBytes) int32_t all[2][4 * kBlocks];
  hn::Store(low, d32, all[0]);
  hn::Store(high, d32, all[1]);
  uint8_t bits[2][2] = {};  // of two blocks in each
  hn::StoreMaskBits(d32, hn::Eq(low, most), bits[0]);
  hn::StoreMaskBits(d32, hn::Eq(high, most), bits[1]);
  for (int i = 0; i < kBlocks; ++i) {
    const int shift = 4 * (i % 2);
    const uint32_t equal = ((bits[0][i / 2] >> shift) & 15u) |
                           ((bits[1][i / 2] >> shift) & 15u) << 4;
    const int best = std::countr_zero(equal);
    const auto cost = [&](int direction) {
      return static_cast<uint32_t>(all[direction / 4][4 * i + direction % 4]);
    };
    // A block that is not wanted may have any samples and costs.
    const uint32_t more = cost(best) - cost((best + 4) & 7);
    found[i] = {best, static_cast<int32_t>(more) >> 10};
  }
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_CDEF_CDEF_DIRECTION_INL_H_
