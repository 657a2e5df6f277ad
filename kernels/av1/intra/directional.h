// SPDX-License-Identifier: BSD-2-Clause
// Directional intra prediction (7.11.2.4): the edges of all variants, the rest
// of the scalar kernel.
#ifndef PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_H_
#define PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/av1/intra/intra_edges.h"

namespace perdix::av1 {

// 7.11.2.9: 0..3. size: width plus height. delta: angle to the edge's own.
inline int EdgeFilterStrength(int size, bool smooth, int delta) {
  const int d = std::abs(delta);
  if (smooth) {
    if (size <= 8) return d >= 64 ? 2 : d >= 40 ? 1 : 0;
    if (size <= 16) return d >= 48 ? 2 : d >= 20 ? 1 : 0;
    if (size <= 24) return d >= 4 ? 3 : 0;
    return 3;
  }
  if (size <= 8) return d >= 56 ? 1 : 0;
  if (size <= 16) return d >= 40 ? 1 : 0;
  if (size <= 24) return d >= 32 ? 3 : d >= 16 ? 2 : d >= 8 ? 1 : 0;
  if (size <= 32) return d >= 32 ? 3 : d >= 4 ? 2 : 1;
  return 3;
}

// 7.11.2.10.
inline bool UpsamplesEdge(int size, bool smooth, int delta) {
  const int d = std::abs(delta);
  return d > 0 && d < 40 && size <= (smooth ? 8 : 16);
}

// Width, height and direction of a block.
struct Direction {
  int width;
  int height;
  int angle;  // pAngle, not 90 or 180
  // Given by PrepareDirection:
  int upsample_above;
  int upsample_left;

  int Size() const { return width + height; }
};

// Reads the edges that the direction needs and does step 4. above_right,
// below_left: pixels there that are decoded.
template <typename Sample, class EdgesOfBlock>
void PrepareDirection(const IntraTarget<Sample>& target, bool filters,
                      bool smooth, int above_right, int below_left,
                      Direction& direction, EdgesOfBlock& edges) {
  const int w = direction.width;
  const int h = direction.height;
  const int angle = direction.angle;
  const bool needs_above = angle < 180;
  const bool needs_left = angle > 90;
  const int above_count = w + (angle < 90 ? h : 0);
  const int left_count = h + (angle > 180 ? w : 0);
  edges.ReadCorner();
  if (needs_above) edges.ReadAbove(above_count, w + above_right);
  if (needs_left) edges.ReadLeft(left_count, h + below_left);
  direction.upsample_above = 0;
  direction.upsample_left = 0;
  if (!filters) return;
  const int size = direction.Size();
  if (needs_above && needs_left && size >= 24) edges.FilterCorner();
  if (needs_above) {
    if (edges.have_above()) {
      edges.FilterAbove(
          std::min(w, target.columns_left) + (angle < 90 ? h : 0) + 1,
          EdgeFilterStrength(size, smooth, angle - 90));
    }
    if (UpsamplesEdge(size, smooth, angle - 90)) {
      edges.UpsampleAbove(above_count);
      direction.upsample_above = 1;
    }
  }
  if (needs_left) {
    if (edges.have_left()) {
      edges.FilterLeft(
          std::min(h, target.rows_left) + (angle > 180 ? w : 0) + 1,
          EdgeFilterStrength(size, smooth, angle - 180));
    }
    if (UpsamplesEdge(size, smooth, angle - 180)) {
      edges.UpsampleLeft(left_count);
      direction.upsample_left = 1;
    }
  }
}

// count pixels between edge[base] and edge[base + 1], then from the next one
// on: base goes on by 1 << kUpsample. shift: 32nds.
template <typename Sample, int kStep, int kUpsample>
void Interpolate(const Sample* edge, int base, int shift, int count,
                 Sample* out) {
  const Sample* from = edge + kStep * base;
  if constexpr (kUpsample == 0) {
    for (int k = 0; k < kStep * count; ++k) {
      out[k] = static_cast<Sample>(
          (from[k] * (32 - shift) + from[k + kStep] * shift + 16) >> 5);
    }
  } else {
    for (int i = 0; i < count; ++i) {
      for (int c = 0; c < kStep; ++c) {
        const Sample* p = from + 2 * kStep * i + c;
        out[kStep * i + c] = static_cast<Sample>(
            (p[0] * (32 - shift) + p[kStep] * shift + 16) >> 5);
      }
    }
  }
}

// Step 7, and step 9 with the axes exchanged: row i of <rows> begins at
// (i + 1) * step along the edge.
template <typename Sample, int kStep, int kUpsample>
void PredictAlong(const Sample* edge, int step, int width, int rows,
                  Output<Sample> out) {
  for (int i = 0; i < rows; ++i) {
    const int index = (i + 1) * step;
    Interpolate<Sample, kStep, kUpsample>(edge, index >> (6 - kUpsample),
                                          ((index << kUpsample) >> 1) & 31,
                                          width, out.Row(i));
  }
}

// Columns of a predicted block, each stored as a row.
template <typename Sample, int kStep>
class TurnedBlock {
 public:
  explicit TurnedBlock(int height) : stride_(kStep * height) {}

  Output<Sample> output() { return {samples_, stride_}; }

  // Row y: the first count pixels.
  void CopyRow(int y, int count, Sample* to) const {
    const Sample* from = samples_ + kStep * y;
    for (int x = 0; x < count; ++x) {
      std::memcpy(to + kStep * x, from + x * stride_,
                  sizeof(PixelWord<Sample, kStep>));
    }
  }

 private:
  const ptrdiff_t stride_;
  alignas(16) Sample samples_[64 * 64 * kStep];
};

// pAngle < 90.
template <typename Sample, int kStep>
void PredictFromAbove(const Direction& d, Edges<Sample, kStep>& edges,
                      Output<Sample> out) {
  const int step = kDirectionStep[d.angle];
  if (d.upsample_above) {
    const int last = 2 * (d.Size() - 1);  // maxBaseX
    edges.ExtendAbove(last + 1, ((d.height * step) >> 5) + 2 * d.width + 1);
    PredictAlong<Sample, kStep, 1>(edges.Above(), step, d.width, d.height, out);
  } else {
    edges.ExtendAbove(d.Size(), ((d.height * step) >> 6) + d.width + 1);
    PredictAlong<Sample, kStep, 0>(edges.Above(), step, d.width, d.height, out);
  }
}

// pAngle > 180.
template <typename Sample, int kStep>
void PredictFromLeft(const Direction& d, const Edges<Sample, kStep>& edges,
                     Output<Sample> out) {
  const int step = kDirectionStep[270 - d.angle];
  TurnedBlock<Sample, kStep> turned(d.height);
  if (d.upsample_left) {
    PredictAlong<Sample, kStep, 1>(edges.Left(), step, d.height, d.width,
                                   turned.output());
  } else {
    PredictAlong<Sample, kStep, 0>(edges.Left(), step, d.height, d.width,
                                   turned.output());
  }
  for (int y = 0; y < d.height; ++y) turned.CopyRow(y, d.width, out.Row(y));
}

// The columns of a block between the two edges, as far as they come from the
// left one: column j from the row on in which (row + 1) * dx > 64 * (j + 1).
template <typename Sample, int kStep, int kUpsample>
void PredictLeftPart(const Direction& d, int dx, int dy, const Sample* left,
                     Output<Sample> turned) {
  int first = 0;
  for (int j = 0; j < d.width; ++j) {
    while (first < d.height && (first + 1) * dx <= 64 * (j + 1)) ++first;
    if (first == d.height) return;
    const int index = (first << 6) - (j + 1) * dy;
    Interpolate<Sample, kStep, kUpsample>(
        left, index >> (6 - kUpsample), ((index << kUpsample) >> 1) & 31,
        d.height - first, turned.Row(j) + kStep * first);
  }
}

template <typename Sample, int kStep, int kUpsample>
void PredictAbovePart(const Direction& d, int dx, const Sample* above,
                      const TurnedBlock<Sample, kStep>& turned,
                      Output<Sample> out) {
  for (int i = 0; i < d.height; ++i) {
    // Pixels whose index is below -64.
    const int from_left = std::min(((i + 1) * dx - 1) >> 6, d.width);
    turned.CopyRow(i, from_left, out.Row(i));
    if (from_left == d.width) continue;
    const int index = (from_left << 6) - (i + 1) * dx;
    Interpolate<Sample, kStep, kUpsample>(
        above, index >> (6 - kUpsample), ((index << kUpsample) >> 1) & 31,
        d.width - from_left, out.Row(i) + kStep * from_left);
  }
}

// 90 < pAngle < 180.
template <typename Sample, int kStep>
void PredictFromBoth(const Direction& d, const Edges<Sample, kStep>& edges,
                     Output<Sample> out) {
  const int dx = kDirectionStep[180 - d.angle];
  const int dy = kDirectionStep[d.angle - 90];
  TurnedBlock<Sample, kStep> turned(d.height);
  if (d.upsample_left) {
    PredictLeftPart<Sample, kStep, 1>(d, dx, dy, edges.Left(), turned.output());
  } else {
    PredictLeftPart<Sample, kStep, 0>(d, dx, dy, edges.Left(), turned.output());
  }
  if (d.upsample_above) {
    PredictAbovePart<Sample, kStep, 1>(d, dx, edges.Above(), turned, out);
  } else {
    PredictAbovePart<Sample, kStep, 0>(d, dx, edges.Above(), turned, out);
  }
}

// The edges must be prepared.
template <typename Sample, int kStep>
void PredictDirection(const Direction& direction, Edges<Sample, kStep>& edges,
                      Output<Sample> out) {
  if (direction.angle < 90) {
    PredictFromAbove(direction, edges, out);
  } else if (direction.angle < 180) {
    PredictFromBoth(direction, edges, out);
  } else {
    PredictFromLeft(direction, edges, out);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_DIRECTIONAL_H_
