// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/readback.h"

#include <cstring>

#include "kernels/vulkan/commands.h"

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

Status Readback::Copy(const Buffer& from, size_t offset,
                      std::span<uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  if (Status status = Reserve(bytes.size()); !status.ok()) return status;
  Record(from.handle.get(), copy_.handle.get(), {offset, 0, bytes.size()});
  if (Status status = queue_.SubmitAndWait(commands_); !status.ok()) {
    return status;
  }
  Invalidate(device_, copy_);
  std::memcpy(bytes.data(), copy_.data, bytes.size());
  return Status::Ok();
}

Status Readback::Write(const Buffer& to, size_t offset,
                       std::span<const uint8_t> bytes) {
  if (bytes.empty()) return Status::Ok();
  if (to.data != nullptr) {
    std::memcpy(to.data + offset, bytes.data(), bytes.size());
    Flush(device_, to);
    return Status::Ok();
  }
  const std::lock_guard lock(mutex_);
  if (Status status = Reserve(bytes.size()); !status.ok()) return status;
  std::memcpy(copy_.data, bytes.data(), bytes.size());
  Flush(device_, copy_);
  Record(copy_.handle.get(), to.handle.get(), {0, offset, bytes.size()});
  return queue_.SubmitAndWait(commands_);
}

Status Readback::Reserve(size_t size) {
  if (commands_ == VK_NULL_HANDLE) {
    if (Status status = MakeCommands(device_, &command_pool_, &commands_);
        !status.ok()) {
      return status;
    }
  }
  if (copy_.size >= size) return Status::Ok();
  return MakeBuffer(device_, size, MemoryUse::kReadback, "readback", &copy_);
}

void Readback::Record(VkBuffer from, VkBuffer to, const VkBufferCopy& region) {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vkResetCommandPool(device_.handle, command_pool_.get(), 0);
  vkBeginCommandBuffer(commands_, &begin);
  constexpr VkAccessFlags kShaders =
      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  constexpr VkAccessFlags kTransfer =
      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = kShaders;
  barrier.dstAccessMask = kTransfer;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  vkCmdCopyBuffer(commands_, from, to, 1, &region);
  barrier.srcAccessMask = kTransfer;
  barrier.dstAccessMask = kShaders | VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(
      commands_, VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
      &barrier, 0, nullptr, 0, nullptr);
  vkEndCommandBuffer(commands_);
}

}  // namespace perdix::vulkan
