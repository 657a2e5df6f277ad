// SPDX-License-Identifier: BSD-2-Clause
// Owners of Vulkan objects, chains of structures, and VkResult as Status.
#ifndef PERDIX_KERNELS_VULKAN_HANDLE_H_
#define PERDIX_KERNELS_VULKAN_HANDLE_H_

#include <vulkan/vulkan.h>

#include <string>
#include <utility>

#include "kernels/status.h"

namespace perdix::vulkan {

// Owns an object of a device.
template <typename Object, auto kDestroy>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, Object object) : device_(device), object_(object) {}
  Handle(Handle&& other) noexcept { *this = std::move(other); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != VK_NULL_HANDLE) kDestroy(device_, object_, nullptr);
  }

  Object get() const { return object_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Object object_ = VK_NULL_HANDLE;
};

using BufferHandle = Handle<VkBuffer, vkDestroyBuffer>;
using CommandPoolHandle = Handle<VkCommandPool, vkDestroyCommandPool>;
using DescriptorPoolHandle = Handle<VkDescriptorPool, vkDestroyDescriptorPool>;
using MemoryHandle = Handle<VkDeviceMemory, vkFreeMemory>;
using PipelineCacheHandle = Handle<VkPipelineCache, vkDestroyPipelineCache>;
using PipelineHandle = Handle<VkPipeline, vkDestroyPipeline>;
using PipelineLayoutHandle = Handle<VkPipelineLayout, vkDestroyPipelineLayout>;
using QueryPoolHandle = Handle<VkQueryPool, vkDestroyQueryPool>;
using SemaphoreHandle = Handle<VkSemaphore, vkDestroySemaphore>;
using SetLayoutHandle =
    Handle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using ShaderModuleHandle = Handle<VkShaderModule, vkDestroyShaderModule>;

// Chains a structure of the given type before <next>.
template <typename Struct>
Struct Chained(VkStructureType type, void* next) {
  Struct made = {};
  made.sType = type;
  made.pNext = next;
  return made;
}

// Ok for success codes; the message says which call and its VkResult.
inline Status ToStatus(VkResult result, const char* call) {
  if (result >= VK_SUCCESS) return Status::Ok();
  const bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY ||
                      result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return Status(result == VK_ERROR_DEVICE_LOST ? StatusCode::kDeviceLost
                : memory                       ? StatusCode::kOutOfMemory
                                               : StatusCode::kUnsupported,
                std::string(call) + ": VkResult " + std::to_string(result));
}

// Calls a vkCreate* or vkAllocateMemory into an owner.
template <typename Object, auto kDestroy, typename Create, typename Info>
Status Make(VkDevice device, const char* call, Create create, const Info& info,
            Handle<Object, kDestroy>* handle) {
  Object object = VK_NULL_HANDLE;
  const VkResult result = create(device, &info, nullptr, &object);
  if (result >= VK_SUCCESS) *handle = {device, object};
  return ToStatus(result, call);
}

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_HANDLE_H_
