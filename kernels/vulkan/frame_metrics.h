// SPDX-License-Identifier: BSD-2-Clause
// The metrics of one frame in flight: what they need, their dispatches, and
// what they leave. Nothing is made or recorded that a frame does not ask for.
#ifndef PERDIX_KERNELS_VULKAN_FRAME_METRICS_H_
#define PERDIX_KERNELS_VULKAN_FRAME_METRICS_H_

#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/recorder.h"

namespace perdix::vulkan {

class FrameMetrics {
 public:
  explicit FrameMetrics(const Device& device) : device_(device) {}

  // For the next frame; points <set> at its pictures.
  Status Set(const GpuFrameInput& input, VkDescriptorSet set);

  // set: the recorder's index of that of Set. stage: position in the frame.
  void RecordChecksum(const GpuFrameInput& input, uint32_t stage, uint32_t set,
                      Recorder* recorder);
  void RecordMotion(const GpuFrameInput& input, uint32_t set,
                    Recorder* recorder);

  // What was recorded, once it is done.
  void Read(GpuFrameResult* result) const;

 private:
  Status Reserve(const FrameParams& params);

  const Device& device_;
  Buffer partials_;
  Buffer results_;

  // What is measured of the frame in flight.
  uint32_t checksums_ = 0;
  bool motion_ = false;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_FRAME_METRICS_H_
