// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/inter_units.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/prediction.h"

namespace perdix::av1 {
namespace {

constexpr int kUnitBytes = 4 * PERDIX_PREDICT_UNIT_WORDS;
constexpr int kWarpPixels = PERDIX_PREDICT_WARP_SIZE;
constexpr int kTapsBefore = 3;  // of eight taps
constexpr int kTapsAfter = 4;

// What of a plane a block covers, as far as decoding may write. Pixels.
struct PlaneArea {
  PieceAxis x;
  PieceAxis y;

  bool IsEmpty() const { return x.size <= 0 || y.size <= 0; }
};

PlaneArea Locate(const FrameParams& params, const InterBlock& block,
                 uint32_t plane) {
  const DecodedArea area = PlaneDecodedArea(params, plane);
  const auto axis = [&](uint32_t x4, uint32_t log2, uint32_t subsampling,
                        int end) {
    return LocatePiece(static_cast<int>(x4) * 4, 0, 1 << log2, 1 << log2,
                       static_cast<int>(subsampling), end);
  };
  const bool luma = plane == kLuma;
  return {axis(PositionX4(block.position), InterWidthLog2(block.shape),
               luma ? 0 : params.subsampling_x, area.width),
          axis(PositionY4(block.position), InterHeightLog2(block.shape),
               luma ? 0 : params.subsampling_y, area.height)};
}

bool IsScaled(const ReferenceScale& scale) {
  return scale.x_scale != kNotScaled || scale.y_scale != kNotScaled;
}

// Pixels side by side and lines that are predicted from a reference.
struct SourceArea {
  int x;  // 1/16 pixel
  int y;
  int width;
  int height;
};

// The program for an area of a reference that is not scaled. pixel_log2: of the
// bytes of a pixel.
uint32_t SourceOf(const SourceArea& area, const Plane& plane, int pixel_log2) {
  // Without branches that depend on the vector: nobody could foretell them.
  static constexpr uint32_t kSources[2][2] = {
      {PERDIX_PREDICT_COPY, PERDIX_PREDICT_VERTICAL},
      {PERDIX_PREDICT_HORIZONTAL, PERDIX_PREDICT_BOTH}};
  const int across = (area.x & (kSubpelPositions - 1)) != 0;
  const int down = (area.y & (kSubpelPositions - 1)) != 0;
  const int left = (area.x >> kSubpelBits) - across * kTapsBefore;
  const int top = (area.y >> kSubpelBits) - down * kTapsBefore;
  const int right = (area.x >> kSubpelBits) + area.width + across * kTapsAfter;
  const int bottom = (area.y >> kSubpelBits) + area.height + down * kTapsAfter;
  // A lane loads whole words: one more than it needs, if they begin with it.
  const int end_word = (right << pixel_log2) / 4 + 2;
  const bool outside =
      (left | top | (static_cast<int>(plane.width) - right) |
       (static_cast<int>(plane.height) - bottom) |
       (static_cast<int>(plane.stride_bytes / 4) - end_word)) < 0;
  return outside ? uint32_t{PERDIX_PREDICT_EDGE} : kSources[across][down];
}

}  // namespace

// Makes the units of one frame's blocks.
class InterUnits::Maker {
 public:
  Maker(const FrameParams& params, const Params& av1,
        const InterPictures& pictures, InterUnits* units)
      : params_(params),
        av1_(av1),
        pictures_(pictures),
        units_(*units),
        sample_log2_(SampleBytes(params) == 1 ? 0 : 1) {}

  // Fails with kMissingReference. arena: that of the block's tile.
  Status Add(const InterBlock& block, std::span<const int16_t> arena) {
    const uint32_t planes = InterPlanes(block.shape);
    luma_first_ = luma_second_ = 0;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      if (plane == kChroma && av1_.monochrome != 0) break;
      if ((planes >> plane & 1) == 0) continue;
      PlaneBlock in = {block, arena, plane, Locate(params_, block, plane)};
      if (in.area.IsEmpty()) continue;
      if (Status status = AddPlane(in); !status.ok()) return status;
    }
    return Status::Ok();
  }

 private:
  // A block in a plane.
  struct PlaneBlock {
    const InterBlock& block;
    const std::span<const int16_t> arena;  // of its tile
    uint32_t plane;
    PlaneArea area;
  };
  // One of its references, and what the prediction by it becomes.
  struct Prediction {
    uint32_t ref;
    uint32_t mv;
    InterOutput output;
    uint32_t target;       // word of the block's first sample
    uint32_t stride;       // words of it from line to line
    uint32_t stride_log2;  // of that, in the scratch memory
    uint32_t mask;         // of the block's first pixel, if it overlaps
  };
  // A unit's place in its block.
  struct UnitPlace {
    uint32_t target;
    int x;  // pixels
    int y;
    int width;  // pixels
    int height;
  };

  static_assert(PERDIX_PLANES_LUMA == 1 << kLuma &&
                PERDIX_PLANES_CHROMA == 1 << kChroma);

  Status AddPlane(PlaneBlock& in) {
    const uint32_t shape = in.block.shape;
    if (Status status = CheckReferences(shape); !status.ok()) return status;
    if (InterIsCompound(shape)) {
      AddCompound(in);
    } else if (InterKind(shape) == PERDIX_INTER_OBMC_ABOVE ||
               InterKind(shape) == PERDIX_INTER_OBMC_LEFT) {
      AddOverlap(in);
    } else {
      Add(in, ToTarget(in));
    }
    return Status::Ok();
  }

  Status CheckReferences(uint32_t shape) const {
    const uint32_t refs[] = {InterRef0(shape), InterIsCompound(shape)
                                                   ? InterRef1(shape)
                                                   : InterRef0(shape)};
    for (const uint32_t ref : refs) {
      if (ref < PERDIX_AV1_REFS && pictures_.references[ref].width != 0) {
        continue;
      }
      return {StatusCode::kMissingReference, "blocks refer to reference " +
                                                 std::to_string(ref) +
                                                 ", which has no memory"};
    }
    return Status::Ok();
  }

  int PixelLog2(uint32_t plane) const {
    return sample_log2_ + (plane == kLuma ? 0 : 1);
  }

  // ---- what a block's predictions become ----

  Prediction ToTarget(const PlaneBlock& in) const {
    const bool luma = in.plane == kLuma;
    const PlaneOffsets& target = pictures_.target;
    const uint32_t offset = luma ? target.luma_offset : target.chroma_offset;
    const uint32_t stride = luma ? target.luma_stride : target.chroma_stride;
    const auto at_x =
        static_cast<uint32_t>(in.area.x.block << PixelLog2(in.plane));
    return {
        InterRef0(in.block.shape),
        in.block.mv0,
        InterOutput::kTarget,
        (offset + static_cast<uint32_t>(in.area.y.block) * stride + at_x) / 4,
        stride / 4,
        0,
        0};
  }

  // Where the block's own prediction has all the weight, nothing is predicted:
  // the area becomes smaller, by whole words.
  void AddOverlap(PlaneBlock& in) {
    const bool above = InterKind(in.block.shape) == PERDIX_INTER_OBMC_ABOVE;
    PieceAxis& across = above ? in.area.y : in.area.x;
    const int length = across.block_size;
    const int word_pixels = std::max(4 >> PixelLog2(in.plane), 1);
    const int blended =
        above ? ObmcBlended(length)
              : (ObmcBlended(length) + word_pixels - 1) & -word_pixels;
    across.size = std::min(across.size, blended);
    Prediction overlap = ToTarget(in);
    overlap.output = above ? InterOutput::kAbove : InterOutput::kLeft;
    overlap.mask = static_cast<uint32_t>(length) - 2;
    Add(in, overlap);
  }

  void AddCompound(const PlaneBlock& in) {
    const InterBlock& block = in.block;
    const uint32_t first = ReserveScratch(in);
    const uint32_t second = ReserveScratch(in);
    const Prediction prediction = {InterRef0(block.shape),
                                   block.mv0,
                                   InterOutput::kScratch,
                                   first,
                                   1u << ScratchStrideLog2(in),
                                   ScratchStrideLog2(in),
                                   0};
    Add(in, prediction);
    Prediction other = prediction;
    other.ref = InterRef1(block.shape);
    other.mv = block.mv1;
    other.target = second;
    Add(in, other, true);
    if (in.plane == kLuma) {
      luma_first_ = first;
      luma_second_ = second;
    }
    AddBlends(in, first, second);
  }

  // Two bytes a sample, lines as long as the block is wide.
  static uint32_t ScratchStrideLog2(const PlaneBlock& in) {
    const auto width = static_cast<uint32_t>(in.area.x.block_size);
    return static_cast<uint32_t>(std::bit_width(width)) - 2 + in.plane;
  }

  uint32_t ReserveScratch(const PlaneBlock& in) {
    const auto first = static_cast<uint32_t>(units_.scratch_words_);
    units_.scratch_words_ += static_cast<uint64_t>(in.area.y.size)
                             << ScratchStrideLog2(in);
    return first;
  }

  // ---- blends ----

  // What says the weights of a block, and those of its first pixel.
  struct Weights {
    uint32_t by;  // PERDIX_BLEND_*
    uint32_t first;
    int pixel;  // from pixel to pixel
    int line;
  };

  Weights WeightsOf(const PlaneBlock& in) const {
    const uint32_t shape = in.block.shape;
    switch (InterKind(shape)) {
      case PERDIX_INTER_DISTANCE: {
        const int sixteenths =
            DistanceWeight(av1_.references[InterRef0(shape)].distance,
                           av1_.references[InterRef1(shape)].distance);
        return {PERDIX_BLEND_ALIKE, static_cast<uint32_t>(4 * sixteenths), 0,
                0};
      }
      case PERDIX_INTER_WEDGE: {
        const uint8_t* const mask =
            WedgeMask(InterWidthLog2(shape), InterHeightLog2(shape),
                      InterSign(shape), InterWedge(shape));
        return {PERDIX_BLEND_WEDGE,
                static_cast<uint32_t>(mask - WedgeMasters().data()),
                1 << in.area.x.subsampling,
                static_cast<int>(kWedgeStride) << in.area.y.subsampling};
      }
      case PERDIX_INTER_DIFFWTD:
        return {PERDIX_BLEND_DIFFERENCE, InterSign(shape), 0, 0};
      default:
        return {PERDIX_BLEND_ALIKE, kMaskOne / 2, 0, 0};
    }
  }

  void AddBlends(const PlaneBlock& in, uint32_t first, uint32_t second) {
    const Weights weights = WeightsOf(in);
    const uint32_t stride_log2 = ScratchStrideLog2(in);
    const uint32_t shape = ShapeOf(in, stride_log2, 0);
    const int log2 = PixelLog2(in.plane);
    std::vector<BlendUnit>& list = units_.blended_[in.plane][weights.by];
    ForEachUnit(
        in, ToTarget(in), PERDIX_PREDICT_UNIT_LINES,
        [&](const UnitPlace& place) {
          // Both planes have two words where luma has four pixels.
          const uint32_t at = (static_cast<uint32_t>(place.y) << stride_log2) +
                              static_cast<uint32_t>(place.x << in.plane) / 2;
          const uint32_t luma_at =
              (static_cast<uint32_t>(place.y) << (stride_log2 + 1)) +
              static_cast<uint32_t>(place.x);
          list.push_back(
              {place.target, UnitShape(shape, place, log2, 0), first + at,
               second + at,
               weights.first + static_cast<uint32_t>(place.x * weights.pixel +
                                                     place.y * weights.line),
               luma_first_ + luma_at, luma_second_ + luma_at, 0});
        });
  }

  // ---- units ----

  // visit(place) of each unit, of at most so many lines.
  template <typename Visit>
  void ForEachUnit(const PlaneBlock& in, const Prediction& prediction,
                   uint32_t lines, const Visit& visit) const {
    const int log2 = PixelLog2(in.plane);
    // Lines of the scratch memory have two bytes for a sample.
    const int target_log2 = prediction.output == InterOutput::kScratch
                                ? 1 + static_cast<int>(in.plane)
                                : log2;
    const int columns = kUnitBytes >> log2;
    const int rows = static_cast<int>(lines);
    for (int y = 0; y < in.area.y.size; y += rows) {
      const uint32_t line =
          prediction.target + static_cast<uint32_t>(y) * prediction.stride;
      for (int x = 0; x < in.area.x.size; x += columns) {
        visit(UnitPlace{line + static_cast<uint32_t>(x << target_log2) / 4, x,
                        y, std::min(columns, in.area.x.size - x),
                        std::min(rows, in.area.y.size - y)});
      }
    }
  }

  // The shape of all units of a block, but for what UnitShape() adds.
  static uint32_t ShapeOf(const PlaneBlock& in, uint32_t stride_log2,
                          uint32_t ref) {
    return PackUnitShape(
        0, 0, stride_log2, ref,
        static_cast<uint32_t>(
            FilterSet(InterFilterX(in.block.shape), in.area.x.block_size)),
        static_cast<uint32_t>(
            FilterSet(InterFilterY(in.block.shape), in.area.y.block_size)),
        0);
  }

  // log2: of the bytes of a pixel.
  static uint32_t UnitShape(uint32_t shape, const UnitPlace& place, int log2,
                            uint32_t mask) {
    return shape | PackUnitShape(static_cast<uint32_t>(place.width << log2) / 4,
                                 static_cast<uint32_t>(place.height), 0, 0, 0,
                                 0, mask);
  }

  // second: of a compound's predictions.
  void Add(const PlaneBlock& in, const Prediction& prediction,
           bool second = false) {
    WarpMatrix warp;
    if (FindWarp(in, prediction.ref, second, &warp)) {
      AddWarped(in, prediction, warp);
    } else if (IsScaled(av1_.references[prediction.ref])) {
      AddScaled(in, prediction);
    } else {
      AddMoved(in, prediction);
    }
  }

  uint32_t MaskOf(const Prediction& prediction, const UnitPlace& place) const {
    switch (prediction.output) {
      case InterOutput::kAbove:
        return prediction.mask + static_cast<uint32_t>(place.y);
      case InterOutput::kLeft:
        return prediction.mask + static_cast<uint32_t>(place.x);
      default:
        return 0;
    }
  }

  void AddMoved(const PlaneBlock& in, const Prediction& prediction) {
    const int log2 = PixelLog2(in.plane);
    const Plane& plane = pictures_.references[prediction.ref].planes[in.plane];
    const auto position = [](const PieceAxis& axis, int mv) {
      return axis.block * kSubpelPositions + ((2 * mv) >> axis.subsampling);
    };
    const SourceArea all = {position(in.area.x, MvCol(prediction.mv)),
                            position(in.area.y, MvRow(prediction.mv)),
                            in.area.x.size, in.area.y.size};
    const uint32_t source = SourceOf(all, plane, log2);
    const uint32_t shape = ShapeOf(in, prediction.stride_log2, prediction.ref);
    auto& lists = units_.predicted_[size_t(prediction.output)][in.plane];
    ForEachUnit(
        in, prediction, PERDIX_PREDICT_UNIT_LINES, [&](const UnitPlace& place) {
          const SourceArea area = {all.x + place.x * kSubpelPositions,
                                   all.y + place.y * kSubpelPositions,
                                   place.width, place.height};
          // Near the edge each unit has a source of its own.
          const uint32_t own = source == PERDIX_PREDICT_EDGE
                                   ? SourceOf(area, plane, log2)
                                   : source;
          lists[own].push_back(
              {place.target, area.x, area.y,
               UnitShape(shape, place, log2, MaskOf(prediction, place))});
        });
  }

  void AddScaled(const PlaneBlock& in, const Prediction& prediction) {
    const ReferenceScale& scale = av1_.references[prediction.ref];
    const auto start = [](const PieceAxis& axis, int mv, uint32_t by) {
      return StartPosition(axis.block, mv, axis.subsampling, by);
    };
    const int x = start(in.area.x, MvCol(prediction.mv), scale.x_scale);
    const int y = start(in.area.y, MvRow(prediction.mv), scale.y_scale);
    const uint32_t shape = ShapeOf(in, prediction.stride_log2, prediction.ref);
    auto& list = units_.predicted_[size_t(prediction.output)][in.plane]
                                  [PERDIX_PREDICT_SCALED];
    ForEachUnit(in, prediction, PERDIX_PREDICT_UNIT_LINES,
                [&](const UnitPlace& place) {
                  list.push_back({place.target,
                                  x + place.x * static_cast<int>(scale.x_step),
                                  y + place.y * static_cast<int>(scale.y_step),
                                  UnitShape(shape, place, PixelLog2(in.plane),
                                            MaskOf(prediction, place))});
                });
  }

  // ---- warps ----

  // Whether 7.11.3.1 warps the block, and how.
  bool FindWarp(const PlaneBlock& in, uint32_t ref, bool second,
                WarpMatrix* warp) const {
    const InterBlock& block = in.block;
    if (in.area.x.block_size < kWarpPixels ||
        in.area.y.block_size < kWarpPixels) {
      return false;
    }
    const uint32_t kind = InterKind(block.shape);
    const uint32_t global =
        second ? PERDIX_INTER_GLOBAL1 : PERDIX_INTER_GLOBAL0;
    if (kind == PERDIX_INTER_WARP_LOCAL) {
      std::memcpy(warp, &in.arena[block.mv1], sizeof(*warp));
    } else if (kind == PERDIX_INTER_WARP_GLOBAL ||
               (InterIsCompound(block.shape) && (block.shape & global) != 0)) {
      const ReferenceScale& reference = av1_.references[ref];
      if (reference.warps == 0 || IsScaled(reference)) return false;
      *warp = reference.global;
    } else {
      return false;
    }
    return IsValidShear(*warp);
  }

  void AddWarped(const PlaneBlock& in, const Prediction& prediction,
                 const WarpMatrix& warp) {
    const uint32_t shape = ShapeOf(in, prediction.stride_log2, prediction.ref);
    auto& list = units_.warped_[size_t(prediction.output)][in.plane];
    ForEachUnit(in, prediction, kWarpPixels, [&](const UnitPlace& place) {
      const int column = place.x % kWarpPixels;
      const Projection from = Project(warp, in.area, place.x - column, place.y);
      list.push_back({place.target, from.x, from.y,
                      UnitShape(shape, place, PixelLog2(in.plane), 0),
                      from.fractions, warp.alpha_beta, warp.gamma_delta,
                      static_cast<uint32_t>(column)});
    });
  }

  // Where an 8x8 comes from, as WarpUnit has it.
  struct Projection {
    int x;
    int y;
    uint32_t fractions;
  };

  // 7.11.3.5 of the 8x8 at x, y of a block.
  static Projection Project(const WarpMatrix& warp, const PlaneArea& area,
                            int x, int y) {
    const int64_t source_x = int64_t{area.x.block + x + 4}
                             << area.x.subsampling;
    const int64_t source_y = int64_t{area.y.block + y + 4}
                             << area.y.subsampling;
    const int* const params = warp.params;
    const int64_t x4 =
        (params[2] * source_x + params[3] * source_y + params[0]) >>
        area.x.subsampling;
    const int64_t y4 =
        (params[4] * source_x + params[5] * source_y + params[1]) >>
        area.y.subsampling;
    const auto whole = [](int64_t position) {
      return static_cast<int>(
          std::clamp(position >> 16, -kFarOutside, kFarOutside));
    };
    return {whole(x4) - 7, whole(y4) - 7,
            static_cast<uint32_t>(x4 & 0xffff) |
                static_cast<uint32_t>(y4 & 0xffff) << 16};
  }

  const FrameParams& params_;
  const Params& av1_;
  const InterPictures& pictures_;
  InterUnits& units_;
  const int sample_log2_;  // of the bytes of a sample
  // The block's predictions of luma, words of the scratch memory.
  uint32_t luma_first_ = 0;
  uint32_t luma_second_ = 0;
};

void InterUnits::Clear() {
  for (auto& planes : predicted_) {
    for (auto& sources : planes) {
      for (std::vector<PredictUnit>& list : sources) list.clear();
    }
  }
  for (auto& planes : warped_) {
    for (std::vector<WarpUnit>& list : planes) list.clear();
  }
  for (auto& kinds : blended_) {
    for (std::vector<BlendUnit>& list : kinds) list.clear();
  }
  scratch_words_ = 0;
  empty_ = true;
}

Status InterUnits::Set(const FrameParams& params, const Params& av1,
                       std::span<const WorkLists> tiles,
                       const InterPictures& pictures) {
  Clear();
  Maker maker(params, av1, pictures, this);
  for (const WorkLists& tile : tiles) {
    for (const InterBlock& block : tile.Of(kInterBlocks)) {
      if (Status status = maker.Add(block, tile.coefficients); !status.ok()) {
        return status;
      }
      empty_ = false;
    }
  }
  return Status::Ok();
}

}  // namespace perdix::av1
