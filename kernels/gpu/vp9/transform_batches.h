// SPDX-License-Identifier: BSD-2-Clause
// Transform blocks by what inverse_transform.comp is specialised for, in
// batches of whole workgroups.
#ifndef PERDIX_KERNELS_GPU_VP9_TRANSFORM_BATCHES_H_
#define PERDIX_KERNELS_GPU_VP9_TRANSFORM_BATCHES_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/program.h"
#include "kernels/gpu/tile_input.h"
#include "kernels/gpu/work.h"
#include "kernels/plane.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

using gpu::TileInput;

struct TransformDispatch {
  uint32_t tx_size;    // 0..3: 4 << this columns
  uint32_t transform;  // PERDIX_TRANSFORM_*
  uint32_t output;     // PERDIX_OUTPUT_*
  bool barrier;        // wait for the dispatches before this one
  uint32_t first;      // record
  uint32_t workgroups;
};

inline constexpr uint32_t kTransformSizes = 4;

enum class TransformList { kInter, kIntra };

class TransformBatches {
 public:
  explicit TransformBatches(const gpu::DeviceTraits& traits)
      : traits_(traits) {}

  // kInter: added to the target. kIntra: stored in the residual planes.
  void Set(const gpu::FrameInput& input, std::span<const TileInput> tiles,
           TransformList list);
  const gpu::DeviceTraits& traits() const { return traits_; }
  uint32_t size() const { return size_; }
  std::span<const TransformDispatch> dispatches() const { return dispatches_; }
  void Write(TransformBlock* records) const;

 private:
  static constexpr uint32_t kComponents = 3;
  static constexpr uint32_t kSizes = kTransformSizes;
  static constexpr uint32_t kTransforms = PERDIX_TRANSFORM_KINDS;

  void Group(const gpu::FrameInput& input, std::span<const TileInput> tiles,
             TransformList list);

  const gpu::DeviceTraits traits_;
  uint32_t size_ = 0;
  // [component][size][transform], padded
  std::array<std::vector<TransformBlock>, kComponents * kSizes * kTransforms>
      buckets_;
  std::vector<TransformDispatch> dispatches_;
};

// The programs that write to such places, PERDIX_OUTPUT_*, of a frame of such
// bit depth.
std::vector<gpu::Program> TransformPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth,
    std::initializer_list<uint32_t> outputs);

// Stages the batches' records, the uniforms and, unless another kernel has, the
// coefficients, and dispatches. tiles: those of batches.Set; both must stay.
void AddTransforms(const gpu::FrameInput& input,
                   const std::vector<TileInput>& tiles,
                   const TransformBatches& batches, gpu::Work* work);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_TRANSFORM_BATCHES_H_
