// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2) but for its inner loops: references with clamped
// coordinates, the planes of a record and its one or two references. A variant
// brings the interpolation of a block (see PredictInterBlocks) and shares
// everything else.
#ifndef PERDIX_KERNELS_VP9_BLOCK_INTERPOLATION_H_
#define PERDIX_KERNELS_VP9_BLOCK_INTERPOLATION_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/shifted_rows.h"
#include "kernels/simd/prefetch.h"
#include "kernels/vp9/lists.h"
#include "kernels/vp9/reference_axis.h"
#include "kernels/vp9/subpel_filters.h"

namespace perdix::vp9 {

using simd::Extent;
using simd::LeavesTheCaches;
using simd::Prefetch;

inline constexpr int kFilterBits = 7;

inline constexpr int kMaxBlock = 64;
// Prefetching smaller blocks is not worth the instructions.
inline constexpr int kLeastPrefetchedWidth = 16;  // luma pixels
inline constexpr int kMaxStep =
    32;  // a reference is at most twice as large: 2 pixels
inline constexpr int kMaxPixelStep =
    2;  // samples per pixel: chroma is U, V pairs
// Reference pixels, in one direction, that a block can need.
inline constexpr int kMaxSource =
    (((kMaxBlock - 1) * kMaxStep + kSubpelMask) >> kSubpelBits) + kTaps;

// Pixels of one plane with their line stride in samples.
template <typename Sample>
struct Pixels {
  Sample* data;
  ptrdiff_t stride;
};

// ---- block interpolation (VP9 8.5.2.4) ----

// Reference pixels from x.FirstPixel(), y.FirstPixel() on, with coordinates
// clamped to the frame; and one more in each direction, so that vectors may
// read it. Where all that are needed lie inside, with the values in the low
// bits, there is nothing to copy. shift: PictureView::shift.
template <typename Sample, int kPixelStep>
class Source {
 public:
  Source(const Plane& plane, uint32_t shift, const Axis& x, const Axis& y) {
    const bool scaled = x.IsScaled() || y.IsScaled();
    if (!LiesInside(x, scaled, plane.width) ||
        !LiesInside(y, scaled, plane.height)) {
      Copy(plane, shift, x, y);
      pixels_ = {copy_, kStride};
      return;
    }
    const ptrdiff_t stride =
        static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample));
    pixels_ = {plane.Row<Sample>(0) + y.FirstPixel() * stride +
                   x.FirstPixel() * kPixelStep,
               stride};
    if constexpr (sizeof(Sample) > 1) {
      if (shift != 0) CopyShifted(plane, shift, x, y, scaled);
    }
  }

  Pixels<const Sample> pixels() const { return pixels_; }

 private:
  static constexpr int kStride =
      RoundUpToShifted((kMaxSource + 1) * kPixelStep);

  // size: of the plane, pixels.
  static bool LiesInside(const Axis& axis, bool scaled, uint32_t size) {
    const bool filtered = scaled || axis.Fraction() != 0;
    const int first = axis.FirstPixel() + (filtered ? 0 : kTapsBefore);
    const int count = filtered ? axis.SourceSize() + 1 : axis.size;
    return first >= 0 && first + count <= static_cast<int>(size);
  }

  // Copies pixels that lie inside those that are filtered.
  void CopyShifted(const Plane& plane, uint32_t shift, const Axis& x,
                   const Axis& y, bool scaled) {
    const bool across = scaled || x.Fraction() != 0;
    const bool down = scaled || y.Fraction() != 0;
    const int left = (across ? 0 : kTapsBefore) * kPixelStep;
    const int above = down ? 0 : kTapsBefore;
    const int samples = (across ? x.SourceSize() : x.size) * kPixelStep;
    const int end =
        x.FirstPixel() * kPixelStep + left + RoundUpToShifted(samples);
    if (end * int{sizeof(Sample)} > static_cast<int>(plane.stride_bytes)) {
      Copy(plane, shift, x, y);
      pixels_ = {copy_, kStride};
      return;
    }
    const int stride = RoundUpToShifted(x.SourceSize() * kPixelStep);
    CopyRowsUnshifted(pixels_.data + above * pixels_.stride + left,
                      pixels_.stride, shift, samples,
                      down ? y.SourceSize() : y.size,
                      copy_ + above * stride + left, stride);
    pixels_ = {copy_, stride};
  }

  // Rare enough to be kept out of the way.
  [[gnu::noinline]] void Copy(const Plane& plane, uint32_t shift,
                              const Axis& x_axis, const Axis& y_axis) {
    const int x = x_axis.FirstPixel();
    const int y = y_axis.FirstPixel();
    const int width = x_axis.SourceSize();
    const int height = y_axis.SourceSize();
    const int last_x = static_cast<int>(plane.width) - 1;
    const int last_y = static_cast<int>(plane.height) - 1;
    assert(width <= kMaxSource && height <= kMaxSource);
    const int left = std::clamp(-x, 0, width);  // columns before the frame
    const int right = std::clamp(x + width - 1 - last_x, 0, width);
    const int middle = std::max(width - left - right, 0);
    for (int row = 0; row < height; ++row) {
      const Sample* line = plane.Row<Sample>(
          static_cast<uint32_t>(std::clamp(y + row, 0, last_y)));
      Sample* out = copy_ + row * kStride;
      Repeat(line, shift, left, out);
      out += left * kPixelStep;
      CopyUnshifted(line + (x + left) * kPixelStep, shift, middle * kPixelStep,
                    out);
      out += middle * kPixelStep;
      Repeat(line + last_x * kPixelStep, shift, width - left - middle, out);
    }
  }

  static void Repeat(const Sample* pixel, uint32_t shift, int count,
                     Sample* out) {
    for (int i = 0; i < count; ++i) {
      CopyUnshifted(pixel, shift, kPixelStep, out + i * kPixelStep);
    }
  }

  Pixels<const Sample> pixels_;
  Sample copy_[(kMaxSource + 1) * kStride];
};

// What is predicted from one reference in one plane.
template <typename Sample>
struct Interpolation {
  Pixels<const Sample> source;  // of Variant::Source
  Axis x;
  Axis y;
  uint32_t filter;  // kind: first index of kSubpelFilters
  int max_sample;
  bool average;  // compound: write the mean of target and this prediction
  Pixels<Sample> target;

  // The filter changes from pixel to pixel.
  bool IsScaled() const { return x.IsScaled() || y.IsScaled(); }
};

// ---- one record (VP9 8.5.2.1) ----

template <class Variant, typename Sample, int kPixelStep>
void PredictPlane(const KernelArgs& args, const InterBlock& block,
                  uint32_t plane_index) {
  const PlaneBlock located = LocateBlock(*args.params, block, plane_index);
  if (located.x.size <= 0 || located.y.size <= 0) return;

  const Plane& plane = args.target.planes[plane_index];
  const int x = located.x.Position();
  const int y = located.y.Position();
  Interpolation<Sample> interpolation;
  interpolation.filter = InterFilter(block.shape);
  interpolation.max_sample = (1 << args.params->bit_depth) - 1;
  interpolation.target = {
      plane.Row<Sample>(static_cast<uint32_t>(y)) + x * kPixelStep,
      static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
  uint32_t ref = InterRef0(block.shape);
  uint32_t mv = block.mv0;
  for (const bool second : {false, true}) {
    const ReferenceScale& reference = ParamsOf(args).references[ref];
    interpolation.average = second;
    interpolation.x = ReferenceAxis(located.x, MvCol(mv), reference.x_scale,
                                    reference.x_step);
    interpolation.y = ReferenceAxis(located.y, MvRow(mv), reference.y_scale,
                                    reference.y_step);
    const PictureView& picture = args.references[ref];
    const typename Variant::template Source<Sample, kPixelStep> source(
        picture.planes[plane_index], picture.shift, interpolation.x,
        interpolation.y);
    interpolation.source = source.pixels();
    Variant::template Interpolate<kPixelStep>(interpolation);
    ref = InterRef1(block.shape);
    mv = block.mv1;
    if (ref == PERDIX_REF_NONE) break;
  }
}

// ---- prefetching ----

// The pixels that a block reads in one direction. position, size: its own, in
// luma pixels. mv: 1/8 luma pixels.
inline Extent ReadPixels(int position, int size, int mv, int subsampling) {
  const int begin = (position + (mv >> 3)) >> subsampling;
  const bool whole = (mv & ((8 << subsampling) - 1)) == 0;
  return whole ? Extent{begin, size >> subsampling}
               : Extent{begin - kTapsBefore, (size >> subsampling) + kTaps - 1};
}

// Asks for the reference of a block that is about to be predicted. Scaled and
// second references are left out, and where the block sticks out of the frame
// so are some of its pixels.
template <typename Sample>
[[gnu::always_inline]] inline void PrefetchReference(const KernelArgs& args,
                                                     const InterBlock& block) {
  constexpr int kSampleBytes = static_cast<int>(sizeof(Sample));
  const FrameParams& params = *args.params;
  const uint32_t ref = InterRef0(block.shape);
  const int width = static_cast<int>(InterWidth4(block.shape)) * 4;
  const int height = static_cast<int>(InterHeight4(block.shape)) * 4;
  if (width < kLeastPrefetchedWidth) return;
  if (!LeavesTheCaches(args.references[ref].planes[kLuma])) return;
  if (ParamsOf(args).references[ref].x_scale != kNotScaled) return;
  const int x = static_cast<int>(PositionX4(block.position)) * 4;
  const int y = static_cast<int>(PositionY4(block.position)) * 4;
  for (const uint32_t index : {kLuma, kChroma}) {
    const bool luma = index == kLuma;
    const int ss_x = luma ? 0 : static_cast<int>(params.subsampling_x);
    const int ss_y = luma ? 0 : static_cast<int>(params.subsampling_y);
    const int pixel_bytes = luma ? kSampleBytes : kMaxPixelStep * kSampleBytes;
    const Extent columns = ReadPixels(x, width, MvCol(block.mv0), ss_x);
    Prefetch(args.references[ref].planes[index],
             {columns.begin * pixel_bytes, columns.size * pixel_bytes},
             ReadPixels(y, height, MvRow(block.mv0), ss_y));
  }
}

// All planes of the inter blocks in range. Variant::Source<Sample, kPixelStep>
// finds a block's reference, Variant::Interpolate<kPixelStep> filters it;
// pixels are kPixelStep samples.
template <class Variant, typename Sample>
void PredictInterBlocks(const KernelArgs& args, Range range) {
  const std::span<const InterBlock> blocks = args.lists.Of(kInterBlocks);
  for (uint32_t i = range.begin; i < range.end; ++i) {
    const InterBlock& block = blocks[i];
    const uint32_t planes = InterPlanes(block.shape);
    if (i + 1 < range.end) {
      PrefetchReference<Sample>(args, blocks[i + 1]);
    }
    if (planes & PERDIX_PLANES_LUMA) {
      PredictPlane<Variant, Sample, 1>(args, block, kLuma);
    }
    if (planes & PERDIX_PLANES_CHROMA) {
      PredictPlane<Variant, Sample, kMaxPixelStep>(args, block, kChroma);
    }
  }
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_BLOCK_INTERPOLATION_H_
