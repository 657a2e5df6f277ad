// SPDX-License-Identifier: BSD-2-Clause
// What AV1's kernels on the GPU have in common: the frame's uniforms.
#ifndef PERDIX_KERNELS_GPU_AV1_FRAME_H_
#define PERDIX_KERNELS_GPU_AV1_FRAME_H_

#include "kernels/av1/lists.h"
#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/work.h"
#include "kernels/shared/av1/dispatch.h"

namespace perdix::av1 {

FrameUniforms UniformsOf(const FrameParams& params, const Params& av1);

// Stages the frame's uniforms, unless another kernel has.
void StageUniforms(const gpu::FrameInput& input, gpu::Work* work);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_FRAME_H_
