// SPDX-License-Identifier: BSD-2-Clause
// What a GPU is: for people, and for who must tell two equal ones apart.
#ifndef PERDIX_KERNELS_VULKAN_GPU_IDENTITY_H_
#define PERDIX_KERNELS_VULKAN_GPU_IDENTITY_H_

#include <string>

namespace perdix::vulkan {

// A GPU as Linux knows it. All empty: it has no node, or its Vulkan driver does
// not say which.
struct DrmNode {
  std::string path;    // /dev/dri/renderD128; its number may change at a reboot
  std::string driver;  // the kernel's driver and its version: v3d 1.0.0
  // Where the GPU sits, which stays: pci-0000:01:00.0, or platform- and what
  // the device tree calls it.
  std::string place;
};

enum class GpuType { kDiscrete, kIntegrated, kVirtual, kSoftware, kOther };
const char* TypeName(GpuType type);  // discrete, ..., as D-Bus has it

struct GpuIdentity {
  std::string name;    // of the device, as Vulkan gives it
  std::string driver;  // of Vulkan: name and version
  GpuType type = GpuType::kOther;
  DrmNode node;  // kSoftware has none
};

// "/dev/dri/renderD128 by v3d 1.0.0", or why there is no node.
std::string NodeText(const GpuIdentity& gpu);
// All in one line: name, driver, node.
std::string ToString(const GpuIdentity& gpu);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_GPU_IDENTITY_H_
