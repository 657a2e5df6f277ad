// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2) on vectors: the interpolation of a block, in
// strips of 16 bytes from top to bottom. A vector holds as many rows of a strip
// as fit.
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
constexpr int kVectorBytes = HWY_MIN(HWY_MAX_BYTES, 32);  // 64 are no faster

// Blocks have a multiple of 4 rows: they end at multiples of 8 luma samples, or
// of 4 U, V pairs; or they are 4 samples, or pairs, high.
constexpr int kRowStep = 4;

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
    StoreRows<kHalf, kLanes, kAverage>(hn::UpperHalf(half, rows),
                                       at + kHalf * stride, stride);
  }
}

// What is done to a strip of kLanes samples that begins at sample first.
template <typename Sample, int kLanes, int kPixelStep, bool kAverage>
class Strip {
 public:
  // Not scaled: one filter per direction. Filter 0 is the identity, so a
  // direction without fraction is left out.
  static HWY_NOINLINE void Interpolate(const Interpolation<Sample>& block,
                                       int first) {
    const int x = block.x.Fraction();
    const int y = block.y.Fraction();
    const int height = block.y.size;
    const ptrdiff_t stride = block.source.stride;
    const Sample* const corner = block.source.data + first;
    const Sample* const whole = corner + kTapsBefore * kPixelStep;
    const Pixels<Sample> target = {block.target.data + first,
                                   block.target.stride};
    alignas(64) Sample between[(kMaxBlock + kTaps - 1) * kLanes];

    const auto to_target = [&](int r, V rows) HWY_ATTR {
      StoreRows<kRows, kLanes, kAverage>(
          Filter::Leave(rows), target.data + r * target.stride, target.stride);
    };
    if (x != 0 && y != 0) {
      FilterAcross(corner, stride, Filter(block.filter, x, block.max_sample),
                   height + kTaps - 1, [&](int r, V rows) HWY_ATTR {
                     hn::StoreU(rows, Filter::kTag, between + r * kLanes);
                   });
      FilterDown(
          [&](int r) HWY_ATTR {
            return hn::LoadU(Filter::kTag, between + r * kLanes);
          },
          Filter(block.filter, y, block.max_sample), height, to_target);
    } else if (x != 0) {
      FilterAcross(corner + kTapsBefore * stride, stride,
                   Filter(block.filter, x, block.max_sample), height,
                   to_target);
    } else if (y != 0) {
      FilterDown(
          [&](int r) HWY_ATTR {
            return Filter::Enter(
                LoadRows<kRows, kLanes>(whole + r * stride, stride));
          },
          Filter(block.filter, y, block.max_sample), height, to_target);
    } else {
      Copy({whole + kTapsBefore * stride, stride}, height, target);
    }
  }

  // Scaled: the filter changes from pixel to pixel.
  static HWY_NOINLINE void InterpolateScaled(const Interpolation<Sample>& block,
                                             int first) {
    Sample between[(kMaxSource + kRowStep) * kLanes];
    for (int i = 0; i < kLanes; i += kFour) {
      FilterFourAcross(block, first + i, between + i);
    }
    Sample rows[(kMaxBlock + kRowStep) * kLanes];
    for (int r = 0; r < block.y.size; ++r) {
      const int position = block.y.Fraction() + r * block.y.step;
      FilterRow(between + (position >> kSubpelBits) * kLanes, block.filter,
                position & kSubpelMask, block.max_sample, rows + r * kLanes);
    }
    Copy({rows, kLanes}, block.y.size,
         {block.target.data + first, block.target.stride});
  }

 private:
  static constexpr int kRows =
      HWY_MIN(kVectorBytes / (kLanes * sizeof(Sample)), kRowStep);  // in a V
  using Filter = SubpelFilter<Sample, kRows * kLanes>;
  using V = typename Filter::V;

  static constexpr int kFour = 4;
  static constexpr hn::FixedTag<int32_t, kFour> kSumsTag{};
  static constexpr hn::FixedTag<int16_t, kTaps> kTapsTag{};

  // The first tap of the first sample is at source. store(first row, rows); the
  // last rows come twice where height is no multiple of kRows.
  template <class Store>
  static HWY_INLINE void FilterAcross(const Sample* source, ptrdiff_t stride,
                                      const Filter& filter, int height,
                                      const Store& store) {
    for (int r = 0; r < height; r += kRows) {
      if (kRows > 1) r = HWY_MIN(r, height - kRows);
      store(r, filter.template Across<kRows, kLanes, kPixelStep>(
                   source + r * stride, stride));
    }
  }

  // load(first row), from the first tap of row 0 on.
  template <class Load, class Store>
  static HWY_INLINE void FilterDown(const Load& load, const Filter& filter,
                                    int height, const Store& store) {
    for (int r = 0; r < height; r += kRowStep) {
      V rows[kRowStep - kRows + kTaps];
      for (int i = 0; i < kRowStep - kRows + kTaps; ++i) rows[i] = load(r + i);
      for (int i = 0; i < kRowStep; i += kRows) store(r + i, filter(rows + i));
    }
  }

  // Scaled, four samples from <first> on of each row: the products of a sample
  // and its taps lie side by side.
  static void FilterFourAcross(const Interpolation<Sample>& block, int first,
                               Sample* out) {
    const Sample* from[kFour];
    hn::VFromD<decltype(kTapsTag)> taps[kFour];
    for (int i = 0; i < kFour; ++i) {
      const int position =
          block.x.Fraction() + (first + i) / kPixelStep * block.x.step;
      from[i] = block.source.data + (position >> kSubpelBits) * kPixelStep;
      taps[i] = hn::LoadU(kTapsTag,
                          kSubpelFilters[block.filter][position & kSubpelMask]);
    }
    const int rows = block.y.SourceSize();
    for (int r = 0; r < rows; ++r, out += kLanes) {
      const ptrdiff_t row = r * block.source.stride;
      const auto lower = AddPairs(Products<0>(from[0] + row, taps[0]),
                                  Products<1>(from[1] + row, taps[1]));
      const auto upper = AddPairs(Products<0>(from[2] + row, taps[2]),
                                  Products<1>(from[3] + row, taps[3]));
      const auto sums = hn::Add(AddPairs(lower, upper),
                                hn::Set(kSumsTag, 1 << (kFilterBits - 1)));
      const hn::FixedTag<Sample, kFour> d;
      const auto samples = hn::DemoteTo(d, hn::ShiftRight<kFilterBits>(sums));
      hn::StoreU(hn::Min(samples, hn::Set(d, Sample(block.max_sample))), d,
                 out);
    }
  }

  // Their sum is the filtered sample. kOdd: of the odd samples of four.
  template <int kOdd>
  static HWY_INLINE auto Products(const Sample* from,
                                  hn::VFromD<decltype(kTapsTag)> taps) {
    auto upper = hn::Zero(kSumsTag);
    const auto lower = hn::ReorderWidenMulAccumulate(
        kSumsTag, LoadTaps < kPixelStep == 2 && kOdd > (from), taps,
        hn::Zero(kSumsTag), upper);
    return hn::Add(lower, upper);
  }

  // The samples of kTaps pixels, U or V of pairs.
  template <bool kV>
  static HWY_INLINE auto LoadTaps(const Sample* from) {
    const hn::RebindToUnsigned<decltype(kTapsTag)> d;
    if constexpr (kPixelStep == 1 && sizeof(Sample) == 1) {
      return hn::PromoteTo(kTapsTag,
                           hn::LoadU(hn::FixedTag<Sample, kTaps>(), from));
    } else if constexpr (kPixelStep == 1) {
      return hn::BitCast(kTapsTag, hn::LoadU(d, from));
    } else if constexpr (sizeof(Sample) == 1) {
      const auto pairs =
          hn::BitCast(d, hn::LoadU(hn::FixedTag<Sample, 2 * kTaps>(), from));
      return hn::BitCast(kTapsTag, kV ? hn::ShiftRight<8>(pairs)
                                      : hn::And(pairs, hn::Set(d, 0xff)));
    } else {
      const auto lower = hn::LoadU(d, from);
      const auto upper = hn::LoadU(d, from + kTaps);
      return hn::BitCast(kTapsTag, kV ? hn::ConcatOdd(d, upper, lower)
                                      : hn::ConcatEven(d, upper, lower));
    }
  }

  template <class V32>
  static HWY_INLINE V32 AddPairs(V32 lower, V32 upper) {
    return hn::Add(hn::ConcatEven(kSumsTag, upper, lower),
                   hn::ConcatOdd(kSumsTag, upper, lower));
  }

  // One row from kTaps rows; what fills up a vector is written after it.
  static HWY_INLINE void FilterRow(const Sample* from, uint32_t kind,
                                   int position, int max_sample, Sample* out) {
    V rows[kTaps];
    for (int t = 0; t < kTaps; ++t) {
      rows[t] = hn::LoadU(Filter::kTag, from + t * kLanes);
    }
    if (position == 0) {
      hn::StoreU(rows[kTapsBefore], Filter::kTag, out);
      return;
    }
    for (V& row : rows) row = Filter::Enter(row);
    const Filter filter(kind, position, max_sample);
    hn::StoreU(Filter::Leave(filter(rows)), Filter::kTag, out);
  }

  static HWY_INLINE void Copy(Pixels<const Sample> source, int height,
                              Pixels<Sample> target) {
    for (int r = 0; r < height; r += kRowStep) {
      const Sample* const from = source.data + r * source.stride;
      Sample* const to = target.data + r * target.stride;
      for (int i = 0; i < kRowStep; ++i) {
        StoreRows<1, kLanes, kAverage>(
            LoadRows<1, kLanes>(from + i * source.stride, source.stride),
            to + i * target.stride, target.stride);
      }
    }
  }
};

template <typename Sample, int kLanes, int kPixelStep, bool kAverage>
HWY_INLINE void InterpolateStrip(const Interpolation<Sample>& block,
                                 int first) {
  using S = Strip<Sample, kLanes, kPixelStep, kAverage>;
  if (block.IsScaled()) {
    S::InterpolateScaled(block, first);
  } else {
    S::Interpolate(block, first);
  }
}

template <int kPixelStep, bool kAverage, typename Sample>
void InterpolateBlock(const Interpolation<Sample>& block) {
  constexpr int kWhole = kStripBytes / static_cast<int>(sizeof(Sample));
  const int samples = block.x.size * kPixelStep;
  int i = 0;
  for (; i + kWhole <= samples; i += kWhole) {
    InterpolateStrip<Sample, kWhole, kPixelStep, kAverage>(block, i);
  }
  if (samples & kWhole / 2) {
    InterpolateStrip<Sample, kWhole / 2, kPixelStep, kAverage>(block, i);
    i += kWhole / 2;
  }
  if constexpr (kWhole / 4 >= 4 * kPixelStep) {
    if (samples & kWhole / 4) {
      InterpolateStrip<Sample, kWhole / 4, kPixelStep, kAverage>(block, i);
    }
  }
}

struct OnVectors {
  template <typename Sample, int kPixelStep>
  using Source = vp9::Source<Sample, kPixelStep>;

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
