// SPDX-License-Identifier: BSD-2-Clause
// How often the branches of VP9's shaders are taken in a frame: what a model of
// a GPU cannot know from the dispatches.
#ifndef PERDIX_MEASURE_GPU_WORK_BRANCH_RATES_H_
#define PERDIX_MEASURE_GPU_WORK_BRANCH_RATES_H_

#include <array>
#include <cstdint>
#include <span>

#include "kernels/gpu/frame_input.h"

namespace perdix::measure {

// One plane and direction of the loop filter on subgroups of 16 lanes. A round
// is a subgroup's step over a cell of 8 pixels, on all of its lines: four cells
// side by side of luma, two of chroma.
struct EdgeRounds {
  uint64_t rounds = 0;
  // Rounds in which any line has an edge at the cell's border; one of at least
  // 8 or 16 samples; one in the cell's middle.
  uint64_t edge = 0;
  uint64_t edge_8 = 0;
  uint64_t edge_16 = 0;
  uint64_t inner = 0;
};

struct LoopFilterRounds {
  EdgeRounds luma_vertical;  // edges
  EdgeRounds luma_horizontal;
  EdgeRounds chroma_vertical;
  EdgeRounds chroma_horizontal;
};
// Zeros for a frame that is not filtered.
LoopFilterRounds CountLoopFilterRounds(const gpu::FrameInput& input);

struct IntraCounts {
  static constexpr uint32_t kSizes = 4;  // 4 << index pixels
  static constexpr uint32_t kModes = 10;
  std::array<std::array<uint64_t, kSizes>, kPlaneCount> blocks = {};
  std::array<uint64_t, kModes> modes = {};  // by IntraMode
  uint64_t with_residual = 0;

  uint64_t total() const;
};
IntraCounts CountIntra(const gpu::FrameInput& input);

// No block refers to another frame; of either codec.
bool IsIntraOnly(const gpu::FrameInput& input);

}  // namespace perdix::measure

#endif  // PERDIX_MEASURE_GPU_WORK_BRANCH_RATES_H_
