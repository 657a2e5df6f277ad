// SPDX-License-Identifier: BSD-2-Clause
// Where the prediction of a block lies in its reference (7.11.3.3), and the
// reference's samples there with coordinates clamped to the frame.
#ifndef PERDIX_KERNELS_AV1_INTER_REFERENCE_BLOCK_H_
#define PERDIX_KERNELS_AV1_INTER_REFERENCE_BLOCK_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/inter/subpel_filters.h"
#include "kernels/plane.h"
#include "kernels/shifted_rows.h"

namespace perdix::av1 {

// Blocks are predicted in pieces of at most 64x64 pixels.
inline constexpr int kMaxPiece = 64;
inline constexpr int kMaxPixelStep =
    2;  // samples a pixel: chroma is U, V pairs
inline constexpr int kMaxPieceSamples = kMaxPiece * kMaxPixelStep;

inline constexpr int kSubpelBits = 4;           // SUBPEL_BITS
inline constexpr int kScaleSubpelBits = 10;     // SCALE_SUBPEL_BITS
inline constexpr int kReferenceScaleBits = 14;  // REF_SCALE_SHIFT
inline constexpr uint32_t kNotScaled = 1 << kReferenceScaleBits;  // xScale
inline constexpr int kNotScaledStep = 1 << kScaleSubpelBits;      // xStep
inline constexpr int kMaxStep = 2 * kNotScaledStep;  // reference twice as large

// Reference pixels, in one direction, that a piece can need.
inline constexpr int kMaxSource =
    (((kMaxPiece - 1) * kMaxStep + kNotScaledStep - 1) >> kScaleSubpelBits) +
    kTaps;

// Samples of one plane with their line stride in samples.
template <typename Sample>
struct Pixels {
  Sample* data;
  ptrdiff_t stride;
};

// What is predicted in one direction of a plane.
struct PieceAxis {
  int block;       // position of the block, pixels of the plane
  int offset;      // of the piece in it
  int size;        // of the piece
  int block_size;  // of the block, whatever lies outside the frame
  int subsampling;
};

// A piece of a block in one direction of its reference.
struct Axis {
  int first;             // reference pixel of the first tap
  int taps;              // 1 (a copy), 4, 6 or 8
  const int8_t* filter;  // the first tap's coefficient

  // Reference pixels from <first> on for <size> predicted ones.
  int SourceSize(int size) const { return size + taps - 1; }
};

// mv: 1/8 luma sample.
inline Axis ReferenceAxis(const PieceAxis& piece, int mv,
                          uint32_t interp_filter) {
  const int position = (piece.block + piece.offset) * kSubpelPositions +
                       ((2 * mv) >> piece.subsampling);
  const int subpel = position & (kSubpelPositions - 1);
  const int set = FilterSet(interp_filter, piece.block_size);
  const int taps = kTapCounts.of[set][subpel];
  return {(position >> kSubpelBits) - ((taps - 1) >> 1), taps,
          kSubpelFilters[set][subpel] + ((kTaps - taps) >> 1)};
}

// The same of a reference that is scaled in any direction. All taps are used.
struct ScaledAxis {
  int first;     // reference pixel of the first tap
  int fraction;  // of the first predicted pixel, 1/1024
  int step;      // per predicted pixel, 1/1024
  int size;      // pixels to predict
  int filter_set;

  // Reference pixels from <first> on that the filter reads.
  int SourceSize() const { return Offset(size - 1) + kTaps; }
  // The taps for the predicted pixel <index>.
  const int8_t* Filter(int index) const {
    const int subpel = (PositionOf(index) >> (kScaleSubpelBits - kSubpelBits)) &
                       (kSubpelPositions - 1);
    return kSubpelFilters[filter_set][subpel];
  }
  // Its first tap, in pixels from <first> on.
  int Offset(int index) const { return PositionOf(index) >> kScaleSubpelBits; }

 private:
  int PositionOf(int index) const { return fraction + index * step; }
};

// startX of 7.11.3.3: 1/1024 pixel. mv: 1/8 luma sample. scale: xScale.
inline int StartPosition(int pixel, int mv, int subsampling, uint32_t scale) {
  constexpr int kHalf = 1 << (kSubpelBits - 1);
  constexpr int kShift = kReferenceScaleBits + kSubpelBits - kScaleSubpelBits;
  constexpr int kOffset = 1 << (kScaleSubpelBits - kSubpelBits - 1);
  const int centre = pixel * (1 << kSubpelBits) + ((2 * mv) >> subsampling);
  const int64_t base =
      int64_t{centre + kHalf} * scale - (int64_t{kHalf} << kReferenceScaleBits);
  const int64_t magnitude =
      ((base < 0 ? -base : base) + (1 << (kShift - 1))) >> kShift;
  return static_cast<int>(base < 0 ? -magnitude : magnitude) + kOffset;
}

// How a block moves in one direction.
struct ScaledMotion {
  int mv;          // 1/8 luma sample
  uint32_t scale;  // xScale or yScale
  uint32_t step;   // xStep or yStep
  uint32_t interp_filter;
};

inline ScaledAxis ScaledReferenceAxis(const PieceAxis& piece,
                                      const ScaledMotion& motion) {
  const int step = static_cast<int>(motion.step);
  const int start =
      StartPosition(piece.block, motion.mv, piece.subsampling, motion.scale) +
      piece.offset * step;
  return {(start >> kScaleSubpelBits) - (kTaps - 1) / 2,
          start & (kNotScaledStep - 1), step, piece.size,
          FilterSet(motion.interp_filter, piece.block_size)};
}

// A rectangle of a reference plane, pixels. May lie anywhere.
struct Area {
  int x;
  int y;
  int width;   // at most kMaxSource
  int height;  // at most kMaxSource
};

// Samples of an area of a reference. Where all of it lies inside of the plane,
// with the values in the low bits, there is nothing to copy. spare: bytes after
// the area's last sample that can be read as well, at most kMaxSpareBytes.
// shift: of the plane's samples (PictureView::shift).
inline constexpr int kMaxSpareBytes = 32;
static_assert(kMaxSpareBytes >= kShiftedAtOnce * sizeof(uint16_t));
template <typename Sample>
class PaddedBlock {
 public:
  template <int kPixelStep>
  Pixels<const Sample> Of(const Plane& plane, uint32_t shift, const Area& area,
                          int spare) {
    const int right = static_cast<int>(plane.width) - area.x - area.width;
    const int below = static_cast<int>(plane.height) - area.y - area.height;
    const bool shifted = sizeof(Sample) > 1 && shift != 0;
    const int after = shifted ? kMaxSpareBytes : spare;
    if (area.x >= 0 && right >= 0 && area.y >= 0 && below >= 0 &&
        int64_t{below} * plane.stride_bytes +
                right * int{kPixelStep * sizeof(Sample)} >=
            after) {
      const Pixels<const Sample> inside = {
          plane.Row<Sample>(static_cast<uint32_t>(area.y)) +
              area.x * kPixelStep,
          static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
      if constexpr (sizeof(Sample) > 1) {
        if (shifted) {
          const int samples = area.width * kPixelStep;
          const int stride = RoundUpToShifted(samples);
          CopyRowsUnshifted(inside.data, inside.stride, shift, samples,
                            area.height, copy_, stride);
          return {copy_, stride};
        }
      }
      return inside;
    }
    Copy<kPixelStep>(plane, shift, area);
    return {copy_, kStride};
  }

  // Whether Of gave a copy, which the next one overwrites.
  bool Holds(const Pixels<const Sample>& samples) const {
    return samples.data == copy_;
  }

 private:
  static constexpr int kStride = RoundUpToShifted(kMaxSource * kMaxPixelStep);

  // Rare enough to be kept out of the way.
  template <int kPixelStep>
  [[gnu::noinline]] void Copy(const Plane& plane, uint32_t shift,
                              const Area& area) {
    assert(area.width <= kMaxSource && area.height <= kMaxSource);
    const int last_x = static_cast<int>(plane.width) - 1;
    const int last_y = static_cast<int>(plane.height) - 1;
    const int left = std::clamp(-area.x, 0, area.width);  // before the plane
    const int right =
        std::clamp(area.x + area.width - 1 - last_x, 0, area.width);
    const int middle = area.width - left - right;
    for (int row = 0; row < area.height; ++row) {
      const Sample* const line = plane.Row<Sample>(
          static_cast<uint32_t>(std::clamp(area.y + row, 0, last_y)));
      Sample* out = copy_ + row * kStride;
      // Pixels at the plane's sides may be in no cache: only if needed.
      if (left > 0) {
        Repeat<kPixelStep>(line, shift, left, out);
        out += left * kPixelStep;
      }
      if (middle > 0) {
        CopyLine(line + (area.x + left) * kPixelStep, shift,
                 middle * kPixelStep, out);
        out += middle * kPixelStep;
      }
      if (right > 0)
        Repeat<kPixelStep>(line + last_x * kPixelStep, shift, right, out);
    }
  }

  static constexpr int kVectorBytes = 16;

  // Stores whole vectors, the last of them beyond <count>: into what comes
  // next, or into the spare bytes.
  template <int kPixelStep>
  static void Repeat(const Sample* pixel, uint32_t shift, int count,
                     Sample* out) {
    constexpr size_t kBytes = kPixelStep * sizeof(Sample);
    using Pixel =
        std::conditional_t<kBytes == 1, uint8_t,
                           std::conditional_t<kBytes == 2, uint16_t, uint32_t>>;
    static_assert(sizeof(Pixel) == kBytes);
    using Vector [[gnu::vector_size(kVectorBytes)]] = Pixel;
    constexpr int kAtOnce = kVectorBytes / kBytes;
    Sample samples[kPixelStep];
    CopyUnshifted(pixel, shift, kPixelStep, samples);
    Pixel value;
    std::memcpy(&value, samples, sizeof(value));
    const Vector pixels = value - Vector{};
    for (int i = 0; i < count; i += kAtOnce)
      std::memcpy(out + i * kPixelStep, &pixels, sizeof(pixels));
  }

  // CopyUnshifted without a call for each line.
  static void CopyLine(const Sample* from, uint32_t shift, int count,
                       Sample* out) {
    constexpr int kAtOnce = kVectorBytes / sizeof(Sample);
    if ((sizeof(Sample) > 1 && shift != 0) || count < kAtOnce)
      return CopyUnshifted(from, shift, count, out);
    for (int i = 0; i < count - kAtOnce; i += kAtOnce)
      std::memcpy(out + i, from + i, kVectorBytes);
    const int last = count - kAtOnce;
    std::memcpy(out + last, from + last, kVectorBytes);
  }

  Sample copy_[kMaxSource * kStride + kMaxSpareBytes / sizeof(Sample)];
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_REFERENCE_BLOCK_H_
