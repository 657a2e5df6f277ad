// SPDX-License-Identifier: BSD-2-Clause
// Inter blocks as units, in lists by what the shaders are specialised for;
// vectors are scaled and warps are projected here, once for a block or an 8x8.
#ifndef PERDIX_KERNELS_GPU_AV1_INTER_UNITS_H_
#define PERDIX_KERNELS_GPU_AV1_INTER_UNITS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/gpu/tile_input.h"
#include "kernels/plane.h"
#include "kernels/shared/av1/inter_dispatch.h"
#include "kernels/status.h"

namespace perdix::av1 {

// What a prediction becomes, in the order in which this is done.
enum class InterOutput : uint32_t { kTarget, kScratch, kAbove, kLeft };
inline constexpr uint32_t kInterOutputs = 4;

// Sources without warps, and outputs that a warp has.
inline constexpr uint32_t kVectorSources = PERDIX_PREDICT_WARP;
inline constexpr uint32_t kWarpOutputs = 2;

// Where the planes of the target and of the references lie.
struct InterPictures {
  PlaneOffsets target;
  // Sizes and strides; no planes where there is no reference.
  std::array<PictureView, PERDIX_AV1_REFS> references;
};

// Keeps its memory from frame to frame.
class InterUnits {
 public:
  // Fails with kMissingReference.
  Status Set(const FrameParams& params, const Params& av1,
             std::span<const WorkLists> tiles, const InterPictures& pictures);

  bool empty() const { return empty_; }
  std::span<const PredictUnit> Predicted(InterOutput output, uint32_t plane,
                                         uint32_t source) const {
    return predicted_[size_t(output)][plane][source];
  }
  std::span<const WarpUnit> Warped(InterOutput output, uint32_t plane) const {
    return warped_[size_t(output)][plane];
  }
  // weights: PERDIX_BLEND_*.
  std::span<const BlendUnit> Blended(uint32_t plane, uint32_t weights) const {
    return blended_[plane][weights];
  }
  // Words that predictions take in the scratch memory.
  uint64_t scratch_words() const { return scratch_words_; }

 private:
  class Maker;
  void Clear();

  bool empty_ = true;
  uint64_t scratch_words_ = 0;
  std::vector<PredictUnit> predicted_[kInterOutputs][kPlaneCount]
                                     [kVectorSources];
  std::vector<WarpUnit> warped_[kWarpOutputs][kPlaneCount];
  std::vector<BlendUnit> blended_[kPlaneCount][PERDIX_BLENDS];
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_INTER_UNITS_H_
