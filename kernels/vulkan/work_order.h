// SPDX-License-Identifier: BSD-2-Clause
// Work lists in the order in which shaders want them: records grouped by what
// a dispatch is specialised for, padded to whole workgroups, and the list of
// dispatches. Pure CPU code, no Vulkan.
#ifndef PERDIX_KERNELS_VULKAN_WORK_ORDER_H_
#define PERDIX_KERNELS_VULKAN_WORK_ORDER_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/shared/dispatch.h"

namespace perdix::vulkan {

// The work lists of a tile column and where its coefficients begin in the
// coefficient buffer (16-bit units, a multiple of 8).
struct TileInput {
  WorkLists lists;
  uint32_t coefficient_base = 0;
};

// ---- inverse transform ----

struct TransformDispatch {
  uint32_t tx_size;    // 0..3: shader inverse_transform_<4 << tx_size>
  uint32_t transform;  // PERDIX_TRANSFORM_*
  uint32_t output;     // PERDIX_OUTPUT_*
  bool barrier;        // wait for the dispatches before this one
  uint32_t first;      // record
  uint32_t workgroups;
};

struct TransformOrder {
  std::vector<TransformBlock> records;
  std::vector<TransformDispatch> dispatches;
};

enum class TransformList { kInter, kIntra };

// kInter: added to the target. kIntra: stored in the residual planes.
TransformOrder OrderTransforms(const FrameParams& params,
                               std::span<const TileInput> tiles,
                               TransformList list);

// Where intra residual lies; the buffer has residual_values of 16 bits.
ResidualLayout LayOutResidual(const FrameParams& params,
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

struct InterOrder {
  std::vector<InterUnit> records;
  std::vector<InterDispatch> dispatches;
};

InterOrder OrderInter(const FrameParams& params,
                      std::span<const TileInput> tiles,
                      const PlaneOffsets& target,
                      std::span<const PictureView> references);

// The constants of a dispatch; reference: its picture and where it lies.
DispatchConstants InterConstants(const FrameParams& params,
                                 const InterDispatch& dispatch,
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

struct IntraOrder {
  std::vector<IntraBlock> records;
  std::vector<IntraWave> waves;  // a barrier before each
};

IntraOrder OrderIntra(const FrameParams& params,
                      std::span<const TileInput> tiles);

// ---- loop filter ----

struct LoopFilterStep {
  DispatchConstants constants;
  uint32_t workgroups;  // in x; 2 in y: luma, chroma
};

std::vector<LoopFilterStep> LoopFilterSteps(const FrameParams& params);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_WORK_ORDER_H_
