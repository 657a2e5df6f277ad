// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (7.11.3) on vectors: the loops of block_prediction.h, in
// strips of up to 32 bytes from top to bottom. Where a strip is narrower a
// vector holds more rows of it.
//
// Left to the plain loops, for they are rare: scaled references and bilinear
// filters.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/inter_pred_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/av1/block_prediction.h"
#include "kernels/av1/kernels.h"
#include "kernels/av1/scalar_prediction.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/inter_blend-inl.h"
#include "kernels/av1/inter_filter-inl.h"
#include "kernels/av1/inter_warp-inl.h"
#include "kernels/av1/strips-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void InterPred8(const KernelArgs& args, Range range) {
  InterPred<uint8_t>(args, range);
}
void InterPred16(const KernelArgs& args, Range range) {
  InterPred<uint16_t>(args, range);
}

#else

namespace {

// Calls call(std::integral_constant pairs of taps).
template <class Call>
HWY_INLINE void WithPairs(int taps, const Call& call) {
  if (taps == 6) {
    call(std::integral_constant<int, 3>());
  } else if (taps == 8) {
    call(std::integral_constant<int, 4>());
  } else {
    call(std::integral_constant<int, 2>());
  }
}

// ---- ends of filters ----

// Rounds sums of bytes as the last step of Finish does.
class RoundBytes {
 public:
  explicit HWY_INLINE RoundBytes(const Finish& finish)
      : factor_(static_cast<int16_t>(1 << (15 - finish.shift))) {}
  template <class V>
  HWY_INLINE V operator()(V sums) const {
    return hn::MulFixedPoint15(sums, hn::Set(hn::DFromV<V>(), factor_));
  }

 private:
  int16_t factor_;
};

// Sums of a filter's lower and upper lanes.
template <int kRows, int kLanes, class W, typename Out>
HWY_INLINE void StoreSums(const Sums<W>& sums, int count, const Finish& finish,
                          Pixels<Out> out) {
  constexpr int kAll = kRows * kLanes;
  if constexpr (std::is_same_v<hn::TFromV<W>, int32_t>) {
    const auto rows =
        hn::ReorderDemote2To(hn::FixedTag<int16_t, kAll>(),
                             hn::ShiftRightSame(sums.lower, finish.shift),
                             hn::ShiftRightSame(sums.upper, finish.shift));
    StoreWide<kRows, kLanes>(rows, count, finish.max, out);
  } else {
    const RoundBytes round(finish);
    const hn::DFromV<W> d;
    if constexpr (kAll <= 8) {
      StoreWide<kRows, kLanes>(round(sums.lower), count, finish.max, out);
    } else if constexpr (sizeof(Out) == 1) {
      StoreRows<kRows, kLanes>(DemoteTwo(hn::FixedTag<uint8_t, kAll>(),
                                         round(sums.lower), round(sums.upper)),
                               count, out);
    } else {
      W first = round(sums.lower);
      W second = round(sums.upper);
      if constexpr (kAll == 32) {
        const W lower = first;
        first = hn::ConcatLowerLower(d, second, lower);
        second = hn::ConcatUpperUpper(d, second, lower);
      }
      StoreRows<1, kAll / 2>(first, 1, out);
      if constexpr (kRows == 1) {
        StoreRows<1, kAll / 2>(second, 1,
                               Pixels<Out>{out.data + kAll / 2, out.stride});
      } else if (count > 1) {
        StoreRows<1, kAll / 2>(second, 1,
                               Pixels<Out>{out.data + out.stride, out.stride});
      }
    }
  }
}

// ---- filters ----

template <typename T, int kLanes>
constexpr int kRowsOf = HWY_MIN(2, kVectorBytes /
                                       (kLanes * static_cast<int>(sizeof(T))));

// Down kLanes columns, T: uint8_t or int16_t; in: of the first tap.
template <int kLanes, int kPairs, typename T, typename Out>
HWY_NOINLINE void FilterDown(Pixels<const T> in, const int8_t* filter, int rows,
                             Finish finish, Pixels<Out> out) {
  constexpr int kRows = kRowsOf<T, kLanes>;
  using F = Taps<T, kRows * kLanes, kPairs>;
  using V = typename F::V;
  using Pair = typename F::Pair;
  const F taps(filter);
  const auto add = hn::Set(
      F::kWide, static_cast<typename F::Wide>(
                    sizeof(T) == 1 ? finish.add - (1 << (finish.shift - 1))
                                   : finish.add));
  const int last = rows + 2 * kPairs - 2;
  const auto load = [&](int r) HWY_ATTR {
    return F::Whole(LoadRows<kRows, kLanes>(
        in.data + r * in.stride, kRows == 1 || r < last ? in.stride : 0));
  };
  const auto store_sums = [&](int r, const Sums<typename F::W>& sums) HWY_ATTR {
    StoreSums<kRows, kLanes>(
        sums, rows - r, finish,
        Pixels<Out>{out.data + r * out.stride, out.stride});
  };
  const auto store = [&](int r, const Pair* pairs)
                         HWY_ATTR { store_sums(r, taps.Sum(pairs, add)); };
  if constexpr (kRows == 1) {
#if HWY_ARCH_ARM_A64
    // Products of single taps: no row moves to another register.
    constexpr int kTaps = 2 * kPairs;
    V ring[kTaps];
    for (int t = 0; t + 1 < kTaps; ++t) ring[t] = load(t);
    for (int r = 0;;) {
#pragma GCC unroll 8
      for (int first = 0; first < kTaps; ++first) {
        ring[(first + kTaps - 1) % kTaps] = load(r + kTaps - 1);
        store_sums(r, taps.SumRing(ring, first, add));
        if (++r == rows) return;
      }
    }
#else
    Pair even[kPairs];  // from rows 0, 2, ... on
    Pair odd[kPairs];
    V newest = load(0);
    for (int p = 0; p + 1 < kPairs; ++p) {
      const V first = newest;
      const V second = load(2 * p + 1);
      newest = load(2 * p + 2);
      even[p] = F::MakePair(first, second);
      odd[p] = F::MakePair(second, newest);
    }
    for (int r = 0;; r += 2) {
      const V first = newest;
      const V second = load(r + 2 * kPairs - 1);
      even[kPairs - 1] = F::MakePair(first, second);
      store(r, even);
      if (r + 1 >= rows) break;
      newest = load(r + 2 * kPairs);
      odd[kPairs - 1] = F::MakePair(second, newest);
      store(r + 1, odd);
      if (r + 2 >= rows) break;
      for (int p = 0; p + 1 < kPairs; ++p) {
        even[p] = even[p + 1];
        odd[p] = odd[p + 1];
      }
    }
#endif
  } else {
    Pair pairs[kPairs];
    for (int p = 0; p + 1 < kPairs; ++p) {
      pairs[p] = F::MakePair(load(2 * p), load(2 * p + 1));
    }
    for (int r = 0; r < rows; r += 2) {
      pairs[kPairs - 1] =
          F::MakePair(load(r + 2 * kPairs - 2), load(r + 2 * kPairs - 1));
      store(r, pairs);
      for (int p = 0; p + 1 < kPairs; ++p) pairs[p] = pairs[p + 1];
    }
  }
}

// Along rows of bytes, to bytes: as many groups of eight as two vectors of sums
// hold.
template <int kLanes, int kPairs, int kPixelStep>
HWY_INLINE void AcrossToBytes(Pixels<const uint8_t> in, const int8_t* filter,
                              int rows, const Finish& finish,
                              Pixels<uint8_t> out) {
  using F = AcrossBytes<kPairs, kPixelStep>;
  constexpr int kGroups = F::kGroups;
  constexpr int kRows = kLanes == 16 ? kGroups : 2 * kGroups;
  constexpr int kApart =
      kLanes == 16 ? 1 : 2;  // rows of the groups of a vector
  const F taps(filter);
  const RoundBytes round(finish);
  const auto add = hn::Set(
      F::kWide, static_cast<int16_t>(finish.add - (1 << (finish.shift - 1))));
  for (int r = 0; r < rows; r += kRows) {
    const auto row = [&](int i) {
      return in.data + HWY_MIN(r + i, rows - 1) * in.stride;
    };
    const uint8_t* const first = row(0);
    const uint8_t* const second = kGroups == 1 ? first : row(kApart);
    const uint8_t* const next = kLanes == 16 ? first + 8 : row(1);
    const uint8_t* const next_second = kGroups == 1   ? next
                                       : kLanes == 16 ? second + 8
                                                      : row(1 + kApart);
    StoreRows<kRows, HWY_MAX(kLanes, 8), kLanes>(
        DemoteTwo(hn::FixedTag<uint8_t, kVectorBytes>(),
                  round(hn::Add(taps.Sum(first, second), add)),
                  round(hn::Add(taps.Sum(next, next_second), add))),
        rows - r, Pixels<uint8_t>{out.data + r * out.stride, out.stride});
  }
}

// To int16_t.
template <int kLanes, int kPairs, int kPixelStep>
HWY_INLINE void AcrossToWide(Pixels<const uint8_t> in, const int8_t* filter,
                             int rows, const Finish& finish,
                             Pixels<int16_t> out) {
  using F = AcrossBytes<kPairs, kPixelStep>;
  constexpr int kGroups = F::kGroups;
  constexpr int kRows = kLanes == 16 ? 1 : kGroups;
  const F taps(filter);
  const RoundBytes round(finish);
  for (int r = 0; r < rows; r += kRows) {
    const uint8_t* const first = in.data + r * in.stride;
    const uint8_t* const second =
        kLanes == 16 ? first + 8
                     : first + (kRows == 2 && r + 1 < rows ? in.stride : 0);
    StoreRows<kRows, HWY_MAX(kLanes, 8), kLanes>(
        round(taps.Sum(first, second)), rows - r,
        Pixels<int16_t>{out.data + r * out.stride, out.stride});
  }
}

// Along rows of 16-bit samples.
template <int kLanes, int kPairs, int kPixelStep, typename Out>
HWY_INLINE void AcrossWide(Pixels<const int16_t> in, const int8_t* filter,
                           int rows, const Finish& finish, Pixels<Out> out) {
  constexpr int kRows = kRowsOf<int16_t, kLanes>;
  using F = Taps<int16_t, kRows * kLanes, kPairs>;
  const F taps(filter);
  const auto add = hn::Set(F::kWide, finish.add);
  for (int r = 0; r < rows; r += kRows) {
    const int16_t* const line = in.data + r * in.stride;
    const ptrdiff_t apart = kRows == 1 || r + 1 < rows ? in.stride : 0;
    const auto load = [&](int t) HWY_ATTR {
      return LoadRows<kRows, kLanes>(line + t * kPixelStep, apart);
    };
    const Pixels<Out> to = {out.data + r * out.stride, out.stride};
#if !HWY_ARCH_ARM_A64
    if constexpr (kPixelStep == 1) {
      // Samples side by side are the pairs of taps: of every second result.
      auto even = hn::Add(add, taps.template Multiply<0>(load(0)));
      auto odd = hn::Add(add, taps.template Multiply<0>(load(1)));
      even = hn::Add(even, taps.template Multiply<1>(load(2)));
      odd = hn::Add(odd, taps.template Multiply<1>(load(3)));
      if constexpr (kPairs > 2) {
        even = hn::Add(even, taps.template Multiply<2>(load(4)));
        odd = hn::Add(odd, taps.template Multiply<2>(load(5)));
      }
      if constexpr (kPairs > 3) {
        even = hn::Add(even, taps.template Multiply<3>(load(6)));
        odd = hn::Add(odd, taps.template Multiply<3>(load(7)));
      }
      even = hn::ShiftRightSame(even, finish.shift);
      odd = hn::ShiftLeft<16>(hn::ShiftRightSame(odd, finish.shift));
      StoreWide<kRows, kLanes>(
          hn::OddEven(hn::BitCast(F::kTag, odd), hn::BitCast(F::kTag, even)),
          rows - r, finish.max, to);
      continue;
    }
#endif
    typename F::Pair pairs[kPairs];
    for (int p = 0; p < kPairs; ++p) {
      pairs[p] = F::MakePair(load(2 * p), load(2 * p + 1));
    }
    StoreSums<kRows, kLanes>(taps.Sum(pairs, add), rows - r, finish, to);
  }
}

template <int kLanes, int kPairs, int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE void FilterAcross(Pixels<const Sample> in, const int8_t* filter,
                               int rows, Finish finish, Pixels<Out> out) {
  if constexpr (sizeof(Out) == 1) {
    AcrossToBytes<kLanes, kPairs, kPixelStep>(in, filter, rows, finish, out);
  } else if constexpr (sizeof(Sample) == 1) {
    AcrossToWide<kLanes, kPairs, kPixelStep>(in, filter, rows, finish, out);
  } else {
    AcrossWide<kLanes, kPairs, kPixelStep>(
        Pixels<const int16_t>{reinterpret_cast<const int16_t*>(in.data),
                              in.stride},
        filter, rows, finish, out);
  }
}

// Samples that filters read down: of more than 8 bits they fit in int16_t.
HWY_INLINE Pixels<const uint8_t> Downward(Pixels<const uint8_t> in) {
  return in;
}
HWY_INLINE Pixels<const int16_t> Downward(Pixels<const uint16_t> in) {
  return {reinterpret_cast<const int16_t*>(in.data), in.stride};
}

// ---- scaled references ----

// The sums of four vectors' lanes.
HWY_INLINE Vector<int32_t, 4> SumsOfLanes(const Vector<int32_t, 4> (&v)[4]) {
  const hn::FixedTag<int32_t, 4> d;
  const auto halves = [&](auto a, auto b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  return halves(halves(v[0], v[2]), halves(v[1], v[3]));
}

// Eight pixels as int16_t, each component by itself.
template <int kPixelStep, typename Sample>
HWY_INLINE void LoadPixels(const Sample* at,
                           Vector<int16_t, 8> (&samples)[kPixelStep]) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<uint16_t, 8> words;
  if constexpr (kPixelStep == 1) {
    samples[0] = LoadWide<8>(at);
  } else if constexpr (sizeof(Sample) == 1) {
    const auto both =
        hn::BitCast(words, hn::LoadU(hn::FixedTag<uint8_t, 16>(), at));
    samples[0] = hn::BitCast(d, hn::And(both, hn::Set(words, 0xff)));
    samples[1] = hn::BitCast(d, hn::ShiftRight<8>(both));
  } else {
    auto first = hn::Zero(words);
    auto second = hn::Zero(words);
    hn::LoadInterleaved2(words, at, first, second);
    samples[0] = hn::BitCast(d, first);
    samples[1] = hn::BitCast(d, second);
  }
}

// Where the pixels of a row come from, and their taps.
struct ScaledColumns {
  explicit ScaledColumns(const Axis& x) : count(x.size) {
    for (int c = 0; c < count; ++c) {
      offsets[c] = x.Offset(c);
      std::copy_n(x.Filter(c), kTaps, filters[c]);
    }
  }

  int count;
  int offsets[kMaxPiece];
  alignas(16) int16_t filters[kMaxPiece][kTaps];
};

// Rows of count * kPixelStep samples without gaps, a multiple of four.
template <int kPixelStep, typename Sample>
HWY_NOINLINE void ScaleAcross(Pixels<const Sample> in,
                              const ScaledColumns& columns, int rows,
                              Finish finish, int16_t* out) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<int32_t, 4> wide;
  const hn::FixedTag<int16_t, 4> narrow;
  const auto add = hn::Set(wide, finish.add);
  for (int r = 0; r < rows; ++r) {
    const Sample* const line = in.data + r * in.stride;
    for (int c = 0; c < columns.count; c += 4 / kPixelStep) {
      Vector<int32_t, 4> sums[4];
      for (int i = 0; i < 4; i += kPixelStep) {
        const int column = c + i / kPixelStep;
        Vector<int16_t, 8> samples[kPixelStep];
        LoadPixels<kPixelStep>(line + columns.offsets[column] * kPixelStep,
                               samples);
        const auto taps = hn::Load(d, columns.filters[column]);
        for (int s = 0; s < kPixelStep; ++s) {
          auto others = hn::Zero(wide);
          const auto products = hn::ReorderWidenMulAccumulate(
              wide, samples[s], taps, hn::Zero(wide), others);
          sums[i + s] = hn::Add(products, others);
        }
      }
      hn::StoreU(hn::DemoteTo(
                     narrow, hn::ShiftRightSame(hn::Add(SumsOfLanes(sums), add),
                                                finish.shift)),
                 narrow, out);
      out += 4;
    }
  }
}

// As InterpolateScaled.
template <int kPixelStep, typename Sample, typename Out>
void ScaleBlock(const Interpolation<Sample>& block, Pixels<Out> out) {
  const Axis& y = block.y;
  const Passes<Sample, Out> passes(block.rounding);
  alignas(64) int16_t between[kMaxSource * kMaxPieceSamples];
  const int samples = block.x.size * kPixelStep;
  ScaleAcross<kPixelStep>(block.source, ScaledColumns(block.x), y.SourceSize(),
                          passes.First(), between);
  for (int r = 0; r < y.size; ++r) {
    const int16_t* const rows = between + y.Offset(r) * samples;
    ForStrips<kWideLanes>(samples, [&](auto lanes, int i) {
      FilterDown<decltype(lanes)::value, kTaps / 2>(
          Pixels<const int16_t>{rows + i, samples}, y.Filter(r), 1,
          passes.Second(), Pixels<Out>{out.data + r * out.stride + i, 0});
    });
  }
}

// ---- blocks ----

template <typename Sample, typename Out>
HWY_NOINLINE void CopyBlock(Pixels<const Sample> source, Extent extent,
                            const Passes<Sample, Out>& passes,
                            Pixels<Out> out) {
  constexpr bool kSamples = std::is_same_v<Sample, Out>;
  constexpr int kWidest = kVectorBytes / static_cast<int>(sizeof(Out));
  ForStrips<kWidest>(extent.samples, [&](auto lanes, int i) HWY_ATTR {
    constexpr int kLanes = decltype(lanes)::value;
    const hn::FixedTag<Sample, kLanes> d;
    const hn::FixedTag<Out, kLanes> to;
    const Sample* line = source.data + i;
    Out* target = out.data + i;
    for (int r = 0; r < extent.rows; ++r) {
      const auto samples = hn::LoadU(d, line);
      if constexpr (kSamples) {
        hn::StoreU(samples, d, target);
      } else if constexpr (sizeof(Sample) == 1) {
        hn::StoreU(hn::ShiftLeft<4>(hn::PromoteTo(to, samples)), to, target);
      } else {
        const auto finer =
            hn::ShiftLeftSame(hn::BitCast(to, samples), passes.CopyShift());
        hn::StoreU(
            hn::Sub(finer, hn::Set(to, static_cast<int16_t>(passes.bias))), to,
            target);
      }
      line += source.stride;
      target += out.stride;
    }
  });
}

template <int kPixelStep, typename Sample, typename Out>
void InterpolateBlock(const Interpolation<Sample>& block, Pixels<Out> out) {
  const Axis& x = block.x;
  const Axis& y = block.y;
  if (block.scaled) return ScaleBlock<kPixelStep>(block, out);
  if (x.taps == 2 || y.taps == 2) {
    Interpolate<kPixelStep>(block, out);
    return;
  }
  const Passes<Sample, Out> passes(block.rounding);
  const Pixels<const Sample>& source = block.source;
  const int samples = x.size * kPixelStep;
  const int rows = y.size;
  if (x.taps == 1 && y.taps == 1) {
    CopyBlock(source, {samples, rows}, passes, out);
    return;
  }
  const int8_t* const filter_x = x.Filter(0);
  const int8_t* const filter_y = y.Filter(0);
  if (y.taps == 1) {
    constexpr int kWidest = sizeof(Out) == 1 ? 16 : kWideLanes;
    ForStrips<kWidest>(samples, [&](auto lanes, int i) {
      WithPairs(x.taps, [&](auto pairs) {
        FilterAcross<decltype(lanes)::value, decltype(pairs)::value,
                     kPixelStep>(
            Pixels<const Sample>{source.data + i, source.stride}, filter_x,
            rows, passes.Across(), Pixels<Out>{out.data + i, out.stride});
      });
    });
  } else if (x.taps == 1) {
    constexpr int kWidest = kVectorBytes / static_cast<int>(sizeof(Sample));
    ForStrips<kWidest>(samples, [&](auto lanes, int i) {
      WithPairs(y.taps, [&](auto pairs) {
        FilterDown<decltype(lanes)::value, decltype(pairs)::value>(
            Downward({source.data + i, source.stride}), filter_y, rows,
            passes.Down(), Pixels<Out>{out.data + i, out.stride});
      });
    });
  } else {
    ForStrips<kWideLanes>(samples, [&](auto lanes, int i) {
      constexpr int kLanes = decltype(lanes)::value;
      alignas(64) int16_t between[(kMaxPiece + kTaps) * kLanes];
      WithPairs(x.taps, [&](auto pairs) {
        FilterAcross<kLanes, decltype(pairs)::value, kPixelStep>(
            Pixels<const Sample>{source.data + i, source.stride}, filter_x,
            rows + y.taps - 1, passes.First(),
            Pixels<int16_t>{between, kLanes});
      });
      WithPairs(y.taps, [&](auto pairs) {
        FilterDown<kLanes, decltype(pairs)::value>(
            Pixels<const int16_t>{between, kLanes}, filter_y, rows,
            passes.Second(), Pixels<Out>{out.data + i, out.stride});
      });
    });
  }
}

struct OnVectors : BlendOnVectors {
  static constexpr int kSpareBytes = 32;

  template <int kPixelStep, typename Sample>
  static void Put(const Interpolation<Sample>& block, Pixels<Sample> target) {
    InterpolateBlock<kPixelStep>(block, target);
  }
  template <int kPixelStep, typename Sample>
  static void Prepare(const Interpolation<Sample>& block, int16_t* prediction) {
    InterpolateBlock<kPixelStep>(
        block, Pixels<int16_t>{prediction, block.x.size * kPixelStep});
  }
  template <int kPixelStep, typename Sample>
  static void PutWarped(const WarpedBlock<Sample>& block,
                        Pixels<Sample> target) {
    WarpOnVectors<kPixelStep>(block, target);
  }
  template <int kPixelStep, typename Sample>
  static void PrepareWarped(const WarpedBlock<Sample>& block,
                            Pixels<int16_t> prediction) {
    WarpOnVectors<kPixelStep>(block, prediction);
  }
};

}  // namespace

void InterPred8(const KernelArgs& args, Range range) {
  PredictInterBlocks<OnVectors, uint8_t>(args, range);
}
void InterPred16(const KernelArgs& args, Range range) {
  PredictInterBlocks<OnVectors, uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(InterPred8);
HWY_EXPORT(InterPred16);

template <>
void InterPredSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InterPred8)(args, range);
}
template <>
void InterPredSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InterPred16)(args, range);
}

}  // namespace perdix::av1
#endif
