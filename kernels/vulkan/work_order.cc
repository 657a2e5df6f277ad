// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/work_order.h"

#include <algorithm>

#include "kernels/vp9/decoded_area.h"

namespace perdix::vulkan {
namespace {

constexpr uint32_t kLanes = 64;  // of a transform or inter workgroup

uint32_t RoundUp(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

// ---- inverse transform ----

namespace {

// What a dispatch is specialised for. Two passes, because U and V of a block
// share words: Y and U, then V.
struct TransformBucket {
  uint32_t tx_size;
  uint32_t transform;
  uint32_t component;
};

constexpr uint32_t kTransforms = PERDIX_TRANSFORM_KINDS;
constexpr uint32_t kSizes = 4;
constexpr uint32_t kComponents = 3;

uint32_t TransformOf(const FrameParams& params, const TransformBlock& block) {
  if (params.lossless) return PERDIX_TRANSFORM_WHT;
  const uint32_t type = TransformType(block.shape);
  if (type != 0) return PERDIX_TRANSFORM_ADST + type - 1;
  if (block.eob == 1) return PERDIX_TRANSFORM_DC;
  const uint32_t size = TransformSize(block.shape);
  return size != 0 && TransformStoredLog2(block.shape) == size
             ? PERDIX_TRANSFORM_DCT_WHOLE
             : PERDIX_TRANSFORM_DCT;
}

}  // namespace

TransformOrder OrderTransforms(const FrameParams& params,
                               std::span<const TileInput> tiles,
                               TransformList list) {
  const bool inter = list == TransformList::kInter;
  std::array<std::vector<TransformBlock>, kComponents * kSizes * kTransforms>
      buckets;
  for (const TileInput& tile : tiles) {
    for (TransformBlock block :
         inter ? tile.lists.inter_transforms : tile.lists.intra_transforms) {
      block.coefficients += tile.coefficient_base;
      const uint32_t component = inter ? TransformComponent(block.shape) : 0;
      const uint32_t index =
          (component * kSizes + TransformSize(block.shape)) * kTransforms +
          TransformOf(params, block);
      buckets[index].push_back(block);
    }
  }

  TransformOrder order;
  bool second_pass = false;
  for (uint32_t i = 0; i < buckets.size(); ++i) {
    std::vector<TransformBlock>& bucket = buckets[i];
    if (bucket.empty()) continue;
    const uint32_t component = i / (kSizes * kTransforms);
    const uint32_t tx_size = i / kTransforms % kSizes;
    // Of a workgroup.
    const uint32_t blocks =
        (kLanes * PERDIX_TRANSFORM_LANE_ROWS(tx_size + 2)) >> (tx_size + 2);
    // Padding lies outside of any frame.
    const TransformBlock padding = {PackPosition(0xffff, 0xffff),
                                    PackTransformShape(0, tx_size, 0, 0), 0, 1};
    bucket.resize(RoundUp(static_cast<uint32_t>(bucket.size()), blocks),
                  padding);
    const bool barrier = component == 2 && !second_pass;
    second_pass |= barrier;
    order.dispatches.push_back(
        {tx_size, i % kTransforms,
         !inter           ? uint32_t{PERDIX_OUTPUT_RESIDUAL}
         : component == 0 ? uint32_t{PERDIX_OUTPUT_LUMA}
                          : uint32_t{PERDIX_OUTPUT_CHROMA},
         barrier, static_cast<uint32_t>(order.records.size()),
         static_cast<uint32_t>(bucket.size()) / blocks});
    order.records.insert(order.records.end(), bucket.begin(), bucket.end());
  }
  return order;
}

ResidualLayout LayOutResidual(const FrameParams& params,
                              uint32_t* residual_values) {
  const uint32_t width = params.sb_cols * 64;
  const uint32_t height = params.sb_rows * 64;
  const uint32_t chroma_width = width >> params.subsampling_x;
  const uint32_t chroma = chroma_width * (height >> params.subsampling_y);
  *residual_values = width * height + 2 * chroma;
  return {width, chroma_width, width * height, width * height + chroma};
}

// ---- inter prediction (VP9 8.5.2.2, 8.5.2.3, as in vp9/inter_pred.cc) ----

namespace {

constexpr int kTapsBefore = 3;
constexpr int kTapsAfter = 4;
constexpr int kUnitRows = PERDIX_INTER_UNIT_ROWS;
constexpr int kUnitBytes = PERDIX_INTER_UNIT_BYTES;
constexpr uint32_t kUnits = kLanes / PERDIX_INTER_UNIT_LANES;
constexpr int kUnscaled = 16;

// A block in one direction of one plane.
struct BlockAxis {
  int position;       // luma samples
  int clamped_block;  // whose vector is clamped: position and size
  int clamped_size;
  int frame_size;  // luma samples, a multiple of 8
  int subsampling;
};

int ClampMv(const BlockAxis& axis, int mv) {
  const int q4 = 1 << (1 - axis.subsampling);  // 1/8 luma to 1/16 of the plane
  const int reach = (4 + (axis.clamped_size >> axis.subsampling)) << 4;
  const int to_start = -axis.clamped_block * 8 * q4;
  const int to_end =
      (axis.frame_size - axis.clamped_block - axis.clamped_size) * 8 * q4;
  return std::clamp(mv * q4, to_start - reach, to_end + reach - 16);
}

int Scale(int value, uint32_t scale) {
  return static_cast<int>((int64_t{value} * scale) >> 14);
}

// The block's first pixel in the reference, 1/16 pixel.
int ReferencePosition(const BlockAxis& axis, int mv, uint32_t scale) {
  const int base = Scale(axis.position >> axis.subsampling, scale);
  const int fraction = Scale(axis.position * 16, scale) & 15;
  return base * 16 + Scale(ClampMv(axis, mv), scale) + fraction;
}

class UnitMaker {
 public:
  UnitMaker(const FrameParams& params, const PlaneOffsets& target,
            std::span<const PictureView> references)
      : params_(params), target_(target), references_(references) {}

  void Add(const InterBlock& block) {
    for (const uint32_t plane : {kLuma, kChroma}) {
      if ((InterPlanes(block.shape) >> plane & 1) == 0) continue;
      AddPlane(block, plane, InterRef0(block.shape), block.mv0, 0);
      if (InterRef1(block.shape) != PERDIX_REF_NONE) {
        AddPlane(block, plane, InterRef1(block.shape), block.mv1, 1);
      }
    }
  }

  InterOrder Finish() {
    InterOrder order;
    bool second_pass = false;
    for (uint32_t i = 0; i < buckets_.size(); ++i) {
      std::vector<InterUnit>& bucket = buckets_[i];
      if (bucket.empty()) continue;
      bucket.resize(RoundUp(static_cast<uint32_t>(bucket.size()), kUnits));
      const uint32_t average = i / (PERDIX_VP9_REFS * kPlaneKinds);
      const bool barrier = average != 0 && !second_pass;
      second_pass |= barrier;
      order.dispatches.push_back(
          {i / kPlaneKinds % PERDIX_VP9_REFS,
           i / PERDIX_INTER_KINDS % kPlaneCount, i % PERDIX_INTER_KINDS,
           average, barrier, static_cast<uint32_t>(order.records.size()),
           static_cast<uint32_t>(bucket.size()) / kUnits});
      order.records.insert(order.records.end(), bucket.begin(), bucket.end());
    }
    return order;
  }

 private:
  static constexpr uint32_t kPlaneKinds = kPlaneCount * PERDIX_INTER_KINDS;

  void AddPlane(const InterBlock& block, uint32_t plane, uint32_t ref,
                uint32_t mv, uint32_t average) {
    const int ss_x =
        plane == kLuma ? 0 : static_cast<int>(params_.subsampling_x);
    const int ss_y =
        plane == kLuma ? 0 : static_cast<int>(params_.subsampling_y);
    const int luma_x = static_cast<int>(PositionX4(block.position)) * 4;
    const int luma_y = static_cast<int>(PositionY4(block.position)) * 4;
    const int luma_width = static_cast<int>(InterWidth4(block.shape)) * 4;
    const int luma_height = static_cast<int>(InterHeight4(block.shape)) * 4;
    const bool sub8x8 = InterSub8x8(block.shape) != 0;
    const vp9::DecodedArea area = vp9::PlaneDecodedArea(params_, plane);
    const int x0 = luma_x >> ss_x;
    const int y0 = luma_y >> ss_y;
    const int width = std::min(luma_width >> ss_x, area.width - x0);
    const int height = std::min(luma_height >> ss_y, area.height - y0);
    const ReferenceParams& reference = params_.references[ref];
    const int source_x = ReferencePosition(
        {luma_x, sub8x8 ? luma_x & ~7 : luma_x, sub8x8 ? 8 : luma_width,
         static_cast<int>(params_.mi_cols) * 8, ss_x},
        MvCol(mv), reference.x_scale);
    const int source_y = ReferencePosition(
        {luma_y, sub8x8 ? luma_y & ~7 : luma_y, sub8x8 ? 8 : luma_height,
         static_cast<int>(params_.mi_rows) * 8, ss_y},
        MvRow(mv), reference.y_scale);

    const int pixel_bytes = plane == kLuma ? 1 : 2;
    const uint32_t offset =
        plane == kLuma ? target_.luma_offset : target_.chroma_offset;
    const uint32_t stride =
        plane == kLuma ? target_.luma_stride : target_.chroma_stride;
    const uint32_t bucket = (average * PERDIX_VP9_REFS + ref) * kPlaneKinds +
                            plane * PERDIX_INTER_KINDS;
    for (int y = 0; y < height; y += kUnitRows) {
      const int rows = std::min(kUnitRows, height - y);
      const int unit_y = source_y + y * static_cast<int>(reference.y_step);
      // Units end at multiples of 8 bytes, so that they can be stored at once.
      for (int x = 0, bytes; x < width; x += bytes / pixel_bytes) {
        const int first_byte = (x0 + x) * pixel_bytes;
        bytes = std::min(kUnitBytes - first_byte % kUnitBytes,
                         (width - x) * pixel_bytes);
        const int unit_x = source_x + x * static_cast<int>(reference.x_step);
        const InterUnit unit = {
            offset + static_cast<uint32_t>(y0 + y) * stride +
                static_cast<uint32_t>(first_byte),
            unit_x, unit_y,
            PackInterUnitShape(InterFilter(block.shape),
                               static_cast<uint32_t>(bytes) / 4,
                               static_cast<uint32_t>(rows))};
        buckets_[bucket + KindOf(unit, reference,
                                 references_[ref].planes[plane], pixel_bytes)]
            .push_back(unit);
      }
    }
  }

  static uint32_t KindOf(const InterUnit& unit,
                         const ReferenceParams& reference, const Plane& plane,
                         int pixel_bytes) {
    if (reference.x_step != kUnscaled || reference.y_step != kUnscaled) {
      return PERDIX_INTER_SCALED;
    }
    const bool horizontal = (unit.x & 15) != 0;
    const bool vertical = (unit.y & 15) != 0;
    const int before_x = horizontal ? kTapsBefore : 0;
    const int before_y = vertical ? kTapsBefore : 0;
    const int after_x = horizontal ? kTapsAfter : 0;
    const int after_y = vertical ? kTapsAfter : 0;
    // What the lanes of the unit fetch, even where rows or words are left out.
    const int x = (unit.x >> 4) - before_x;
    const int y = (unit.y >> 4) - before_y;
    const int end_x = (unit.x >> 4) + kUnitBytes / pixel_bytes + after_x;
    const int end_y = (unit.y >> 4) + kUnitRows + after_y;
    if (x < 0 || y < 0 || end_x > static_cast<int>(plane.width) ||
        end_y > static_cast<int>(plane.height)) {
      return PERDIX_INTER_CLAMPED;
    }
    // Fetched in 16 bytes; what lies behind a row is there, except the last.
    const int fetched = horizontal && pixel_bytes == 2 ? 48 : 32;
    if (end_y >= static_cast<int>(plane.height) &&
        x * pixel_bytes / 16 * 16 + fetched >
            static_cast<int>(plane.stride_bytes)) {
      return PERDIX_INTER_CLAMPED;
    }
    if (horizontal) {
      return vertical ? PERDIX_INTER_BOTH : PERDIX_INTER_HORIZONTAL;
    }
    return vertical ? PERDIX_INTER_VERTICAL : PERDIX_INTER_COPY;
  }

  const FrameParams& params_;
  const PlaneOffsets& target_;
  const std::span<const PictureView> references_;
  // [average][reference][plane][kind]
  std::array<std::vector<InterUnit>, 2 * PERDIX_VP9_REFS * kPlaneKinds>
      buckets_;
};

}  // namespace

InterOrder OrderInter(const FrameParams& params,
                      std::span<const TileInput> tiles,
                      const PlaneOffsets& target,
                      std::span<const PictureView> references) {
  UnitMaker maker(params, target, references);
  for (const TileInput& tile : tiles) {
    for (const InterBlock& block : tile.lists.inter_blocks) maker.Add(block);
  }
  return maker.Finish();
}

DispatchConstants InterConstants(const FrameParams& params,
                                 const InterDispatch& dispatch,
                                 const PlaneOffsets& target,
                                 const PlaneOffsets& layout,
                                 const PictureView& reference) {
  const bool luma = dispatch.plane == kLuma;
  const Plane& plane = reference.planes[dispatch.plane];
  DispatchConstants constants = {};
  constants.first = dispatch.first;
  constants.source_offset = luma ? layout.luma_offset : layout.chroma_offset;
  constants.source_stride = luma ? layout.luma_stride : layout.chroma_stride;
  constants.source_last_x = static_cast<int>(plane.width) - 1;
  constants.source_last_y = static_cast<int>(plane.height) - 1;
  constants.target_stride = luma ? target.luma_stride : target.chroma_stride;
  constants.x_step = params.references[dispatch.reference].x_step;
  constants.y_step = params.references[dispatch.reference].y_step;
  return constants;
}

// ---- intra prediction ----

namespace {

// The wave after which each 4x4 cell of a plane is final; 0: from the start.
class WaveGrid {
 public:
  WaveGrid(const vp9::DecodedArea& area)
      : width_(area.width / 4),
        height_(area.height / 4),
        waves_(static_cast<size_t>(width_) * static_cast<size_t>(height_)) {}

  // The block's own wave: the first after all cells that it reads.
  uint32_t Place(const IntraBlock& block) {
    const int x = static_cast<int>(PositionX4(block.position));
    const int y = static_cast<int>(PositionY4(block.position));
    const int size = 1 << IntraSize(block.shape);
    const uint32_t have = IntraHave(block.shape);
    const bool left = (have & PERDIX_INTRA_HAVE_LEFT) != 0;
    uint32_t wave = 0;
    if (left) wave = std::max(wave, Highest(x - 1, y, 1, size));
    if (have & PERDIX_INTRA_HAVE_ABOVE) {
      const bool right = (have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
      wave = std::max(wave, Highest(x, y - 1, right ? 2 * size : size, 1));
      if (left) wave = std::max(wave, Highest(x - 1, y - 1, 1, 1));
    }
    ForEach(x, y, size, size, [&](uint32_t& cell) { cell = wave + 1; });
    return wave;
  }

 private:
  template <typename Visit>
  void ForEach(int x, int y, int width, int height, const Visit& visit) {
    for (int j = y; j < std::min(y + height, height_); ++j) {
      for (int i = x; i < std::min(x + width, width_); ++i) {
        visit(waves_[static_cast<size_t>(j) * static_cast<size_t>(width_) +
                     static_cast<size_t>(i)]);
      }
    }
  }
  uint32_t Highest(int x, int y, int width, int height) {
    uint32_t highest = 0;
    ForEach(x, y, width, height,
            [&](uint32_t cell) { highest = std::max(highest, cell); });
    return highest;
  }

  const int width_;  // 4x4 cells
  const int height_;
  std::vector<uint32_t> waves_;
};

}  // namespace

IntraOrder OrderIntra(const FrameParams& params,
                      std::span<const TileInput> tiles) {
  WaveGrid grids[kPlaneCount] = {
      WaveGrid(vp9::PlaneDecodedArea(params, kLuma)),
      WaveGrid(vp9::PlaneDecodedArea(params, kChroma))};
  std::vector<uint32_t> wave_of;  // each record, tile after tile
  std::vector<uint32_t> counts;   // of each wave
  for (const TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.intra_blocks) {
      const uint32_t wave = grids[IntraPlane(block.shape)].Place(block);
      if (wave >= counts.size()) counts.resize(wave + 1);
      ++counts[wave];
      wave_of.push_back(wave);
    }
  }

  IntraOrder order;
  uint32_t first = 0;
  for (const uint32_t count : counts) {
    order.waves.push_back({first, count});
    first += count;
  }
  order.records.resize(first);
  std::vector<IntraWave> next = order.waves;
  size_t index = 0;
  for (const TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.intra_blocks) {
      order.records[next[wave_of[index++]].first++] = block;
    }
  }
  return order;
}

// ---- loop filter ----

std::vector<LoopFilterStep> LoopFilterSteps(const FrameParams& params) {
  std::vector<LoopFilterStep> steps;
  for (uint32_t step = 0; step < params.sb_cols + params.sb_rows; ++step) {
    // A row has work in steps row to row + sb_cols.
    const uint32_t first = step - std::min(step, params.sb_cols);
    const uint32_t last = std::min(step, params.sb_rows - 1);
    DispatchConstants constants = {};
    constants.first = first;
    constants.step = step;
    steps.push_back({constants, last - first + 1});
  }
  return steps;
}

}  // namespace perdix::vulkan
