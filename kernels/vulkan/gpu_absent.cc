// SPDX-License-Identifier: BSD-2-Clause
// In place of everything else, where there is no Vulkan or no shader compiler.
#include "kernels/vulkan/gpu.h"

namespace perdix::vulkan {

Status Gpu::Open(const GpuOptions& /*options*/, std::unique_ptr<Gpu>* /*gpu*/) {
  return {StatusCode::kUnsupported, "built without Vulkan"};
}

std::vector<GpuDescription> Gpu::List(const GpuOptions& /*options*/) {
  return {};
}

}  // namespace perdix::vulkan
