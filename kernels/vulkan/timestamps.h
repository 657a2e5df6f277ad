// SPDX-License-Identifier: BSD-2-Clause
// When each stage of a frame ran, by the GPU's own clock.
#ifndef PERDIX_KERNELS_VULKAN_TIMESTAMPS_H_
#define PERDIX_KERNELS_VULKAN_TIMESTAMPS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {

// Whether a device with VK_EXT_calibrated_timestamps tells its own time and
// CLOCK_MONOTONIC at the same moment.
bool CanCalibrateClocks(VkInstance instance, VkPhysicalDevice device);

class Timestamps {
 public:
  explicit Timestamps(const Device& device) : device_(device) {}

  Status Open();

  // Nothing, where the device has no timestamps: before the first stage, and
  // after each.
  void RecordBegin(VkCommandBuffer commands) const;
  void RecordEnd(VkCommandBuffer commands, uint32_t stage) const;

  // Fills nanoseconds of so many stages, which are done, and if asked for
  // begun.
  void Read(size_t stages, bool begun, GpuFrameResult* result) const;

 private:
  void Record(VkCommandBuffer commands, uint32_t index) const;
  uint64_t Nanoseconds(uint64_t from, uint64_t to) const;  // ticks
  uint64_t OnCpuClock(uint64_t ticks) const;

  const Device& device_;
  QueryPoolHandle pool_;  // none: the device has none
  PFN_vkGetCalibratedTimestampsEXT read_clocks_ = nullptr;  // null: cannot
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_TIMESTAMPS_H_
