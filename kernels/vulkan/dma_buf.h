// SPDX-License-Identifier: BSD-2-Clause
// Buffers over memory of others: a dma-buf, imported.
#ifndef PERDIX_KERNELS_VULKAN_DMA_BUF_H_
#define PERDIX_KERNELS_VULKAN_DMA_BUF_H_

#include <cstddef>

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"

namespace perdix::vulkan {

// What Gpu::ImportDmaBuf does.
Status ImportDmaBuf(const Device& device, int fd, size_t size,
                    gpu::MemoryPtr* memory);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_DMA_BUF_H_
