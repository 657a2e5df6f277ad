// SPDX-License-Identifier: BSD-2-Clause
// What all variants of intra prediction share: the walk over the blocks of the
// list, and which prediction each of them gets.
//
// A Variant has the types PredictorOf and LumaDifference, and as static
// functions AddLuma, Paint, CopyFromFrame, Blend, AddResidual and
// AddResidualTo. ScalarIntra in intra_pred.cc says what each of them does.
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_WALK_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_WALK_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/intra/intra_target.h"
#include "kernels/av1/intra/luma_overhang.h"
#include "kernels/av1/kernels.h"
#include "kernels/av1/transform/inverse_transform.h"

namespace perdix::av1 {

inline constexpr int kMaxCflSize = 32;  // of a block with chroma from luma

template <class Variant, typename Sample>
class IntraBlocks {
 public:
  explicit IntraBlocks(const KernelArgs& args)
      : args_(args),
        bit_depth_(static_cast<int>(args.params->bit_depth)),
        transforms_(args.lists.Of(kIntraTransforms)) {}

  void Reconstruct(const IntraBlock& block) {
    if (IntraPlane(block.shape) == kLuma) {
      Dispatch<1>(block);
    } else {
      Dispatch<2>(block);
    }
  }

 private:
  using Target = IntraTarget<Sample>;

  template <int kStep>
  void Dispatch(const IntraBlock& block) {
    const Target target(args_, block);
    switch (IntraKind(block.shape)) {
      case PERDIX_INTRA_PREDICT:
      case PERDIX_INTRA_FILTER:
        return Predict<kStep>(block, target);
      case PERDIX_INTRA_CFL:
        return PredictFromLuma(block, target);
      case PERDIX_INTRA_RESIDUAL:
        return AddOnlyResidual<kStep>(block, target);
      case PERDIX_INTRA_PALETTE:
        return PaintPalette<kStep>(block, target);
      case PERDIX_INTRA_COPY:
        return Variant::template CopyFromFrame<kStep>(args_, block, target);
      default:
        return BlendInterIntra<kStep>(block, target);
    }
  }

  void AddResiduals(const IntraBlock& block) {
    for (const uint32_t residual : {block.residual0, block.residual1}) {
      if (residual != PERDIX_NO_RESIDUAL) {
        Variant::template AddResidual<Sample>(args_, transforms_[residual]);
      }
    }
  }

  // ---- PREDICT, FILTER ----

  template <int kStep>
  void PredictTo(const IntraBlock& block, const Target& target,
                 Output<Sample> out) {
    typename Variant::template PredictorOf<Sample, kStep> predictor(
        args_, target, IntraHave(block.shape));
    if constexpr (kStep == 1) {
      if (IntraKind(block.shape) == PERDIX_INTRA_FILTER) {
        return predictor.Filter(IntraPayload(block.shape), out);
      }
    }
    predictor.Predict(IntraPayload(block.shape), out);
  }

  template <int kStep>
  void Predict(const IntraBlock& block, const Target& target) {
    if (!target.SticksOut()) {
      PredictTo<kStep>(block, target, target.pixels);
      return AddResiduals(block);
    }
    if (kStep == 1 && overhang_.Keeps(target.width, target.height)) {
      const Output<Sample> whole = overhang_.At(target.x, target.y);
      PredictTo<kStep>(block, target, whole);
      AddWholeResidual(block, target, whole);
      return CopyVisible(target, kStep, whole, target.pixels);
    }
    const Output<Sample> whole = {scratch_, kStep * target.width};
    PredictTo<kStep>(block, target, whole);
    CopyVisible(target, kStep, whole, target.pixels);
    AddResiduals(block);
  }

  // Luma, all of the block.
  void AddWholeResidual(const IntraBlock& block, const Target& target,
                        Output<Sample> whole) {
    if (block.residual0 == PERDIX_NO_RESIDUAL) return;
    Variant::template AddResidualTo<Sample>(
        args_, transforms_[block.residual0],
        {whole.data, whole.stride, 1, 0, target.width, target.height});
  }

  template <int kStep>
  void AddOnlyResidual(const IntraBlock& block, const Target& target) {
    if (kStep == 2 || !target.SticksOut() ||
        !overhang_.Keeps(target.width, target.height)) {
      return AddResiduals(block);
    }
    const Output<Sample> whole = overhang_.At(target.x, target.y);
    CopyVisible(target, kStep, target.pixels, whole);
    AddWholeResidual(block, target, whole);
    CopyVisible(target, kStep, whole, target.pixels);
  }

  // ---- CFL ----

  void PredictFromLuma(const IntraBlock& block, const Target& target) {
    const BlockExtent extent = {target.width, target.height};
    Sample dc_block[2 * kMaxCflSize * kMaxCflSize];
    typename Variant::template PredictorOf<Sample, 2> predictor(
        args_, target, IntraHave(block.shape));
    predictor.Dc({dc_block, 2 * target.width});
    typename Variant::LumaDifference luma;
    ReadLuma(block, target, luma);
    const uint32_t payload = IntraPayload(block.shape);
    const int alpha_u = CflAlphaU(payload);
    const int alpha_v = CflAlphaV(payload);
    if (target.SticksOut()) {
      const Output<Sample> whole = {scratch_, 2 * target.width};
      Variant::AddLuma(luma, alpha_u, alpha_v, dc_block, extent, bit_depth_,
                       whole);
      CopyVisible(target, 2, whole, target.pixels);
    } else {
      Variant::AddLuma(luma, alpha_u, alpha_v, dc_block, extent, bit_depth_,
                       target.pixels);
    }
    AddResiduals(block);
  }

  void ReadLuma(const IntraBlock& block, const Target& target,
                typename Variant::LumaDifference& luma) {
    const uint32_t sub_x = args_.params->subsampling_x;
    const uint32_t sub_y = args_.params->subsampling_y;
    const uint32_t payload = IntraPayload(block.shape);
    const int luma_width = 4 * static_cast<int>(CflLumaWidth4(payload));
    const int luma_height = 4 * static_cast<int>(CflLumaHeight4(payload));
    const BlockExtent extent = {target.width, target.height};
    const BlockExtent from = {std::min(extent.width, luma_width >> sub_x),
                              std::min(extent.height, luma_height >> sub_y)};
    const Output<const Sample> source = LocateLuma(
        target.x << sub_x, target.y << sub_y, luma_width, luma_height);
    if (sub_x != 0 && sub_y != 0) {
      luma.template Read<Sample, 1, 1>(source, from, extent);
    } else if (sub_x != 0) {
      luma.template Read<Sample, 1, 0>(source, from, extent);
    } else {
      luma.template Read<Sample, 0, 0>(source, from, extent);
    }
  }

  // Where width x height samples of reconstructed luma are: in the target, or
  // put together in the overhang.
  Output<const Sample> LocateLuma(int x, int y, int width, int height) {
    const Plane& plane = args_.target.planes[kLuma];
    const DecodedArea area = PlaneDecodedArea(*args_.params, kLuma);
    const Output<const Sample> target = {
        plane.Row<Sample>(static_cast<uint32_t>(y)) + x,
        static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
    if (x + width <= area.width && y + height <= area.height) return target;
    const Output<Sample> whole = overhang_.At(x, y);
    const size_t bytes =
        sizeof(Sample) * static_cast<size_t>(std::min(width, area.width - x));
    for (int i = 0; i < std::min(height, area.height - y); ++i) {
      std::memcpy(whole.Row(i), target.Row(i), bytes);
    }
    return {whole.data, whole.stride};
  }

  // ---- PALETTE ----

  template <int kStep>
  void PaintPalette(const IntraBlock& block, const Target& target) {
    const int16_t* palette = &args_.lists.coefficients[block.residual0];
    Sample colours[kStep * PERDIX_PALETTE_COLOURS];
    for (uint32_t i = 0; i < kStep * PERDIX_PALETTE_COLOURS; ++i) {
      colours[i] = static_cast<Sample>(palette[i]);
    }
    const auto* map = reinterpret_cast<const uint8_t*>(
        palette + kStep * PERDIX_PALETTE_COLOURS);
    const bool keeps = kStep == 1 && target.SticksOut() &&
                       overhang_.Keeps(target.width, target.height);
    const BlockExtent extent =
        keeps ? BlockExtent{target.width, target.height}
              : BlockExtent{target.VisibleWidth(), target.VisibleHeight()};
    const Output<Sample> out =
        keeps ? overhang_.At(target.x, target.y) : target.pixels;
    Variant::template Paint<kStep>(colours, MaskRows{map, target.width}, extent,
                                   out);
    if (keeps) CopyVisible(target, kStep, out, target.pixels);
  }

  // ---- INTER ----

  static constexpr int kMaxInterIntra = 32;

  template <int kStep>
  void BlendInterIntra(const IntraBlock& block, const Target& target) {
    const uint32_t payload = IntraPayload(block.shape);
    const Output<Sample> intra = {scratch_, kStep * target.width};
    PredictInterIntra<kStep>(block, target, intra);
    uint8_t mask_memory[kStep * kMaxInterIntra * kMaxInterIntra];
    MaskRows mask = {mask_memory, kStep * target.width};
    if (InterIntraWedge(payload) == 0) {
      SmoothMask(InterIntraMode(payload), target.width, target.height, kStep,
                 mask_memory);
    } else {
      mask = Wedge<kStep>(block, target, mask_memory);
    }
    Variant::Blend(intra, mask, kStep * target.VisibleWidth(),
                   target.VisibleHeight(), target.pixels);
  }

  template <int kStep>
  void PredictInterIntra(const IntraBlock& block, const Target& target,
                         Output<Sample> out) {
    typename Variant::template PredictorOf<Sample, kStep> predictor(
        args_, target, IntraHave(block.shape));
    switch (InterIntraMode(IntraPayload(block.shape))) {
      case 0:
        return predictor.Dc(out);
      case 1:
        return predictor.Vertical(out);
      case 2:
        return predictor.Horizontal(out);
      default:
        return predictor.Smooth(kSmoothPred, out);
    }
  }

  // memory: for the mask of chroma.
  template <int kStep>
  MaskRows Wedge(const IntraBlock& block, const Target& target,
                 uint8_t* memory) {
    const uint32_t sub_x = kStep == 1 ? 0 : args_.params->subsampling_x;
    const uint32_t sub_y = kStep == 1 ? 0 : args_.params->subsampling_y;
    const MaskRows luma = {
        WedgeMask(IntraWidthLog2(block.shape) + sub_x,
                  IntraHeightLog2(block.shape) + sub_y, 0,
                  InterIntraWedge(IntraPayload(block.shape)) - 1),
        kWedgeStride};
    if (kStep == 1) return luma;
    ChromaMask(luma, sub_x, sub_y, target.width, target.height, memory);
    return {memory, kStep * target.width};
  }

  const KernelArgs& args_;
  const int bit_depth_;
  const std::span<const TransformBlock> transforms_;
  LumaOverhang<Sample> overhang_;
  alignas(64) Sample scratch_[2 * 64 * 64];
};

// The blocks in range.
template <class Variant, typename Sample>
void ReconstructIntraBlocks(const KernelArgs& args, Range range) {
  IntraBlocks<Variant, Sample> blocks(args);
  for (const IntraBlock& block :
       args.lists.Of(kIntraBlocks)
           .subspan(range.begin, range.end - range.begin)) {
    blocks.Reconstruct(block);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_WALK_H_
