// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/device.h"

#include <array>
#include <vector>

#include "kernels/plane.h"
#include "kernels/shared/dispatch.h"
#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/device_choice.h"
#include "kernels/vulkan/handle.h"
#include "kernels/vulkan/timestamps.h"

namespace perdix::vulkan {
namespace {

Status Missing(const std::string& what) {
  return {StatusCode::kUnsupported, what};
}

// ---- what it must have ----

std::string VersionText(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}

Status FindQueue(Device* device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count,
                                           families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    device->queue_family = i;
    device->timestamp_bits = families[i].timestampValidBits;
    return Status::Ok();
  }
  return Missing("no queue for compute");
}

Status CheckProperties(Device* device) {
  auto floats = Chained<VkPhysicalDeviceFloatControlsProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES, nullptr);
  auto subgroup = Chained<VkPhysicalDeviceSubgroupProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &floats);
  auto all = Chained<VkPhysicalDeviceProperties2>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroup);
  vkGetPhysicalDeviceProperties2(device->physical, &all);
  device->properties = all.properties;
  device->traits.rounds_to_even =
      floats.shaderRoundingModeRTEFloat16 == VK_TRUE;
  constexpr VkSubgroupFeatureFlags kNeeded = VK_SUBGROUP_FEATURE_BASIC_BIT |
                                             VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                             VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  if ((subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0 ||
      (subgroup.supportedOperations & kNeeded) != kNeeded) {
    return Missing("subgroup operations: got " +
                   std::to_string(subgroup.supportedOperations) + ", needed " +
                   std::to_string(kNeeded) +
                   " (basic, ballot, shuffle) in compute");
  }
  // Lanes of a workgroup, 64, must be whole subgroups.
  const bool whole =
      subgroup.subgroupSize <= 64 && 64 % subgroup.subgroupSize == 0;
  device->traits.subgroup_size = whole ? subgroup.subgroupSize : 0;
  return CheckLimits(device->properties.limits);
}

Status CheckFeatures(Device* device) {
  auto vulkan13 = Chained<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, nullptr);
  const bool has_13 = device->properties.apiVersion >= VK_API_VERSION_1_3;
  auto addresses = Chained<VkPhysicalDeviceBufferDeviceAddressFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
      has_13 ? &vulkan13 : nullptr);
  auto timeline = Chained<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
      &addresses);
  auto all = Chained<VkPhysicalDeviceFeatures2>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &timeline);
  vkGetPhysicalDeviceFeatures2(device->physical, &all);
  if (!timeline.timelineSemaphore) return Missing("no timelineSemaphore");
  device->full_subgroups =
      vulkan13.computeFullSubgroups && vulkan13.subgroupSizeControl;
  device->traits.addresses = addresses.bufferDeviceAddress == VK_TRUE;
  return Status::Ok();
}

// ---- opening ----

// The useful extensions that the device has.
std::vector<const char*> Extensions(Device* device) {
  const auto has = [&](const char* name) {
    return HasExtension(device->physical, name);
  };
  std::vector<const char*> extensions;
  device->imports_dma_bufs =
      has(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME) &&
      has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  if (device->imports_dma_bufs) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
    extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  }
  device->imports_host_memory = has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (device->imports_host_memory) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  }
  device->calibrates_clocks =
      has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) &&
      CanCalibrateClocks(device->instance->get(), device->physical);
  if (device->calibrates_clocks) {
    extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  }
  return extensions;
}

Status CreateDevice(Device* device) {
  auto vulkan13 = Chained<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, nullptr);
  vulkan13.computeFullSubgroups = VK_TRUE;
  vulkan13.subgroupSizeControl = VK_TRUE;
  auto addresses = Chained<VkPhysicalDeviceBufferDeviceAddressFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
      device->full_subgroups ? &vulkan13 : nullptr);
  addresses.bufferDeviceAddress = device->traits.addresses;
  auto timeline = Chained<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
      &addresses);
  timeline.timelineSemaphore = VK_TRUE;
  const float priority = 1;
  auto queue_info = Chained<VkDeviceQueueCreateInfo>(
      VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr);
  queue_info.queueFamilyIndex = device->queue_family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  const std::vector<const char*> extensions = Extensions(device);
  auto info = Chained<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                          &timeline);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (Status status = ToStatus(
          vkCreateDevice(device->physical, &info, nullptr, &device->handle),
          "vkCreateDevice");
      !status.ok()) {
    return status;
  }
  vkGetDeviceQueue(device->handle, device->queue_family, 0, &device->queue);
  if (device->instance->validated()) {
    device->set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        vkGetDeviceProcAddr(device->handle, "vkSetDebugUtilsObjectNameEXT"));
  }
  return Status::Ok();
}

Status OpenCandidate(Device* device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device->physical, &properties);
  device->identity = Identify(device->physical);
  if (properties.apiVersion < kApiVersion) {
    return Missing("Vulkan: got " + VersionText(properties.apiVersion) +
                   ", needed " + VersionText(kApiVersion));
  }
  vkGetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
  using Step = Status (*)(Device*);
  for (const Step step :
       {&FindQueue, &CheckProperties, &CheckFeatures, &CreateDevice}) {
    if (Status status = step(device); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

Status CheckLimits(const VkPhysicalDeviceLimits& limits) {
  // V3D 7.1 has no more than these: shaders keep to them on every device.
  constexpr uint32_t kV3dStorageBuffers = 8;
  constexpr uint32_t kV3dPushConstantsBytes = 128;
  constexpr uint32_t kMostLanes = 256;  // of a workgroup: reduce.comp's
  static_assert(PERDIX_BINDING_COUNT - 2 <= kV3dStorageBuffers);
  static_assert(kPushConstants.size <= kV3dPushConstantsBytes);
  const struct {
    const char* name;
    uint64_t got;
    uint64_t needed;
  } checks[] = {
      {"maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations,
       kMostLanes},
      {"maxComputeWorkGroupSize[0]", limits.maxComputeWorkGroupSize[0],
       kMostLanes},
      {"maxComputeWorkGroupCount[0]", limits.maxComputeWorkGroupCount[0],
       65535},
      {"maxComputeWorkGroupCount[1]", limits.maxComputeWorkGroupCount[1],
       kPlaneCount},
      {"maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize, 16384},
      {"maxPerStageDescriptorStorageBuffers",
       limits.maxPerStageDescriptorStorageBuffers, PERDIX_BINDING_COUNT - 2},
      {"maxPerStageDescriptorUniformBuffers",
       limits.maxPerStageDescriptorUniformBuffers, 2},
      {"maxPushConstantsSize", limits.maxPushConstantsSize,
       kPushConstants.size},
      {"maxUniformBufferRange", limits.maxUniformBufferRange, kMaxUniformBytes},
      {"maxStorageBufferRange", limits.maxStorageBufferRange, 1u << 27},
  };
  for (const auto& check : checks) {
    if (check.got >= check.needed) continue;
    return Missing(std::string(check.name) + ": got " +
                   std::to_string(check.got) + ", needed " +
                   std::to_string(check.needed));
  }
  return Status::Ok();
}

Device::~Device() {
  if (handle == VK_NULL_HANDLE) return;
  vkDeviceWaitIdle(handle);
  vkDestroyDevice(handle, nullptr);
}

void Device::Name(VkObjectType type, uint64_t object, const char* name) const {
  if (set_name == nullptr) return;
  auto info = Chained<VkDebugUtilsObjectNameInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr);
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = name;
  set_name(handle, &info);
}

Status OpenDevice(const std::string& wanted, bool validate,
                  std::unique_ptr<Device>* device) {
  std::unique_ptr<Instance> instance;
  if (Status status = Instance::Open(validate, &instance); !status.ok()) {
    return status;
  }
  Status first(
      StatusCode::kUnsupported,
      wanted.empty() ? "no Vulkan device" : "no Vulkan device named " + wanted);
  bool first_said = false;
  for (VkPhysicalDevice physical : Candidates(instance->get(), wanted)) {
    auto made = std::make_unique<Device>();
    made->instance = std::move(instance);
    made->physical = physical;
    const Status status = OpenCandidate(made.get());
    if (status.ok()) {
      *device = std::move(made);
      return status;
    }
    if (!first_said) {
      first = {status.code(), made->identity.name + ": " + status.message()};
    }
    first_said = true;
    instance = std::move(made->instance);
  }
  return first;
}

std::vector<GpuDescription> ListDevices(const std::string& wanted) {
  std::vector<GpuDescription> list;
  std::unique_ptr<Instance> instance;
  if (!Instance::Open(false, &instance).ok()) return list;
  for (VkPhysicalDevice physical : Candidates(instance->get(), wanted)) {
    Device device;
    device.instance = std::move(instance);
    device.physical = physical;
    const Status status = OpenCandidate(&device);
    list.push_back({device.identity, status});
    instance = std::move(device.instance);
  }
  return list;
}

}  // namespace perdix::vulkan
