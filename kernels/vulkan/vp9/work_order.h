// SPDX-License-Identifier: BSD-2-Clause
// VP9's work lists in the order in which shaders want them: records grouped by
// what a dispatch is specialised for, padded to whole workgroups, and the list
// of dispatches. Pure CPU code, no Vulkan.
//
// An order is used for one frame after the other and keeps its memory. Set()
// groups the records and makes the dispatches; Write() puts size() records
// where shaders read them, each once and from the first to the last, because
// that memory may be uncached.
#ifndef PERDIX_KERNELS_VULKAN_VP9_WORK_ORDER_H_
#define PERDIX_KERNELS_VULKAN_VP9_WORK_ORDER_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/plane.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/vp9/lists.h"
#include "kernels/vulkan/tile_input.h"

namespace perdix::vp9 {

using vulkan::TileInput;

// ---- inverse transform ----

struct TransformDispatch {
  uint32_t tx_size;    // 0..3: shader inverse_transform_<4 << tx_size>
  uint32_t transform;  // PERDIX_TRANSFORM_*
  uint32_t output;     // PERDIX_OUTPUT_*
  bool barrier;        // wait for the dispatches before this one
  uint32_t first;      // record
  uint32_t workgroups;
};

inline constexpr uint32_t kTransformSizes = 4;

enum class TransformList { kInter, kIntra };

class TransformOrder {
 public:
  // kInter: added to the target. kIntra: stored in the residual planes.
  void Set(const Params& params, std::span<const TileInput> tiles,
           TransformList list);
  uint32_t size() const { return size_; }
  std::span<const TransformDispatch> dispatches() const { return dispatches_; }
  void Write(TransformBlock* records) const;

 private:
  static constexpr uint32_t kComponents = 3;
  static constexpr uint32_t kSizes = kTransformSizes;
  static constexpr uint32_t kTransforms = PERDIX_TRANSFORM_KINDS;

  void Group(const Params& params, std::span<const TileInput> tiles,
             TransformList list);

  uint32_t size_ = 0;
  // [component][size][transform], padded
  std::array<std::vector<TransformBlock>, kComponents * kSizes * kTransforms>
      buckets_;
  std::vector<TransformDispatch> dispatches_;
};

TransformConstants ConstantsOf(const FrameParams& params,
                               const TransformDispatch& dispatch,
                               const PlaneOffsets& target);

// Records of a workgroup.
inline constexpr uint32_t TransformsOfWorkgroup(uint32_t tx_size) {
  return (64 * PERDIX_TRANSFORM_LANE_ROWS(tx_size + 2)) >> (tx_size + 2);
}

// Where intra residual lies; the buffer has residual_values of 16 bits,
// whatever the bit depth.
ResidualLayout LayOutResidual(const FrameParams& params,
                              uint32_t* residual_values);

// What PERDIX_BINDING_FRAME holds. Sets *residual_values as LayOutResidual
// does.
FrameUniforms UniformsOf(const FrameParams& params, const PlaneOffsets& target,
                         uint32_t* residual_values);

// ---- inter prediction ----

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
inline constexpr uint32_t InterUnitsOfWorkgroup(uint32_t kind) {
  return 64 * 4 / InterUnitRowsOf(kind);
}

class InterOrder {
 public:
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

// What the tables buffer holds: [filter][fraction][tap / 2], half floats.
using SubpelTable = std::array<std::array<std::array<uint32_t, 4>, 16>, 4>;
const SubpelTable& SubpelFilters();

// ---- intra prediction ----

struct IntraWave {
  uint32_t first;  // record, one for each workgroup
  uint32_t count;
};

// The wave after which each 4x4 cell of a plane is final; 0: from the start.
class WaveGrid {
 public:
  // All cells become 0; they must be 0 already unless the size changes.
  void Resize(int width, int height);
  // The block's own wave: the first after all cells that it reads.
  uint16_t Place(const IntraBlock& block);
  // Cells of the block become 0 again.
  void Clear(const IntraBlock& block);

 private:
  template <typename Visit>
  void ForEach(int x, int y, int width, int height, const Visit& visit);
  uint16_t Highest(int x, int y, int width, int height);

  int width_ = 0;  // 4x4 cells
  int height_ = 0;
  // 16 bits: a wave is at most the columns plus twice the rows of the grid.
  std::vector<uint16_t> waves_;
};

class IntraOrder {
 public:
  void Set(const FrameParams& params, std::span<const TileInput> tiles);
  uint32_t size() const { return static_cast<uint32_t>(records_.size()); }
  // A barrier before each.
  std::span<const IntraWave> waves() const { return waves_; }
  void Write(IntraBlock* records) const;

 private:
  std::vector<IntraBlock> records_;
  std::vector<IntraWave> waves_;
  std::array<WaveGrid, kPlaneCount> grids_;
  std::vector<uint16_t> wave_of_;  // each record, tile after tile
  std::vector<uint32_t> next_;     // record of each wave
};

// ---- loop filter ----

struct LoopFilterStep {
  LoopFilterConstants constants;
  uint32_t workgroups;  // in x; 2 in y: luma, chroma
};

uint32_t LoopFilterStepCount(const FrameParams& params);
LoopFilterStep LoopFilterStepAt(const FrameParams& params, const Params& vp9,
                                const PlaneOffsets& target, uint32_t step);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VULKAN_VP9_WORK_ORDER_H_
