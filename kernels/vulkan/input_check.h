// SPDX-License-Identifier: BSD-2-Clause
// Whether a frame can run: what the shaders rely on, checked before anything is
// written.
#ifndef PERDIX_KERNELS_VULKAN_INPUT_CHECK_H_
#define PERDIX_KERNELS_VULKAN_INPUT_CHECK_H_

#include <cstdint>
#include <span>

#include "kernels/vulkan/gpu.h"

namespace perdix::vulkan {

// Whether the kernel has shaders that take such frames: else kUnsupported.
Status CheckParams(KernelId kernel, const FrameParams& params);

// Params, stages and pictures; what only the codec knows is CodecRecorder's.
// max_range: maxStorageBufferRange of the device, bytes. Messages name the
// field, what was got and what is allowed.
Status CheckInput(const GpuFrameInput& input, std::span<const KernelId> stages,
                  uint64_t max_range);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_INPUT_CHECK_H_
