// SPDX-License-Identifier: BSD-2-Clause
// In place of kernels/vulkan where there is no Vulkan to build with.
#include "kernels/vulkan/gpu.h"

namespace perdix::vulkan {

Status Gpu::Open(const GpuOptions&, std::unique_ptr<Gpu>*) {
  return {StatusCode::kUnsupported, "GPU: this build has no Vulkan"};
}

}  // namespace perdix::vulkan
