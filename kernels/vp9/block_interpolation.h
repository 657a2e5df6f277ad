// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2) but for its inner loops: motion vector clamping
// and scaling, references with clamped coordinates, the passes of block
// interpolation, compound prediction. A variant brings the loops over rows of
// samples (see ScalarLines) and shares everything else.
#ifndef PERDIX_KERNELS_VP9_BLOCK_INTERPOLATION_H_
#define PERDIX_KERNELS_VP9_BLOCK_INTERPOLATION_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/vp9/decoded_area.h"
#include "kernels/vp9/subpel_filters.h"

namespace perdix::vp9 {

inline constexpr int kTapsBefore =
    kTaps / 2 - 1;  // taps left of, or above, the pixel
inline constexpr int kFilterBits = 7;
inline constexpr int kSubpelMask = kSubpelPositions - 1;
inline constexpr int kScaleBits = 14;
inline constexpr int kInterpExtend =
    4;  // pixels a block may lie outside the frame

inline constexpr int kMaxBlock = 64;
inline constexpr int kMaxStep =
    32;  // a reference is at most twice as large: 2 pixels
inline constexpr int kMaxPixelStep =
    2;  // samples per pixel: chroma is U, V pairs
// Reference pixels, in one direction, that a block can need.
inline constexpr int kMaxSource =
    (((kMaxBlock - 1) * kMaxStep + kSubpelMask) >> kSubpelBits) + kTaps;

using Filters = const int16_t (*)[kTaps];  // [kSubpelPositions][kTaps]

// Pixels of one plane with their line stride in samples.
template <typename Sample>
struct Pixels {
  Sample* data;
  ptrdiff_t stride;
};

// The interpolated block in one direction: first reference position, its
// advance per predicted pixel (both in 1/16 pixel) and the pixels predicted.
struct Axis {
  int start;
  int step;
  int size;

  int FirstPixel() const { return (start >> kSubpelBits) - kTapsBefore; }
  int Fraction() const { return start & kSubpelMask; }
  // Reference pixels from FirstPixel on that the filter reads.
  int SourceSize() const {
    return (((size - 1) * step + Fraction()) >> kSubpelBits) + kTaps;
  }
};

// ---- motion vector clamping and scaling (VP9 8.5.2.2, 8.5.2.3) ----

// Everything about one block in one direction of one plane.
struct BlockAxis {
  int luma_position;    // of the predicted pixels, luma samples
  int luma_block;       // of the block whose vector is clamped
  int luma_block_size;  // for parts of an 8x8 block: 8
  int luma_frame_size;  // a multiple of 8
  int subsampling;
  int size;  // pixels to predict
};

// The vector in 1/16 pixel of the plane, clamped so that the block is at most
// kInterpExtend pixels (and the filter's reach) outside the frame.
inline int ClampMv(const BlockAxis& axis, int mv) {
  const int q4 = 1 << (1 - axis.subsampling);  // 1/8 luma to 1/16 of the plane
  const int size = axis.luma_block_size >> axis.subsampling;
  const int reach = (kInterpExtend + size) << kSubpelBits;
  const int to_start = -axis.luma_block * 8 * q4;
  const int to_end =
      (axis.luma_frame_size - axis.luma_block - axis.luma_block_size) * 8 * q4;
  return std::clamp(mv * q4, to_start - reach,
                    to_end + reach - kSubpelPositions);
}

inline int Scale(int value, uint32_t scale) {
  return static_cast<int>((int64_t{value} * scale) >> kScaleBits);
}

// The position's whole pixel, its fraction and the vector are scaled one by
// one, the fraction from the luma position also in chroma: each rounds on its
// own. With scale 1 << 14 this is position + vector.
inline Axis ReferenceAxis(const BlockAxis& axis, int mv, uint32_t scale,
                          uint32_t step) {
  const int base = Scale(axis.luma_position >> axis.subsampling, scale);
  const int fraction =
      Scale(axis.luma_position * kSubpelPositions, scale) & kSubpelMask;
  const int scaled_mv = Scale(ClampMv(axis, mv), scale) + fraction;
  return {base * kSubpelPositions + scaled_mv, static_cast<int>(step),
          axis.size};
}

// ---- block interpolation (VP9 8.5.2.4) ----

// Reference pixels with coordinates clamped to the frame. Where all lie inside
// there is nothing to copy.
template <typename Sample, int kPixelStep>
class Source {
 public:
  Source(const Plane& plane, const Axis& x_axis, const Axis& y_axis) {
    const int x = x_axis.FirstPixel();
    const int y = y_axis.FirstPixel();
    const int width = x_axis.SourceSize();
    const int height = y_axis.SourceSize();
    const int last_x = static_cast<int>(plane.width) - 1;
    const int last_y = static_cast<int>(plane.height) - 1;
    if (x >= 0 && y >= 0 && x + width - 1 <= last_x &&
        y + height - 1 <= last_y) {
      pixels_ = {plane.Row<Sample>(static_cast<uint32_t>(y)) + x * kPixelStep,
                 static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
      return;
    }
    assert(width <= kMaxSource && height <= kMaxSource);
    const int left = std::clamp(-x, 0, width);  // columns before the frame
    const int right = std::clamp(x + width - 1 - last_x, 0, width);
    const int middle = std::max(width - left - right, 0);
    for (int row = 0; row < height; ++row) {
      const Sample* line = plane.Row<Sample>(
          static_cast<uint32_t>(std::clamp(y + row, 0, last_y)));
      Sample* out = copy_ + row * kStride;
      out = Repeat(line, left, out);
      if (middle > 0) {
        std::memcpy(out, line + (x + left) * kPixelStep,
                    sizeof(Sample) * static_cast<size_t>(middle * kPixelStep));
        out += middle * kPixelStep;
      }
      Repeat(line + last_x * kPixelStep, width - left - middle, out);
    }
    pixels_ = {copy_, kStride};
  }

  Pixels<const Sample> pixels() const { return pixels_; }

 private:
  static constexpr int kStride = kMaxSource * kPixelStep;

  static Sample* Repeat(const Sample* pixel, int count, Sample* out) {
    for (int i = 0; i < count * kPixelStep; ++i) *out++ = pixel[i % kPixelStep];
    return out;
  }

  Pixels<const Sample> pixels_;
  Sample copy_[kMaxSource * kStride];
};

// Rows of samples: what Lines, the variants' inner loops, work on.
struct Extent {
  int samples;
  int rows;
};

// One filter on all of an extent; taps are tap_stride samples apart.
struct ScalarLines {
  template <typename Sample>
  static void Filter(Pixels<const Sample> source, ptrdiff_t tap_stride,
                     const int16_t (&filter)[kTaps], Extent extent,
                     int max_sample, Pixels<Sample> out) {
    for (int r = 0; r < extent.rows; ++r) {
      const Sample* line = source.data + r * source.stride;
      for (int i = 0; i < extent.samples; ++i) {
        int sum = 1 << (kFilterBits - 1);
        for (int t = 0; t < kTaps; ++t) {
          sum += filter[t] * line[i + t * tap_stride];
        }
        out.data[r * out.stride + i] =
            static_cast<Sample>(std::clamp(sum >> kFilterBits, 0, max_sample));
      }
    }
  }

  // Compound prediction: the mean of both, into the first.
  template <typename Sample>
  static void Average(Pixels<const Sample> second, Extent extent,
                      Pixels<Sample> first) {
    for (int r = 0; r < extent.rows; ++r) {
      Sample* line = first.data + r * first.stride;
      const Sample* other = second.data + r * second.stride;
      for (int i = 0; i < extent.samples; ++i) {
        line[i] = static_cast<Sample>((line[i] + other[i] + 1) >> 1);
      }
    }
  }
};

// Not scaled: one filter per direction. Filter 0 is the identity, so a
// direction without fraction is left out.
template <class Lines, int kPixelStep, typename Sample>
void InterpolateUnscaled(Pixels<const Sample> source, const Axis& x_axis,
                         const Axis& y_axis, Filters filters, int max_sample,
                         Pixels<Sample> out) {
  Sample intermediate[(kMaxBlock + kTaps - 1) * kMaxBlock * kPixelStep];
  const int samples = x_axis.size * kPixelStep;
  Pixels<const Sample> rows = {source.data + kTapsBefore * kPixelStep,
                               source.stride};
  if (x_axis.Fraction() != 0) {
    // Only the rows that the vertical filter reads.
    const int skip = y_axis.Fraction() != 0 ? 0 : kTapsBefore;
    const int count = y_axis.size + (skip != 0 ? 0 : kTaps - 1);
    Lines::Filter(
        Pixels<const Sample>{source.data + skip * source.stride, source.stride},
        ptrdiff_t{kPixelStep}, filters[x_axis.Fraction()], {samples, count},
        max_sample, Pixels<Sample>{intermediate + skip * samples, samples});
    rows = {intermediate, samples};
  }
  if (y_axis.Fraction() != 0) {
    Lines::Filter(rows, rows.stride, filters[y_axis.Fraction()],
                  {samples, y_axis.size}, max_sample, out);
    return;
  }
  for (int r = 0; r < y_axis.size; ++r) {
    std::memcpy(out.data + r * out.stride,
                rows.data + (r + kTapsBefore) * rows.stride,
                sizeof(Sample) * static_cast<size_t>(samples));
  }
}

// Scaled: the filter changes from pixel to pixel.
template <class Lines, int kPixelStep, typename Sample>
void InterpolateScaled(Pixels<const Sample> source, const Axis& x_axis,
                       const Axis& y_axis, Filters filters, int max_sample,
                       Pixels<Sample> out) {
  Sample intermediate[kMaxSource * kMaxBlock * kPixelStep];
  const int samples = x_axis.size * kPixelStep;
  const int source_rows = y_axis.SourceSize();
  for (int x = 0; x < x_axis.size; ++x) {
    const int position = x_axis.Fraction() + x * x_axis.step;
    const Sample* first = source.data + (position >> kSubpelBits) * kPixelStep;
    ScalarLines::Filter(Pixels<const Sample>{first, source.stride},
                        ptrdiff_t{kPixelStep}, filters[position & kSubpelMask],
                        {kPixelStep, source_rows}, max_sample,
                        Pixels<Sample>{intermediate + x * kPixelStep, samples});
  }
  for (int r = 0; r < y_axis.size; ++r) {
    const int position = y_axis.Fraction() + r * y_axis.step;
    Lines::Filter(
        Pixels<const Sample>{intermediate + (position >> kSubpelBits) * samples,
                             samples},
        ptrdiff_t{samples}, filters[position & kSubpelMask], {samples, 1},
        max_sample, Pixels<Sample>{out.data + r * out.stride, out.stride});
  }
}

// ---- one record (VP9 8.5.2.1) ----

// The block in one plane.
struct PlaneBlock {
  BlockAxis x;
  BlockAxis y;
};

inline PlaneBlock LocateBlock(const FrameParams& params,
                              const InterBlock& block, uint32_t plane) {
  const int x = static_cast<int>(PositionX4(block.position)) * 4;
  const int y = static_cast<int>(PositionY4(block.position)) * 4;
  const int width = static_cast<int>(InterWidth4(block.shape)) * 4;
  const int height = static_cast<int>(InterHeight4(block.shape)) * 4;
  const bool sub8x8 = InterSub8x8(block.shape) != 0;
  const int ss_x = plane == kLuma ? 0 : static_cast<int>(params.subsampling_x);
  const int ss_y = plane == kLuma ? 0 : static_cast<int>(params.subsampling_y);
  const DecodedArea area = PlaneDecodedArea(params, plane);
  return {{x, sub8x8 ? x & ~7 : x, sub8x8 ? 8 : width,
           static_cast<int>(params.mi_cols) * 8, ss_x,
           std::min(width >> ss_x, area.width - (x >> ss_x))},
          {y, sub8x8 ? y & ~7 : y, sub8x8 ? 8 : height,
           static_cast<int>(params.mi_rows) * 8, ss_y,
           std::min(height >> ss_y, area.height - (y >> ss_y))}};
}

// One prediction from one reference.
template <class Lines, int kPixelStep, typename Sample>
void PredictFromReference(const KernelArgs& args, const PlaneBlock& block,
                          uint32_t plane, uint32_t ref, uint32_t mv,
                          Filters filters, Pixels<Sample> out) {
  const ReferenceParams& reference = args.params->references[ref];
  const Axis x =
      ReferenceAxis(block.x, MvCol(mv), reference.x_scale, reference.x_step);
  const Axis y =
      ReferenceAxis(block.y, MvRow(mv), reference.y_scale, reference.y_step);
  const Source<Sample, kPixelStep> source(args.references[ref].planes[plane], x,
                                          y);
  const int max_sample = (1 << args.params->bit_depth) - 1;
  if (x.step == kSubpelPositions && y.step == kSubpelPositions) {
    InterpolateUnscaled<Lines, kPixelStep>(source.pixels(), x, y, filters,
                                           max_sample, out);
  } else {
    InterpolateScaled<Lines, kPixelStep>(source.pixels(), x, y, filters,
                                         max_sample, out);
  }
}

template <class Lines, typename Sample, int kPixelStep>
void PredictPlane(const KernelArgs& args, const InterBlock& block,
                  uint32_t plane_index) {
  const PlaneBlock located = LocateBlock(*args.params, block, plane_index);
  const int width = located.x.size;
  const int height = located.y.size;
  if (width <= 0 || height <= 0) return;

  const Plane& plane = args.target.planes[plane_index];
  const int x = located.x.luma_position >> located.x.subsampling;
  const int y = located.y.luma_position >> located.y.subsampling;
  const Pixels<Sample> target = {
      plane.Row<Sample>(static_cast<uint32_t>(y)) + x * kPixelStep,
      static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
  const Filters filters = kSubpelFilters[InterFilter(block.shape)];
  PredictFromReference<Lines, kPixelStep>(args, located, plane_index,
                                          InterRef0(block.shape), block.mv0,
                                          filters, target);
  if (InterRef1(block.shape) == PERDIX_REF_NONE) return;

  Sample second[kMaxBlock * kMaxBlock * kPixelStep];
  const int samples = width * kPixelStep;
  PredictFromReference<Lines, kPixelStep>(
      args, located, plane_index, InterRef1(block.shape), block.mv1, filters,
      Pixels<Sample>{second, samples});
  Lines::Average(Pixels<const Sample>{second, samples}, {samples, height},
                 target);
}

// All planes of the inter_blocks in range.
template <class Lines, typename Sample>
void PredictInterBlocks(const KernelArgs& args, Range range) {
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const InterBlock& block = args.lists.inter_blocks[i];
    const uint32_t planes = InterPlanes(block.shape);
    if (planes & PERDIX_PLANES_LUMA) {
      PredictPlane<Lines, Sample, 1>(args, block, kLuma);
    }
    if (planes & PERDIX_PLANES_CHROMA) {
      PredictPlane<Lines, Sample, kMaxPixelStep>(args, block, kChroma);
    }
  }
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_BLOCK_INTERPOLATION_H_
