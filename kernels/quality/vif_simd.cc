// SPDX-License-Identifier: BSD-2-Clause
// VIF on vectors: what vif.cc does. Whatever is multiplied by taps has 16 bits
// with a sign: samples and halves of products less 2^15, so that sums are less
// 2^31. They are modulo 2^32, and end where they belong.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quality/vif_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstdint>

#include "kernels/quality/vif.h"
#include "kernels/quality/vif_logs.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/quality/lanes-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::quality::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void Vif(const LumaPair& pair, Arena& arena, VifSums* sums) {
  MeasureVif(pair, arena, sums);
}

#else

namespace {

constexpr int kMaxRadius = PERDIX_VIF_MAX_TAPS / 2;

// ---- filters ----

constexpr int Taps(int scale) { return static_cast<int>(kVifTaps[scale]); }

// Taps 2 pair and 2 pair + 1. The centre of three taps has 17 bits with its
// sign: there, pairs overlap in it and have half of it each.
constexpr int PairCount(int scale) { return (Taps(scale) + 1) / 2; }
constexpr int PairAt(int scale, int pair) {
  return Taps(scale) == 3 ? pair : 2 * pair;
}
constexpr TapPair PairTaps(int scale, int pair) {
  const auto& filter = kVifFilters[scale];
  if (Taps(scale) == 3) {
    const int16_t side = int16_t(filter[0]);
    const int16_t half = int16_t(filter[1] / 2);
    return pair == 0 ? TapPair{side, half} : TapPair{half, side};
  }
  const int second = 2 * pair + 1;
  return {int16_t(filter[2 * pair]),
          int16_t(second < Taps(scale) ? filter[second] : 0)};
}

// The rows that a pair of taps is for. Behind the last one there is none.
template <int kScale>
void RowsAround(const Luma& luma, int y, const uint16_t* rows[]) {
  constexpr int kRadius = Taps(kScale) / 2;
  for (int k = -kRadius; k <= kRadius; ++k) {
    rows[k + kRadius] = luma.Row(Mirrored(y + k, luma.height));
  }
  rows[Taps(kScale)] = rows[Taps(kScale) - 1];
}

// The sum over a row of which lanes begin at <row>: of every second sample.
template <int kScale>
HWY_INLINE HWY_ATTR V32 SumRow(const int16_t* row) {
  constexpr int kRadius = Taps(kScale) / 2;
  V32 sum = hn::Zero(D32());
  for (int i = 0; i < PairCount(kScale); ++i) {
    sum = AddPairProducts(hn::LoadU(D16(), row - kRadius + PairAt(kScale, i)),
                          EachPair(PairTaps(kScale, i)), sum);
  }
  return sum;
}

// ---- sums over columns ----

// How many bits samples have: 8, 10 or 12, or all 16 of the scales above 0.
enum class Depth { k8, k12, k16 };

template <Depth kDepth>
HWY_INLINE HWY_ATTR V16 Centred(VU16 v) {
  return hn::BitCast(
      D16(), kDepth == Depth::k16 ? hn::Xor(v, hn::Set(DU16(), 0x8000)) : v);
}
HWY_INLINE HWY_ATTR V16 CentredWord(VU16 v) { return Centred<Depth::k16>(v); }

// The rounded mean less 2^15. shift: as of the scalar code.
template <Depth kDepth>
HWY_INLINE HWY_ATTR V16 Mean(const ColumnSum& sum, int shift) {
  const auto mean = [shift](V32 v) HWY_ATTR {
    if constexpr (kDepth == Depth::k16) {
      return hn::ShiftRight<16>(hn::Add(v, Set32(32768)));
    } else {
      return hn::Sub(
          hn::ShiftRightSame(hn::Add(v, Set32(1 << (shift - 1))), shift),
          Set32(32768));
    }
  };
  return ColumnSum(mean(sum.low), mean(sum.high)).Narrow();
}

// The products of two rows' samples in 16 bits: what is above the shift, and
// what is below it.
struct SplitProduct {
  V16 high;
  V16 low;
};

template <Depth kDepth>
HWY_INLINE HWY_ATTR SplitProduct Multiply(VU16 a, VU16 b, int shift) {
  const VU16 low = hn::Mul(a, b);
  if constexpr (kDepth == Depth::k8) {
    return {CentredWord(low), hn::Zero(D16())};
  } else {
    const VU16 high = hn::MulHigh(a, b);
    if constexpr (kDepth == Depth::k16) {
      return {CentredWord(high), CentredWord(low)};
    }
    const VU16 above = hn::Or(hn::ShiftLeftSame(high, 16 - shift),
                              hn::ShiftRightSame(low, shift));
    const VU16 below =
        hn::And(low, hn::Set(DU16(), static_cast<uint16_t>((1 << shift) - 1)));
    return {CentredWord(above), hn::BitCast(D16(), below)};
  }
}

// A sum of products over columns.
template <Depth kDepth>
struct ProductSum {
  HWY_INLINE HWY_ATTR ProductSum() {}  // GCC's would not be of this target

  HWY_INLINE HWY_ATTR void Add(const SplitProduct& a, const SplitProduct& b,
                               V16 taps) {
    high.Add(a.high, b.high, taps);
    if constexpr (kDepth != Depth::k8) low.Add(a.low, b.low, taps);
  }

  // The rounded sum less 2^31, by halves, each of which is less 2^15.
  HWY_INLINE HWY_ATTR void Store(int shift, int16_t* to_high,
                                 int16_t* to_low) const {
    const V32 a = Whole(high.low, low.low, shift);
    const V32 b = Whole(high.high, low.high, shift);
    const auto upper = [](V32 v) HWY_ATTR { return hn::ShiftRight<16>(v); };
    const auto lower = [](V32 v) HWY_ATTR {
      return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::Xor(v, Set32(0x8000))));
    };
    const D16 d;
    hn::StoreU(ColumnSum(upper(a), upper(b)).Narrow(), d, to_high);
    hn::StoreU(ColumnSum(lower(a), lower(b)).Narrow(), d, to_low);
  }

  ColumnSum high;
  ColumnSum low;

 private:
  static HWY_INLINE HWY_ATTR V32 Whole(V32 high, V32 low, int shift) {
    if constexpr (kDepth == Depth::k8) return high;
    if constexpr (kDepth == Depth::k16) {
      return hn::Add(high,
                     hn::Add(hn::ShiftRight<16>(hn::Add(low, Set32(32768))),
                             Set32(32768)));
    }
    return hn::Add(
        high, hn::ShiftRightSame(hn::Add(low, Set32(1 << (shift - 1))), shift));
  }
};

// Rows of sums over columns: of samples, and of products by halves. All less
// 2^15.
struct SumRows {
  int16_t* mean[2];  // reference, decoded
  int16_t* high[3];  // squares of both, products
  int16_t* low[3];

  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (int16_t* row : mean) visit(row);
    for (int i = 0; i < 3; ++i) {
      visit(high[i]);
      visit(low[i]);
    }
  }
};

int16_t* TakeRow(int width, Arena& arena) {
  return arena.Take<int16_t>(size_t(width) + 4 * kReadAhead) + kReadAhead;
}

template <int kScale>
void ExtendRow(int16_t* row, int width) {
  for (int k = 1; k <= Taps(kScale) / 2; ++k) {
    row[-k] = row[k];
    row[width - 1 + k] = row[width - 1 - k];
  }
}

template <int kScale, Depth kDepth>
HWY_NOINLINE HWY_ATTR void SumColumns(const LumaPair& pair, int y, int shift,
                                      const SumRows& to) {
  const uint16_t* p[Taps(kScale) + 1];
  const uint16_t* q[Taps(kScale) + 1];
  RowsAround<kScale>(pair.reference, y, p);
  RowsAround<kScale>(pair.decoded, y, q);
  const DU16 d;
  for (int x = 0; x < pair.reference.width; x += kLanes16) {
    ColumnSum means[2];
    ProductSum<kDepth> products[3];
    for (int i = 0; i < PairCount(kScale); ++i) {
      const int k = PairAt(kScale, i);
      const V16 taps = EachPair(PairTaps(kScale, i));
      const VU16 p0 = hn::LoadU(d, p[k] + x);
      const VU16 p1 = hn::LoadU(d, p[k + 1] + x);
      const VU16 q0 = hn::LoadU(d, q[k] + x);
      const VU16 q1 = hn::LoadU(d, q[k + 1] + x);
      means[0].Add(Centred<kDepth>(p0), Centred<kDepth>(p1), taps);
      means[1].Add(Centred<kDepth>(q0), Centred<kDepth>(q1), taps);
      products[0].Add(Multiply<kDepth>(p0, p0, shift),
                      Multiply<kDepth>(p1, p1, shift), taps);
      products[1].Add(Multiply<kDepth>(q0, q0, shift),
                      Multiply<kDepth>(q1, q1, shift), taps);
      products[2].Add(Multiply<kDepth>(p0, q0, shift),
                      Multiply<kDepth>(p1, q1, shift), taps);
    }
    for (int i = 0; i < 2; ++i) {
      hn::StoreU(Mean<kDepth>(means[i], pair.bit_depth), D16(), to.mean[i] + x);
    }
    for (int i = 0; i < 3; ++i) {
      products[i].Store(shift, to.high[i] + x, to.low[i] + x);
    }
  }
  to.ForEach(
      [&](int16_t* row) { ExtendRow<kScale>(row, pair.reference.width); });
}

// ---- sums over rows, and what is made of them ----

// 2048 log2(x) of x from 2^16.
HWY_INLINE HWY_ATTR V32 Log(const uint16_t* logs, VU32 x) {
  const D32 d;
  // Without the lowest bits no float is rounded.
  const V32 exponent = hn::ShiftRight<23>(
      hn::BitCast(d, hn::ConvertTo(hn::RebindToFloat<D32>(),
                                   hn::BitCast(d, hn::ShiftRight<8>(x)))));
  const V32 shift = hn::Sub(exponent, Set32(134));
  const V32 leading = hn::BitCast(d, hn::Shr(x, hn::BitCast(DU32(), shift)));
  const V32 offset =
      hn::Sub(hn::Add(leading, leading), Set32(2 * PERDIX_VIF_LOG_FIRST));
  // The word of the place and the one behind it.
  const V32 words =
      hn::GatherOffset(d, reinterpret_cast<const int32_t*>(logs), offset);
  return hn::Add(hn::And(words, Set32(0xffff)), hn::ShiftLeft<11>(shift));
}

// The numbers, below 2^32, as doubles.
HWY_INLINE HWY_ATTR auto ToDoubles(VU64 v) {
  const hn::RebindToFloat<D64> d;
  constexpr double kBit52 = 4503599627370496;
  const auto bit52 = hn::Set(d, kBit52);
  return hn::Sub(hn::BitCast(d, hn::Or(v, hn::BitCast(DU64(), bit52))), bit52);
}

// The square of the covariance by the variance, rounded to the nearest.
HWY_INLINE HWY_ATTR VU64 NearQuotient(VU64 covariance, VU64 variance) {
  const auto c = ToDoubles(covariance);
  const auto quotient = hn::Div(hn::Mul(c, c), ToDoubles(variance));
  const auto bit52 = hn::Set(hn::RebindToFloat<D64>(), 4503599627370496.0);
  return hn::And(hn::BitCast(DU64(), hn::Add(quotient, bit52)),
                 hn::Set(DU64(), 0xffffffff));
}

struct Quotients {
  V32 quotient;
  V32 remainder;
};

// The square of the covariance by the variance, rounded down.
HWY_INLINE HWY_ATTR Quotients Divide(V32 covariance, V32 variance) {
  const DU32 d;
  const VU32 c = hn::BitCast(d, covariance);
  const VU32 s = hn::BitCast(d, variance);
  const auto even = [](VU32 v) HWY_ATTR {
    return hn::And(hn::BitCast(DU64(), v), hn::Set(DU64(), 0xffffffff));
  };
  const auto odd = [](VU32 v) HWY_ATTR {
    return hn::ShiftRight<32>(hn::BitCast(DU64(), v));
  };
  const VU64 even_near = NearQuotient(even(c), even(s));
  const VU64 odd_near = NearQuotient(odd(c), odd(s));
  const VU32 near = LowWords(even_near, odd_near);
  const Products squares(c, c);
  const Products parts(near, s);
  const V32 rest =
      hn::BitCast(D32(), LowWords(hn::Sub(squares.even, parts.even),
                                  hn::Sub(squares.odd, parts.odd)));
  // -1 where it was rounded up.
  const V32 up = hn::BroadcastSignBit(rest);
  return {hn::Add(hn::BitCast(D32(), near), up),
          hn::Add(rest, hn::And(up, variance))};
}

struct Variances {
  V32 reference;
  V32 decoded;
  V32 covariance;
};

// The sums of a row.
class PointSums {
 public:
  HWY_INLINE HWY_ATTR PointSums(int gain_limit, const uint16_t* logs)
      : gain_limit_(gain_limit), logs_(logs) {}

  // Lanes that are not in the picture are not valid.
  HWY_INLINE HWY_ATTR void Add(const Variances& v, hn::MFromD<D32> valid) {
    const V32 noise = Set32(PERDIX_VIF_NOISE);
    const V32 zero = hn::Zero(D32());
    const auto detailed =
        hn::And(hn::Gt(v.reference, Set32(PERDIX_VIF_NOISE - 1)), valid);
    const V32 decoded = hn::Max(v.decoded, zero);
    const V32 flat_ones = hn::AndNot(hn::VecFromMask(D32(), detailed),
                                     hn::VecFromMask(D32(), valid));
    num_non_ =
        AddWords(hn::BitCast(DU32(), hn::And(decoded, flat_ones)), num_non_);
    den_non_ = hn::Sub(den_non_, flat_ones);
    if (hn::AllFalse(D32(), detailed)) return;
    const V32 reference = hn::IfThenElse(detailed, v.reference, noise);
    const V32 log = Log(logs_, hn::BitCast(DU32(), hn::Add(reference, noise)));
    den_log_ = hn::Add(
        den_log_, hn::IfThenElseZero(
                      detailed, hn::Sub(log, Set32(PERDIX_VIF_NOISE_LOG))));
    const auto related = hn::And(
        detailed, hn::And(hn::Gt(v.covariance, zero), hn::Gt(decoded, zero)));
    const V32 covariance = hn::IfThenElseZero(related, v.covariance);
    num_log_ = hn::Add(
        num_log_, hn::IfThenElseZero(
                      related, LogOfParts(reference, decoded, covariance)));
  }

  HWY_INLINE HWY_ATTR void AddTo(VifSums& sums) const {
    sums.num_log += SumLanes(num_log_);
    sums.den_log += SumLanes(den_log_);
    sums.num_non += SumLanes(num_non_);
    sums.den_non += SumLanes(den_non_);
  }

 private:
  // See DivideVariance.
  HWY_INLINE HWY_ATTR V32 LogOfParts(V32 reference, V32 decoded,
                                     V32 covariance) const {
    const D32 d;
    const Quotients parts = Divide(covariance, reference);
    const Products shares(hn::BitCast(DU32(), parts.quotient),
                          hn::Set(DU32(), PERDIX_VIF_EPSILON));
    const VU32 upper = HighWords(shares.even, shares.odd);
    const V32 share =
        hn::BitCast(d, hn::ShiftRight<PERDIX_VIF_EPSILON_SHIFT>(upper));
    const V32 double_share =
        hn::BitCast(d, hn::ShiftRight<PERDIX_VIF_EPSILON_SHIFT - 1>(upper));
    const V32 rest =
        hn::Max(hn::Zero(d),
                hn::Add(hn::Sub(decoded, parts.quotient),
                        hn::VecFromMask(d, hn::Gt(parts.remainder, share))));
    const V32 not_less =
        hn::VecFromMask(d, hn::Gt(parts.remainder, double_share));
    V32 explained = hn::Sub(hn::Sub(parts.quotient, not_less), Set32(1));
    const V32 limited = hn::Mul(reference, Set32(gain_limit_));
    const auto enhanced =
        hn::AndNot(hn::Gt(reference, Set32(INT32_MAX / gain_limit_)),
                   hn::Gt(covariance, limited));
    explained = hn::IfThenElse(enhanced, hn::Mul(limited, Set32(gain_limit_)),
                               explained);
    const VU32 noise =
        hn::BitCast(DU32(), hn::Add(rest, Set32(PERDIX_VIF_NOISE)));
    return hn::Sub(Log(logs_, hn::Add(noise, hn::BitCast(DU32(), explained))),
                   Log(logs_, noise));
  }

  const int gain_limit_;
  const uint16_t* const logs_;
  V32 num_log_ = hn::Zero(D32());
  V32 den_log_ = hn::Zero(D32());
  V32 den_non_ = hn::Zero(D32());
  VU64 num_non_ = hn::Zero(DU64());
};

// r(mean_a mean_b, 32) of means with 32 bits.
HWY_INLINE HWY_ATTR V32 MeanProduct(VU32 a, VU32 b) {
  const Products products(a, b);
  const VU64 half = hn::Set(DU64(), uint64_t{1} << 31);
  return hn::BitCast(D32(), HighWords(hn::Add(products.even, half),
                                      hn::Add(products.odd, half)));
}

// r(sum, 16) of products that are in halves.
template <int kScale>
HWY_INLINE HWY_ATTR V32 SumProducts(const int16_t* high, const int16_t* low) {
  const V32 lower =
      hn::ShiftRight<16>(hn::Add(SumRow<kScale>(low), Set32(32768)));
  // 2^31 and 2^15 that were taken away.
  return hn::Add(hn::Add(SumRow<kScale>(high), lower),
                 Set32(INT32_MIN + 32768));
}

template <int kScale>
HWY_NOINLINE HWY_ATTR void SumPoints(const SumRows& rows, int width,
                                     int gain_limit, VifSums& sums) {
  PointSums points(gain_limit, VifLogs());
  const V32 places = hn::ShiftLeft<1>(hn::Iota(D32(), 0));
  const auto mean = [](const int16_t* row) HWY_ATTR {
    return hn::BitCast(DU32(), hn::Xor(SumRow<kScale>(row), Set32(INT32_MIN)));
  };
  // Even places, odd places.
  for (int x = 0; x < width; x += (x & 1) != 0 ? kLanes16 - 1 : 1) {
    const VU32 a = mean(rows.mean[0] + x);
    const VU32 b = mean(rows.mean[1] + x);
    const auto variance = [&](int i, VU32 mean_a, VU32 mean_b) HWY_ATTR {
      return hn::Sub(SumProducts<kScale>(rows.high[i] + x, rows.low[i] + x),
                     MeanProduct(mean_a, mean_b));
    };
    points.Add({variance(0, a, a), variance(1, b, b), variance(2, a, b)},
               hn::Lt(places, Set32(width - x)));
  }
  points.AddTo(sums);
}

template <int kScale, Depth kDepth>
VifSums MeasureScale(const LumaPair& pair, Arena& arena) {
  const int width = pair.reference.width;
  const int shift = kDepth == Depth::k16 ? 16 : 2 * (pair.bit_depth - 8);
  SumRows rows;
  for (int16_t*& row : rows.mean) row = TakeRow(width, arena);
  for (int i = 0; i < 3; ++i) {
    rows.high[i] = TakeRow(width, arena);
    rows.low[i] = TakeRow(width, arena);
  }
  VifSums sums = {};
  for (int y = 0; y < pair.reference.height; ++y) {
    SumColumns<kScale, kDepth>(pair, y, shift, rows);
    SumPoints<kScale>(rows, width, pair.gain_limit, sums);
  }
  return sums;
}

// ---- the next scale ----

template <int kScale, Depth kDepth>
HWY_NOINLINE HWY_ATTR void MakeScale(const Luma& from, int shift, int16_t* row,
                                     const Luma& to) {
  const DU16 d;
  for (int y = 0; y < to.height; ++y) {
    const uint16_t* rows[Taps(kScale) + 1];
    RowsAround<kScale>(from, 2 * y, rows);
    for (int x = 0; x < from.width; x += kLanes16) {
      ColumnSum sum;
      for (int i = 0; i < PairCount(kScale); ++i) {
        const int k = PairAt(kScale, i);
        sum.Add(Centred<kDepth>(hn::LoadU(d, rows[k] + x)),
                Centred<kDepth>(hn::LoadU(d, rows[k + 1] + x)),
                EachPair(PairTaps(kScale, i)));
      }
      hn::StoreU(Mean<kDepth>(sum, shift), D16(), row + x);
    }
    ExtendRow<kScale>(row, from.width);
    for (int x = 0; x < to.width; x += kLanes32) {
      const V32 sample = hn::ShiftRight<16>(
          hn::Add(SumRow<kScale>(row + 2 * x), Set32(32768)));
      const hn::Rebind<int16_t, D32> half;
      const hn::RebindToUnsigned<decltype(half)> unsigned_half;
      hn::StoreU(hn::Xor(hn::BitCast(unsigned_half, hn::DemoteTo(half, sample)),
                         hn::Set(unsigned_half, 0x8000)),
                 unsigned_half, to.Row(y) + x);
    }
  }
}

template <int kScale, Depth kDepth>
LumaPair NextScale(const LumaPair& pair, Arena& arena) {
  LumaPair next = pair;
  int16_t* const row = TakeRow(pair.reference.width, arena);
  for (Luma* luma : {&next.reference, &next.decoded}) {
    const Luma from = *luma;
    *luma = TakeLuma(from.width / 2, from.height / 2, arena);
    MakeScale<kScale, kDepth>(from, pair.bit_depth, row, *luma);
  }
  return next;
}

template <Depth kDepth>
void MeasureScales(const LumaPair& pair, Arena& arena, VifSums* sums) {
  constexpr Depth k16 = Depth::k16;
  sums[0] = MeasureScale<0, kDepth>(pair, arena);
  const LumaPair half = NextScale<1, kDepth>(pair, arena);
  sums[1] = MeasureScale<1, k16>(half, arena);
  const LumaPair quarter = NextScale<2, k16>(half, arena);
  sums[2] = MeasureScale<2, k16>(quarter, arena);
  const LumaPair eighth = NextScale<3, k16>(quarter, arena);
  sums[3] = MeasureScale<3, k16>(eighth, arena);
}

}  // namespace

void Vif(const LumaPair& pair, Arena& arena, VifSums* sums) {
  if (pair.bit_depth == 8) {
    MeasureScales<Depth::k8>(pair, arena, sums);
  } else {
    MeasureScales<Depth::k12>(pair, arena, sums);
  }
}

#endif  // HWY_TARGET

}  // namespace perdix::quality::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::quality {

HWY_EXPORT(Vif);

void MeasureVifSimd(const LumaPair& pair, Arena& arena,
                    VifSums sums[PERDIX_QUALITY_SCALES]) {
  HWY_DYNAMIC_DISPATCH(Vif)(pair, arena, sums);
}

}  // namespace perdix::quality
#endif
