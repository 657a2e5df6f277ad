// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2) on vectors: the interpolation of a block, in
// strips of 16 bytes from top to bottom. A vector holds as many rows of a strip
// as fit. Of a scaled prediction only the vertical filter is on vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/inter_pred_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/vp9/block_interpolation.h"
#include "kernels/vp9/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/vp9/subpel_filter-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void InterPred8(const KernelArgs& args, Range range) {
  InterPred<uint8_t>(args, range);
}
void InterPred16(const KernelArgs& args, Range range) {
  InterPred<uint16_t>(args, range);
}

#else

namespace {

constexpr int kStripBytes = 16;

// Blocks have a multiple of 4 rows: blocks end at multiples of 8 luma samples,
// and of 4 U, V pairs; or they are 4 samples, or pairs, high.
constexpr int kRowStep = 4;

// ---- rows of kLanes samples ----

// Rows in a vector of at most kMostBytes.
template <typename Sample, int kLanes, int kMostBytes>
constexpr int kRowsIn = std::min<int>(
    kRowStep, std::min<int>(HWY_MAX_BYTES, kMostBytes) /
                  (kLanes * static_cast<int>(sizeof(Sample))));

template <int kRows, int kLanes, bool kAverage, class V, typename Sample>
HWY_INLINE void StoreRows(V rows, Sample* at, ptrdiff_t stride) {
  if constexpr (kRows == 1) {
    const hn::FixedTag<Sample, kLanes> d;
    hn::StoreU(kAverage ? hn::AverageRound(rows, hn::LoadU(d, at)) : rows, d,
               at);
  } else {
    constexpr int kHalf = kRows / 2;
    const hn::FixedTag<Sample, kHalf * kLanes> half;
    StoreRows<kHalf, kLanes, kAverage>(hn::LowerHalf(half, rows), at, stride);
    StoreRows<kHalf, kLanes, kAverage>(
        hn::UpperHalf(half, rows), at + kHalf * stride, stride);
  }
}

// ---- passes over a strip of kLanes samples ----

// The samples that a strip is filtered from downwards: rows of kLanes, one
// after the other.
template <typename Sample, int kLanes, int kRows>
struct StripRows {
  Sample* Row(int r) { return samples + r * kLanes; }
  const Sample* Row(int r) const { return samples + r * kLanes; }

  alignas(64) Sample samples[kRows * kLanes];
};

// Taps across, the first of them at source.
template <int kLanes, int kPixelStep, typename Sample>
void FilterAcross(Pixels<const Sample> source, const int16_t (&taps)[kTaps],
                  int max_sample, int rows, Sample* out) {
  constexpr int kRows = kRowsIn<Sample, kLanes, 32>;
  using Filter = SubpelFilter<Sample, kRows * kLanes>;
  const Filter filter(taps, max_sample);
  for (int r = 0; r < rows; r += kRows) {
    if (kRows > 1) r = std::min(r, rows - kRows);
    hn::StoreU(filter.template Across<kRows, kLanes, kPixelStep>(
                   source.data + r * source.stride, source.stride),
               Filter::kTag, out + r * kLanes);
  }
}

// Taps downwards, the first of them at rows.
template <int kLanes, bool kAverage, typename Sample>
void FilterDown(const Sample* rows, const int16_t (&taps)[kTaps],
                int max_sample, int height, Pixels<Sample> out) {
  constexpr int kRows = kRowsIn<Sample, kLanes, 64>;
  using Filter = SubpelFilter<Sample, kRows * kLanes>;
  const Filter filter(taps, max_sample);
  for (int r = 0; r < height; r += kRowStep) {
    typename Filter::V samples[kRowStep - kRows + kTaps];
    for (int i = 0; i < kRowStep - kRows + kTaps; ++i) {
      samples[i] = hn::LoadU(Filter::kTag, rows + (r + i) * kLanes);
    }
    for (int i = 0; i < kRowStep; i += kRows) {
      StoreRows<kRows, kLanes, kAverage>(Filter::Leave(filter(samples + i)),
                                         out.data + (r + i) * out.stride,
                                         out.stride);
    }
  }
}

// Samples as they are into those of a filter (kEnter), or the other way.
template <int kLanes, bool kEnter, bool kAverage, typename Sample>
void CopyRows(Pixels<const Sample> source, int height, Pixels<Sample> out) {
  constexpr int kRows = kRowsIn<Sample, kLanes, kStripBytes>;
  using Filter = SubpelFilter<Sample, kRows * kLanes>;
  for (int r = 0; r < height; r += kRows) {
    if (kRows > 1) r = std::min(r, height - kRows);
    const auto rows = LoadRows<kRows, kLanes>(source.data + r * source.stride,
                                              source.stride);
    StoreRows<kRows, kLanes, kAverage>(
        kEnter ? Filter::Enter(rows) : Filter::Leave(rows),
        out.data + r * out.stride, out.stride);
  }
}

template <int kLanes, bool kAverage, typename Sample>
void CopyBlock(Pixels<const Sample> source, int height, Pixels<Sample> out) {
  for (int r = 0; r < height; ++r) {
    StoreRows<1, kLanes, kAverage>(
        LoadRows<1, kLanes>(source.data + r * source.stride, source.stride),
        out.data + r * out.stride, out.stride);
  }
}

// ---- a strip ----

// Not scaled: one filter per direction. Filter 0 is the identity, so a
// direction without fraction is left out.
template <int kPixelStep, int kLanes, bool kAverage, typename Sample>
void InterpolateStrip(const Interpolation<Sample>& block,
                      Pixels<const Sample> source, Pixels<Sample> target) {
  const auto& x_taps = block.filters[block.x.Fraction()];
  const auto& y_taps = block.filters[block.y.Fraction()];
  const int height = block.y.size;
  const Sample* const whole = source.data + kTapsBefore * kPixelStep;
  const ptrdiff_t above = kTapsBefore * source.stride;
  StripRows<Sample, kLanes, kMaxBlock + kTaps - 1> strip;
  const Pixels<Sample> rows = {strip.samples, kLanes};
  const Pixels<const Sample> filtered = {strip.samples, kLanes};
  if (block.y.Fraction() != 0) {
    if (block.x.Fraction() != 0) {
      FilterAcross<kLanes, kPixelStep>(source, x_taps, block.max_sample,
                                       height + kTaps - 1, strip.samples);
    } else {
      CopyRows<kLanes, true, false>(Pixels<const Sample>{whole, source.stride},
                                    height + kTaps - 1, rows);
    }
    FilterDown<kLanes, kAverage>(strip.samples, y_taps, block.max_sample,
                                 height, target);
  } else if (block.x.Fraction() != 0) {
    FilterAcross<kLanes, kPixelStep>(
        Pixels<const Sample>{source.data + above, source.stride}, x_taps,
        block.max_sample, height, strip.samples);
    CopyRows<kLanes, false, kAverage>(filtered, height, target);
  } else {
    CopyBlock<kLanes, kAverage>(
        Pixels<const Sample>{whole + above, source.stride}, height, target);
  }
}

// Scaled: the filter changes from pixel to pixel.
template <int kPixelStep, int kLanes, bool kAverage, typename Sample>
void InterpolateScaledStrip(const Interpolation<Sample>& block, int first,
                            Pixels<Sample> target) {
  constexpr int kRows = kRowsIn<Sample, kLanes, kStripBytes>;
  using Filter = SubpelFilter<Sample, kRows * kLanes>;
  StripRows<Sample, kLanes, kMaxSource + kRowStep> strip;
  const int source_rows = block.y.SourceSize();
  for (int i = 0; i < kLanes; ++i) {
    const int position =
        block.x.Fraction() + (first + i) / kPixelStep * block.x.step;
    const Sample* from = block.source.data +
                         (position >> kSubpelBits) * kPixelStep +
                         i % kPixelStep;
    for (int r = 0; r < source_rows; ++r, from += block.source.stride) {
      strip.Row(r)[i] =
          FilterSample(from, kPixelStep, block.filters[position & kSubpelMask],
                       block.max_sample);
    }
  }
  for (int r = 0; r < block.y.size; ++r) {
    const int position = block.y.Fraction() + r * block.y.step;
    const Sample* const from = strip.Row(position >> kSubpelBits);
    const hn::FixedTag<Sample, kLanes> row;
    auto filtered = hn::LoadU(row, from + kTapsBefore * kLanes);
    if ((position & kSubpelMask) != 0) {
      const Filter filter(block.filters[position & kSubpelMask],
                          block.max_sample);
      typename Filter::V samples[kTaps];
      for (int t = 0; t < kTaps; ++t) {
        samples[t] =
            Filter::Enter(hn::LoadU(Filter::kTag, from + t * kLanes));
      }
      alignas(64) Sample out[kRows * kLanes];
      hn::StoreU(Filter::Leave(filter(samples)), Filter::kTag, out);
      filtered = hn::LoadU(row, out);
    }
    StoreRows<1, kLanes, kAverage>(filtered,
                                   target.data + r * target.stride,
                                   target.stride);
  }
}

template <int kPixelStep, int kLanes, bool kAverage, typename Sample>
HWY_INLINE void InterpolateAt(const Interpolation<Sample>& block, int first) {
  const Pixels<Sample> target = {block.target.data + first,
                                 block.target.stride};
  if (block.IsScaled()) {
    InterpolateScaledStrip<kPixelStep, kLanes, kAverage>(block, first, target);
  } else {
    InterpolateStrip<kPixelStep, kLanes, kAverage>(
        block,
        Pixels<const Sample>{block.source.data + first, block.source.stride},
        target);
  }
}

template <int kPixelStep, bool kAverage, typename Sample>
void InterpolateBlock(const Interpolation<Sample>& block) {
  constexpr int kWhole = kStripBytes / static_cast<int>(sizeof(Sample));
  const int samples = block.x.size * kPixelStep;
  int i = 0;
  for (; i + kWhole <= samples; i += kWhole) {
    InterpolateAt<kPixelStep, kWhole, kAverage>(block, i);
  }
  if (samples & kWhole / 2) {
    InterpolateAt<kPixelStep, kWhole / 2, kAverage>(block, i);
    i += kWhole / 2;
  }
  if constexpr (kWhole / 4 >= 4 * kPixelStep) {
    if (samples & kWhole / 4) {
      InterpolateAt<kPixelStep, kWhole / 4, kAverage>(block, i);
    }
  }
}

struct OnVectors {
  template <int kPixelStep, typename Sample>
  static void Interpolate(const Interpolation<Sample>& block) {
    if (block.average) {
      InterpolateBlock<kPixelStep, true>(block);
    } else {
      InterpolateBlock<kPixelStep, false>(block);
    }
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

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

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

}  // namespace perdix::vp9
#endif
