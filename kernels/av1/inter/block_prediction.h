// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (7.11.3) on vectors but for its inner loops: pieces of a
// block, their references, the masks. A target of Highway brings the loops (see
// InterPredictor).
#ifndef PERDIX_KERNELS_AV1_INTER_BLOCK_PREDICTION_H_
#define PERDIX_KERNELS_AV1_INTER_BLOCK_PREDICTION_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/inter/reference_prefetch.h"
#include "kernels/av1/lists.h"

namespace perdix::av1 {

// Predicts records. Variant has, for pixels of kPixelStep samples:
//   Interpolate<kPixelStep>(Interpolation, rounding, out): to samples, or to
//       int16_t, half of a compound block
//   Scale<kPixelStep>(ScaledInterpolation, rounding, out): to the same
//   Warp<kPixelStep>(WarpedBlock, out): to the same
//   Average(Predictions, rounding, extent, target)
//   AverageSamples(samples, samples, extent, target)
//   Weight(Predictions, weight of 16, rounding, extent, target)
//   Mask(Predictions, mask, rounding, extent, target): a weight for each sample
//   DifferenceMask(Predictions, rounding, extent, inverted, mask): 7.11.3.12
//   OverlapAbove(source, ObmcMask, extent, target), OverlapLeft: 7.11.3.10,
//       the latter with a weight for each sample of a row
//   kSpareBytes: what it may read after the last sample of a source
template <class Variant, typename Sample>
class InterPredictor {
 public:
  explicit InterPredictor(const KernelArgs& args)
      : args_(args),
        codec_(ParamsOf(args)),
        rounding_(args.params->bit_depth),
        luma_(args, kLuma),
        chroma_(args, kChroma) {
    for (uint32_t ref = 0; ref < PERDIX_AV1_REFS; ++ref) {
      const ReferenceScale& scale = codec_.references[ref];
      scaled_[ref] = scale.x_scale != kNotScaled || scale.y_scale != kNotScaled;
    }
  }

  void Predict(const InterBlock& block) {
    Piece piece;
    piece.x = static_cast<int>(PositionX4(block.position)) * 4;
    piece.y = static_cast<int>(PositionY4(block.position)) * 4;
    piece.block_width = 1 << InterWidthLog2(block.shape);
    piece.block_height = 1 << InterHeightLog2(block.shape);
    piece.width = std::min(piece.block_width, kMaxPiece);
    piece.height = std::min(piece.block_height, kMaxPiece);
    for (int y = 0; y < piece.block_height; y += kMaxPiece) {
      for (int x = 0; x < piece.block_width; x += kMaxPiece) {
        piece.offset_x = x;
        piece.offset_y = y;
        PredictPiece(block, piece);
      }
    }
  }

 private:
  using Target = Pixels<Sample>;

  void PredictPiece(const InterBlock& block, const Piece& piece) {
    const uint32_t planes = InterPlanes(block.shape);
    if (planes & PERDIX_PLANES_LUMA)
      PredictPlane<1>(block, piece, luma_, kLuma);
    if ((planes & PERDIX_PLANES_CHROMA) && codec_.monochrome == 0) {
      PredictPlane<kMaxPixelStep>(block, piece, chroma_, kChroma);
    }
  }

  template <int kPixelStep>
  void PredictPlane(const InterBlock& block, const Piece& luma_piece,
                    const TargetPlane<Sample>& plane, uint32_t plane_index) {
    const int ss_x = kPixelStep == 1 ? 0 : plane.subsampling_x;
    const int ss_y = kPixelStep == 1 ? 0 : plane.subsampling_y;
    PlanePiece piece = {
        LocatePiece(luma_piece.x, luma_piece.offset_x, luma_piece.block_width,
                    luma_piece.width, ss_x, plane.area.width),
        LocatePiece(luma_piece.y, luma_piece.offset_y, luma_piece.block_height,
                    luma_piece.height, ss_y, plane.area.height)};
    if (piece.IsEmpty()) return;
    const Target target = {
        plane.data + piece.Top() * plane.stride + piece.Left() * kPixelStep,
        plane.stride};
    const uint32_t kind = InterKind(block.shape);
    if (InterIsCompound(block.shape)) {
      PredictCompound<kPixelStep>(block, piece, plane_index, target);
    } else if (kind == PERDIX_INTER_OBMC_ABOVE ||
               kind == PERDIX_INTER_OBMC_LEFT) {
      Overlap<kPixelStep>(block, piece, plane_index, target);
    } else {
      PredictSingle<kPixelStep>(block, piece, plane_index, target);
    }
  }

  // ---- one reference ----

  template <int kPixelStep>
  void PredictSingle(const InterBlock& block, const PlanePiece& piece,
                     uint32_t plane_index, const Target& target) {
    PredictionSource source = {InterRef0(block.shape), block.mv0, nullptr};
    WarpMatrix local;
    if (InterKind(block.shape) == PERDIX_INTER_WARP_LOCAL) {
      std::memcpy(&local, &args_.lists.coefficients[block.mv1], sizeof(local));
      source.warp = &local;
    } else if (InterKind(block.shape) == PERDIX_INTER_WARP_GLOBAL) {
      source.warp = GlobalWarp(source.ref);
    }
    PredictFrom<kPixelStep>(source, block, piece, plane_index, target);
  }

  // A neighbour's prediction, blended into the block's own (7.11.3.10). Where
  // the block's weight is 1 nothing is predicted: the piece becomes smaller.
  template <int kPixelStep>
  void Overlap(const InterBlock& block, PlanePiece& piece, uint32_t plane_index,
               const Target& target) {
    const bool above = InterKind(block.shape) == PERDIX_INTER_OBMC_ABOVE;
    PieceAxis& across = above ? piece.y : piece.x;
    const int length = across.block_size;
    // Rows of any number, but of a multiple of 4 samples.
    constexpr int kLeastWidth = 4 / kPixelStep;
    const int blended =
        above ? ObmcBlended(length)
              : (ObmcBlended(length) + kLeastWidth - 1) & -kLeastWidth;
    across.size = std::min(across.size, blended);
    const Extent extent = {piece.x.size * kPixelStep, piece.y.size};
    const PredictionSource source = {InterRef0(block.shape), block.mv0,
                                     nullptr};
    Interpolate<kPixelStep>(source, block, piece, plane_index,
                            Target{overlap_, extent.samples});
    const Pixels<const Sample> overlap = {overlap_, extent.samples};
    const uint8_t* const mask = ObmcMask(length);
    if (above) {
      Variant::OverlapAbove(overlap, mask, extent, target);
      return;
    }
    for (int i = 0; i < extent.samples; ++i)
      row_mask_[i] = mask[i / kPixelStep];
    Variant::OverlapLeft(overlap, row_mask_, extent, target);
  }

  // ---- two references ----

  template <int kPixelStep>
  void PredictCompound(const InterBlock& block, const PlanePiece& piece,
                       uint32_t plane_index, const Target& target) {
    const uint32_t shape = block.shape;
    const bool global0 = (shape & PERDIX_INTER_GLOBAL0) != 0;
    const bool global1 = (shape & PERDIX_INTER_GLOBAL1) != 0;
    const uint32_t ref0 = InterRef0(shape);
    const uint32_t ref1 = InterRef1(shape);
    const PredictionSource sources[2] = {
        {ref0, block.mv0, global0 ? GlobalWarp(ref0) : nullptr},
        {ref1, block.mv1, global1 ? GlobalWarp(ref1) : nullptr}};
    if (InterKind(shape) == PERDIX_INTER_AVERAGE &&
        AverageCopies<kPixelStep>(sources, piece, plane_index, target)) {
      return;
    }
    const Extent extent = {piece.x.size * kPixelStep, piece.y.size};
    for (int i = 0; i < 2; ++i) {
      PredictFrom<kPixelStep>(sources[i], block, piece, plane_index,
                              Pixels<int16_t>{predictions_[i], extent.samples});
    }
    const Predictions predictions = {predictions_[0], predictions_[1]};
    switch (InterKind(shape)) {
      case PERDIX_INTER_DISTANCE:
        Variant::Weight(predictions,
                        DistanceWeight(codec_.references[ref0].distance,
                                       codec_.references[ref1].distance),
                        rounding_, extent, target);
        break;
      case PERDIX_INTER_WEDGE: {
        const MaskRows luma = {
            WedgeMask(InterWidthLog2(shape), InterHeightLog2(shape),
                      InterSign(shape), InterWedge(shape)),
            kWedgeStride};
        Variant::Mask(predictions, PlaneMask<kPixelStep>(luma, piece),
                      rounding_, extent, target);
        break;
      }
      case PERDIX_INTER_DIFFWTD: {
        if (plane_index == kLuma) {
          Variant::DifferenceMask(predictions, rounding_, extent,
                                  InterSign(shape) != 0, difference_mask_);
        }
        const MaskRows luma = {difference_mask_, kMaxPiece};
        Variant::Mask(predictions, PlaneMask<kPixelStep>(luma, piece),
                      rounding_, extent, target);
        break;
      }
      default:
        Variant::Average(predictions, rounding_, extent, target);
    }
  }

  // Where both vectors lead to whole samples, the references' average. False:
  // they do not, or one needs samples beyond its frame.
  template <int kPixelStep>
  bool AverageCopies(const PredictionSource (&sources)[2],
                     const PlanePiece& piece, uint32_t plane_index,
                     const Target& target) {
    const int bits_x = 3 + piece.x.subsampling;
    const int bits_y = 3 + piece.y.subsampling;
    const uint32_t mvs = sources[0].mv | sources[1].mv;
    if ((MvCol(mvs) & ((1 << bits_x) - 1)) != 0 ||
        (MvRow(mvs) & ((1 << bits_y) - 1)) != 0) {
      return false;
    }
    Pixels<const Sample> from[2];
    for (int i = 0; i < 2; ++i) {
      const PredictionSource& source = sources[i];
      if (scaled_[source.ref] || IsWarped(source, piece)) return false;
      from[i] =
          Samples<kPixelStep>(source.ref, plane_index,
                              {piece.Left() + (MvCol(source.mv) >> bits_x),
                               piece.Top() + (MvRow(source.mv) >> bits_y),
                               piece.x.size, piece.y.size});
      if (padded_.Holds(from[i])) return false;
    }
    Variant::AverageSamples(from[0], from[1],
                            {piece.x.size * kPixelStep, piece.y.size}, target);
    return true;
  }

  // The mask for each sample of a plane.
  template <int kPixelStep>
  MaskRows PlaneMask(const MaskRows& luma, const PlanePiece& piece) {
    if constexpr (kPixelStep == 1) {
      return luma;
    } else {
      ChromaMask(luma, args_.params->subsampling_x, args_.params->subsampling_y,
                 piece.x.size, piece.y.size, chroma_mask_);
      return {chroma_mask_, piece.x.size * kPixelStep};
    }
  }

  // ---- references ----

  // out: samples, or int16_t for half of a compound block.
  template <int kPixelStep, typename Out>
  void PredictFrom(const PredictionSource& source, const InterBlock& block,
                   const PlanePiece& piece, uint32_t plane_index,
                   Pixels<Out> out) {
    if (IsWarped(source, piece)) {
      Warp<kPixelStep>(source, piece, plane_index, out);
    } else {
      Interpolate<kPixelStep>(source, block, piece, plane_index, out);
    }
  }

  template <int kPixelStep, typename Out>
  [[gnu::noinline]] void Interpolate(const PredictionSource& source,
                                     const InterBlock& block,
                                     const PlanePiece& piece,
                                     uint32_t plane_index, Pixels<Out> out) {
    if (scaled_[source.ref]) {
      return Scale<kPixelStep>(source, block, piece, plane_index, out);
    }
    // In place: copies of what has just been written would wait for it.
    Interpolation<Sample> interpolation = {
        {},
        {piece.x.size * kPixelStep, piece.y.size},
        ReferenceAxis(piece.x, MvCol(source.mv), InterFilterX(block.shape)),
        ReferenceAxis(piece.y, MvRow(source.mv), InterFilterY(block.shape))};
    const Axis& x = interpolation.x;
    const Axis& y = interpolation.y;
    interpolation.source =
        Samples<kPixelStep>(source.ref, plane_index,
                            {x.first, y.first, x.SourceSize(piece.x.size),
                             y.SourceSize(piece.y.size)});
    Variant::template Interpolate<kPixelStep>(interpolation, rounding_, out);
  }

  template <int kPixelStep, typename Out>
  [[gnu::noinline]] void Scale(const PredictionSource& source,
                               const InterBlock& block, const PlanePiece& piece,
                               uint32_t plane_index, Pixels<Out> out) {
    const ReferenceScale& scale = codec_.references[source.ref];
    ScaledInterpolation<Sample> interpolation = {
        {},
        ScaledReferenceAxis(piece.x, {MvCol(source.mv), scale.x_scale,
                                      scale.x_step, InterFilterX(block.shape)}),
        ScaledReferenceAxis(piece.y,
                            {MvRow(source.mv), scale.y_scale, scale.y_step,
                             InterFilterY(block.shape)})};
    const ScaledAxis& x = interpolation.x;
    const ScaledAxis& y = interpolation.y;
    interpolation.source =
        Samples<kPixelStep>(source.ref, plane_index,
                            {x.first, y.first, x.SourceSize(), y.SourceSize()});
    Variant::template Scale<kPixelStep>(interpolation, rounding_, out);
  }

  template <int kPixelStep>
  Pixels<const Sample> Samples(uint32_t ref, uint32_t plane_index,
                               const Area& area) {
    const PictureView& reference = args_.references[ref];
    return padded_.template Of<kPixelStep>(reference.planes[plane_index],
                                           reference.shift, area,
                                           Variant::kSpareBytes);
  }

  // The global warp of a reference, or null where it has none (7.11.3.1).
  const WarpMatrix* GlobalWarp(uint32_t ref) const {
    const ReferenceScale& reference = codec_.references[ref];
    return reference.warps != 0 && reference.x_scale == kNotScaled &&
                   reference.y_scale == kNotScaled
               ? &reference.global
               : nullptr;
  }

  // In planes where the block is small its vector is used.
  static bool IsWarped(const PredictionSource& source,
                       const PlanePiece& piece) {
    return source.warp != nullptr && piece.x.block_size >= kWarpBlock &&
           piece.y.block_size >= kWarpBlock && IsValidShear(*source.warp);
  }

  // 8x8 after 8x8 of the piece.
  template <int kPixelStep, typename Out>
  void Warp(const PredictionSource& source, const PlanePiece& piece,
            uint32_t plane_index, Pixels<Out> out) {
    const WarpMatrix& matrix = *source.warp;
    WarpedBlock<Sample> warped{.source = {},
                               .x = 0,
                               .y = 0,
                               .alpha = MvRow(matrix.alpha_beta),
                               .beta = MvCol(matrix.alpha_beta),
                               .gamma = MvRow(matrix.gamma_delta),
                               .delta = MvCol(matrix.gamma_delta),
                               .width = 0,
                               .height = 0,
                               .rounding = rounding_};
    for (int y = 0; y < piece.y.size; y += kWarpBlock) {
      for (int x = 0; x < piece.x.size; x += kWarpBlock) {
        warped.width = std::min(kWarpBlock, piece.x.size - x);
        warped.height = std::min(kWarpBlock, piece.y.size - y);
        Locate<kPixelStep>(source, piece, x, y, plane_index, warped);
        Variant::template Warp<kPixelStep>(
            warped, Pixels<Out>{out.data + y * out.stride + x * kPixelStep,
                                out.stride});
      }
    }
  }

  // Where the 8x8 at x, y of a piece comes from.
  template <int kPixelStep>
  void Locate(const PredictionSource& source, const PlanePiece& piece, int x,
              int y, uint32_t plane_index, WarpedBlock<Sample>& warped) {
    const WarpMatrix& matrix = *source.warp;
    constexpr int kBits = 16;  // WARPEDMODEL_PREC_BITS
    const int64_t source_x = (piece.Left() + x + 4) << piece.x.subsampling;
    const int64_t source_y = (piece.Top() + y + 4) << piece.y.subsampling;
    const auto project = [&](int from_x, int from_y, int constant) {
      return from_x * source_x + from_y * source_y + constant;
    };
    const int64_t x4 =
        project(matrix.params[2], matrix.params[3], matrix.params[0]) >>
        piece.x.subsampling;
    const int64_t y4 =
        project(matrix.params[4], matrix.params[5], matrix.params[1]) >>
        piece.y.subsampling;
    const auto whole = [](int64_t position) {
      return static_cast<int>(
          std::clamp(position >> kBits, -kFarOutside, kFarOutside));
    };
    const auto fraction = [](int64_t position) {
      return static_cast<int>(position & ((1 << kBits) - 1));
    };
    warped.x = fraction(x4) - 4 * warped.alpha - 7 * warped.beta;
    warped.y = fraction(y4) - 4 * warped.gamma - 4 * warped.delta;
    warped.source = Samples<kPixelStep>(
        source.ref, plane_index,
        {whole(x4) - 7, whole(y4) - 7, kWarpSource, kWarpSource});
  }

  const KernelArgs& args_;
  const Params& codec_;
  const Rounding<Sample> rounding_;
  const TargetPlane<Sample> luma_;
  const TargetPlane<Sample> chroma_;
  bool scaled_[PERDIX_AV1_REFS];  // references

  PaddedBlock<Sample> padded_;
  alignas(64) int16_t predictions_[2][kMaxPiece * kMaxPieceSamples];
  alignas(64) Sample overlap_[kMaxPiece * kMaxPieceSamples];
  alignas(64) uint8_t difference_mask_[kMaxPiece * kMaxPiece];  // of luma
  alignas(64) uint8_t chroma_mask_[kMaxPiece * kMaxPieceSamples];
  uint8_t row_mask_[kMaxPieceSamples];
};

// All planes of the inter blocks in range.
template <class Variant, typename Sample>
void PredictInterBlocks(const KernelArgs& args, Range range) {
  const std::span<const InterBlock> blocks = args.lists.Of(kInterBlocks);
  const ReferencePrefetch<Sample> prefetch(args);
  InterPredictor<Variant, Sample> predictor(args);
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (i + 1 < range.end) prefetch.Ask(blocks[i + 1]);
    predictor.Predict(blocks[i]);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_BLOCK_PREDICTION_H_
