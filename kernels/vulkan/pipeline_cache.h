// SPDX-License-Identifier: BSD-2-Clause
// Compiled pipelines in a file, between runs.
#ifndef PERDIX_KERNELS_VULKAN_PIPELINE_CACHE_H_
#define PERDIX_KERNELS_VULKAN_PIPELINE_CACHE_H_

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/status.h"

namespace perdix::vulkan {

// What a driver left in the file; empty without a file. Fails when the file
// cannot be read, is damaged, or from another driver or device: drivers are not
// trusted to notice.
Status LoadPipelineCache(const std::string& file,
                         const VkPhysicalDeviceProperties& device,
                         std::vector<uint8_t>* content);

// Replaces the file, at once: a reader finds the old or the new one.
Status StorePipelineCache(const std::string& file,
                          std::span<const uint8_t> content);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_PIPELINE_CACHE_H_
