// SPDX-License-Identifier: BSD-2-Clause
// The one descriptor set layout of all shaders (kernels/shared/dispatch.h) as
// Vulkan wants it. No Vulkan call is made here.
#ifndef PERDIX_KERNELS_VULKAN_BINDINGS_H_
#define PERDIX_KERNELS_VULKAN_BINDINGS_H_

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>

#include "kernels/shared/dispatch.h"

namespace perdix::vulkan {

inline constexpr VkDescriptorType DescriptorType(uint32_t binding) {
  return binding == PERDIX_BINDING_FRAME || binding == PERDIX_BINDING_TABLES
             ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
             : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

inline constexpr std::array<VkDescriptorSetLayoutBinding, PERDIX_BINDING_COUNT>
LayoutBindings() {
  std::array<VkDescriptorSetLayoutBinding, PERDIX_BINDING_COUNT> bindings = {};
  for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
    bindings[i] = {i, DescriptorType(i), 1, VK_SHADER_STAGE_COMPUTE_BIT,
                   nullptr};
  }
  return bindings;
}

// The most bytes of a uniform buffer; every device has as much.
inline constexpr uint32_t kMaxUniformBytes = 16384;

inline constexpr VkPushConstantRange kPushConstants = {
    VK_SHADER_STAGE_COMPUTE_BIT, 0, PERDIX_PUSH_CONSTANT_BYTES};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_BINDINGS_H_
