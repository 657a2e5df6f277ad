// SPDX-License-Identifier: BSD-2-Clause
// ADM on vectors: what adm.cc does, row by row. Decoupling is done in doubles,
// which hold every number of it exactly that is not clamped.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quality/adm_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/quality/adm.h"
#include "kernels/quality/adm_point.h"
#include "kernels/quality/adm_walk.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/quality/lanes-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::quality::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void Adm(const LumaPair& pair, Arena& arena, AdmSums* sums) {
  MeasureAdm(pair, arena, sums);
}

#else

namespace {

using DF64 = hn::RebindToFloat<D64>;
using DHalf32 = hn::Rebind<int32_t, DF64>;  // as many lanes as doubles
using VF64 = hn::VFromD<DF64>;
constexpr int kLanes64 = static_cast<int>(hn::MaxLanes(DF64()));

HWY_INLINE HWY_ATTR VF64 SetDouble(double value) {
  return hn::Set(DF64(), value);
}

// The row that a tap of the transform takes for one beyond the border.
int TapRow(int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 1 - i : i; }

HWY_INLINE HWY_ATTR V16 FirstTaps(const int32_t taps[4]) {
  return EachPair({int16_t(taps[0]), int16_t(taps[1])});
}
HWY_INLINE HWY_ATTR V16 LastTaps(const int32_t taps[4]) {
  return EachPair({int16_t(taps[2]), int16_t(taps[3])});
}

// Sums of products of 64 bits, for the even and for the odd lanes.
struct WideSum {
  HWY_INLINE HWY_ATTR explicit WideSum(int64_t start)
      : even(hn::Set(D64(), start)), odd(hn::Set(D64(), start)) {}

  HWY_INLINE HWY_ATTR void Add(V32 samples, int32_t tap) {
    const V32 taps = Set32(tap);
    even = hn::Add(even, hn::MulEven(samples, taps));
    odd = hn::Add(odd, hn::MulEven(OddLanes(samples), taps));
  }

  // The lower 32 bits of the shifted sums.
  HWY_INLINE HWY_ATTR V32 Shifted(int shift) const {
    const auto shifted = [shift](V64 v) HWY_ATTR {
      return hn::ShiftRightSame(hn::BitCast(DU64(), v), shift);
    };
    return hn::BitCast(D32(), LowWords(shifted(even), shifted(odd)));
  }

  V64 even;
  V64 odd;
};

constexpr int64_t Half(int shift) {
  return shift == 0 ? 0 : int64_t{1} << (shift - 1);
}

// ---- scale 0: the transform ----

HWY_NOINLINE HWY_ATTR void TransformSampleColumns(const Luma& from,
                                                  int bit_depth, int y,
                                                  int16_t* low, int16_t* high) {
  const uint16_t* const rows[4] = {from.Row(TapRow(2 * y - 1, from.height)),
                                   from.Row(2 * y),
                                   from.Row(TapRow(2 * y + 1, from.height)),
                                   from.Row(TapRow(2 * y + 2, from.height))};
  const int32_t half = 1 << (bit_depth - 1);
  const auto store = [bit_depth](const ColumnSum& sum, int32_t add,
                                 int16_t* to) HWY_ATTR {
    const auto shifted = [&](V32 v) HWY_ATTR {
      return hn::ShiftRightSame(hn::Add(v, Set32(add)), bit_depth);
    };
    hn::StoreU(ColumnSum(shifted(sum.low), shifted(sum.high)).Narrow(), D16(),
               to);
  };
  for (int x = 0; x < from.width; x += kLanes16) {
    V16 samples[4];
    for (int i = 0; i < 4; ++i) {
      samples[i] = hn::BitCast(D16(), hn::LoadU(DU16(), rows[i] + x));
    }
    ColumnSum low_sum;
    low_sum.Add(samples[0], samples[1], FirstTaps(kAdmLow));
    low_sum.Add(samples[2], samples[3], LastTaps(kAdmLow));
    ColumnSum high_sum;
    high_sum.Add(samples[0], samples[1], FirstTaps(kAdmHigh));
    high_sum.Add(samples[2], samples[3], LastTaps(kAdmHigh));
    // Samples lie around half of their range.
    store(low_sum, half - PERDIX_ADM_LOW_SUM * half, low + x);
    store(high_sum, half, high + x);
  }
}

HWY_NOINLINE HWY_ATTR void TransformSampleRow(int width, const int16_t* low,
                                              const int16_t* high,
                                              const BandRow& to) {
  const D16 d;
  const auto store = [](V16 first, V16 last, const int32_t* taps,
                        int32_t* row) HWY_ATTR {
    const V32 sum =
        AddPairProducts(last, LastTaps(taps),
                        AddPairProducts(first, FirstTaps(taps), Set32(32768)));
    hn::StoreU(hn::ShiftRight<16>(sum), D32(), row);
  };
  for (int x = 0; x < width; x += kLanes32) {
    const V16 low_first = hn::LoadU(d, low + 2 * x - 1);
    const V16 low_last = hn::LoadU(d, low + 2 * x + 1);
    const V16 high_first = hn::LoadU(d, high + 2 * x - 1);
    const V16 high_last = hn::LoadU(d, high + 2 * x + 1);
    store(low_first, low_last, kAdmLow, to.approximation + x);
    store(high_first, high_last, kAdmLow, to.band[0] + x);
    store(low_first, low_last, kAdmHigh, to.band[1] + x);
    store(high_first, high_last, kAdmHigh, to.band[2] + x);
  }
}

// ---- other scales: the transform ----

HWY_NOINLINE HWY_ATTR void TransformWideColumns(const Approximation& from,
                                                int shift, int y, int32_t* low,
                                                int32_t* high) {
  const int32_t* const rows[4] = {from.Row(TapRow(2 * y - 1, from.height)),
                                  from.Row(2 * y),
                                  from.Row(TapRow(2 * y + 1, from.height)),
                                  from.Row(TapRow(2 * y + 2, from.height))};
  for (int x = 0; x < from.width; x += kLanes32) {
    WideSum low_sum(Half(shift));
    WideSum high_sum(Half(shift));
    for (int i = 0; i < 4; ++i) {
      const V32 samples = hn::LoadU(D32(), rows[i] + x);
      low_sum.Add(samples, kAdmLow[i]);
      high_sum.Add(samples, kAdmHigh[i]);
    }
    hn::StoreU(low_sum.Shifted(shift), D32(), low + x);
    hn::StoreU(high_sum.Shifted(shift), D32(), high + x);
  }
}

// The sums over the samples from <row> on, one for every second sample.
HWY_INLINE HWY_ATTR V64 SumWideRow(const int32_t* row, const int32_t taps[4],
                                   int shift) {
  const D32 d;
  const V32 first = hn::LoadU(d, row - 1);
  const V32 last = hn::LoadU(d, row + 1);
  V64 sum = hn::Set(D64(), Half(shift));
  sum = hn::Add(sum, hn::MulEven(first, Set32(taps[0])));
  sum = hn::Add(sum, hn::MulEven(OddLanes(first), Set32(taps[1])));
  sum = hn::Add(sum, hn::MulEven(last, Set32(taps[2])));
  sum = hn::Add(sum, hn::MulEven(OddLanes(last), Set32(taps[3])));
  // Only the lower 32 bits are looked at.
  return hn::BitCast(D64(),
                     hn::ShiftRightSame(hn::BitCast(DU64(), sum), shift));
}

HWY_NOINLINE HWY_ATTR void TransformWideRow(int width, int shift,
                                            const int32_t* low,
                                            const int32_t* high,
                                            const BandRow& to) {
  const auto store = [shift](const int32_t* row, const int32_t* taps,
                             int32_t* band) HWY_ATTR {
    hn::StoreU(
        hn::ConcatEven(
            D32(), hn::BitCast(D32(), SumWideRow(row + kLanes32, taps, shift)),
            hn::BitCast(D32(), SumWideRow(row, taps, shift))),
        D32(), band);
  };
  for (int x = 0; x < width; x += kLanes32) {
    store(low + 2 * x, kAdmLow, to.approximation + x);
    store(high + 2 * x, kAdmLow, to.band[0] + x);
    store(low + 2 * x, kAdmHigh, to.band[1] + x);
    store(high + 2 * x, kAdmHigh, to.band[2] + x);
  }
}

// ---- decoupling ----

// The three bands of some places, in doubles.
struct Places {
  HWY_INLINE HWY_ATTR Places(const BandRow& row, int x)
      : h(Load(row.band[0] + x)),
        v(Load(row.band[1] + x)),
        d(Load(row.band[2] + x)) {}

  static HWY_INLINE HWY_ATTR VF64 Load(const int32_t* from) {
    return hn::PromoteTo(DF64(), hn::LoadU(DHalf32(), from));
  }

  VF64 h;
  VF64 v;
  VF64 d;
};

// Whether the gradients of each place before <end> point in one direction. The
// rounding of SameAngle changes less than a millionth; where that matters, it
// is asked.
HWY_INLINE HWY_ATTR hn::MFromD<DF64> SameAngles(const Places& o,
                                                const Places& t,
                                                const BandRow& reference,
                                                const BandRow& decoded, int x,
                                                int end) {
  const DF64 d;
  const VF64 inner = hn::MulAdd(o.h, t.h, hn::Mul(o.v, t.v));
  const VF64 left = hn::Mul(inner, inner);
  const VF64 lengths = hn::Mul(hn::MulAdd(o.h, o.h, hn::Mul(o.v, o.v)),
                               hn::MulAdd(t.h, t.h, hn::Mul(t.v, t.v)));
  const VF64 right =
      hn::Mul(lengths, SetDouble(PERDIX_ADM_COSINE / 16777216.0));
  const VF64 zero = hn::Zero(d);
  // Where a gradient is 0 both sides are.
  const auto same = hn::Or(hn::Eq(right, zero),
                           hn::And(hn::Ge(left, right), hn::Gt(inner, zero)));
  const auto close = hn::And(
      hn::Gt(right, zero),
      hn::Le(hn::Abs(hn::Sub(left, right)), hn::Mul(right, SetDouble(1e-6))));
  if (hn::AllFalse(d, close)) return same;
  HWY_ALIGN double exact[kLanes64] = {};
  for (int i = 0; i < std::min(kLanes64, end - x); ++i) {
    exact[i] = SameAngle({reference.band[0][x + i], reference.band[1][x + i],
                          decoded.band[0][x + i], decoded.band[1][x + i]});
  }
  return hn::Or(hn::And(close, hn::Gt(hn::Load(d, exact), zero)),
                hn::AndNot(close, same));
}

// See RestoredSample.
template <bool kScale0>
HWY_INLINE HWY_ATTR VF64 Restored(VF64 o, VF64 t, hn::MFromD<DF64> same_angle,
                                  double gain_limit) {
  const DF64 d;
  const VF64 zero = hn::Zero(d);
  const VF64 half = SetDouble(0.5);
  const VF64 magnitude = hn::Abs(o);
  // What the reference is divided by so that 15 bits are left.
  VF64 scale = SetDouble(1);
  VF64 divisor = magnitude;
  if constexpr (!kScale0) {
    const VU64 exponent = hn::ShiftRight<52>(
        hn::BitCast(DU64(), hn::Max(magnitude, SetDouble(16384))));
    scale = hn::BitCast(
        d, hn::ShiftLeft<52>(hn::Sub(hn::Set(DU64(), 1023 + 1037), exponent)));
    divisor = hn::Floor(hn::MulAdd(magnitude, scale, half));
  }
  const VF64 inverse =
      hn::Floor(hn::Div(SetDouble(1 << 30), hn::Max(divisor, SetDouble(1))));
  // The decoded sample, negative if the signs differ.
  const VF64 signs = hn::And(o, SetDouble(-0.0));
  const VF64 quotient = hn::Mul(hn::Mul(inverse, hn::Xor(t, signs)),
                                hn::Mul(scale, SetDouble(1.0 / 32768)));
  const VF64 share = hn::Floor(
      hn::Add(hn::Min(hn::Max(quotient, zero), SetDouble(32768)), half));
  const VF64 restored = hn::Floor(
      hn::Add(hn::Mul(hn::Mul(share, o), SetDouble(1.0 / 32768)), half));
  // Contrast that is enhanced restores, too.
  const VF64 limit = hn::Mul(restored, SetDouble(gain_limit));
  const VF64 enhanced =
      hn::IfThenElse(hn::Gt(o, zero), hn::Min(limit, t), hn::Max(limit, t));
  const auto enhances = hn::And(
      same_angle, hn::And(hn::Gt(share, zero), hn::Gt(magnitude, zero)));
  return hn::IfThenElse(enhances, enhanced, restored);
}

template <bool kScale0>
HWY_NOINLINE HWY_ATTR void SplitParts(const AdmScale& scale,
                                      const BandRow& reference,
                                      const BandRow& decoded, AdmSpan columns,
                                      const DecoupledRow& to) {
  const DHalf32 d;
  for (int x = columns.begin; x < columns.end; x += kLanes64) {
    const Places o(reference, x);
    const Places t(decoded, x);
    const auto same = SameAngles(o, t, reference, decoded, x, columns.end);
    const auto store = [&](int band, VF64 original, VF64 sample) HWY_ATTR {
      const VF64 restored =
          Restored<kScale0>(original, sample, same, scale.gain_limit);
      hn::StoreU(hn::DemoteTo(d, restored), d, to.restored.band[band] + x);
      hn::StoreU(hn::DemoteTo(d, hn::Sub(sample, restored)), d,
                 to.added.band[band] + x);
    };
    store(0, o.h, t.h);
    store(1, o.v, t.v);
    store(2, o.d, t.d);
  }
}

// ---- masks ----

// |r(weight sample, 28)|: halves are rounded upwards, also those of negative
// samples.
HWY_INLINE HWY_ATTR VU32 Weighted(V32 samples, int32_t weight) {
  const DU32 d;
  const Products products(hn::BitCast(d, hn::Abs(samples)),
                          hn::Set(d, uint32_t(weight)));
  const VU32 negative =
      hn::BitCast(d, hn::ShiftRight<31>(hn::BitCast(d, samples)));
  const VU64 half = hn::Set(DU64(), uint64_t{1} << 27);
  const auto rounded = [&](VU64 product, VU32 ones) HWY_ATTR {
    const VU64 one =
        hn::And(hn::BitCast(DU64(), ones), hn::Set(DU64(), 0xffffffff));
    return hn::ShiftRight<28>(hn::Sub(hn::Add(product, half), one));
  };
  return LowWords(rounded(products.even, negative),
                  rounded(products.odd, OddLanes(negative)));
}

// (factor weighted - 2^31) / 2^32.
HWY_INLINE HWY_ATTR V32 FineShare(VU32 weighted, uint32_t factor) {
  const Products products(weighted, hn::Set(DU32(), factor));
  const VU64 half = hn::Set(DU64(), uint64_t{1} << 31);
  return hn::BitCast(D32(), HighWords(hn::Sub(products.even, half),
                                      hn::Sub(products.odd, half)));
}

// The lower 16 bits with their sign.
HWY_INLINE HWY_ATTR V32 LowHalf(V32 v) {
  return hn::ShiftRight<16>(hn::ShiftLeft<16>(v));
}

// See SharesInMask.
template <bool kScale0>
HWY_NOINLINE HWY_ATTR void SetShares(const AdmScale& scale, AdmSpan columns,
                                     const PartRow& part) {
  const D32 d;
  for (int x = columns.begin; x < columns.end; x += kLanes32) {
    V32 neighbour = hn::Zero(d);
    V32 centre = hn::Zero(d);
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      const V32 samples = hn::LoadU(d, part.band[i] + x);
      const int32_t weight = kAdmWeights[scale.scale][i];
      if constexpr (kScale0) {
        const V32 weighted = hn::Abs(LowHalf(hn::ShiftRightSame(
            hn::Add(hn::Mul(samples, Set32(weight)), Set32(kAdmMaskRound[i])),
            kAdmMaskShift[i])));
        const auto share = [&](int32_t factor) HWY_ATTR {
          return LowHalf(hn::ShiftRight<12>(
              hn::Add(hn::Mul(weighted, Set32(factor)), Set32(2048))));
        };
        neighbour = hn::Add(neighbour, share(PERDIX_ADM_NEIGHBOUR));
        centre = hn::Add(centre, share(PERDIX_ADM_CENTRE));
      } else {
        const VU32 weighted = Weighted(samples, weight);
        neighbour =
            hn::Add(neighbour, FineShare(weighted, PERDIX_ADM_NEIGHBOUR_FINE));
        centre = hn::Add(centre, FineShare(weighted, PERDIX_ADM_CENTRE_FINE));
      }
    }
    hn::StoreU(neighbour, d, part.neighbour + x);
    hn::StoreU(centre, d, part.centre + x);
  }
}

// ---- sums ----

// Sums of a b, rounded, of numbers that are given as even and odd lanes.
struct CubeSum {
  HWY_INLINE HWY_ATTR explicit CubeSum(int shift)
      : shift_(shift), half_(hn::Set(DU64(), uint64_t(Half(shift)))) {}

  // square: below 2^32.
  HWY_INLINE HWY_ATTR void Add(VU64 even_square, VU64 odd_square, VU32 x) {
    Add(hn::MulEven(hn::BitCast(DU32(), even_square), x));
    Add(hn::MulEven(hn::BitCast(DU32(), odd_square), OddLanes(x)));
  }

  HWY_INLINE HWY_ATTR int64_t Sum() const { return SumLanes(sum_); }

 private:
  HWY_INLINE HWY_ATTR void Add(VU64 cube) {
    sum_ = hn::Add(sum_, hn::ShiftRightSame(hn::Add(cube, half_), shift_));
  }

  const int shift_;
  const VU64 half_;
  VU64 sum_ = hn::Zero(DU64());
};

// All lanes before <end> samples behind the vector's first.
HWY_INLINE HWY_ATTR V32 FirstLanes(int end) {
  const D32 d;
  return hn::VecFromMask(d, hn::Lt(hn::Iota(d, 0), Set32(end)));
}

template <bool kScale0>
HWY_NOINLINE HWY_ATTR int64_t SumRowCubes(const AdmScale& scale,
                                          const int32_t* row) {
  const DU32 du;
  // At scale 0 the square is the whole product; a whole is added to others.
  const int square_shift = kAdmDenSquareShift[scale.scale];
  const VU64 add = hn::Set(DU64(), kScale0 ? 0 : uint64_t{1} << square_shift);
  CubeSum sum(scale.den_cube_shift);
  for (int x = scale.columns.begin; x < scale.columns.end; x += kLanes32) {
    const V32 samples = hn::And(hn::Abs(hn::LoadU(D32(), row + x)),
                                FirstLanes(scale.columns.end - x));
    const VU32 magnitude = hn::BitCast(du, samples);
    const Products squares(magnitude, magnitude);
    const auto shifted = [&](VU64 square) HWY_ATTR {
      return hn::ShiftRightSame(hn::Add(square, add), square_shift);
    };
    sum.Add(shifted(squares.even), shifted(squares.odd), magnitude);
  }
  return sum.Sum();
}

// The mask of the samples from x on.
HWY_INLINE HWY_ATTR V32 Threshold(const MaskRows& mask, int x) {
  const D32 d;
  const auto three = [&](const int32_t* row) HWY_ATTR {
    return hn::Add(hn::LoadU(d, row + x), hn::Add(hn::LoadU(d, row + x - 1),
                                                  hn::LoadU(d, row + x + 1)));
  };
  const int32_t* const row = mask.neighbours[1];
  const V32 sides =
      hn::Add(hn::LoadU(d, row + x - 1), hn::LoadU(d, row + x + 1));
  return hn::Add(hn::Add(three(mask.neighbours[0]), three(mask.neighbours[2])),
                 hn::Add(sides, hn::LoadU(d, mask.centre + x)));
}

// See MaskedCube.
template <bool kScale0>
HWY_INLINE HWY_ATTR V32 Visible(const AdmScale& scale, int band, V32 samples,
                                V32 threshold) {
  const int32_t weight = kAdmWeights[scale.scale][band];
  V32 visible;
  if constexpr (kScale0) {
    visible = hn::Sub(hn::Abs(hn::Mul(samples, Set32(weight))),
                      hn::ShiftLeftSame(threshold, kAdmThresholdShift[band]));
  } else {
    visible = hn::Sub(hn::BitCast(D32(), Weighted(samples, weight)), threshold);
  }
  return hn::Max(visible, hn::Zero(D32()));
}

template <bool kScale0>
HWY_NOINLINE HWY_ATTR void SumMaskedRow(const AdmScale& scale,
                                        const PartRow& part,
                                        const MaskRows& mask, int64_t* sums) {
  CubeSum cubes[PERDIX_ADM_BANDS] = {CubeSum(scale.cube_shift[0]),
                                     CubeSum(scale.cube_shift[1]),
                                     CubeSum(scale.cube_shift[2])};
  for (int x = scale.columns.begin; x < scale.columns.end; x += kLanes32) {
    const V32 threshold = Threshold(mask, x);
    const V32 inside = FirstLanes(scale.columns.end - x);
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      const VU32 visible = hn::BitCast(
          DU32(),
          hn::And(inside,
                  Visible<kScale0>(scale, i, hn::LoadU(D32(), part.band[i] + x),
                                   threshold)));
      const int shift =
          kScale0 ? kAdmSquareShift[i] : PERDIX_ADM_SQUARE_SHIFT_FINE;
      const VU64 half = hn::Set(DU64(), uint64_t(Half(shift)));
      const Products squares(visible, visible);
      cubes[i].Add(hn::ShiftRightSame(hn::Add(squares.even, half), shift),
                   hn::ShiftRightSame(hn::Add(squares.odd, half), shift),
                   visible);
    }
  }
  for (int i = 0; i < PERDIX_ADM_BANDS; ++i) sums[i] = cubes[i].Sum();
}

template <bool kScale0>
struct Rows {
  using Column = std::conditional_t<kScale0, int16_t, int32_t>;

  static void TransformColumns(const AdmScale&, int bit_depth, const Luma& from,
                               int y, int16_t* low, int16_t* high) {
    TransformSampleColumns(from, bit_depth, y, low, high);
  }
  static void TransformColumns(const AdmScale& scale, int,
                               const Approximation& from, int y, int32_t* low,
                               int32_t* high) {
    TransformWideColumns(from, scale.scale == 1 ? 0 : 16, y, low, high);
  }

  static void TransformRow(const AdmScale& scale, const Column* low,
                           const Column* high, const BandRow& to) {
    if constexpr (kScale0) {
      TransformSampleRow(scale.width, low, high, to);
    } else {
      TransformWideRow(scale.width, scale.scale == 2 ? 16 : 15, low, high, to);
    }
  }

  static void Decouple(const AdmScale& scale, const BandRow& reference,
                       const BandRow& decoded, AdmSpan columns,
                       const DecoupledRow& to) {
    SplitParts<kScale0>(scale, reference, decoded, columns, to);
    SetShares<kScale0>(scale, columns, to.restored);
    SetShares<kScale0>(scale, columns, to.added);
  }

  static int64_t SumCubes(const AdmScale& scale, const int32_t* row) {
    return SumRowCubes<kScale0>(scale, row);
  }

  static void SumMasked(const AdmScale& scale, const PartRow& part,
                        const MaskRows& mask, int64_t sums[PERDIX_ADM_BANDS]) {
    SumMaskedRow<kScale0>(scale, part, mask, sums);
  }
};

}  // namespace

void Adm(const LumaPair& pair, Arena& arena, AdmSums* sums) {
  WalkAdm<Rows>(pair, arena, sums);
}

#endif  // HWY_TARGET

}  // namespace perdix::quality::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::quality {

HWY_EXPORT(Adm);

void MeasureAdmSimd(const LumaPair& pair, Arena& arena,
                    AdmSums sums[PERDIX_QUALITY_SCALES]) {
  HWY_DYNAMIC_DISPATCH(Adm)(pair, arena, sums);
}

}  // namespace perdix::quality
#endif
