// SPDX-License-Identifier: BSD-2-Clause
// VP9's row of GpuCodecs.
#ifndef PERDIX_KERNELS_VULKAN_VP9_CODEC_H_
#define PERDIX_KERNELS_VULKAN_VP9_CODEC_H_

#include "kernels/vulkan/gpu_codec.h"
#include "kernels/vulkan/vp9/frame_recorder.h"
#include "kernels/vulkan/vp9/pipelines.h"

namespace perdix::vp9 {

inline constexpr vulkan::GpuCodec kGpuCodec = {
    KernelId::kVp9InterPred, KernelId::kVp9LoopFilter, CheckGpuParams,
    PipelinesFor, MakeFrameRecorder};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VULKAN_VP9_CODEC_H_
