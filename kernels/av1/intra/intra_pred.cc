// SPDX-License-Identifier: BSD-2-Clause
// What is done in decoding order: intra prediction (7.11.2), chroma from luma
// (7.11.5), palettes (7.11.4), intra block copy and the blending of inter-intra
// blocks (7.11.3.14), each followed by the block's residual.
//
// Reads: kIntraBlocks, kIntraTransforms, the arena, the target's planes left of
// and above the block. Writes: the target's planes.
// Work item: one IntraBlock (chroma: U and V). Order: the list's, after the
// neighbours; a call has whole superblocks.
#include "kernels/av1/intra/intra_walk.h"

namespace perdix::av1 {
namespace {

struct ScalarIntra {
  template <typename Sample, int kStep>
  using EdgesOf = Edges<Sample, kStep>;
  using LumaDifference = av1::LumaDifference;

  // Each predicts a whole block.
  template <class... Args>
  static void Dc(const Args&... args) {
    PredictDc(args...);
  }
  template <class... Args>
  static void Vertical(const Args&... args) {
    PredictVertical(args...);
  }
  template <class... Args>
  static void Horizontal(const Args&... args) {
    PredictHorizontal(args...);
  }
  template <class... Args>
  static void Paeth(const Args&... args) {
    PredictPaeth(args...);
  }
  template <class... Args>
  static void Smooth2d(const Args&... args) {
    PredictSmooth2d(args...);
  }
  template <class... Args>
  static void SmoothV(const Args&... args) {
    PredictSmoothV(args...);
  }
  template <class... Args>
  static void SmoothH(const Args&... args) {
    PredictSmoothH(args...);
  }
  template <class... Args>
  static void FilterIntra(const Args&... args) {
    PredictFilterIntra(args...);
  }
  template <typename Sample, int kStep>
  static void Directional(const Direction& direction,
                          Edges<Sample, kStep>& edges, Output<Sample> out) {
    PredictDirection(direction, edges, out);
  }

  template <class... Args>
  static void AddLuma(const Args&... args) {
    av1::AddLuma(args...);
  }

  // colours: PERDIX_PALETTE_COLOURS of each component. map: indices of them.
  template <int kStep, typename Sample>
  static void Paint(const Sample* colours, MaskRows map, BlockExtent extent,
                    Output<Sample> out) {
    for (int y = 0; y < extent.height; ++y) {
      const uint8_t* indices = map.data + y * map.stride;
      Sample* row = out.Row(y);
      for (int x = 0; x < extent.width; ++x) {
        for (int c = 0; c < kStep; ++c) {
          row[kStep * x + c] =
              colours[PERDIX_PALETTE_COLOURS * static_cast<uint32_t>(c) +
                      indices[x] % PERDIX_PALETTE_COLOURS];
        }
      }
    }
  }

  // mask: of 64, how much of each sample is intra.
  template <typename Sample>
  static void Blend(Output<Sample> intra, MaskRows mask, int samples, int rows,
                    Output<Sample> out) {
    for (int y = 0; y < rows; ++y) {
      const uint8_t* weights = mask.data + y * mask.stride;
      const Sample* from = intra.Row(y);
      Sample* row = out.Row(y);
      for (int k = 0; k < samples; ++k) {
        row[k] = static_cast<Sample>((weights[k] * from[k] +
                                      (kMaskOne - weights[k]) * row[k] +
                                      kMaskOne / 2) >>
                                     kMaskBits);
      }
    }
  }

  template <typename Sample>
  static void AddResidual(const KernelArgs& args, const TransformBlock& block) {
    av1::AddResidual<Sample>(args, block);
  }
  // To other memory than the target.
  template <typename Sample>
  static void AddResidualTo(const KernelArgs& args, const TransformBlock& block,
                            const ResidualTarget<Sample>& target) {
    av1::AddResidualTo<Sample>(args, block, target);
  }
};

}  // namespace

template <typename Sample>
void IntraPred(const KernelArgs& args, Range range) {
  ReconstructIntraBlocks<ScalarIntra, Sample>(args, range);
}

template void IntraPred<uint8_t>(const KernelArgs&, Range);
template void IntraPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
