// SPDX-License-Identifier: BSD-2-Clause
// Copies between memory and the CPU: by the GPU where the CPU would read
// uncached or cannot reach.
#ifndef PERDIX_KERNELS_VULKAN_READBACK_H_
#define PERDIX_KERNELS_VULKAN_READBACK_H_

#include <cstdint>
#include <mutex>
#include <span>

#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/submit_queue.h"

namespace perdix::vulkan {

class Readback {
 public:
  // Both outlive this.
  Readback(const Device& device, SubmitQueue& queue)
      : device_(device), queue_(queue) {}

  // After all that was submitted before. Waits; one copy at a time.
  Status Read(const Buffer& from, size_t offset, std::span<uint8_t> bytes);
  // The other way round; what is submitted afterwards sees it. Waits.
  Status Write(const Buffer& to, size_t offset, std::span<const uint8_t> bytes);

 private:
  Status Copy(const Buffer& from, size_t offset, std::span<uint8_t> bytes);
  Status Reserve(size_t size);
  // What shaders did before it is done, what they do later sees it.
  void Record(VkBuffer from, VkBuffer to, const VkBufferCopy& region);

  const Device& device_;
  SubmitQueue& queue_;
  std::mutex mutex_;
  CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
  Buffer copy_;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_READBACK_H_
