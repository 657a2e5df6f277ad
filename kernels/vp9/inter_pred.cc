// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2): motion vector clamping and scaling, block
// interpolation, averaging of compound predictions. Residual is not added here.
//
// Reads: inter_blocks, the references' planes. Writes: the target's planes.
// Work item: one InterBlock. Order: any.
#include "kernels/vp9/block_interpolation.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {
namespace {

// Rows of samples.
struct Extent {
  int samples;
  int rows;
};

// One filter on all of an extent; taps are tap_stride samples apart.
template <typename Sample>
void Filter(Pixels<const Sample> source, ptrdiff_t tap_stride,
            const int16_t (&filter)[kTaps], Extent extent, int max_sample,
            Pixels<Sample> out) {
  for (int r = 0; r < extent.rows; ++r) {
    const Sample* line = source.data + r * source.stride;
    for (int i = 0; i < extent.samples; ++i) {
      out.data[r * out.stride + i] =
          FilterSample(line + i, tap_stride, filter, max_sample);
    }
  }
}

// Compound prediction: the mean of both, into the first.
template <typename Sample>
void Average(Pixels<const Sample> second, Extent extent, Pixels<Sample> first) {
  for (int r = 0; r < extent.rows; ++r) {
    Sample* line = first.data + r * first.stride;
    const Sample* other = second.data + r * second.stride;
    for (int i = 0; i < extent.samples; ++i) {
      line[i] = static_cast<Sample>((line[i] + other[i] + 1) >> 1);
    }
  }
}

// Not scaled: one filter per direction. Filter 0 is the identity, so a
// direction without fraction is left out.
template <int kPixelStep, typename Sample>
void InterpolateUnscaled(const Interpolation<Sample>& block,
                         Pixels<Sample> out) {
  const auto& [source, x, y, kind, max_sample, average, target] = block;
  const auto& filters = kSubpelFilters[kind];
  Sample intermediate[(kMaxBlock + kTaps - 1) * kMaxBlock * kPixelStep];
  const int samples = x.size * kPixelStep;
  Pixels<const Sample> rows = {source.data + kTapsBefore * kPixelStep,
                               source.stride};
  if (x.Fraction() != 0) {
    // Only the rows that the vertical filter reads.
    const int skip = y.Fraction() != 0 ? 0 : kTapsBefore;
    const int count = y.size + (skip != 0 ? 0 : kTaps - 1);
    Filter(
        Pixels<const Sample>{source.data + skip * source.stride, source.stride},
        ptrdiff_t{kPixelStep}, filters[x.Fraction()], {samples, count},
        max_sample, Pixels<Sample>{intermediate + skip * samples, samples});
    rows = {intermediate, samples};
  }
  if (y.Fraction() != 0) {
    Filter(rows, rows.stride, filters[y.Fraction()], {samples, y.size},
           max_sample, out);
    return;
  }
  for (int r = 0; r < y.size; ++r) {
    std::memcpy(out.data + r * out.stride,
                rows.data + (r + kTapsBefore) * rows.stride,
                sizeof(Sample) * static_cast<size_t>(samples));
  }
}

// Scaled: the filter changes from pixel to pixel.
template <int kPixelStep, typename Sample>
void InterpolateScaled(const Interpolation<Sample>& block, Pixels<Sample> out) {
  const auto& [source, x, y, kind, max_sample, average, target] = block;
  const auto& filters = kSubpelFilters[kind];
  Sample intermediate[kMaxSource * kMaxBlock * kPixelStep];
  const int samples = x.size * kPixelStep;
  const int source_rows = y.SourceSize();
  for (int i = 0; i < x.size; ++i) {
    const int position = x.Fraction() + i * x.step;
    const Sample* first = source.data + (position >> kSubpelBits) * kPixelStep;
    Filter(Pixels<const Sample>{first, source.stride}, ptrdiff_t{kPixelStep},
           filters[position & kSubpelMask], {kPixelStep, source_rows},
           max_sample, Pixels<Sample>{intermediate + i * kPixelStep, samples});
  }
  for (int r = 0; r < y.size; ++r) {
    const int position = y.Fraction() + r * y.step;
    Filter(
        Pixels<const Sample>{intermediate + (position >> kSubpelBits) * samples,
                             samples},
        ptrdiff_t{samples}, filters[position & kSubpelMask], {samples, 1},
        max_sample, Pixels<Sample>{out.data + r * out.stride, out.stride});
  }
}

struct Scalar {
  template <int kPixelStep, typename Sample>
  static void Interpolate(const Interpolation<Sample>& block) {
    Sample second[kMaxBlock * kMaxBlock * kPixelStep];
    const int samples = block.x.size * kPixelStep;
    const Pixels<Sample> out =
        block.average ? Pixels<Sample>{second, samples} : block.target;
    if (block.IsScaled()) {
      InterpolateScaled<kPixelStep>(block, out);
    } else {
      InterpolateUnscaled<kPixelStep>(block, out);
    }
    if (block.average) {
      Average(Pixels<const Sample>{second, samples}, {samples, block.y.size},
              block.target);
    }
  }
};

}  // namespace

template <typename Sample>
void InterPred(const KernelArgs& args, Range range) {
  PredictInterBlocks<Scalar, Sample>(args, range);
}

template void InterPred<uint8_t>(const KernelArgs&, Range);
template void InterPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
