// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/gpu_codec.h"

#include "kernels/vulkan/vp9/codec.h"

namespace perdix::vulkan {

std::span<const GpuCodec> GpuCodecs() {
  static constexpr GpuCodec kCodecs[] = {vp9::kGpuCodec};
  return kCodecs;
}

std::optional<size_t> GpuCodecOf(KernelId kernel) {
  const std::span<const GpuCodec> codecs = GpuCodecs();
  for (size_t i = 0; i < codecs.size(); ++i) {
    if (codecs[i].first_kernel <= kernel && kernel <= codecs[i].last_kernel) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace perdix::vulkan
