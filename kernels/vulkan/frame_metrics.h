// SPDX-License-Identifier: BSD-2-Clause
// Memory of the metrics of one frame in flight, and what they leave there.
#ifndef PERDIX_KERNELS_VULKAN_FRAME_METRICS_H_
#define PERDIX_KERNELS_VULKAN_FRAME_METRICS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/frame_input.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/memory.h"

namespace perdix::vulkan {

class FrameMetrics {
 public:
  // device outlives this.
  explicit FrameMetrics(const Device& device) : device_(device) {}

  // For a frame with so many stages and partial sums (gpu::Work); nothing is
  // made for one without.
  Status Set(const gpu::FrameInput& input, size_t stages, uint32_t partials);
  const Buffer& partials() const { return partials_; }
  const Buffer& results() const { return results_; }

  // Results of that frame, once it is done.
  void Read(GpuFrameResult* result) const;

 private:
  const Device& device_;
  Buffer partials_;
  Buffer results_;

  // What is measured of the frame in flight.
  size_t checksums_ = 0;
  bool luma_ = false;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_FRAME_METRICS_H_
