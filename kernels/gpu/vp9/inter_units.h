// SPDX-License-Identifier: BSD-2-Clause
// Inter blocks as units by what inter_pred.comp is specialised for.
#ifndef PERDIX_KERNELS_GPU_VP9_INTER_UNITS_H_
#define PERDIX_KERNELS_GPU_VP9_INTER_UNITS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/tile_input.h"
#include "kernels/plane.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

using gpu::TileInput;

struct InterDispatch {
  uint32_t reference;  // 0..2
  uint32_t plane;      // PlaneIndex
  uint32_t kind;       // PERDIX_INTER_*
  uint32_t average;
  bool barrier;
  uint32_t first;  // record
  uint32_t workgroups;
};

inline constexpr uint32_t InterUnitRowsOf(uint32_t kind) {
  return kind == PERDIX_INTER_BOTH_TALL ? PERDIX_INTER_TALL_ROWS
                                        : PERDIX_INTER_UNIT_ROWS;
}
// A lane has 4 rows, or a column of 8.
inline constexpr uint32_t InterUnitsOf(uint32_t lanes, uint32_t kind) {
  return lanes * 4 / InterUnitRowsOf(kind);
}

class InterUnits {
 public:
  // lanes: of a workgroup.
  explicit InterUnits(uint32_t lanes) : lanes_(lanes) {}

  // references: of each the plane sizes and strides.
  void Set(const FrameParams& params, const Params& vp9,
           std::span<const TileInput> tiles, const PlaneOffsets& target,
           std::span<const PictureView> references);
  uint32_t size() const { return size_; }
  std::span<const InterDispatch> dispatches() const { return dispatches_; }
  void Write(InterUnit* records) const;

 private:
  // Units side by side and below each other, of one kind: what becomes of a
  // block in one plane and from one reference.
  struct Run {
    uint32_t target;  // as in InterUnit, of the first unit
    int x;
    int y;
    uint16_t filter;
    uint16_t rows;
    uint32_t bytes;  // of a target line
  };
  struct Bucket {
    std::vector<Run> runs;
    uint32_t units = 0;  // of all runs, not padded
  };
  class RunMaker;
  // row: the first unit of a row of the run's. Returns the end of what it
  // wrote.
  static InterUnit* WriteRow(const Run& run, InterUnit row, int x_step,
                             int pixel_shift, InterUnit* records);
  static constexpr uint32_t kBuckets =
      2 * PERDIX_VP9_REFS * kPlaneCount * PERDIX_INTER_KINDS;

  uint32_t WorkgroupsOf(const Bucket& bucket, uint32_t kind) const;

  const uint32_t lanes_;
  uint32_t size_ = 0;
  std::array<Bucket, kBuckets> buckets_;  // [average][reference][plane][kind]
  std::vector<InterDispatch> dispatches_;
  // What Write needs to know of the frame.
  std::array<uint32_t, kPlaneCount> strides_ = {};  // of the target, bytes
  std::array<ReferenceScale, PERDIX_VP9_REFS> references_ = {};
  int sample_shift_ = 0;  // log2 of the bytes of a sample
};

// The constants of a dispatch; reference: its picture and where it lies.
InterConstants ConstantsOf(const Params& params, const InterDispatch& dispatch,
                           const PlaneOffsets& target,
                           const PlaneOffsets& layout,
                           const PictureView& reference);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_INTER_UNITS_H_
