// SPDX-License-Identifier: BSD-2-Clause
// Where a block of the ordered list lies in the target, and where its samples
// go, for all variants of intra prediction.
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_TARGET_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_TARGET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/lists.h"
#include "kernels/decoded_area.h"

namespace perdix::av1 {

// Width and height of a block, pixels.
struct BlockExtent {
  int width;
  int height;
};

// Where predicted samples go.
template <typename Sample>
struct Output {
  Sample* data;      // of the first pixel
  ptrdiff_t stride;  // samples

  Sample* Row(int y) const { return data + y * stride; }
};

// A record's block in the target.
template <typename Sample>
struct IntraTarget {
  IntraTarget(const KernelArgs& args, const IntraBlock& block) {
    const uint32_t plane_index = IntraPlane(block.shape);
    const Plane& plane = args.target.planes[plane_index];
    const DecodedArea area = PlaneDecodedArea(*args.params, plane_index);
    components = plane_index == kLuma ? 1 : 2;
    x = static_cast<int>(PositionX4(block.position)) * 4;
    y = static_cast<int>(PositionY4(block.position)) * 4;
    width = 1 << IntraWidthLog2(block.shape);
    height = 1 << IntraHeightLog2(block.shape);
    columns_left = area.width - x;
    rows_left = area.height - y;
    pixels = {plane.Row<Sample>(static_cast<uint32_t>(y)) + x * components,
              static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
  }

  bool SticksOut() const { return width > columns_left || height > rows_left; }
  int VisibleWidth() const { return std::min(width, columns_left); }
  int VisibleHeight() const { return std::min(height, rows_left); }

  Output<Sample> pixels;
  int components;  // of a pixel: Y, or U and V
  int x;           // pixels of the plane
  int y;
  int width;
  int height;
  // Pixels from the block's corner to the end of the decoded area (maxX + 1 - x
  // and maxY + 1 - y), at least 4.
  int columns_left;
  int rows_left;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_TARGET_H_
