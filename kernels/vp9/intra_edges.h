// SPDX-License-Identifier: BSD-2-Clause
// What all variants of intra prediction share: the modes' numbers and the edges
// above and left of a transform block (VP9 8.5.1.1).
#ifndef PERDIX_KERNELS_VP9_INTRA_EDGES_H_
#define PERDIX_KERNELS_VP9_INTRA_EDGES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/decoded_area.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

inline constexpr int kMaxIntraSize = 32;

enum IntraPredictionMode : uint32_t {
  kDcPred,
  kVPred,
  kHPred,
  kD45Pred,
  kD135Pred,
  kD117Pred,
  kD153Pred,
  kD207Pred,
  kD63Pred,
  kTmPred,
};

// One component of the block: its top left sample in the target, sample_step
// from a sample to its right neighbour of the same component.
template <typename Sample>
struct ComponentBlock {
  Sample* data;
  ptrdiff_t stride;
  int sample_step;
  int size;
  // Pixels from the block's corner to the end of the decoded area, at least 1.
  int columns_left;
  int rows_left;
};

// component: of the plane, 1 for V.
template <typename Sample>
ComponentBlock<Sample> LocateComponent(const KernelArgs& args,
                                       const IntraBlock& block,
                                       uint32_t component) {
  const uint32_t plane_index = IntraPlane(block.shape);
  const Plane& plane = args.target.planes[plane_index];
  const DecodedArea area = PlaneDecodedArea(*args.params, plane_index);
  const int x = static_cast<int>(PositionX4(block.position)) * 4;
  const int y = static_cast<int>(PositionY4(block.position)) * 4;
  const int sample_step = plane_index == kLuma ? 1 : 2;
  return {
      plane.Row<Sample>(static_cast<uint32_t>(y)) + x * sample_step + component,
      static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample)),
      sample_step,
      4 << IntraSize(block.shape),
      area.width - x,
      area.height - y};
}

// The edges of one component, samples that are not there replaced
// (VP9 8.5.1.1).
template <typename Sample>
class Edges {
 public:
  Edges(const ComponentBlock<Sample>& block, uint32_t have, int bit_depth) {
    const int base = 1 << (bit_depth - 1);
    const bool have_left = (have & PERDIX_INTRA_HAVE_LEFT) != 0;
    const bool have_above = (have & PERDIX_INTRA_HAVE_ABOVE) != 0;
    if (have_left) {
      ReadLeft(block);
    } else {
      std::fill_n(left_, block.size, static_cast<Sample>(base + 1));
    }
    if (have_above) {
      ReadAbove(block, (have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0);
      row_[0] = have_left ? block.data[-block.stride - block.sample_step]
                          : static_cast<Sample>(base + 1);
    } else {
      std::fill_n(row_, 1 + 2 * block.size, static_cast<Sample>(base - 1));
    }
  }

  int Left(int i) const { return left_[i]; }      // i: 0..size - 1
  int Above(int i) const { return row_[1 + i]; }  // i: -1..2 * size - 1

 private:
  // Below the decoded area the last row repeats.
  void ReadLeft(const ComponentBlock<Sample>& block) {
    const Sample* column = block.data - block.sample_step;
    for (int i = 0; i < block.size; ++i) {
      left_[i] = column[std::min(i, block.rows_left - 1) * block.stride];
    }
  }

  // Right of the decoded area, and of what is decoded above, the last column
  // repeats.
  void ReadAbove(const ComponentBlock<Sample>& block, bool have_above_right) {
    const Sample* line = block.data - block.stride;
    const int decoded = have_above_right ? 2 * block.size : block.size;
    const int last = std::min(decoded, block.columns_left) - 1;
    for (int i = 0; i < 2 * block.size; ++i) {
      row_[1 + i] = line[std::min(i, last) * block.sample_step];
    }
  }

  Sample left_[kMaxIntraSize];
  Sample row_[1 + 2 * kMaxIntraSize];  // above left, above, above right
};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_INTRA_EDGES_H_
