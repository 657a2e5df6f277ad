// SPDX-License-Identifier: BSD-2-Clause
// Inter blocks as units by what inter_pred.comp is specialised for; motion
// vectors are clamped and scaled here, once for a block.
#include "kernels/gpu/vp9/inter_units.h"

#include <algorithm>

#include "kernels/vp9/reference_axis.h"

namespace perdix::vp9 {
namespace {

constexpr int kTapsAfter = kTaps - 1 - kTapsBefore;
constexpr int kUnitRows = PERDIX_INTER_UNIT_ROWS;
constexpr int kUnitBytes = PERDIX_INTER_UNIT_BYTES;
constexpr uint32_t kPlaneKinds = kPlaneCount * PERDIX_INTER_KINDS;

// Log2 of the bytes of a pixel: a sample, or a pair U, V.
constexpr int PixelShift(uint32_t plane, int sample_shift) {
  return sample_shift + (plane == kLuma ? 0 : 1);
}

int RoundUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
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

// pixel_shift: log2 of the bytes of a pixel.
uint32_t KindOf(const Source& source, const ReferenceScale& scale,
                const Plane& plane, int pixel_shift) {
  if (scale.x_step != kSubpelPositions || scale.y_step != kSubpelPositions) {
    return PERDIX_INTER_SCALED;
  }
  // Without branches that depend on the vector: nobody could foretell them.
  static constexpr uint32_t kKinds[2][2] = {
      {PERDIX_INTER_COPY, PERDIX_INTER_VERTICAL},
      {PERDIX_INTER_HORIZONTAL, PERDIX_INTER_BOTH}};
  const int horizontal = (source.x & kSubpelMask) != 0;
  const int vertical = (source.y & kSubpelMask) != 0;
  const int first_x = source.x >> kSubpelBits;
  const int first_y = source.y >> kSubpelBits;
  const int x = first_x - kTapsBefore * horizontal;
  const int y = first_y - kTapsBefore * vertical;
  const int end_x = first_x + source.columns + kTapsAfter * horizontal;
  const int end_y = first_y + source.rows + kTapsAfter * vertical;
  const int width = static_cast<int>(plane.width);
  const int height = static_cast<int>(plane.height);
  const bool outside = ((x | y | (width - end_x) | (height - end_y)) < 0);
  // Fetched in 16 bytes; what lies behind a row is there, except the last.
  const int fetched = 32 + 16 * horizontal * pixel_shift;
  const int last_x = (x + source.columns) * (1 << pixel_shift) - kUnitBytes;
  const bool behind =
      (end_y >= height) &
      (last_x / 16 * 16 + fetched > static_cast<int>(plane.stride_bytes));
  if (outside | behind) return PERDIX_INTER_CLAMPED;
  return kKinds[horizontal][vertical];
}

}  // namespace

class InterUnits::RunMaker {
 public:
  RunMaker(const FrameParams& params, const Params& vp9,
           const PlaneOffsets& target, std::span<const PictureView> references,
           InterUnits* units)
      : params_(params),
        vp9_(vp9),
        references_(references),
        units_(units),
        planes_{{{target.luma_offset, target.luma_stride},
                 {target.chroma_offset, target.chroma_stride}}} {}

  void Add(const InterBlock& block) {
    const uint32_t planes = InterPlanes(block.shape);
    if (planes & PERDIX_PLANES_LUMA) AddReferences<kLuma>(block);
    if (planes & PERDIX_PLANES_CHROMA) AddReferences<kChroma>(block);
  }

 private:
  struct PlaneTarget {
    uint32_t offset;  // bytes
    uint32_t stride;  // bytes
  };

  template <PlaneIndex kPlane>
  void AddReferences(const InterBlock& block) {
    const PlaneBlock located = LocateBlock(params_, block, kPlane);
    if (located.x.size <= 0 || located.y.size <= 0) return;
    AddReference<kPlane>(block, located, InterRef0(block.shape), block.mv0, 0);
    if (InterRef1(block.shape) == PERDIX_REF_NONE) return;
    AddReference<kPlane>(block, located, InterRef1(block.shape), block.mv1, 1);
  }

  template <PlaneIndex kPlane>
  void AddReference(const InterBlock& block, const PlaneBlock& located,
                    uint32_t ref, uint32_t mv, uint32_t average) {
    const PlaneTarget& target = planes_[kPlane];
    const ReferenceScale& scale = vp9_.references[ref];
    const int pixel_shift = PixelShift(kPlane, units_->sample_shift_);
    const Run run = {
        target.offset +
            static_cast<uint32_t>(located.y.Position()) * target.stride +
            static_cast<uint32_t>(located.x.Position() << pixel_shift),
        ReferenceAxis(located.x, MvCol(mv), scale.x_scale, scale.x_step).start,
        ReferenceAxis(located.y, MvRow(mv), scale.y_scale, scale.y_step).start,
        static_cast<uint16_t>(InterFilter(block.shape)),
        static_cast<uint16_t>(located.y.size),
        static_cast<uint32_t>(located.x.size << pixel_shift)};
    Bucket* const buckets =
        &units_->buckets_[((average * PERDIX_VP9_REFS + ref) * kPlaneCount +
                           kPlane) *
                          PERDIX_INTER_KINDS];
    const Plane& source = references_[ref].planes[kPlane];
    const uint32_t kind = KindOfRun(run, scale, source, pixel_shift);
    if (kind == PERDIX_INTER_CLAMPED) {
      AddUnits(run, target.stride, scale, source, pixel_shift, buckets);
    } else if (kind == PERDIX_INTER_BOTH &&
               run.rows % PERDIX_INTER_TALL_ROWS == 0) {
      AddRun(run, PERDIX_INTER_BOTH_TALL, buckets);
    } else {
      AddRun(run, kind, buckets);
    }
  }

  static uint32_t KindOfRun(const Run& run, const ReferenceScale& scale,
                            const Plane& plane, int pixel_shift) {
    const int before = static_cast<int>(run.target % kUnitBytes);
    const int bytes = std::max(
        RoundUp(before + static_cast<int>(run.bytes), kUnitBytes) - before,
        kUnitBytes);
    return KindOf({run.x, run.y, bytes >> pixel_shift,
                   RoundUp(static_cast<int>(run.rows), kUnitRows)},
                  scale, plane, pixel_shift);
  }

  static void AddRun(const Run& run, uint32_t kind, Bucket* buckets) {
    buckets[kind].runs.push_back(run);
    buckets[kind].units +=
        UnitsOf(run.target, run.bytes, run.rows, InterUnitRowsOf(kind));
  }

  // A run near the border: each of its units has a kind of its own.
  static void AddUnits(const Run& run, uint32_t target_stride,
                       const ReferenceScale& scale, const Plane& source,
                       int pixel_shift, Bucket* buckets) {
    const int rows = run.rows;
    const int line_bytes = static_cast<int>(run.bytes);
    const int first_byte = static_cast<int>(run.target % kUnitBytes);
    for (int y = 0; y < rows; y += kUnitRows) {
      for (int at = 0, bytes; at < line_bytes; at += bytes) {
        bytes = BytesOfUnit(first_byte + at, line_bytes - at);
        const Run unit = {
            run.target + static_cast<uint32_t>(y) * target_stride +
                static_cast<uint32_t>(at),
            run.x + (at >> pixel_shift) * static_cast<int>(scale.x_step),
            run.y + y * static_cast<int>(scale.y_step),
            run.filter,
            static_cast<uint16_t>(std::min(kUnitRows, rows - y)),
            static_cast<uint32_t>(bytes)};
        AddRun(unit, KindOfRun(unit, scale, source, pixel_shift), buckets);
      }
    }
  }

  const FrameParams& params_;
  const Params& vp9_;
  const std::span<const PictureView> references_;
  InterUnits* const units_;
  const std::array<PlaneTarget, kPlaneCount> planes_;
};

void InterUnits::Set(const FrameParams& params, const Params& vp9,
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
  std::copy_n(vp9.references, PERDIX_VP9_REFS, references_.begin());
  sample_shift_ = SampleBytes(params) == 1 ? 0 : 1;
  RunMaker maker(params, vp9, target, references, this);
  for (const TileInput& tile : tiles) {
    for (const InterBlock& block : tile.lists.Of(kInterBlocks)) {
      maker.Add(block);
    }
  }

  bool second_pass = false;
  for (uint32_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i].units == 0) continue;
    const uint32_t kind = i % PERDIX_INTER_KINDS;
    const uint32_t workgroups = WorkgroupsOf(buckets_[i], kind);
    const uint32_t average = i / (PERDIX_VP9_REFS * kPlaneKinds);
    const bool barrier = average != 0 && !second_pass;
    second_pass |= barrier;
    dispatches_.push_back({i / kPlaneKinds % PERDIX_VP9_REFS,
                           i / PERDIX_INTER_KINDS % kPlaneCount, kind, average,
                           barrier, size_, workgroups});
    size_ += workgroups * InterUnitsOf(lanes_, kind);
  }
}

uint32_t InterUnits::WorkgroupsOf(const Bucket& bucket, uint32_t kind) const {
  const uint32_t units = InterUnitsOf(lanes_, kind);
  return (bucket.units + units - 1) / units;
}

// Most runs are whole units, side by side.
InterUnit* InterUnits::WriteRow(const Run& run, InterUnit row, int x_step,
                                int pixel_shift, InterUnit* records) {
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

void InterUnits::Write(InterUnit* records) const {
  for (uint32_t i = 0; i < buckets_.size(); ++i) {
    const Bucket& bucket = buckets_[i];
    const ReferenceScale& scale =
        references_[i / kPlaneKinds % PERDIX_VP9_REFS];
    const uint32_t plane = i / PERDIX_INTER_KINDS % kPlaneCount;
    const uint32_t kind = i % PERDIX_INTER_KINDS;
    const uint32_t unit_rows = InterUnitRowsOf(kind);
    const uint32_t stride = strides_[plane] * unit_rows;
    const int y_step = static_cast<int>(scale.y_step * unit_rows);
    const int x_step = static_cast<int>(scale.x_step);
    const int pixel_shift = PixelShift(plane, sample_shift_);
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
    const uint32_t padding =
        WorkgroupsOf(bucket, kind) * InterUnitsOf(lanes_, kind) - bucket.units;
    records = std::fill_n(records, padding, InterUnit{});
  }
}

InterConstants ConstantsOf(const Params& params, const InterDispatch& dispatch,
                           const PlaneOffsets& target,
                           const PlaneOffsets& layout,
                           const PictureView& reference) {
  const bool luma = dispatch.plane == kLuma;
  const Plane& plane = reference.planes[dispatch.plane];
  InterConstants constants = {};
  constants.first = dispatch.first;
  constants.source_offset = luma ? layout.luma_offset : layout.chroma_offset;
  constants.source_stride = luma ? layout.luma_stride : layout.chroma_stride;
  constants.source_last_x = static_cast<int>(plane.width) - 1;
  constants.source_last_y = static_cast<int>(plane.height) - 1;
  constants.target_stride = luma ? target.luma_stride : target.chroma_stride;
  constants.x_step = params.references[dispatch.reference].x_step;
  constants.y_step = params.references[dispatch.reference].y_step;
  constants.source_shift = reference.shift;
  return constants;
}

}  // namespace perdix::vp9
