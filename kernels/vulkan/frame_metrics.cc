// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/frame_metrics.h"

#include <cstring>

#include "kernels/gpu/metrics.h"

namespace perdix::vulkan {

Status FrameMetrics::Set(const gpu::FrameInput& input, size_t stages,
                         uint32_t partials) {
  checksums_ = input.checksums ? stages : 0;
  luma_ = input.sums_luma;
  const VkDeviceSize bytes = VkDeviceSize{partials} * sizeof(MetricsSum);
  if (bytes > partials_.size) {
    if (Status status = MakeBuffer(device_, bytes, MemoryUse::kDevice,
                                   "partial sums", &partials_);
        !status.ok()) {
      return status;
    }
  }
  if (partials == 0 || results_.size != 0) return Status::Ok();
  return MakeBuffer(device_, sizeof(MetricsResults), MemoryUse::kReadback,
                    "metrics", &results_);
}

void FrameMetrics::Read(GpuFrameResult* result) const {
  if (checksums_ == 0 && !luma_) return;
  Invalidate(device_, results_);
  MetricsResults results;
  std::memcpy(&results, results_.data, sizeof(results));
  for (uint32_t i = 0; i < checksums_; ++i) {
    result->checksums[i] = gpu::ChecksumOf(results, i);
  }
  if (luma_) result->luma = gpu::LumaOf(results);
}

}  // namespace perdix::vulkan
