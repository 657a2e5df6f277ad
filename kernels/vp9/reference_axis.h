// SPDX-License-Identifier: BSD-2-Clause
// Where the prediction of an inter block lies in its reference: motion vector
// clamping and scaling (VP9 8.5.2.2, 8.5.2.3), of a record in one plane.
#ifndef PERDIX_KERNELS_VP9_REFERENCE_AXIS_H_
#define PERDIX_KERNELS_VP9_REFERENCE_AXIS_H_

#include <algorithm>
#include <cstdint>

#include "kernels/decoded_area.h"
#include "kernels/shared/vp9/params.h"
#include "kernels/shared/vp9/work_lists.h"
#include "kernels/vp9/subpel_filters.h"

namespace perdix::vp9 {

inline constexpr int kTapsBefore =
    kTaps / 2 - 1;  // taps left of, or above, the pixel
inline constexpr int kSubpelMask = kSubpelPositions - 1;
inline constexpr int kScaleBits = 14;
inline constexpr uint32_t kNotScaled = 1 << kScaleBits;
inline constexpr int kInterpExtend =
    4;  // pixels a block may lie outside the frame

// The interpolated block in one direction: first reference position, its
// advance per predicted pixel (both in 1/16 pixel) and the pixels predicted.
struct Axis {
  int start;
  int step;
  int size;

  int FirstPixel() const { return (start >> kSubpelBits) - kTapsBefore; }
  int Fraction() const { return start & kSubpelMask; }
  bool IsScaled() const { return step != kSubpelPositions; }
  // Reference pixels from FirstPixel on that the filter reads.
  int SourceSize() const {
    return (((size - 1) * step + Fraction()) >> kSubpelBits) + kTaps;
  }
};

// Everything about one block in one direction of one plane.
struct BlockAxis {
  int luma_position;    // of the predicted pixels, luma samples
  int luma_block;       // of the block whose vector is clamped
  int luma_block_size;  // for parts of an 8x8 block: 8
  int luma_frame_size;  // a multiple of 8
  int subsampling;
  int size;  // pixels to predict

  int Position() const { return luma_position >> subsampling; }
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
// own. Not scaled, this is position + vector.
inline Axis ReferenceAxis(const BlockAxis& axis, int mv, uint32_t scale,
                          uint32_t step) {
  const int position = axis.Position();
  const int clamped_mv = ClampMv(axis, mv);
  if (scale == kNotScaled) {
    return {position * kSubpelPositions + clamped_mv, kSubpelPositions,
            axis.size};
  }
  const int fraction =
      Scale(axis.luma_position * kSubpelPositions, scale) & kSubpelMask;
  const int scaled_mv = Scale(clamped_mv, scale) + fraction;
  return {Scale(position, scale) * kSubpelPositions + scaled_mv,
          static_cast<int>(step), axis.size};
}

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
           static_cast<int>(DecodedSize(params.width)), ss_x,
           std::min(width >> ss_x, area.width - (x >> ss_x))},
          {y, sub8x8 ? y & ~7 : y, sub8x8 ? 8 : height,
           static_cast<int>(DecodedSize(params.height)), ss_y,
           std::min(height >> ss_y, area.height - (y >> ss_y))}};
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_REFERENCE_AXIS_H_
