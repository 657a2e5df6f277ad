// SPDX-License-Identifier: BSD-2-Clause
// Opening a device: what perdix needs of it, and its one queue.
#ifndef PERDIX_KERNELS_VULKAN_DEVICE_H_
#define PERDIX_KERNELS_VULKAN_DEVICE_H_

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/gpu/program.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/instance.h"

namespace perdix::vulkan {

// What shaders and kernels/vulkan need, against what a device has: kUnsupported
// with the name of the limit, what was got and what is needed.
Status CheckLimits(const VkPhysicalDeviceLimits& limits);

// Set by OpenDevice, constant afterwards.
struct Device {
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  // Names an object for the validation layer and for debuggers.
  void Name(VkObjectType type, uint64_t object, const char* name) const;

  std::unique_ptr<Instance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice handle = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t queue_family = 0;

  GpuIdentity identity;
  VkPhysicalDeviceProperties properties = {};
  VkPhysicalDeviceMemoryProperties memory = {};
  gpu::DeviceTraits traits;
  bool full_subgroups = false;       // can be asked for
  uint32_t timestamp_bits = 0;       // 0: the queue has none
  bool imports_dma_bufs = false;     // VK_EXT_external_memory_dma_buf
  bool imports_host_memory = false;  // VK_EXT_external_memory_host
  bool calibrates_clocks = false;    // CanCalibrateClocks
  PFN_vkSetDebugUtilsObjectNameEXT set_name = nullptr;  // if validated
};

// wanted: as GpuOptions::device.
Status OpenDevice(const std::string& wanted, bool validate,
                  std::unique_ptr<Device>* device);

// The devices that Gpu::List gives.
std::vector<GpuDescription> ListDevices(const std::string& wanted);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_DEVICE_H_
