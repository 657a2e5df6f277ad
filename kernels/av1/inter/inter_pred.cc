// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (AV1 7.11.3) as the specification writes it: motion vector
// scaling, interpolation, warps, compound predictions with their masks,
// overlapping blocks. Neither residual nor the intra half of inter-intra blocks
// are added here.
//
// Reads: inter_blocks, warp matrices in the arena, the references' planes.
// Writes: the target's planes. Work item: one InterBlock, in list order.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "kernels/av1/inter/inter_block.h"
#include "kernels/av1/inter/masks.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

// A block in one component of the frame.
struct Place {
  int plane;  // 0 Y, 1 U, 2 V
  int sub_x;
  int sub_y;
  int x;
  int y;
  int w;
  int h;
  int visible_w;  // as far as decoding may write
  int visible_h;
};

template <typename Sample>
class InterBlocks {
 public:
  explicit InterBlocks(const KernelArgs& args)
      : args_(args),
        codec_(ParamsOf(args)),
        bit_depth_(static_cast<int>(args.params->bit_depth)) {}

  void Predict(const InterBlock& block) {
    const int planes = codec_.monochrome ? 1 : 3;
    for (int plane = 0; plane < planes; ++plane) {
      const uint32_t wanted =
          plane == 0 ? PERDIX_PLANES_LUMA : PERDIX_PLANES_CHROMA;
      if ((InterPlanes(block.shape) & wanted) == 0) continue;
      const Place place = Locate(block, plane);
      if (place.visible_w <= 0 || place.visible_h <= 0) continue;
      PredictPlace(block, place);
    }
  }

 private:
  static uint32_t PlaneIndexOf(const Place& place) {
    return place.plane == 0 ? kLuma : kChroma;
  }
  // The components of a pixel of the plane.
  static int Components(const Place& place) { return place.plane == 0 ? 1 : 2; }

  Place Locate(const InterBlock& block, int plane) const {
    Place place;
    place.plane = plane;
    place.sub_x =
        plane == 0 ? 0 : static_cast<int>(args_.params->subsampling_x);
    place.sub_y =
        plane == 0 ? 0 : static_cast<int>(args_.params->subsampling_y);
    place.x = static_cast<int>(PositionX4(block.position)) * 4 >> place.sub_x;
    place.y = static_cast<int>(PositionY4(block.position)) * 4 >> place.sub_y;
    place.w = (1 << InterWidthLog2(block.shape)) >> place.sub_x;
    place.h = (1 << InterHeightLog2(block.shape)) >> place.sub_y;
    const DecodedArea area =
        PlaneDecodedArea(*args_.params, PlaneIndexOf(place));
    place.visible_w = std::min(place.w, area.width - place.x);
    place.visible_h = std::min(place.h, area.height - place.y);
    return place;
  }

  // 7.11.3.1 of one component.
  void PredictPlace(const InterBlock& block, const Place& place) {
    const InterRounding rounding(bit_depth_, InterIsCompound(block.shape));
    const auto& pred0 = preds_[0];
    const auto& pred1 = preds_[1];
    PredictFrom(block, place, 0, rounding);
    if (InterIsCompound(block.shape)) PredictFrom(block, place, 1, rounding);
    const int post = rounding.post_round;
    switch (InterKind(block.shape)) {
      case PERDIX_INTER_OBMC_ABOVE:
      case PERDIX_INTER_OBMC_LEFT:
        return Overlap(block, place);
      case PERDIX_INTER_AVERAGE:
        return Write(place, [&](int i, int j) {
          return Round2(pred0(i, j) + pred1(i, j), 1 + post);
        });
      case PERDIX_INTER_DISTANCE: {  // 7.11.3.15
        const int fwd_weight =
            DistanceWeight(codec_.references[InterRef0(block.shape)].distance,
                           codec_.references[InterRef1(block.shape)].distance);
        return Write(place, [&](int i, int j) {
          return Round2(
              pred0(i, j) * fwd_weight + pred1(i, j) * (16 - fwd_weight),
              4 + post);
        });
      }
      case PERDIX_INTER_WEDGE:
      case PERDIX_INTER_DIFFWTD: {  // 7.11.3.14
        const MaskRows mask = MaskOf(block, place, post);
        return Write(place, [&](int i, int j) {
          const int m = MaskWeight(mask, place, i, j);
          return Round2(m * pred0(i, j) + (64 - m) * pred1(i, j), 6 + post);
        });
      }
      default:
        return Write(place, pred0);
    }
  }

  // preds_[list].
  void PredictFrom(const InterBlock& block, const Place& place, int list,
                   const InterRounding& rounding) {
    const uint32_t shape = block.shape;
    const uint32_t ref = list == 0 ? InterRef0(shape) : InterRef1(shape);
    const PictureView& picture = args_.references[ref];
    const ReferencePlane<Sample> plane(picture.planes[PlaneIndexOf(place)],
                                       picture.shift, Components(place),
                                       place.plane == 2 ? 1 : 0);
    WarpMatrix warp;
    if (FindWarp(block, place, list, ref, warp)) {
      for (int row = 0; row < place.visible_h; row += 8) {
        for (int column = 0; column < place.visible_w; column += 8) {
          preds_[list].Warp(plane, warp, place.x, place.y, place.sub_x,
                            place.sub_y, rounding, row, column);
        }
      }
      return;
    }
    preds_[list].Interpolate(plane,
                             Position(place, list == 0 ? block.mv0 : block.mv1,
                                      codec_.references[ref]),
                             FilterSet(InterFilterX(shape), place.w),
                             FilterSet(InterFilterY(shape), place.h), rounding,
                             place.visible_w, place.visible_h);
  }

  // 7.11.3.3.
  static InterPosition Position(const Place& place, uint32_t mv,
                                const ReferenceScale& scale) {
    return {StartPosition(place.x, MvCol(mv), place.sub_x, scale.x_scale),
            StartPosition(place.y, MvRow(mv), place.sub_y, scale.y_scale),
            static_cast<int>(scale.x_step), static_cast<int>(scale.y_step)};
  }

  // Whether 7.11.3.1 warps the block, and how.
  bool FindWarp(const InterBlock& block, const Place& place, int list,
                uint32_t ref, WarpMatrix& warp) const {
    if (place.w < 8 || place.h < 8) return false;
    const uint32_t kind = InterKind(block.shape);
    const uint32_t global_flag =
        list == 0 ? PERDIX_INTER_GLOBAL0 : PERDIX_INTER_GLOBAL1;
    if (kind == PERDIX_INTER_WARP_LOCAL) {
      std::memcpy(&warp, &args_.lists.coefficients[block.mv1], sizeof(warp));
    } else if (kind == PERDIX_INTER_WARP_GLOBAL ||
               (InterIsCompound(block.shape) &&
                (block.shape & global_flag) != 0)) {
      const ReferenceScale& reference = codec_.references[ref];
      const bool is_scaled =
          reference.x_scale != kNotScaled || reference.y_scale != kNotScaled;
      if (reference.warps == 0 || is_scaled) return false;
      warp = reference.global;
    } else {
      return false;
    }
    return IsValidShear(warp);
  }

  // 7.11.3.10: preds_[0] is what a neighbour's vector predicts.
  void Overlap(const InterBlock& block, const Place& place) {
    const bool above = InterKind(block.shape) == PERDIX_INTER_OBMC_ABOVE;
    const uint8_t* const mask = ObmcMask(above ? place.h : place.w);
    Write(place, [&](int i, int j) {
      const int m = mask[above ? i : j];
      const int obmc_pred = Clip1(preds_[0](i, j));
      return Round2(
          m * Curr(place, i)[j * Components(place)] + (64 - m) * obmc_pred, 6);
    });
  }

  // Mask of the luma block: 7.11.3.11, or 7.11.3.12 when luma is predicted.
  MaskRows MaskOf(const InterBlock& block, const Place& place, int post) {
    if (InterKind(block.shape) == PERDIX_INTER_WEDGE) {
      return {
          WedgeMask(InterWidthLog2(block.shape), InterHeightLog2(block.shape),
                    InterSign(block.shape), InterWedge(block.shape)),
          kWedgeStride};
    }
    for (int i = 0; place.plane == 0 && i < place.visible_h; ++i) {
      for (int j = 0; j < place.visible_w; ++j) {
        const int diff = Round2(std::abs(preds_[0](i, j) - preds_[1](i, j)),
                                (bit_depth_ - 8) + post);
        const int m = std::clamp(38 + diff / 16, 0, 64);
        difference_mask_[i][j] =
            static_cast<uint8_t>(InterSign(block.shape) != 0 ? 64 - m : m);
      }
    }
    return {difference_mask_[0], kMaxInterBlock};
  }

  // m of 7.11.3.14.
  static int MaskWeight(const MaskRows& mask, const Place& place, int i,
                        int j) {
    const uint8_t* const at =
        mask.data + (i << place.sub_y) * mask.stride + (j << place.sub_x);
    if (!place.sub_x) return at[0];
    if (!place.sub_y) return Round2(at[0] + at[1], 1);
    return Round2(at[0] + at[1] + at[mask.stride] + at[mask.stride + 1], 2);
  }

  int Clip1(int value) const {
    return std::clamp(value, 0, (1 << bit_depth_) - 1);
  }

  // Line i of CurrFrame, from the block's first sample on, which are
  // Components( place ) apart.
  Sample* Curr(const Place& place, int i) const {
    const Plane& plane = args_.target.planes[PlaneIndexOf(place)];
    return plane.template Row<Sample>(static_cast<uint32_t>(place.y + i)) +
           place.x * Components(place) + (place.plane == 2 ? 1 : 0);
  }

  // CurrFrame = Clip1( value( i, j ) ).
  template <class Value>
  void Write(const Place& place, const Value& value) const {
    const int components = Components(place);
    const int max = (1 << bit_depth_) - 1;
    for (int i = 0; i < place.visible_h; ++i) {
      Sample* const line = Curr(place, i);
      for (int j = 0; j < place.visible_w; ++j) {
        line[j * components] =
            static_cast<Sample>(std::clamp(value(i, j), 0, max));
      }
    }
  }

  const KernelArgs& args_;
  const Params& codec_;
  const int bit_depth_;
  InterPrediction preds_[2];
  uint8_t difference_mask_[kMaxInterBlock][kMaxInterBlock];
};

}  // namespace

template <typename Sample>
void InterPred(const KernelArgs& args, Range range) {
  InterBlocks<Sample> blocks(args);
  for (const InterBlock& block :
       args.lists.Of(kInterBlocks)
           .subspan(range.begin, range.end - range.begin)) {
    blocks.Predict(block);
  }
}

template void InterPred<uint8_t>(const KernelArgs&, Range);
template void InterPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
