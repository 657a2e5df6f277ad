// SPDX-License-Identifier: BSD-2-Clause
// What several of VP9's kernels on the GPU have in common: how wide workgroups
// are, the frame's uniforms, and where the residual of intra blocks lies.
#ifndef PERDIX_KERNELS_GPU_VP9_FRAME_H_
#define PERDIX_KERNELS_GPU_VP9_FRAME_H_

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/program.h"
#include "kernels/gpu/work.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/status.h"

namespace perdix::vp9 {

// Chroma 4:2:0 or 4:4:4.
Status CheckGpuParams(const FrameParams& params);

// GPUs with subgroups of at least 32 lanes run many workgroups at once. Others
// are taken to be like V3D, which most likely runs one: it is as wide as its
// memory allows, up to a subgroup of 16 lanes for each of the Raspberry Pi 5's
// 12 QPUs (docs/v3d.md).
constexpr bool HasLargeSubgroups(const gpu::DeviceTraits& traits) {
  return traits.subgroup_size >= 32;
}
inline constexpr uint32_t kLanesOfOneWorkgroup = 192;

// The three residual planes, 16 bits a value whatever the bit depth.
size_t ResidualBytes(const FrameParams& params);

FrameUniforms UniformsOf(const FrameParams& params, const PlaneOffsets& target);

// Stages the frame's uniforms, unless another kernel has.
void StageUniforms(const gpu::FrameInput& input, gpu::Work* work);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_FRAME_H_
