// SPDX-License-Identifier: BSD-2-Clause
// What several of VP9's kernels on the GPU have in common: the frame's
// uniforms, and where the residual of intra blocks lies.
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

using gpu::HasLargeSubgroups;
using gpu::kLanesOfOneWorkgroup;

// The three residual planes, 16 bits a value whatever the bit depth.
size_t ResidualBytes(const FrameParams& params);

FrameUniforms UniformsOf(const FrameParams& params, const PlaneOffsets& target);

// Stages the frame's uniforms, unless another kernel has.
void StageUniforms(const gpu::FrameInput& input, gpu::Work* work);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_FRAME_H_
