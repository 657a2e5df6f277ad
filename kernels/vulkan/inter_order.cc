// SPDX-License-Identifier: BSD-2-Clause
// Inter blocks as units by what inter_pred.comp is specialised for; motion
// vectors are clamped and scaled here (VP9 8.5.2.2, 8.5.2.3, as in
// vp9/inter_pred.cc), once for a block.
#include <algorithm>

#include "kernels/vp9/decoded_area.h"
#include "kernels/vulkan/work_order.h"

namespace perdix::vulkan {
namespace {

constexpr int kTapsBefore = 3;
constexpr int kTapsAfter = 4;
constexpr int kUnitRows = PERDIX_INTER_UNIT_ROWS;
constexpr int kUnitBytes = PERDIX_INTER_UNIT_BYTES;
constexpr uint32_t kUnscaledStep = 16;
constexpr uint32_t kUnscaled = 1 << 14;
constexpr uint32_t kPlaneKinds = kPlaneCount * PERDIX_INTER_KINDS;

// Log2 of the bytes of a pixel.
template <PlaneIndex kPlane>
constexpr int kPixelShift = kPlane == kLuma ? 0 : 1;

int RoundUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

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
  if (scale == kUnscaled) {
    return (axis.position >> axis.subsampling) * 16 + ClampMv(axis, mv);
  }
  const int base = Scale(axis.position >> axis.subsampling, scale);
  const int fraction = Scale(axis.position * 16, scale) & 15;
  return base * 16 + Scale(ClampMv(axis, mv), scale) + fraction;
}

// Bytes of the unit whose first byte is given, of <rest> in its line. Units end
// at multiples of 8 bytes, so that they can be stored at once.
int BytesOfUnit(int first_byte, int rest) {
  return std::min(kUnitBytes - first_byte % kUnitBytes, rest);
}

uint32_t UnitsOf(uint32_t target, uint32_t bytes, uint32_t rows,
                 uint32_t unit_rows) {
  const uint32_t before = target % kUnitBytes;
  return (before + bytes + kUnitBytes - 1) / kUnitBytes *
         ((rows + unit_rows - 1) / unit_rows);
}

// Where the pixels of a run lie in the reference.
struct Source {
  int x;  // 1/16 pixel
  int y;
  int columns;  // that its units fetch, even where words are left out
  int rows;
};

uint32_t KindOf(const Source& source, const ReferenceParams& reference,
                const Plane& plane, int pixel_shift) {
  if (reference.x_step != kUnscaledStep || reference.y_step != kUnscaledStep) {
    return PERDIX_INTER_SCALED;
  }
  // Without branches that depend on the vector: nobody could foretell them.
  static constexpr uint32_t kKinds[2][2] = {
      {PERDIX_INTER_COPY, PERDIX_INTER_VERTICAL},
      {PERDIX_INTER_HORIZONTAL, PERDIX_INTER_BOTH}};
  const int horizontal = (source.x & 15) != 0;
  const int vertical = (source.y & 15) != 0;
  const int x = (source.x >> 4) - kTapsBefore * horizontal;
  const int y = (source.y >> 4) - kTapsBefore * vertical;
  const int end_x = (source.x >> 4) + source.columns + kTapsAfter * horizontal;
  const int end_y = (source.y >> 4) + source.rows + kTapsAfter * vertical;
  const int width = static_cast<int>(plane.width);
  const int height = static_cast<int>(plane.height);
  const bool outside = ((x | y | (width - end_x) | (height - end_y)) < 0);
  // Fetched in 16 bytes; what lies behind a row is there, except the last.
  const int fetched = 32 + 16 * (horizontal & pixel_shift);
  const int last_x = (x + source.columns) * (1 << pixel_shift) - kUnitBytes;
  const bool behind =
      (end_y >= height) &
      (last_x / 16 * 16 + fetched > static_cast<int>(plane.stride_bytes));
  if (outside | behind) return PERDIX_INTER_CLAMPED;
  return kKinds[horizontal][vertical];
}

}  // namespace

class InterOrder::RunMaker {
 public:
  RunMaker(const FrameParams& params, const PlaneOffsets& target,
           std::span<const PictureView> references, InterOrder* order)
      : params_(params), references_(references), order_(order) {
    planes_[kLuma] = {0, 0, vp9::PlaneDecodedArea(params, kLuma),
                      target.luma_offset, target.luma_stride};
    planes_[kChroma] = {static_cast<int>(params.subsampling_x),
                        static_cast<int>(params.subsampling_y),
                        vp9::PlaneDecodedArea(params, kChroma),
                        target.chroma_offset, target.chroma_stride};
  }

  void Add(const InterBlock& block) {
    const uint32_t planes = InterPlanes(block.shape);
    if (planes & PERDIX_PLANES_LUMA) AddReferences<kLuma>(block);
    if (planes & PERDIX_PLANES_CHROMA) AddReferences<kChroma>(block);
  }

 private:
  struct PlaneTarget {
    int ss_x;
    int ss_y;
    vp9::DecodedArea area;
    uint32_t offset;  // bytes
    uint32_t stride;  // bytes
  };

  template <PlaneIndex kPlane>
  void AddReferences(const InterBlock& block) {
    AddPlane<kPlane>(block, InterRef0(block.shape), block.mv0, 0);
    if (InterRef1(block.shape) != PERDIX_REF_NONE) {
      AddPlane<kPlane>(block, InterRef1(block.shape), block.mv1, 1);
    }
  }

  template <PlaneIndex kPlane>
  void AddPlane(const InterBlock& block, uint32_t ref, uint32_t mv,
                uint32_t average) {
    const PlaneTarget& plane = planes_[kPlane];
    const int ss_x = kPlane == kLuma ? 0 : plane.ss_x;
    const int ss_y = kPlane == kLuma ? 0 : plane.ss_y;
    const ReferenceParams& reference = params_.references[ref];
    const int luma_x = static_cast<int>(PositionX4(block.position)) * 4;
    const int luma_y = static_cast<int>(PositionY4(block.position)) * 4;
    const int luma_width = static_cast<int>(InterWidth4(block.shape)) * 4;
    const int luma_height = static_cast<int>(InterHeight4(block.shape)) * 4;
    const bool sub8x8 = InterSub8x8(block.shape) != 0;
    const int x = luma_x >> ss_x;
    const int y = luma_y >> ss_y;
    const int width = std::min(luma_width >> ss_x, plane.area.width - x);
    const int height = std::min(luma_height >> ss_y, plane.area.height - y);
    if (width <= 0 || height <= 0) return;
    const Run run = {
        plane.offset + static_cast<uint32_t>(y) * plane.stride +
            static_cast<uint32_t>(x << kPixelShift<kPlane>),
        ReferencePosition(
            {luma_x, sub8x8 ? luma_x & ~7 : luma_x, sub8x8 ? 8 : luma_width,
             static_cast<int>(params_.mi_cols) * 8, ss_x},
            MvCol(mv), reference.x_scale),
        ReferencePosition(
            {luma_y, sub8x8 ? luma_y & ~7 : luma_y, sub8x8 ? 8 : luma_height,
             static_cast<int>(params_.mi_rows) * 8, ss_y},
            MvRow(mv), reference.y_scale),
        static_cast<uint16_t>(InterFilter(block.shape)),
        static_cast<uint16_t>(height),
        static_cast<uint32_t>(width << kPixelShift<kPlane>)};
    Bucket* const buckets =
        &order_->buckets_[((average * PERDIX_VP9_REFS + ref) * kPlaneCount +
                           kPlane) *
                          PERDIX_INTER_KINDS];
    const Plane& source = references_[ref].planes[kPlane];
    const uint32_t kind =
        KindOfRun(run, reference, source, kPixelShift<kPlane>);
    if (kind == PERDIX_INTER_CLAMPED) {
      AddUnits<kPlane>(run, plane, reference, source, buckets);
    } else if (kind == PERDIX_INTER_BOTH &&
               run.rows % PERDIX_INTER_TALL_ROWS == 0) {
      AddRun(run, PERDIX_INTER_BOTH_TALL, buckets);
    } else {
      AddRun(run, kind, buckets);
    }
  }

  static uint32_t KindOfRun(const Run& run, const ReferenceParams& reference,
                            const Plane& plane, int pixel_shift) {
    const int before = static_cast<int>(run.target % kUnitBytes);
    const int bytes = std::max(
        RoundUp(before + static_cast<int>(run.bytes), kUnitBytes) - before,
        kUnitBytes);
    return KindOf({run.x, run.y, bytes >> pixel_shift,
                   RoundUp(static_cast<int>(run.rows), kUnitRows)},
                  reference, plane, pixel_shift);
  }

  static void AddRun(const Run& run, uint32_t kind, Bucket* buckets) {
    buckets[kind].runs.push_back(run);
    buckets[kind].units +=
        UnitsOf(run.target, run.bytes, run.rows, InterUnitRowsOf(kind));
  }

  // A run near the border: each of its units has a kind of its own.
  template <PlaneIndex kPlane>
  static void AddUnits(const Run& run, const PlaneTarget& plane,
                       const ReferenceParams& reference, const Plane& source,
                       Bucket* buckets) {
    const int rows = run.rows;
    const int line_bytes = static_cast<int>(run.bytes);
    const int first_byte = static_cast<int>(run.target % kUnitBytes);
    for (int y = 0; y < rows; y += kUnitRows) {
      for (int at = 0, bytes; at < line_bytes; at += bytes) {
        bytes = BytesOfUnit(first_byte + at, line_bytes - at);
        const Run unit = {run.target + static_cast<uint32_t>(y) * plane.stride +
                              static_cast<uint32_t>(at),
                          run.x + (at >> kPixelShift<kPlane>)*static_cast<int>(
                                      reference.x_step),
                          run.y + y * static_cast<int>(reference.y_step),
                          run.filter,
                          static_cast<uint16_t>(std::min(kUnitRows, rows - y)),
                          static_cast<uint32_t>(bytes)};
        AddRun(unit, KindOfRun(unit, reference, source, kPixelShift<kPlane>),
               buckets);
      }
    }
  }

  const FrameParams& params_;
  const std::span<const PictureView> references_;
  InterOrder* const order_;
  std::array<PlaneTarget, kPlaneCount> planes_;
};

void InterOrder::Set(const FrameParams& params,
                     std::span<const TileInput> tiles,
                     const PlaneOffsets& target,
                     std::span<const PictureView> references) {
  for (Bucket& bucket : buckets_) {
    bucket.runs.clear();
    bucket.units = 0;
  }
  dispatches_.clear();
  size_ = 0;
  strides_ = {target.luma_stride, target.chroma_stride};
  std::copy_n(params.references, PERDIX_VP9_REFS, references_.begin());
  RunMaker maker(params, target, references, this);
  for (const TileInput& tile : tiles) {
    for (const InterBlock& block : tile.lists.inter_blocks) maker.Add(block);
  }

  bool second_pass = false;
  for (uint32_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i].units == 0) continue;
    const uint32_t kind = i % PERDIX_INTER_KINDS;
    const uint32_t workgroups =
        (buckets_[i].units + InterUnitsOfWorkgroup(kind) - 1) /
        InterUnitsOfWorkgroup(kind);
    const uint32_t average = i / (PERDIX_VP9_REFS * kPlaneKinds);
    const bool barrier = average != 0 && !second_pass;
    second_pass |= barrier;
    dispatches_.push_back({i / kPlaneKinds % PERDIX_VP9_REFS,
                           i / PERDIX_INTER_KINDS % kPlaneCount, kind, average,
                           barrier, size_, workgroups});
    size_ += workgroups * InterUnitsOfWorkgroup(kind);
  }
}

// Most runs are whole units, side by side.
InterUnit* InterOrder::WriteRow(const Run& run, InterUnit row, int x_step,
                                uint32_t pixel_shift, InterUnit* records) {
  const uint32_t end = row.target + run.bytes;
  if ((row.target | run.bytes) % kUnitBytes == 0) {
    const int step = (kUnitBytes >> pixel_shift) * x_step;
    for (; row.target < end; row.target += kUnitBytes, row.x += step) {
      *records++ = row;
    }
    return records;
  }
  const uint32_t rows = InterUnitRows(row.shape);
  while (row.target < end) {
    const uint32_t bytes =
        std::min(kUnitBytes - row.target % kUnitBytes, end - row.target);
    row.shape = PackInterUnitShape(run.filter, bytes / 4, rows);
    *records++ = row;
    row.target += bytes;
    row.x += static_cast<int>(bytes >> pixel_shift) * x_step;
  }
  return records;
}

void InterOrder::Write(InterUnit* records) const {
  for (uint32_t i = 0; i < buckets_.size(); ++i) {
    const Bucket& bucket = buckets_[i];
    const ReferenceParams& reference =
        references_[i / kPlaneKinds % PERDIX_VP9_REFS];
    const uint32_t plane = i / PERDIX_INTER_KINDS % kPlaneCount;
    const uint32_t kind = i % PERDIX_INTER_KINDS;
    const uint32_t unit_rows = InterUnitRowsOf(kind);
    const uint32_t stride = strides_[plane] * unit_rows;
    const int y_step = static_cast<int>(reference.y_step * unit_rows);
    const int x_step = static_cast<int>(reference.x_step);
    const uint32_t pixel_shift = plane == kLuma ? 0 : 1;
    for (const Run& run : bucket.runs) {
      InterUnit unit = {run.target, run.x, run.y, 0};
      for (uint32_t row = 0; row < run.rows; row += unit_rows) {
        unit.shape = PackInterUnitShape(run.filter, kUnitBytes / 4,
                                        std::min(unit_rows, run.rows - row));
        records = WriteRow(run, unit, x_step, pixel_shift, records);
        unit.target += stride;
        unit.y += y_step;
      }
    }
    const uint32_t padding = -bucket.units % InterUnitsOfWorkgroup(kind);
    records = std::fill_n(records, padding, InterUnit{});
  }
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

}  // namespace perdix::vulkan
