// SPDX-License-Identifier: BSD-2-Clause
// VP9's stages as dispatches: see vulkan::GpuCodec.
#ifndef PERDIX_KERNELS_VULKAN_VP9_FRAME_RECORDER_H_
#define PERDIX_KERNELS_VULKAN_VP9_FRAME_RECORDER_H_

#include <memory>

#include "kernels/vulkan/gpu_codec.h"

namespace perdix::vp9 {

// Bit depth 8, chroma 4:2:0 or 4:4:4.
Status CheckGpuParams(const FrameParams& params);

std::unique_ptr<vulkan::CodecRecorder> MakeFrameRecorder(
    vulkan::PipelineIndex first_pipeline);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VULKAN_VP9_FRAME_RECORDER_H_
