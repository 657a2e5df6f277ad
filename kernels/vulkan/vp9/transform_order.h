// SPDX-License-Identifier: BSD-2-Clause
// Transform blocks by what inverse_transform.comp is specialised for
// (work_order.h).
#ifndef PERDIX_KERNELS_VULKAN_VP9_TRANSFORM_ORDER_H_
#define PERDIX_KERNELS_VULKAN_VP9_TRANSFORM_ORDER_H_

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

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VULKAN_VP9_TRANSFORM_ORDER_H_
