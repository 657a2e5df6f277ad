// SPDX-License-Identifier: BSD-2-Clause
// Which Vulkan devices there are, in which order they are tried, and what each
// of them is.
#ifndef PERDIX_KERNELS_VULKAN_DEVICE_CHOICE_H_
#define PERDIX_KERNELS_VULKAN_DEVICE_CHOICE_H_

#include <vulkan/vulkan.h>

#include <string>
#include <vector>

#include "kernels/vulkan/gpu_identity.h"

namespace perdix::vulkan {

constexpr uint32_t kApiVersion = VK_API_VERSION_1_2;  // the least of a device

// Those that <wanted> (as GpuOptions::device) names, best first.
std::vector<VkPhysicalDevice> Candidates(VkInstance instance,
                                         const std::string& wanted);

// Without driver and node for a device that is older than kApiVersion.
GpuIdentity Identify(VkPhysicalDevice device);

bool HasExtension(VkPhysicalDevice device, const char* name);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_DEVICE_CHOICE_H_
