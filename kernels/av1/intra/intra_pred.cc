// SPDX-License-Identifier: BSD-2-Clause
// What is done in decoding order: intra prediction (7.11.2), chroma from luma
// (7.11.5), palettes (7.11.4), intra block copy and the blending of inter-intra
// blocks (7.11.3.14), each followed by the block's residual.
//
// Reads: kIntraBlocks, kIntraTransforms, the arena, the target's planes left of
// and above the block. Writes: the target's planes.
// Work item: one IntraBlock (chroma: U and V). Order: the list's, after the
// neighbours; a call has whole superblocks.
#include <algorithm>
#include <cstdint>

#include "kernels/av1/inter/inter_block.h"
#include "kernels/av1/intra/intra_block.h"
#include "kernels/av1/intra/intra_walk.h"
#include "kernels/av1/round2.h"

namespace perdix::av1 {
namespace {

// Predicts a whole block, one component after the other.
template <typename Sample>
class ScalarPredictor {
 public:
  ScalarPredictor(const KernelArgs& args, const IntraTarget<Sample>& target,
                  uint32_t have)
      : target_(target),
        have_(have),
        bit_depth_(static_cast<int>(args.params->bit_depth)),
        filters_edges_(ParamsOf(args).filters_intra_edges != 0) {}

  // payload: PackPredict.
  void Predict(uint32_t payload, Output<Sample> out) const {
    const uint32_t mode = PredictMode(payload);
    if (mode == kDcPred) return Dc(out);
    if (mode == kPaethPred) {
      return ForEach(out, 0, 0, [](auto& block) { block.Paeth(); });
    }
    if (mode > kD67Pred) return Smooth(mode, out);
    const int angle = kModeAngle[mode - 1] + kAngleStep * PredictAngle(payload);
    ForEach(out, 4 * static_cast<int>(PredictAboveRight(payload)),
            4 * static_cast<int>(PredictBelowLeft(payload)), [&](auto& block) {
              block.Directional(angle, filters_edges_,
                                PredictSmooth(payload) != 0);
            });
  }

  void Dc(Output<Sample> out) const {
    ForEach(out, 0, 0, [](auto& block) { block.Dc(); });
  }
  void Vertical(Output<Sample> out) const { Straight(90, out); }
  void Horizontal(Output<Sample> out) const { Straight(180, out); }
  void Smooth(uint32_t mode, Output<Sample> out) const {
    ForEach(out, 0, 0, [mode](auto& block) { block.Smooth(mode); });
  }
  void Filter(uint32_t mode, Output<Sample> out) const {
    ForEach(out, 0, 0, [mode](auto& block) { block.RecursiveIntra(mode); });
  }

 private:
  void Straight(int angle, Output<Sample> out) const {
    ForEach(out, 0, 0,
            [angle](auto& block) { block.Directional(angle, false, false); });
  }

  // above_right, below_left: decoded pixels.
  template <class Mode>
  void ForEach(Output<Sample> out, int above_right, int below_left,
               const Mode& mode) const {
    for (int component = 0; component < target_.components; ++component) {
      IntraPrediction<Sample> block(target_, have_, bit_depth_, component, out);
      block.PrepareEdges(above_right, below_left);
      mode(block);
    }
  }

  const IntraTarget<Sample>& target_;
  const uint32_t have_;
  const int bit_depth_;
  const bool filters_edges_;
};

// L and lumaAvg of chroma from luma (7.11.5), for one chroma block.
class LumaDifference {
 public:
  // luma: of the block's first pixel. from: how much of it there is, pixels of
  // chroma; extent: of the block.
  template <typename Sample, int kSubX, int kSubY>
  void Read(Output<const Sample> luma, BlockExtent from, BlockExtent extent) {
    int sum = 0;
    for (int i = 0; i < extent.height; ++i) {
      const int luma_y = std::min(i, from.height - 1) << kSubY;
      for (int j = 0; j < extent.width; ++j) {
        const int luma_x = std::min(j, from.width - 1) << kSubX;
        int t = 0;
        for (int dy = 0; dy <= kSubY; ++dy) {
          for (int dx = 0; dx <= kSubX; ++dx) {
            t += luma.Row(luma_y + dy)[luma_x + dx];
          }
        }
        l_[i][j] = t << (3 - kSubX - kSubY);
        sum += l_[i][j];
      }
    }
    const int count = extent.width * extent.height;
    luma_avg_ = (sum + count / 2) / count;
  }

  // Round2Signed( alpha * ( L[ i ][ j ] - lumaAvg ), 6 ).
  int Scaled(int i, int j, int alpha) const {
    const int product = alpha * (l_[i][j] - luma_avg_);
    return product < 0 ? -Round2(-product, 6) : Round2(product, 6);
  }

 private:
  int luma_avg_;
  int l_[kMaxCflSize][kMaxCflSize];
};

struct ScalarIntra {
  template <typename Sample, int kStep>
  using PredictorOf = ScalarPredictor<Sample>;
  using LumaDifference = av1::LumaDifference;

  // Adds to the prediction, which is the same everywhere: dc, the pair U, V.
  template <typename Sample>
  static void AddLuma(const LumaDifference& luma, int alpha_u, int alpha_v,
                      const Sample* dc, BlockExtent extent, int bit_depth,
                      Output<Sample> out) {
    const int max = (1 << bit_depth) - 1;
    for (int i = 0; i < extent.height; ++i) {
      for (int j = 0; j < extent.width; ++j) {
        const int u = dc[0] + luma.Scaled(i, j, alpha_u);
        const int v = dc[1] + luma.Scaled(i, j, alpha_v);
        out.Row(i)[2 * j] = static_cast<Sample>(std::clamp(u, 0, max));
        out.Row(i)[2 * j + 1] = static_cast<Sample>(std::clamp(v, 0, max));
      }
    }
  }

  // 7.11.4. colours: PERDIX_PALETTE_COLOURS of each component. map: indices.
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

  // Inter prediction (7.11.3.3, 7.11.3.4) from the current frame by the
  // bilinear filter.
  template <int kStep, typename Sample>
  static void CopyFromFrame(const KernelArgs& args, const IntraBlock& block,
                            const IntraTarget<Sample>& target) {
    constexpr int kBilinear = 3;
    const uint32_t mv = block.residual0;
    const uint32_t index = IntraPlane(block.shape);
    const int sub_x =
        kStep == 1 ? 0 : static_cast<int>(args.params->subsampling_x);
    const int sub_y =
        kStep == 1 ? 0 : static_cast<int>(args.params->subsampling_y);
    const InterPosition position = {
        StartPosition(target.x, MvCol(mv), sub_x, kNotScaled),
        StartPosition(target.y, MvRow(mv), sub_y, kNotScaled), kNotScaledStep,
        kNotScaledStep};
    Plane plane = args.target.planes[index];
    const DecodedArea area = PlaneDecodedArea(*args.params, index);
    plane.width = static_cast<uint32_t>(area.width);
    plane.height = static_cast<uint32_t>(area.height);
    const int bit_depth = static_cast<int>(args.params->bit_depth);
    const int w = target.VisibleWidth();
    const int h = target.VisibleHeight();
    for (int component = 0; component < kStep; ++component) {
      InterPrediction pred;
      pred.Interpolate(ReferencePlane<Sample>(plane, 0, kStep, component),
                       position, kBilinear, kBilinear,
                       InterRounding(bit_depth, false), w, h);
      for (int i = 0; i < h; ++i) {
        Sample* const row = target.pixels.Row(i) + component;
        for (int j = 0; j < w; ++j) {
          row[kStep * j] = static_cast<Sample>(
              std::clamp(pred(i, j), 0, (1 << bit_depth) - 1));
        }
      }
    }
  }

  // 7.11.3.14 of an inter-intra block. mask: of 64, how much is intra.
  template <typename Sample>
  static void Blend(Output<Sample> intra, MaskRows mask, int samples, int rows,
                    Output<Sample> out) {
    for (int y = 0; y < rows; ++y) {
      const uint8_t* weights = mask.data + y * mask.stride;
      const Sample* from = intra.Row(y);
      Sample* row = out.Row(y);
      for (int k = 0; k < samples; ++k) {
        row[k] = static_cast<Sample>(
            Round2(weights[k] * from[k] + (kMaskOne - weights[k]) * row[k],
                   kMaskBits));
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
