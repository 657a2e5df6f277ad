// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (7.11.3) on vectors: the loops of block_prediction.h, in
// strips of up to 32 bytes from top to bottom. Where a strip is narrower a
// vector holds more rows of it. Compiled for samples of 8 bits in
// inter_pred8_simd.cc, for those of 16 in inter_pred16_simd.cc.
#if defined(PERDIX_KERNELS_AV1_INTER_INTER_LOOPS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_INTER_LOOPS_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_INTER_LOOPS_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_INTER_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/av1/inter/block_prediction.h"
#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/inter/inter_blend-inl.h"
#if HWY_ARCH_ARM_A64
#include "kernels/av1/inter/inter_filter_neon-inl.h"
#else
#include "kernels/av1/inter/inter_filter-inl.h"
#endif
#include "kernels/av1/inter/inter_warp-inl.h"
#include "kernels/av1/strips-inl.h"
#include "kernels/simd/lane_shifts-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

template <typename Sample>
void PredictOnVectors(const KernelArgs& args, Range range) {
  InterPred<Sample>(args, range);
}

#else

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
  explicit ScaledColumns(const ScaledAxis& x) : count(x.size) {
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
      hn::StoreU(
          hn::DemoteTo(narrow, ShiftRightBy(hn::Add(SumsOfLanes(sums), add),
                                            finish.shift)),
          narrow, out);
      out += 4;
    }
  }
}

// Interpolates a scaled block: across into rows of its own, then down.
template <int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE void ScaleBlock(const ScaledInterpolation<Sample>& block,
                             Rounding<Sample> rounding, Pixels<Out> out) {
  const ScaledAxis& y = block.y;
  const Passes<Sample, Out> passes(rounding);
  alignas(64) int16_t between[kMaxSource * kMaxPieceSamples];
  const int samples = block.x.size * kPixelStep;
  ScaleAcross<kPixelStep>(block.source, ScaledColumns(block.x), y.SourceSize(),
                          ScaledFirst(passes), between);
  for (int r = 0; r < y.size; ++r) {
    const int16_t* const rows = between + y.Offset(r) * samples;
    ForStrips<kWideLanes>(samples, [&](auto lanes, int i) {
      FilterScaledRow<decltype(lanes)::value>(
          Pixels<const int16_t>{rows + i, samples}, y.Filter(r), passes,
          out.data + r * out.stride + i);
    });
  }
}

// ---- blocks ----

template <typename Sample, typename Out>
HWY_NOINLINE void CopyBlock(const Interpolation<Sample>& block,
                            Rounding<Sample> rounding, Pixels<Out> out) {
  const Pixels<const Sample> source = block.source;
  const Extent extent = block.extent;
  const Passes<Sample, Out> passes(rounding);
  constexpr bool kSamples = std::is_same_v<Sample, Out>;
  constexpr int kWidest = 32;
  ForStrips<kWidest>(extent.samples, [&](auto lanes, int i) HWY_ATTR {
    constexpr int kLanes = decltype(lanes)::value;
    constexpr int kOnce =
        HWY_MIN(kLanes, kVectorBytes / static_cast<int>(sizeof(Out)));
    const hn::FixedTag<Sample, kOnce> d;
    const hn::FixedTag<Out, kOnce> to;
    const Sample* line = source.data + i;
    Out* target = out.data + i;
    for (int r = 0; r < extent.rows; ++r) {
#if HWY_ARCH_ARM_A64
      if constexpr (sizeof(Sample) < sizeof(Out) && kLanes >= 16) {
        for (int c = 0; c < kLanes; c += 16) {
          const uint8x16_t samples = vld1q_u8(line + c);
          vst1q_s16(target + c,
                    vreinterpretq_s16_u16(vshll_n_u8(vget_low_u8(samples), 4)));
          vst1q_s16(target + c + 8,
                    vreinterpretq_s16_u16(vshll_high_n_u8(samples, 4)));
        }
        line += source.stride;
        target += out.stride;
        continue;
      }
#endif
      for (int c = 0; c < kLanes; c += kOnce) {
        const auto samples = hn::LoadU(d, line + c);
        if constexpr (kSamples) {
          hn::StoreU(samples, d, target + c);
        } else if constexpr (sizeof(Sample) == 1) {
          hn::StoreU(hn::ShiftLeft<4>(hn::PromoteTo(to, samples)), to,
                     target + c);
        } else {
          const auto finer =
              ShiftLeftBy(hn::BitCast(to, samples), passes.CopyShift());
          hn::StoreU(
              hn::Sub(finer, hn::Set(to, static_cast<int16_t>(passes.bias))),
              to, target + c);
        }
      }
      line += source.stride;
      target += out.stride;
    }
  });
}

// What starts <i> samples further.
template <typename T>
HWY_INLINE Pixels<T> From(Pixels<T> pixels, int i) {
  return {pixels.data + i, pixels.stride};
}

template <int kPairs, int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE HWY_FLATTEN void BlockAcross(const Interpolation<Sample>& block,
                                          Rounding<Sample> rounding,
                                          Pixels<Out> out) {
  const Passes<Sample, Out> passes(rounding);
  ForStrips<kAcrossLanes<Sample, Out> >(
      block.extent.samples, [&](auto lanes, int i) HWY_ATTR {
        FilterAcross<decltype(lanes)::value, kPairs, kPixelStep>(
            From(block.source, i), block.x.filter, block.extent.rows, passes,
            From(out, i));
      });
}

template <int kPairs, typename Sample, typename Out>
HWY_NOINLINE HWY_FLATTEN void BlockDown(const Interpolation<Sample>& block,
                                        Rounding<Sample> rounding,
                                        Pixels<Out> out) {
  const Passes<Sample, Out> passes(rounding);
  ForStrips<kDownLanes<Sample> >(block.extent.samples,
                                 [&](auto lanes, int i) HWY_ATTR {
                                   FilterDown<decltype(lanes)::value, kPairs>(
                                       From(block.source, i), block.y.filter,
                                       block.extent.rows, passes, From(out, i));
                                 });
}

template <int kPairsX, int kPairsY, int kPixelStep, typename Sample,
          typename Out>
HWY_NOINLINE HWY_FLATTEN void BlockBoth(const Interpolation<Sample>& block,
                                        Rounding<Sample> rounding,
                                        Pixels<Out> out) {
  const Passes<Sample, Out> passes(rounding);
  ForStrips<kBothLanes<Sample> >(
      block.extent.samples, [&](auto lanes, int i) HWY_ATTR {
        FilterBoth<decltype(lanes)::value, kPairsX, kPairsY, kPixelStep>(
            From(block.source, i), block.x.filter, block.y.filter,
            block.extent.rows, passes, From(out, i));
      });
}

// By taps down, then across: 1 (a copy), 4, 6 and 8.
template <typename Sample, typename Out>
using BlockFilter = void (*)(const Interpolation<Sample>&, Rounding<Sample>,
                             Pixels<Out>);
template <int kPixelStep, typename Sample, typename Out>
constexpr BlockFilter<Sample, Out> kBlockFilters[4][4] = {
    {CopyBlock<Sample, Out>, BlockAcross<2, kPixelStep, Sample, Out>,
     BlockAcross<3, kPixelStep, Sample, Out>,
     BlockAcross<4, kPixelStep, Sample, Out>},
    {BlockDown<2, Sample, Out>, BlockBoth<2, 2, kPixelStep, Sample, Out>,
     BlockBoth<3, 2, kPixelStep, Sample, Out>,
     BlockBoth<4, 2, kPixelStep, Sample, Out>},
    {BlockDown<3, Sample, Out>, BlockBoth<2, 3, kPixelStep, Sample, Out>,
     BlockBoth<3, 3, kPixelStep, Sample, Out>,
     BlockBoth<4, 3, kPixelStep, Sample, Out>},
    {BlockDown<4, Sample, Out>, BlockBoth<2, 4, kPixelStep, Sample, Out>,
     BlockBoth<3, 4, kPixelStep, Sample, Out>,
     BlockBoth<4, 4, kPixelStep, Sample, Out>}};

struct OnVectors : BlendOnVectors {
  static constexpr int kSpareBytes = 32;

  template <int kPixelStep, typename Sample, typename Out>
  static void Interpolate(const Interpolation<Sample>& block,
                          Rounding<Sample> rounding, Pixels<Out> out) {
    kBlockFilters<kPixelStep, Sample, Out>[(block.y.taps - 1) >> 1]
                                          [(block.x.taps - 1) >> 1](
                                              block, rounding, out);
  }
  template <int kPixelStep, typename Sample, typename Out>
  static void Scale(const ScaledInterpolation<Sample>& block,
                    Rounding<Sample> rounding, Pixels<Out> out) {
    ScaleBlock<kPixelStep>(block, rounding, out);
  }
  template <int kPixelStep, typename Sample, typename Out>
  static void Warp(const WarpedBlock<Sample>& block, Pixels<Out> out) {
    WarpOnVectors<kPixelStep>(block, out);
  }
};

template <typename Sample>
void PredictOnVectors(const KernelArgs& args, Range range) {
  PredictInterBlocks<OnVectors, Sample>(args, range);
}

#endif  // HWY_TARGET

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_INTER_LOOPS_INL_H_
