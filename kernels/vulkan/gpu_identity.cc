// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/gpu_identity.h"

namespace perdix::vulkan {

const char* TypeName(GpuType type) {
  switch (type) {
    case GpuType::kDiscrete:
      return "discrete";
    case GpuType::kIntegrated:
      return "integrated";
    case GpuType::kVirtual:
      return "virtual";
    case GpuType::kSoftware:
      return "software";
    default:
      return "other";
  }
}

std::string NodeText(const GpuIdentity& gpu) {
  if (gpu.type == GpuType::kSoftware) return "software, no render node";
  if (gpu.node.path.empty()) return "render node unknown";
  return gpu.node.driver.empty() ? gpu.node.path
                                 : gpu.node.path + " by " + gpu.node.driver;
}

std::string ToString(const GpuIdentity& gpu) {
  // A device that Vulkan cannot open may have no driver's name.
  const std::string driver = gpu.driver.empty() ? "" : ", " + gpu.driver;
  return gpu.name + driver + ", " + NodeText(gpu);
}

}  // namespace perdix::vulkan
