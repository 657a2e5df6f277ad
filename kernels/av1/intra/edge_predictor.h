// SPDX-License-Identifier: BSD-2-Clause
// Which edges a mode of intra prediction needs, and what is done to them before
// vectors predict the block from them.
#ifndef PERDIX_KERNELS_AV1_INTRA_EDGE_PREDICTOR_H_
#define PERDIX_KERNELS_AV1_INTRA_EDGE_PREDICTOR_H_

#include <algorithm>
#include <cstdint>

#include "kernels/av1/intra/edge_strength.h"
#include "kernels/av1/intra/intra_edges.h"
#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/lists.h"

namespace perdix::av1 {

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

// Predicts a whole block with one of the modes of PREDICT.
template <class Variant, typename Sample, int kStep>
class Predictor {
 public:
  Predictor(const KernelArgs& args, const IntraTarget<Sample>& target,
            uint32_t have)
      : target_(target),
        extent_{target.width, target.height},
        depth_(args.params->bit_depth),
        filters_edges_(ParamsOf(args).filters_intra_edges != 0),
        edges_(target, have, depth_) {}

  // payload: PackPredict.
  void Predict(uint32_t payload, Output<Sample> out) {
    const uint32_t mode = PredictMode(payload);
    if (mode >= kVPred && mode <= kD67Pred) {
      Directional(payload, out);
    } else if (mode == kDcPred) {
      Dc(out);
    } else if (mode == kPaethPred) {
      edges_.ReadCorner();
      ReadSides();
      Variant::Paeth(edges_, extent_, out);
    } else {
      Smooth(mode, out);
    }
  }

  void Dc(Output<Sample> out) {
    ReadSides();
    Variant::Dc(edges_, extent_, depth_, out);
  }

  void Smooth(uint32_t mode, Output<Sample> out) {
    ReadSides();
    if (mode == kSmoothPred) {
      Variant::Smooth2d(edges_, extent_, out);
    } else if (mode == kSmoothVPred) {
      Variant::SmoothV(edges_, extent_, out);
    } else {
      Variant::SmoothH(edges_, extent_, out);
    }
  }

  void Vertical(Output<Sample> out) {
    edges_.ReadAbove(extent_.width, extent_.width);
    Variant::Vertical(edges_, extent_, out);
  }

  void Horizontal(Output<Sample> out) {
    edges_.ReadLeft(extent_.height, extent_.height);
    Variant::Horizontal(edges_, extent_, out);
  }

  // Recursive; luma.
  void Filter(uint32_t mode, Output<Sample> out) {
    edges_.ReadCorner();
    ReadSides();
    Variant::FilterIntra(edges_, mode, extent_, depth_, out);
  }

 private:
  void ReadSides() {
    edges_.ReadAbove(extent_.width, extent_.width);
    edges_.ReadLeft(extent_.height, extent_.height);
  }

  void Directional(uint32_t payload, Output<Sample> out) {
    const int angle = kModeAngle[PredictMode(payload) - 1] +
                      kAngleStep * PredictAngle(payload);
    if (angle == 90) return Vertical(out);
    if (angle == 180) return Horizontal(out);
    Direction direction = {extent_.width, extent_.height, angle, 0, 0};
    PrepareDirection(target_, filters_edges_, PredictSmooth(payload) != 0,
                     4 * static_cast<int>(PredictAboveRight(payload)),
                     4 * static_cast<int>(PredictBelowLeft(payload)), direction,
                     edges_);
    Variant::Directional(direction, edges_, out);
  }

  const IntraTarget<Sample>& target_;
  const BlockExtent extent_;
  const Depth<Sample> depth_;
  const bool filters_edges_;
  typename Variant::template EdgesOf<Sample, kStep> edges_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_EDGE_PREDICTOR_H_
