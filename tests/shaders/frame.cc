// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/frame.h"

#include <algorithm>

#include "kernels/vulkan/work_order.h"

namespace perdix {
void ShaderTest::SetUp() {
  std::string why;
  gpu_ = Gpu::Get(&why);
  if (gpu_ == nullptr) GTEST_SKIP() << why;
}

void ShaderTest::SetFrame(const KernelArgs& args, const TestPicture& target) {
  uint32_t residual_values = 0;
  const FrameUniforms uniforms = {
      *args.params, target.layout,
      vulkan::LayOutResidual(*args.params, &residual_values)};
  buffers_.by_binding[PERDIX_BINDING_FRAME] =
      BytesOf(std::span<const FrameUniforms>(&uniforms, 1));
  buffers_.by_binding[PERDIX_BINDING_TABLES] = BytesOf(
      std::span<const vulkan::SubpelTable>(&vulkan::SubpelFilters(), 1));
  buffers_.by_binding[PERDIX_BINDING_TARGET] = target.bytes;
  buffers_.by_binding[PERDIX_BINDING_COEFFICIENTS] =
      BytesOf(args.lists.coefficients);
  buffers_.by_binding[PERDIX_BINDING_RESIDUAL].assign(2 * residual_values,
                                                      0x5a);
  buffers_.by_binding[PERDIX_BINDING_EDGES] = BytesOf(args.edges);
}

void ShaderTest::Compare(const std::vector<GpuDispatch>& dispatches,
                         const Bytes& expected, const std::string& what) {
  for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
    GpuBuffers buffers = buffers_;
    gpu_->Run(dispatches, subgroup_size, &buffers);
    const Bytes& result = buffers.by_binding[PERDIX_BINDING_TARGET];
    if (result == expected) continue;
    const auto [got, want] =
        std::mismatch(result.begin(), result.end(), expected.begin());
    size_t different = 0;
    for (size_t i = 0; i < result.size(); ++i) {
      different += result[i] != expected[i];
    }
    FAIL() << what << ", subgroups of " << subgroup_size << " on "
           << gpu_->name() << ": " << different << " of " << result.size()
           << " bytes differ, the first at " << got - result.begin() << ": "
           << int{*got} << ", not " << int{*want};
  }
}

GpuDispatch TransformGpuDispatch(const vulkan::TransformDispatch& dispatch) {
  GpuDispatch gpu;
  gpu.shader = "vp9/inverse_transform_" + std::to_string(4 << dispatch.tx_size);
  gpu.constants = {dispatch.transform, dispatch.output};
  gpu.push.first = dispatch.first;
  gpu.groups_x = dispatch.workgroups;
  gpu.barrier = dispatch.barrier;
  return gpu;
}

}  // namespace perdix
