// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/device_choice.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/vulkan/drm_node.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {
namespace {

VkPhysicalDeviceProperties PropertiesOf(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  return properties;
}

GpuType TypeOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return GpuType::kDiscrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return GpuType::kIntegrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return GpuType::kVirtual;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return GpuType::kSoftware;
    default:
      return GpuType::kOther;
  }
}

// The lower, the better.
int Rank(VkPhysicalDevice device) {
  const GpuType type = TypeOf(PropertiesOf(device).deviceType);
  return int(std::min(type, GpuType::kSoftware));
}

// The number of its render node; none: it has none, or its driver does not say.
// The primary node tells nothing: on a Raspberry Pi it is the display's,
// another device.
std::optional<dev_t> RenderNumber(VkPhysicalDevice device) {
  if (PropertiesOf(device).apiVersion < kApiVersion ||
      !HasExtension(device, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME)) {
    return std::nullopt;
  }
  auto drm = Chained<VkPhysicalDeviceDrmPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT, nullptr);
  auto all = Chained<VkPhysicalDeviceProperties2>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &drm);
  vkGetPhysicalDeviceProperties2(device, &all);
  if (!drm.hasRender) return std::nullopt;
  return makedev(unsigned(drm.renderMajor), unsigned(drm.renderMinor));
}

bool IsNodeOf(VkPhysicalDevice device, const std::string& path) {
  struct stat node = {};
  return stat(path.c_str(), &node) == 0 && S_ISCHR(node.st_mode) &&
         RenderNumber(device) == node.st_rdev;
}

bool IsWanted(VkPhysicalDevice device, const std::string& wanted) {
  if (wanted.starts_with('/')) return IsNodeOf(device, wanted);
  const std::string name = PropertiesOf(device).deviceName;
  return name.find(wanted) != std::string::npos;
}

}  // namespace

std::vector<VkPhysicalDevice> Candidates(VkInstance instance,
                                         const std::string& wanted) {
  uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance, &count, devices.data());
  devices.resize(count);
  std::erase_if(devices, [&](VkPhysicalDevice device) {
    return !IsWanted(device, wanted);
  });
  std::stable_sort(
      devices.begin(), devices.end(),
      [](VkPhysicalDevice a, VkPhysicalDevice b) { return Rank(a) < Rank(b); });
  return devices;
}

GpuIdentity Identify(VkPhysicalDevice device) {
  const VkPhysicalDeviceProperties properties = PropertiesOf(device);
  GpuIdentity gpu;
  gpu.name = properties.deviceName;
  gpu.type = TypeOf(properties.deviceType);
  if (properties.apiVersion < kApiVersion) return gpu;
  auto driver = Chained<VkPhysicalDeviceDriverProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, nullptr);
  auto all = Chained<VkPhysicalDeviceProperties2>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver);
  vkGetPhysicalDeviceProperties2(device, &all);
  gpu.driver = std::string(driver.driverName) + " " + driver.driverInfo;
  if (const auto render = RenderNumber(device)) gpu.node = FindDrmNode(*render);
  return gpu;
}

bool HasExtension(VkPhysicalDevice device, const char* name) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data());
  return std::any_of(all.begin(), all.end(), [&](const auto& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

}  // namespace perdix::vulkan
