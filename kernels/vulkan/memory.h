// SPDX-License-Identifier: BSD-2-Clause
// Buffers with memory of their own: types of memory, mapping, coherence.
#ifndef PERDIX_KERNELS_VULKAN_MEMORY_H_
#define PERDIX_KERNELS_VULKAN_MEMORY_H_

#include <optional>

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {

enum class MemoryUse {
  kDevice,    // shaders only
  kShared,    // shaders, and the CPU in bulk
  kStaging,   // the CPU writes once and in order, shaders read
  kReadback,  // the GPU copies into it, the CPU reads
};

// The best type among <type_bits>; none: the device has nothing fit.
std::optional<uint32_t> FindMemoryType(
    const VkPhysicalDeviceMemoryProperties& memory, uint32_t type_bits,
    MemoryUse use);

// Mapped for its lifetime where the host can see it.
struct Buffer {
  MemoryHandle memory;  // outlives the buffer
  BufferHandle handle;
  VkDeviceSize size = 0;
  uint8_t* data = nullptr;
  VkMemoryPropertyFlags flags = 0;  // of the memory type
};

// At least <size> bytes and never none, so that any part can be bound.
Status MakeBuffer(const Device& device, VkDeviceSize size, MemoryUse use,
                  const char* name, Buffer* buffer);

// A buffer of exactly that many bytes, without memory.
Status MakeBufferHandle(const Device& device, VkDeviceSize size,
                        const void* next, BufferHandle* handle);

// For the memory of a buffer that shaders read by its address, where the device
// has that: to be chained into VkMemoryAllocateInfo.
VkMemoryAllocateFlagsInfo AllocateFlags(const Device& device, const void* next);

// Where shaders find the buffer; the device has addresses.
VkDeviceAddress AddressOf(const Device& device, const Buffer& buffer);

// Where the memory is cached by the host but not coherent: what the CPU wrote
// becomes visible to the GPU, and the other way round.
void Flush(const Device& device, const Buffer& buffer);
void Invalidate(const Device& device, const Buffer& buffer);

// What is behind every gpu::MemoryPtr of this library.
class Memory : public gpu::Memory {
 public:
  // source: what must outlive the buffer, if anything.
  Memory(Buffer buffer, size_t size, bool shared,
         std::shared_ptr<const void> source)
      : source_(std::move(source)),
        buffer_(std::move(buffer)),
        size_(size),
        shared_(shared) {}

  uint8_t* data() const override { return shared_ ? buffer_.data : nullptr; }
  size_t size() const override { return size_; }
  bool cached() const override {
    return (buffer_.flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0;
  }
  const Buffer& buffer() const { return buffer_; }

 private:
  const std::shared_ptr<const void> source_;
  const Buffer buffer_;
  const size_t size_;
  const bool shared_;
};

inline const Memory& MemoryOf(const gpu::Memory& memory) {
  return static_cast<const Memory&>(memory);
}

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_MEMORY_H_
