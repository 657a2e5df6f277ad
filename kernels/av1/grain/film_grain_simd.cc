// SPDX-License-Identifier: BSD-2-Clause
// Film grain synthesis (AV1 7.18.3.5) on vectors: what film_grain.cc's kernel
// does, a line of a piece at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/grain/film_grain_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/av1/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/simd/byte_tables-inl.h"
#include "kernels/simd/lane_shifts-inl.h"
#include "kernels/simd/word_sums-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void SumGrainAboveOnLanes(const int16_t* row, int lag,
                          const int8_t* coefficients, int rounding, int count,
                          int32_t* sums) {
  std::fill_n(sums, count, rounding);
  for (int above = -lag; above < 0; ++above) {
    for (int column = -lag; column <= lag; ++column, ++coefficients) {
      const int16_t* const from =
          row + above * FilmGrainTables::kColumns + column;
      for (int x = 0; x < count; ++x) sums[x] += from[x] * *coefficients;
    }
  }
}
void FilmGrain8(const KernelArgs& args, Range range) {
  FilmGrain<uint8_t>(args, range);
}
void FilmGrain16(const KernelArgs& args, Range range) {
  FilmGrain<uint16_t>(args, range);
}

#else

namespace {

// The widest vectors, because a line has many samples.
constexpr int kLanes = PERDIX_LANE_TABLES ? 32 : kWords;
using Lanes = hn::FixedTag<int16_t, kLanes>;
using VLanes = hn::VFromD<Lanes>;
using Sums32 = hn::RepartitionToWide<Lanes>;
using Factors = FactorPairOf<Lanes>;
using LaneSums = WordSumsOf<Lanes>;

HWY_INLINE HWY_ATTR VLanes SetLanes(int value) {
  return hn::Set(Lanes(), static_cast<int16_t>(value));
}
HWY_INLINE HWY_ATTR VLanes LoadSamples(const uint8_t* from) {
  return hn::PromoteTo(Lanes(), hn::LoadU(hn::Rebind<uint8_t, Lanes>(), from));
}
HWY_INLINE HWY_ATTR VLanes LoadSamples(const uint16_t* from) {
  return hn::BitCast(Lanes(), hn::LoadU(hn::RebindToUnsigned<Lanes>(), from));
}
HWY_INLINE HWY_ATTR void StoreSamples(VLanes v, uint8_t* to) {
  const hn::Rebind<uint8_t, Lanes> d;
  hn::StoreU(hn::DemoteTo(d, v), d, to);
}
HWY_INLINE HWY_ATTR void StoreSamples(VLanes v, uint16_t* to) {
  const hn::RebindToUnsigned<Lanes> d;
  hn::StoreU(hn::BitCast(d, v), d, to);
}

// samples + Round2(scale * noise, scaling_shift). scale: shifted by 15 -
// scaling_shift.
HWY_INLINE HWY_ATTR VLanes Noisy(VLanes samples, VLanes scale, VLanes noise,
                                 VLanes lowest, VLanes highest) {
  const VLanes sum = hn::Add(samples, hn::MulFixedPoint15(scale, noise));
  return hn::Min(hn::Max(sum, lowest), highest);
}

// to[x] = run(from[x], x) for vectors of samples from x on; of the last one
// some may be behind the line's end, where they are 0.
template <typename Sample, class Run>
HWY_INLINE HWY_ATTR void ForEachVector(const Sample* from, int count,
                                       Sample* to, const Run& run) {
  int x = 0;
  for (; x + kGrainBlock <= count; x += kGrainBlock) {
#pragma GCC unroll 4
    for (int i = x; i < x + kGrainBlock; i += kLanes) {
      StoreSamples(run(LoadSamples(from + i), i), to + i);
    }
  }
  for (; x < count; x += kLanes) {
    const int rest = std::min(count - x, kLanes);
    Sample samples[kLanes] = {};
    std::copy_n(from + x, rest, samples);
    StoreSamples(run(LoadSamples(samples), x), samples);
    std::copy_n(samples, rest, to + x);
  }
}

// Samples where the display expects them: PictureView::shift.
template <typename Sample>
HWY_INLINE HWY_ATTR VLanes Shifted(VLanes v, int shift) {
  if constexpr (sizeof(Sample) == 1) {
    return v;
  } else {
    return ShiftLeftBy(v, shift);
  }
}

// ---- noise ----

// A line's noise in blocks of kWidth samples. Vectors may read behind a block's
// grain, where the tables go on.
template <int kWidth>
class LineNoise {
 public:
  HWY_ATTR LineNoise(const FilmGrainTables& tables, const NoiseLine& line)
      : grain_(line.piece.grain),
        offset_(line.line * FilmGrainTables::kColumns),
        left_(line.left),
        above_(line.above),
        first_(line.first ? Across(line.piece.weights_x, 0)
                          : Across(line.piece.weights_x, kWidth)),
        across_(Across(line.piece.weights_x, 0)),
        down_{SetLanes(line.piece.weights_y.older[line.line & 1]),
              SetLanes(line.piece.weights_y.newer[line.line & 1])},
        wide_(tables.grain_max >= 512),
        lowest_(SetLanes(tables.grain_min)),
        highest_(SetLanes(tables.grain_max)) {}

  // The noise of the samples from x on, which is a multiple of kLanes or of
  // kWidth.
  HWY_INLINE HWY_ATTR VLanes At(int x) const {
    const VLanes here = Stripe(x, &BlockGrain::here, &BlockGrain::left);
    if (HWY_LIKELY(!above_)) return here;
    return Blend(Stripe(x, &BlockGrain::above, &BlockGrain::above_left), here,
                 down_);
  }

 private:
  using Grain = const int16_t* BlockGrain::*;
  struct Weights {
    VLanes older;
    VLanes newer;
  };

  // The first <alone> lanes do not overlap.
  static HWY_INLINE HWY_ATTR Weights Across(const OverlapWeights& weights,
                                            int alone) {
    const Lanes d;
    const auto first = hn::FirstN(d, static_cast<size_t>(alone));
    return {hn::IfThenZeroElse(first, hn::Load(d, weights.older)),
            hn::IfThenElse(first, SetLanes(32), hn::Load(d, weights.newer))};
  }

  HWY_INLINE HWY_ATTR VLanes Stripe(int x, Grain newer, Grain older) const {
    const VLanes v = Load(x, newer);
    if (!left_ || (kLanes < kWidth && x % kWidth != 0)) return v;
    return Blend(Load(x, older), v, x == 0 ? first_ : across_);
  }

  // Grain of one block, or of two if they share a vector.
  HWY_INLINE HWY_ATTR VLanes Load(int x, Grain grain) const {
    const int column = x % kWidth;
    const BlockGrain* const block = grain_ + (x - column) / kWidth;
    const int at = offset_ + column;
    if constexpr (kLanes > kWidth) {
      const hn::Half<Lanes> half;
      return hn::Combine(Lanes(), hn::LoadU(half, block[1].*grain + at),
                         hn::LoadU(half, block->*grain + at));
    } else {
      return hn::LoadU(Lanes(), block->*grain + at);
    }
  }

  HWY_INLINE HWY_ATTR VLanes Blend(VLanes older, VLanes newer,
                                   const Weights& weights) const {
    VLanes v;
    if (HWY_UNLIKELY(wide_)) {
      LaneSums sums(hn::Set(Sums32(), 16));
      sums.Add(older, newer, Factors(weights.older, weights.newer));
      v = sums.Shifted(5);
    } else {
      v = hn::ShiftRight<5>(hn::Add(
          hn::Add(hn::Mul(older, weights.older), hn::Mul(newer, weights.newer)),
          SetLanes(16)));
    }
    return hn::Min(hn::Max(v, lowest_), highest_);
  }

  const BlockGrain* const grain_;
  const int offset_;  // of the line, in a template
  const bool left_, above_;
  const Weights first_;
  const Weights across_;
  const Weights down_;
  const bool wide_;  // 12 bits: sums need more than 16
  const VLanes lowest_;
  const VLanes highest_;
};

// ---- the template ----

// kLag rows with 2 * kLag + 1 taps each, in pairs.
template <int kLag>
HWY_NOINLINE HWY_ATTR void SumAbove(const int16_t* row,
                                    const int8_t* coefficients, int rounding,
                                    int count, int32_t* sums) {
  constexpr int kTaps = kLag * (2 * kLag + 1);
  constexpr int kPairs = (kTaps + 1) / 2;
  const auto at = [&](int tap) HWY_ATTR {
    const int column = tap % (2 * kLag + 1) - kLag;
    return row + (tap / (2 * kLag + 1) - kLag) * FilmGrainTables::kColumns +
           column;
  };
  FactorPair factors[kPairs];
#pragma GCC unroll 11
  for (int i = 0; i < kPairs; ++i) {
    const int tap = 2 * i;
    factors[i] = FactorPair(coefficients[tap],
                            tap + 1 < kTaps ? coefficients[tap + 1] : 0);
  }
  for (int x = 0; x < count; x += kWords) {
    WordSums sum(hn::Set(Sums(), rounding));
#pragma GCC unroll 11
    for (int i = 0; i < kPairs; ++i) {
      const int tap = 2 * i;
      sum.Add(hn::LoadU(Words(), at(tap) + x),
              hn::LoadU(Words(), at(std::min(tap + 1, kTaps - 1)) + x),
              factors[i]);
    }
    sum.Store(sums + x);
  }
}

// ---- scaling ----

// Whether a scaling function of 16-bit samples has 1024 entries, not 4096.
HWY_INLINE bool Has10Bits(const FilmGrainTables& tables) {
  return tables.grain_max < 512;
}

// The scales of samples that are looked up at once.
#if PERDIX_LANE_TABLES
template <int kEntries>
class LaneScales {
 public:
  explicit HWY_INLINE HWY_ATTR LaneScales(const uint8_t* table)
      : table_(table) {}
  // places: of the samples from x on.
  HWY_INLINE HWY_ATTR VLanes At(VLanes places, int /*x*/) const {
    const hn::RebindToUnsigned<Lanes> d;
    return hn::BitCast(Lanes(), table_.Lookup(hn::BitCast(d, places)));
  }

 private:
  const LaneTable<kEntries> table_;
};
#endif

// The scales of a line, looked up before.
template <typename Sample>
class StoredScales {
 public:
  HWY_INLINE HWY_ATTR StoredScales(const FilmGrainTables& tables, int plane,
                                   const Sample* from, int count) {
    const uint8_t* const table = tables.scaling[plane];
    int x = 0;
#if !PERDIX_LANE_TABLES
    if (sizeof(Sample) == 1 || Has10Bits(tables)) {
      x = LookUpVectors(table, from, count, scales_);
    }
#endif
#pragma GCC unroll 8
    for (; x < count; ++x) {
      scales_[x] = table[from[x] & (FilmGrainTables::kScalingSize - 1)];
    }
  }
  HWY_INLINE HWY_ATTR VLanes At(VLanes /*places*/, int x) const {
    return LoadSamples(scales_ + x);
  }

 private:
  alignas(32) Sample scales_[kGrainPiece + kLanes];
};

// run(type of scales), if samples need not be looked up before; else false.
#if PERDIX_LANE_TABLES
template <typename Sample, class Run>
HWY_INLINE HWY_ATTR bool RunOnLaneScales(const FilmGrainTables& tables,
                                         const Run& run) {
  if constexpr (sizeof(Sample) == 1) {
    run(std::type_identity<LaneScales<256> >());
    return true;
  } else if (Has10Bits(tables)) {
    run(std::type_identity<LaneScales<1024> >());
    return true;
  }
  return false;
}
#else
template <typename Sample, class Run>
HWY_INLINE HWY_ATTR bool RunOnLaneScales(const FilmGrainTables&, const Run&) {
  return false;
}
#endif

// ---- luma ----

template <typename Sample, class Scales>
HWY_INLINE HWY_ATTR void AddScaled(const FilmGrainTables& tables,
                                   const Scales& scales, const NoiseLine& line,
                                   const Sample* from, int count,
                                   int display_shift, Sample* to) {
  const LineNoise<kGrainBlock> noise(tables, line);
  const int shift = 15 - tables.scaling_shift;
  const VLanes lowest = SetLanes(tables.min_value);
  const VLanes highest = SetLanes(tables.max_value[0]);
  ForEachVector(from, count, to, [&](VLanes samples, int x) HWY_ATTR {
    const VLanes scale = ShiftLeftBy(scales.At(samples, x), shift);
    return Shifted<Sample>(Noisy(samples, scale, noise.At(x), lowest, highest),
                           display_shift);
  });
}

template <typename Sample>
HWY_NOINLINE HWY_ATTR void AddToLine(const FilmGrainTables& tables,
                                     const NoiseLine& line, const Sample* from,
                                     int count, int shift, Sample* to) {
  if (RunOnLaneScales<Sample>(tables, [&](auto scales) HWY_ATTR {
        AddScaled(tables, typename decltype(scales)::type(tables.scaling[0]),
                  line, from, count, shift, to);
      })) {
    return;
  }
  AddScaled(tables, StoredScales<Sample>(tables, 0, from, count), line, from,
            count, shift, to);
}

// ---- chroma ----

struct LanePairs {
  VLanes first;
  VLanes second;
};

HWY_INLINE HWY_ATTR LanePairs LoadPairs(const uint8_t* from) {
  const hn::RebindToUnsigned<Lanes> d;
  const auto pairs =
      hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, Lanes>(), from));
  return {hn::BitCast(Lanes(), hn::And(pairs, hn::Set(d, 0xff))),
          hn::BitCast(Lanes(), hn::ShiftRight<8>(pairs))};
}
HWY_INLINE HWY_ATTR LanePairs LoadPairs(const uint16_t* from) {
  const hn::RebindToUnsigned<Lanes> d;
  auto first = hn::Zero(d);
  auto second = hn::Zero(d);
  hn::LoadInterleaved2(d, from, first, second);
  return {hn::BitCast(Lanes(), first), hn::BitCast(Lanes(), second)};
}
HWY_INLINE HWY_ATTR void StorePairs(LanePairs v, uint8_t* to) {
  const hn::Repartition<uint8_t, Lanes> d;
  hn::StoreU(hn::BitCast(d, hn::Or(v.first, hn::ShiftLeft<8>(v.second))), d,
             to);
}
HWY_INLINE HWY_ATTR void StorePairs(LanePairs v, uint16_t* to) {
  const hn::RebindToUnsigned<Lanes> d;
  hn::StoreInterleaved2(hn::BitCast(d, v.first), hn::BitCast(d, v.second), d,
                        to);
}

// U or V.
struct ChromaComponent {
  HWY_ATTR ChromaComponent(const FilmGrainTables& tables, int i, int bit_depth)
      : by_luma(tables.luma_mult[i] == 64 && tables.mult[i] == 0 &&
                tables.offset[i] == 0),
        mult(tables.luma_mult[i], tables.mult[i]),
        offset(SetLanes(tables.offset[i])),
        most(SetLanes((1 << bit_depth) - 1)),
        lowest(SetLanes(tables.applies[1 + i] ? tables.min_value : 0)),
        highest(SetLanes(tables.applies[1 + i] ? tables.max_value[1 + i]
                                               : 0x7fff)) {}

  // The place in the scaling function.
  HWY_INLINE HWY_ATTR VLanes Place(VLanes luma, VLanes samples) const {
    if (by_luma) return hn::Min(luma, most);
    LaneSums sums(hn::Zero(Sums32()));
    sums.Add(luma, samples, mult);
    const VLanes merged = hn::SaturatedAdd(sums.Shifted(6), offset);
    return hn::Min(hn::Max(merged, hn::Zero(Lanes())), most);
  }

  bool by_luma;  // the place is luma
  Factors mult;  // of luma, of chroma
  VLanes offset;
  VLanes most;
  VLanes lowest;  // of what is shown; all where there is no noise
  VLanes highest;
};

// A line with room behind it for a vector. The last luma sample of an odd width
// comes twice.
template <typename Sample>
struct PaddedChromaLine {
  PaddedChromaLine(const ChromaGrainLine<Sample>& line, int subsampling_x) {
    std::copy_n(line.from, 2 * line.count, from);
    std::copy_n(line.luma, line.luma_width, luma);
    if (subsampling_x == 1 && line.luma_width % 2 == 1) {
      luma[line.luma_width] = luma[line.luma_width - 1];
    }
  }
  Sample luma[2 * kLanes] = {};
  Sample from[2 * kLanes] = {};
};

// Where noise does not apply its scale is 0.
template <typename Sample, int kWidth>
class ChromaAdder {
 public:
  using Noise = LineNoise<kWidth>;

  HWY_ATTR ChromaAdder(const FilmGrainTables& tables, int subsampling_x,
                       int bit_depth)
      : tables_(tables),
        subsampling_x_(subsampling_x),
        shift_(15 - tables.scaling_shift),
        u_(tables, 0, bit_depth),
        v_(tables, 1, bit_depth) {}

  // line.count: a multiple of kLanes. first: where the line begins in the
  // noise.
  HWY_INLINE HWY_ATTR void Add(const ChromaGrainLine<Sample>& line,
                               const Noise (&noise)[2], int first) const {
    if (RunOnLaneScales<Sample>(tables_, [&](auto scales) HWY_ATTR {
          using Scales = typename decltype(scales)::type;
          AddScaled(line, Scales(tables_.scaling[1]),
                    Scales(tables_.scaling[2]), noise, first);
        })) {
      return;
    }
    alignas(32) Sample places[2][kGrainPiece];
    for (int x = 0; x < line.count; x += kLanes) {
      const VLanes luma = LumaOf(line, x);
      const LanePairs pairs = LoadPairs(line.from + 2 * x);
      StoreSamples(u_.Place(luma, pairs.first), places[0] + x);
      StoreSamples(v_.Place(luma, pairs.second), places[1] + x);
    }
    AddScaled(line, StoredScales<Sample>(tables_, 1, places[0], line.count),
              StoredScales<Sample>(tables_, 2, places[1], line.count), noise,
              first);
  }

 private:
  HWY_INLINE HWY_ATTR VLanes LumaOf(const ChromaGrainLine<Sample>& line,
                                    int x) const {
    if (subsampling_x_ == 0) return LoadSamples(line.luma + x);
    const hn::RebindToUnsigned<Lanes> d;
    const LanePairs pairs = LoadPairs(line.luma + 2 * x);
    return hn::BitCast(Lanes(), hn::AverageRound(hn::BitCast(d, pairs.first),
                                                 hn::BitCast(d, pairs.second)));
  }

  template <class Scales>
  HWY_INLINE HWY_ATTR void AddScaled(const ChromaGrainLine<Sample>& line,
                                     const Scales& scales_u,
                                     const Scales& scales_v,
                                     const Noise (&noise)[2], int first) const {
    for (int x = 0; x < line.count; x += kLanes) {
      const VLanes luma = LumaOf(line, x);
      const LanePairs pairs = LoadPairs(line.from + 2 * x);
      const VLanes scale_u = scales_u.At(u_.Place(luma, pairs.first), x);
      const VLanes scale_v = scales_v.At(v_.Place(luma, pairs.second), x);
      const VLanes u =
          WithNoise(u_, pairs.first, scale_u, noise[0].At(first + x));
      const VLanes v =
          WithNoise(v_, pairs.second, scale_v, noise[1].At(first + x));
      StorePairs(
          {Shifted<Sample>(u, line.shift), Shifted<Sample>(v, line.shift)},
          line.to + 2 * x);
    }
  }

  HWY_INLINE HWY_ATTR VLanes WithNoise(const ChromaComponent& component,
                                       VLanes samples, VLanes scale,
                                       VLanes noise) const {
    return Noisy(samples, ShiftLeftBy(scale, shift_), noise, component.lowest,
                 component.highest);
  }

  const FilmGrainTables& tables_;
  const int subsampling_x_;
  const int shift_;
  const ChromaComponent u_;
  const ChromaComponent v_;
};

template <typename Sample, int kWidth>
HWY_NOINLINE HWY_ATTR void AddToPairs(const FilmGrainTables& tables,
                                      int bit_depth,
                                      const NoiseLine (&noise_lines)[2],
                                      const ChromaGrainLine<Sample>& line) {
  constexpr int kSubsamplingX = kWidth < kGrainBlock;
  const ChromaAdder<Sample, kWidth> adder(tables, kSubsamplingX, bit_depth);
  const LineNoise<kWidth> noise[2] = {{tables, noise_lines[0]},
                                      {tables, noise_lines[1]}};
  const auto add = [&](int x, int count) HWY_ATTR {
    adder.Add({line.luma + (x << kSubsamplingX), 0, line.from + 2 * x, count,
               line.to + 2 * x, line.shift},
              noise, x);
  };
  // The last pair of an odd width, which has but one luma sample, is left out.
  const int pairs = line.luma_width >> kSubsamplingX;
  const int whole = pairs / kLanes * kLanes;
  add(0, whole);
  if (whole == line.count) return;
  const int luma = whole << kSubsamplingX;
  const ChromaGrainLine<Sample> rest = {line.luma + luma,
                                        line.luma_width - luma,
                                        line.from + 2 * whole,
                                        line.count - whole,
                                        nullptr,
                                        line.shift};
  PaddedChromaLine<Sample> padded(rest, kSubsamplingX);
  adder.Add({padded.luma, 0, padded.from, kLanes, padded.from, line.shift},
            noise, whole);
  std::copy_n(padded.from, 2 * rest.count, line.to + 2 * whole);
}

struct Vectors {
  template <typename Sample>
  static void AddToLuma(const FilmGrainTables& tables, const NoiseLine& noise,
                        const Sample* from, int count, int shift, Sample* to) {
    AddToLine(tables, noise, from, count, shift, to);
  }
  template <typename Sample>
  static void AddToChroma(const FilmGrainTables& tables, int subsampling_x,
                          int bit_depth, const NoiseLine (&noise)[2],
                          const ChromaGrainLine<Sample>& line) {
    if (subsampling_x == 0) {
      AddToPairs<Sample, kGrainBlock>(tables, bit_depth, noise, line);
    } else {
      AddToPairs<Sample, kGrainBlock / 2>(tables, bit_depth, noise, line);
    }
  }
};

}  // namespace

void SumGrainAboveOnLanes(const int16_t* row, int lag,
                          const int8_t* coefficients, int rounding, int count,
                          int32_t* sums) {
  if (lag == 1) return SumAbove<1>(row, coefficients, rounding, count, sums);
  if (lag == 2) return SumAbove<2>(row, coefficients, rounding, count, sums);
  SumAbove<3>(row, coefficients, rounding, count, sums);
}
void FilmGrain8(const KernelArgs& args, Range range) {
  FilmGrainRows<uint8_t, Vectors>(args, range);
}
void FilmGrain16(const KernelArgs& args, Range range) {
  FilmGrainRows<uint16_t, Vectors>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(SumGrainAboveOnLanes);
HWY_EXPORT(FilmGrain8);
HWY_EXPORT(FilmGrain16);

void SumGrainAbove(const int16_t* row, int lag, const int8_t* coefficients,
                   int rounding, int count, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumGrainAboveOnLanes)
  (row, lag, coefficients, rounding, count, sums);
}
template <>
void FilmGrainSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(FilmGrain8)(args, range);
}
template <>
void FilmGrainSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(FilmGrain16)(args, range);
}

}  // namespace perdix::av1
#endif
