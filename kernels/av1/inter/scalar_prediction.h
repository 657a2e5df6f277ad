// SPDX-License-Identifier: BSD-2-Clause
// The loops of inter prediction (7.11.3) in plain C++, a Variant of
// block_prediction.h: the reference, and what others leave to it.
//
// Loops run over strips of 16, 8 or 4 samples from top to bottom: a constant
// number of columns is what the compiler makes vectors of.
#ifndef PERDIX_KERNELS_AV1_INTER_SCALAR_PREDICTION_H_
#define PERDIX_KERNELS_AV1_INTER_SCALAR_PREDICTION_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/inter/warp_filters.h"

namespace perdix::av1 {

// (sum + add) >> shift, then limited to max where samples are made of it.
struct Finish {
  int add;
  int shift;
  int max;
};

// Calls strip(std::integral_constant lanes, first sample) for all of a row. Its
// samples are a multiple of 4.
template <class Strip>
[[gnu::always_inline]] inline void ForEachStrip(int samples,
                                                const Strip& strip) {
  int i = 0;
  for (; i + 16 <= samples; i += 16) {
    strip(std::integral_constant<int, 16>(), i);
  }
  if (samples & 8) {
    strip(std::integral_constant<int, 8>(), i);
    i += 8;
  }
  if (samples & 4) strip(std::integral_constant<int, 4>(), i);
}

template <typename Out>
[[gnu::always_inline]] inline Out Clip(int value, int max) {
  if constexpr (std::is_same_v<Out, uint8_t>) {
    return static_cast<uint8_t>(std::clamp(value, 0, 255));
  } else if constexpr (std::is_same_v<Out, uint16_t>) {
    return static_cast<uint16_t>(std::clamp(value, 0, max));
  } else {
    return static_cast<int16_t>(value);
  }
}

// ---- interpolation (7.11.3.4) ----

// One filter on kLanes columns; taps are tap_stride samples apart. The sum of
// 8-bit samples fits in 16 bits, which makes vectors of twice as many.
template <int kLanes, int kTapCount, typename In, typename Out>
[[gnu::noinline]] void Filter(Pixels<const In> in, ptrdiff_t tap_stride,
                              const int8_t* filter, int rows, Finish finish,
                              Pixels<Out> out) {
  using Sum = std::conditional_t<sizeof(In) == 1, int16_t, int32_t>;
  int16_t taps[kTapCount];
  for (int t = 0; t < kTapCount; ++t) taps[t] = filter[t];
  for (int r = 0; r < rows; ++r) {
    const In* const line = in.data + r * in.stride;
    Out* const __restrict to = out.data + r * out.stride;
    for (int i = 0; i < kLanes; ++i) {
      int sum = finish.add;
      for (int t = 0; t < kTapCount; ++t) {
        sum += taps[t] * static_cast<int16_t>(line[i + t * tap_stride]);
      }
      to[i] = Clip<Out>(static_cast<Sum>(sum) >> finish.shift, finish.max);
    }
  }
}

template <int kLanes, typename In, typename Out>
void FilterTaps(int taps, Pixels<const In> in, ptrdiff_t tap_stride,
                const int8_t* filter, int rows, const Finish& finish,
                Pixels<Out> out) {
  if (taps == 6) {
    Filter<kLanes, 6>(in, tap_stride, filter, rows, finish, out);
  } else if (taps == 8) {
    Filter<kLanes, 8>(in, tap_stride, filter, rows, finish, out);
  } else if (taps == 4) {
    Filter<kLanes, 4>(in, tap_stride, filter, rows, finish, out);
  } else {
    Filter<kLanes, 2>(in, tap_stride, filter, rows, finish, out);
  }
}

// What rounding leaves to do after each of the passes: filters have halved
// taps, a pass that is left out multiplies by 128.
template <typename Sample, typename Out>
struct Passes {
  explicit Passes(const Rounding<Sample>& rounding)
      : max(rounding.MaxSample()),
        first_shift(rounding.AfterHorizontal() - 1),
        bias(kSamples ? 0 : rounding.Bias()),
        both_shift(kSamples ? rounding.AfterVertical() - 1
                            : kCompoundRound1 - 1) {}

  // Before a second pass.
  Finish First() const { return {1 << (first_shift - 1), first_shift, 0}; }
  Finish Second() const { return Less(1 << (both_shift - 1), both_shift); }
  // Horizontal alone: what First() does, then the rest.
  Finish Across() const {
    return kSamples ? Finish{(1 << (first_shift - 1)) + 32, 6, max}
                    : Less(1 << (first_shift - 1), first_shift);
  }
  Finish Down() const {
    return kSamples ? Finish{32, 6, max}
                    : Less(1 << (first_shift - 1), first_shift);
  }
  // Of a copy to int16_t: samples are so much finer.
  int CopyShift() const { return 6 - first_shift; }

  Finish Less(int add, int shift) const {
    return {add - (bias << shift), shift, max};
  }

  static constexpr bool kSamples = std::is_same_v<Sample, Out>;
  int max;
  int first_shift;
  int bias;
  int both_shift;
};

// Not scaled: one filter per direction.
template <int kPixelStep, typename Sample, typename Out>
void InterpolateUnscaled(const Interpolation<Sample>& block,
                         Rounding<Sample> rounding, Pixels<Out> out) {
  const Pixels<const Sample>& source = block.source;
  const Axis& x = block.x;
  const Axis& y = block.y;
  const Passes<Sample, Out> passes(rounding);
  const int rows = block.extent.rows;
  if (x.taps == 1 && y.taps == 1) {
    Copy(source, block.extent, passes, out);
    return;
  }
  ForEachStrip(block.extent.samples, [&](auto lanes, int i) {
    constexpr int kLanes = decltype(lanes)::value;
    const Pixels<const Sample> in = {source.data + i, source.stride};
    const Pixels<Out> to = {out.data + i, out.stride};
    if (y.taps == 1) {
      FilterTaps<kLanes>(x.taps, in, kPixelStep, x.filter, rows,
                         passes.Across(), to);
    } else if (x.taps == 1) {
      FilterTaps<kLanes>(y.taps, in, in.stride, y.filter, rows, passes.Down(),
                         to);
    } else {
      alignas(64) int16_t between[(kMaxPiece + kTaps - 1) * kLanes];
      FilterTaps<kLanes>(x.taps, in, kPixelStep, x.filter, rows + y.taps - 1,
                         passes.First(), Pixels<int16_t>{between, kLanes});
      FilterTaps<kLanes>(y.taps, Pixels<const int16_t>{between, kLanes}, kLanes,
                         y.filter, rows, passes.Second(), to);
    }
  });
}

template <typename Sample, typename Out>
void Copy(Pixels<const Sample> source, Extent extent,
          const Passes<Sample, Out>& passes, Pixels<Out> out) {
  for (int r = 0; r < extent.rows; ++r) {
    const Sample* const line = source.data + r * source.stride;
    Out* const __restrict to = out.data + r * out.stride;
    if constexpr (Passes<Sample, Out>::kSamples) {
      std::memcpy(to, line,
                  sizeof(Sample) * static_cast<size_t>(extent.samples));
    } else {
      for (int i = 0; i < extent.samples; ++i) {
        to[i] =
            static_cast<int16_t>((line[i] << passes.CopyShift()) - passes.bias);
      }
    }
  }
}

// Scaled: the filter changes from pixel to pixel.
template <int kPixelStep, typename Sample, typename Out>
void InterpolateScaled(const ScaledInterpolation<Sample>& block,
                       Rounding<Sample> rounding, Pixels<Out> out) {
  const Pixels<const Sample>& source = block.source;
  const ScaledAxis& x = block.x;
  const ScaledAxis& y = block.y;
  const Passes<Sample, Out> passes(rounding);
  alignas(64) int16_t between[kMaxSource * kMaxPieceSamples];
  const int samples = x.size * kPixelStep;
  const Finish first = passes.First();
  const int source_rows = y.SourceSize();
  for (int c = 0; c < x.size; ++c) {
    const int8_t* const filter = x.Filter(c);
    const Sample* line = source.data + x.Offset(c) * kPixelStep;
    int16_t* to = between + c * kPixelStep;
    for (int r = 0; r < source_rows;
         ++r, line += source.stride, to += samples) {
      for (int s = 0; s < kPixelStep; ++s) {
        int sum = first.add;
        for (int t = 0; t < kTaps; ++t) {
          sum += filter[t] * static_cast<int16_t>(line[t * kPixelStep + s]);
        }
        to[s] = static_cast<int16_t>(sum >> first.shift);
      }
    }
  }
  for (int r = 0; r < y.size; ++r) {
    const int16_t* const rows = between + y.Offset(r) * samples;
    ForEachStrip(samples, [&](auto lanes, int i) {
      Filter<decltype(lanes)::value, kTaps>(
          Pixels<const int16_t>{rows + i, 0}, samples, y.Filter(r), 1,
          passes.Second(), Pixels<Out>{out.data + r * out.stride + i, 0});
    });
  }
}

// ---- warps (7.11.3.5) ----

inline const int8_t* WarpFilter(int position) {
  return kWarpFilters[((position + (1 << 9)) >> 10) + kWarpPositions];
}

template <int kPixelStep, typename Sample, typename Out>
void WarpBlock(const WarpedBlock<Sample>& block, Pixels<Out> out) {
  constexpr bool kSamples = std::is_same_v<Sample, Out>;
  const Rounding<Sample>& rounding = block.rounding;
  const int first_shift = rounding.AfterHorizontal();
  const int shift = kSamples ? rounding.AfterVertical() : kCompoundRound1;
  const int add =
      (1 << (shift - 1)) - (kSamples ? 0 : rounding.Bias() * (1 << shift));
  // By component, column and row: taps of the second pass lie side by side.
  int16_t between[kPixelStep][kWarpBlock][kWarpSource + 1];
  for (int r = 0; r < kWarpSource; ++r) {
    const Sample* const line = block.source.data + r * block.source.stride;
    for (int c = 0; c < kWarpBlock; ++c) {
      const int8_t* const filter =
          WarpFilter(block.x + r * block.beta + c * block.alpha);
      for (int s = 0; s < kPixelStep; ++s) {
        int sum = 1 << (first_shift - 1);
        for (int t = 0; t < kTaps; ++t) {
          sum +=
              filter[t] * static_cast<int16_t>(line[(c + t) * kPixelStep + s]);
        }
        between[s][c][r] = static_cast<int16_t>(sum >> first_shift);
      }
    }
  }
  for (int r = 0; r < block.height; ++r) {
    Out* const to = out.data + r * out.stride;
    for (int c = 0; c < block.width; ++c) {
      const int8_t* const filter =
          WarpFilter(block.y + r * block.delta + c * block.gamma);
      for (int s = 0; s < kPixelStep; ++s) {
        int sum = add;
        for (int t = 0; t < kTaps; ++t) {
          sum += filter[t] * between[s][c][r + t];
        }
        to[c * kPixelStep + s] = Clip<Out>(sum >> shift, rounding.MaxSample());
      }
    }
  }
}

// ---- blending ----

// For each sample of an extent: target = blend(strip's sample number in a row
// without gaps, row, column).
template <typename Sample, class Blend>
[[gnu::always_inline]] inline void BlendAll(Extent extent,
                                            Pixels<Sample> target,
                                            const Blend& blend) {
  ForEachStrip(extent.samples, [&](auto lanes, int first) {
    for (int r = 0; r < extent.rows; ++r) {
      Sample* const __restrict to = target.data + r * target.stride + first;
      const int at = r * extent.samples + first;
      Sample line[decltype(lanes)::value];
      for (int i = 0; i < decltype(lanes)::value; ++i) {
        line[i] = blend(at + i, r, first + i);
      }
      std::memcpy(to, line, sizeof(line));
    }
  });
}

struct Scalar {
  // Reads nothing beyond what a block needs.
  static constexpr int kSpareBytes = 0;

  template <int kPixelStep, typename Sample, typename Out>
  static void Interpolate(const Interpolation<Sample>& block,
                          Rounding<Sample> rounding, Pixels<Out> out) {
    InterpolateUnscaled<kPixelStep>(block, rounding, out);
  }
  template <int kPixelStep, typename Sample, typename Out>
  static void Scale(const ScaledInterpolation<Sample>& block,
                    Rounding<Sample> rounding, Pixels<Out> out) {
    InterpolateScaled<kPixelStep>(block, rounding, out);
  }
  template <int kPixelStep, typename Sample, typename Out>
  static void Warp(const WarpedBlock<Sample>& block, Pixels<Out> out) {
    WarpBlock<kPixelStep>(block, out);
  }

  template <typename Sample>
  static void Average(const Predictions& predictions,
                      const Rounding<Sample>& rounding, Extent extent,
                      Pixels<Sample> target) {
    // Two of 8 bits fit in 16 bits.
    using Sum = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;
    const int16_t* const first = predictions.first;
    const int16_t* const second = predictions.second;
    const int shift = rounding.Post() + 1;
    const int add = (1 << (shift - 1)) + 2 * rounding.Bias();
    const int max = rounding.MaxSample();
    BlendAll(extent, target, [=](int at, int, int) {
      const auto sum = static_cast<Sum>(first[at] + second[at] + add);
      return Clip<Sample>(sum >> shift, max);
    });
  }

  template <typename Sample>
  static void AverageSamples(Pixels<const Sample> first,
                             Pixels<const Sample> second, Extent extent,
                             Pixels<Sample> target) {
    BlendAll(extent, target, [=](int, int r, int c) {
      return static_cast<Sample>((first.data[r * first.stride + c] +
                                  second.data[r * second.stride + c] + 1) >>
                                 1);
    });
  }

  template <typename Sample>
  static void Weight(const Predictions& predictions, int weight,
                     const Rounding<Sample>& rounding, Extent extent,
                     Pixels<Sample> target) {
    const int16_t* const first = predictions.first;
    const int16_t* const second = predictions.second;
    const int shift = rounding.Post() + 4;
    const int add = (1 << (shift - 1)) + 16 * rounding.Bias();
    const int max = rounding.MaxSample();
    const auto weight0 = static_cast<int16_t>(weight);
    const auto weight1 = static_cast<int16_t>(16 - weight);
    BlendAll(extent, target, [=](int at, int, int) {
      const int sum = weight0 * first[at] + weight1 * second[at] + add;
      return Clip<Sample>(sum >> shift, max);
    });
  }

  template <typename Sample>
  static void Mask(const Predictions& predictions, const MaskRows& mask,
                   const Rounding<Sample>& rounding, Extent extent,
                   Pixels<Sample> target) {
    const int16_t* const first = predictions.first;
    const int16_t* const second = predictions.second;
    const uint8_t* const weights = mask.data;
    const ptrdiff_t stride = mask.stride;
    const int shift = rounding.Post() + kMaskBits;
    const int add = (1 << (shift - 1)) + kMaskOne * rounding.Bias();
    const int max = rounding.MaxSample();
    BlendAll(extent, target, [=](int at, int r, int c) {
      const int16_t weight = weights[r * stride + c];
      const auto other = static_cast<int16_t>(kMaskOne - weight);
      const int sum = weight * first[at] + other * second[at] + add;
      return Clip<Sample>(sum >> shift, max);
    });
  }

  // Rows of mask are kMaxPiece bytes apart.
  template <typename Sample>
  static void DifferenceMask(const Predictions& predictions,
                             const Rounding<Sample>& rounding, Extent extent,
                             bool inverted, uint8_t* mask) {
    const int16_t* const first = predictions.first;
    const int16_t* const second = predictions.second;
    // Round2, then the division by 16.
    const int round = rounding.BitDepth() - 8 + rounding.Post();
    const int add = 1 << (round - 1);
    const int flip = inverted ? -1 : 0;
    BlendAll(extent, Pixels<uint8_t>{mask, kMaxPiece}, [=](int at, int, int) {
      const int difference = std::abs(first[at] - second[at]);
      const int weight =
          std::min(38 + ((difference + add) >> (round + 4)), kMaskOne);
      return static_cast<uint8_t>((weight ^ flip) + (flip & (kMaskOne + 1)));
    });
  }

  template <typename Sample>
  static void OverlapAbove(Pixels<const Sample> source, const uint8_t* mask,
                           Extent extent, Pixels<Sample> target) {
    BlendAll(extent, target, [=](int, int r, int c) {
      return BlendOverlap(mask[r], target.data[r * target.stride + c],
                          source.data[r * source.stride + c]);
    });
  }
  template <typename Sample>
  static void OverlapLeft(Pixels<const Sample> source, const uint8_t* mask,
                          Extent extent, Pixels<Sample> target) {
    BlendAll(extent, target, [=](int, int r, int c) {
      return BlendOverlap(mask[c], target.data[r * target.stride + c],
                          source.data[r * source.stride + c]);
    });
  }

 private:
  // weight: of the block's own sample.
  template <typename Sample>
  [[gnu::always_inline]] static Sample BlendOverlap(int weight, Sample own,
                                                    Sample neighbour) {
    return static_cast<Sample>(
        (weight * own + (kMaskOne - weight) * neighbour + kMaskOne / 2) >>
        kMaskBits);
  }
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_SCALAR_PREDICTION_H_
