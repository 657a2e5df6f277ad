// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/memory.h"

#include <algorithm>
#include <span>

namespace perdix::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kDeviceLocal =
    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCached =
    VK_MEMORY_PROPERTY_HOST_CACHED_BIT | kVisible;
constexpr VkMemoryPropertyFlags kCoherent =
    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | kVisible;
// Need features that are not enabled, or cannot hold buffers.
constexpr VkMemoryPropertyFlags kNever =
    VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;

struct Wish {
  VkMemoryPropertyFlags with;
  VkMemoryPropertyFlags without;
};

// Best first.
std::span<const Wish> WishesFor(MemoryUse use) {
  static constexpr Wish kDeviceWishes[] = {
      {kDeviceLocal, kVisible}, {kDeviceLocal, 0}, {0, 0}};
  static constexpr Wish kSharedWishes[] = {{kCached | kCoherent, 0},
                                           {kCached, 0}};
  static constexpr Wish kStagingWishes[] = {{kDeviceLocal | kCoherent, 0},
                                            {kCoherent, 0}};
  static constexpr Wish kReadbackWishes[] = {
      {kCached | kCoherent, 0}, {kCached, 0}, {kCoherent, 0}};
  switch (use) {
    case MemoryUse::kDevice:
      return kDeviceWishes;
    case MemoryUse::kShared:
      return kSharedWishes;
    case MemoryUse::kStaging:
      return kStagingWishes;
    case MemoryUse::kReadback:
      return kReadbackWishes;
  }
  return {};
}

const char* UseName(MemoryUse use) {
  constexpr const char* kNames[] = {"of the device", "cached by the host",
                                    "for staging", "for reading back"};
  return kNames[static_cast<int>(use)];
}

bool NeedsSync(const Buffer& buffer) {
  return buffer.data != nullptr &&
         (buffer.flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0;
}

VkMappedMemoryRange WholeRange(const Buffer& buffer) {
  VkMappedMemoryRange range = {};
  range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
  range.memory = buffer.memory.get();
  range.size = VK_WHOLE_SIZE;
  return range;
}

}  // namespace

std::optional<uint32_t> FindMemoryType(
    const VkPhysicalDeviceMemoryProperties& memory, uint32_t type_bits,
    MemoryUse use) {
  for (const Wish& wish : WishesFor(use)) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      if ((type_bits >> i & 1) != 0 && (flags & wish.with) == wish.with &&
          (flags & (wish.without | kNever)) == 0) {
        return i;
      }
    }
  }
  return std::nullopt;
}

Status MakeBufferHandle(const Device& device, VkDeviceSize size,
                        const void* next, BufferHandle* handle) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = next;
  info.size = size;
  info.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (device.traits.addresses) {
    info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  }
  return Make(device.handle, "vkCreateBuffer", vkCreateBuffer, info, handle);
}

Status MakeBuffer(const Device& device, VkDeviceSize size, MemoryUse use,
                  const char* name, Buffer* buffer) {
  constexpr VkDeviceSize kGranule = 256;  // bytes
  Buffer made;
  made.size =
      std::max((size + kGranule - 1) / kGranule, VkDeviceSize{1}) * kGranule;
  if (Status status =
          MakeBufferHandle(device, made.size, nullptr, &made.handle);
      !status.ok()) {
    return status;
  }
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device.handle, made.handle.get(),
                                &requirements);
  const std::optional<uint32_t> type =
      FindMemoryType(device.memory, requirements.memoryTypeBits, use);
  if (!type) {
    return {StatusCode::kUnsupported,
            device.identity.name + " has no memory " + UseName(use)};
  }
  made.flags = device.memory.memoryTypes[*type].propertyFlags;
  const VkMemoryAllocateFlagsInfo flags = AllocateFlags(device, nullptr);
  VkMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = *type;
  if (Status status = Make(device.handle, "vkAllocateMemory", vkAllocateMemory,
                           info, &made.memory);
      !status.ok()) {
    return status;
  }
  VkResult result = vkBindBufferMemory(device.handle, made.handle.get(),
                                       made.memory.get(), 0);
  if (result == VK_SUCCESS && (made.flags & kVisible) != 0) {
    void* data = nullptr;
    result = vkMapMemory(device.handle, made.memory.get(), 0, VK_WHOLE_SIZE, 0,
                         &data);
    made.data = static_cast<uint8_t*>(data);
  }
  if (Status status = ToStatus(result, "vkBindBufferMemory, vkMapMemory");
      !status.ok()) {
    return status;
  }
  device.Name(VK_OBJECT_TYPE_BUFFER,
              reinterpret_cast<uint64_t>(made.handle.get()), name);
  *buffer = std::move(made);
  return Status::Ok();
}

VkMemoryAllocateFlagsInfo AllocateFlags(const Device& device,
                                        const void* next) {
  VkMemoryAllocateFlagsInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  info.pNext = next;
  if (device.traits.addresses) {
    info.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  }
  return info;
}

VkDeviceAddress AddressOf(const Device& device, const Buffer& buffer) {
  VkBufferDeviceAddressInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer.handle.get();
  return vkGetBufferDeviceAddress(device.handle, &info);
}

// Neither fails but for want of memory, and then there is nothing better to do.
void Flush(const Device& device, const Buffer& buffer) {
  if (!NeedsSync(buffer)) return;
  const VkMappedMemoryRange range = WholeRange(buffer);
  vkFlushMappedMemoryRanges(device.handle, 1, &range);
}

void Invalidate(const Device& device, const Buffer& buffer) {
  if (!NeedsSync(buffer)) return;
  const VkMappedMemoryRange range = WholeRange(buffer);
  vkInvalidateMappedMemoryRanges(device.handle, 1, &range);
}

}  // namespace perdix::vulkan
