// SPDX-License-Identifier: BSD-2-Clause
// The Vulkan instance, with or without the Khronos validation layer.
#ifndef PERDIX_KERNELS_VULKAN_INSTANCE_H_
#define PERDIX_KERNELS_VULKAN_INSTANCE_H_

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "kernels/status.h"

namespace perdix::vulkan {

class Instance {
 public:
  // validate: with the layer, synchronization validation too; warnings and
  // errors are counted and go to stderr. Fails when the layer is not there.
  static Status Open(bool validate, std::unique_ptr<Instance>* instance);
  ~Instance();

  VkInstance get() const { return instance_; }
  bool validated() const { return messenger_ != VK_NULL_HANDLE; }
  uint64_t messages() const { return messages_; }

 private:
  Instance() = default;
  Status OpenMessenger();
  static VkBool32 VKAPI_PTR
  CountMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
               VkDebugUtilsMessageTypeFlagsEXT types,
               const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::atomic<uint64_t> messages_{0};
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_INSTANCE_H_
