// SPDX-License-Identifier: BSD-2-Clause
// A command buffer with a pool of its own, so that resetting the pool empties
// it, whichever thread records next.
#ifndef PERDIX_KERNELS_VULKAN_COMMANDS_H_
#define PERDIX_KERNELS_VULKAN_COMMANDS_H_

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {

// commands: the pool's, gone with it.
Status MakeCommands(const Device& device, CommandPoolHandle* pool,
                    VkCommandBuffer* commands);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_COMMANDS_H_
