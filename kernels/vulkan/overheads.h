// SPDX-License-Identifier: BSD-2-Clause
// What submits, dispatches and barriers cost by themselves.
#ifndef PERDIX_KERNELS_VULKAN_OVERHEADS_H_
#define PERDIX_KERNELS_VULKAN_OVERHEADS_H_

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/submit_queue.h"

namespace perdix::vulkan {

// What Gpu::MeasureOverheads returns.
Status MeasureOverheads(const Device& device, SubmitQueue& queue,
                        GpuOverheads* overheads);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_OVERHEADS_H_
