// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/commands.h"

namespace perdix::vulkan {

Status MakeCommands(const Device& device, CommandPoolHandle* pool,
                    VkCommandBuffer* commands) {
  VkCommandPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool_info.queueFamilyIndex = device.queue_family;
  if (Status status = Make(device.handle, "vkCreateCommandPool",
                           vkCreateCommandPool, pool_info, pool);
      !status.ok()) {
    return status;
  }
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool->get();
  info.commandBufferCount = 1;
  return ToStatus(vkAllocateCommandBuffers(device.handle, &info, commands),
                  "vkAllocateCommandBuffers");
}

}  // namespace perdix::vulkan
