// SPDX-License-Identifier: BSD-2-Clause
// What the CPU writes for a frame's shaders to read: a section for each
// binding, all of them in one buffer that grows.
#ifndef PERDIX_KERNELS_VULKAN_STAGING_H_
#define PERDIX_KERNELS_VULKAN_STAGING_H_

#include <array>
#include <span>

#include "kernels/shared/dispatch.h"
#include "kernels/vulkan/memory.h"

namespace perdix::vulkan {

class Staging {
 public:
  explicit Staging(const Device& device) : device_(device) {}

  struct Section {
    uint32_t binding;
    VkDeviceSize bytes;
  };
  // Memory for a frame's sections, uninitialised. Bindings that are not named
  // have a section that no shader reads. Fails with kUnsupported where a
  // section is larger than a shader can see, or with kOutOfMemory.
  Status Reserve(std::span<const Section> sections);

  // To be written once and from the first byte to the last: it may be uncached.
  uint8_t* At(uint32_t binding) {
    return buffer_.data + ranges_[binding].offset;
  }
  template <typename Item>
  Item* ItemsAt(uint32_t binding) {
    return reinterpret_cast<Item*>(At(binding));
  }

  // What to bind.
  VkDescriptorBufferInfo BufferOf(uint32_t binding) const;

 private:
  struct Range {
    VkDeviceSize offset;  // bytes
    VkDeviceSize size;
  };

  const Device& device_;
  Buffer buffer_;
  std::array<Range, PERDIX_BINDING_COUNT> ranges_ = {};
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_STAGING_H_
