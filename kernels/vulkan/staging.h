// SPDX-License-Identifier: BSD-2-Clause
// What the CPU writes for a frame's shaders to read: a section for each
// binding, all of them in one buffer that grows.
#ifndef PERDIX_KERNELS_VULKAN_STAGING_H_
#define PERDIX_KERNELS_VULKAN_STAGING_H_

#include <array>

#include "kernels/gpu/work.h"
#include "kernels/shared/dispatch.h"
#include "kernels/vulkan/memory.h"

namespace perdix::vulkan {

class Staging {
 public:
  explicit Staging(const Device& device) : device_(device) {}

  // Writes a frame's sections, with addresses of the input's pictures. Bindings
  // without one have a section that no shader reads. Fails with kUnsupported
  // where a section is larger than a shader can see, or with kOutOfMemory.
  Status Write(const gpu::Work& work, const gpu::FrameInput& input);

  // What to bind.
  VkDescriptorBufferInfo BufferOf(uint32_t binding) const;

 private:
  Status Reserve(const gpu::Work& work);

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
