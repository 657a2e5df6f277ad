// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/readback.h"

#include <cstring>

namespace perdix::vulkan {

Status Readback::Read(const Buffer& from, size_t offset,
                      std::span<uint8_t> bytes) {
  if (bytes.empty()) return Status::Ok();
  if (from.data == nullptr ||
      (from.flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) == 0) {
    return Copy(from, offset, bytes);
  }
  Invalidate(device_, from);
  std::memcpy(bytes.data(), from.data + offset, bytes.size());
  return Status::Ok();
}

Status Readback::Open() {
  VkCommandPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = device_.queue_family;
  if (Status status = Make(device_.handle, "vkCreateCommandPool",
                           vkCreateCommandPool, pool_info, &command_pool_);
      !status.ok()) {
    return status;
  }
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = command_pool_.get();
  info.commandBufferCount = 1;
  return ToStatus(vkAllocateCommandBuffers(device_.handle, &info, &commands_),
                  "vkAllocateCommandBuffers");
}

Status Readback::Copy(const Buffer& from, size_t offset,
                      std::span<uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  if (commands_ == VK_NULL_HANDLE) {
    if (Status status = Open(); !status.ok()) return status;
  }
  if (copy_.size < bytes.size()) {
    if (Status status = MakeBuffer(device_, bytes.size(), MemoryUse::kReadback,
                                   "readback", &copy_);
        !status.ok()) {
      return status;
    }
  }
  Record(from, offset, bytes.size());
  if (Status status = queue_.SubmitAndWait(commands_); !status.ok()) {
    return status;
  }
  Invalidate(device_, copy_);
  std::memcpy(bytes.data(), copy_.data, bytes.size());
  return Status::Ok();
}

void Readback::Record(const Buffer& from, size_t offset, size_t size) {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vkResetCommandPool(device_.handle, command_pool_.get(), 0);
  vkBeginCommandBuffer(commands_, &begin);
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  const VkBufferCopy region = {offset, 0, size};
  vkCmdCopyBuffer(commands_, from.handle.get(), copy_.handle.get(), 1, &region);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                       0, nullptr);
  vkEndCommandBuffer(commands_);
}

}  // namespace perdix::vulkan
