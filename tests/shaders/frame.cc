// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/frame.h"

#include <algorithm>

#include "kernels/vulkan/vp9/work_order.h"

namespace perdix {

KernelInput ShaderInput(TestRandom& random, uint32_t width, uint32_t height,
                        uint32_t subsampling, Content content) {
  KernelInput input = vp9::NewInput(
      TestFrameParams(width, height, 8, subsampling, subsampling));
  input.target.Fill(content, random);
  input.target.SetGuard(0xa5);
  return input;
}

void ShaderTest::SetUp() {
  std::string why;
  gpu_ = Gpu::Get(&why);
  if (gpu_ == nullptr) GTEST_SKIP() << why;
}

void ShaderTest::SetFrame(KernelInput& input) {
  uint32_t residual_values = 0;
  const vp9::FrameUniforms uniforms =
      vp9::UniformsOf(input.params, input.target.layout(), &residual_values);
  buffers_.by_binding[PERDIX_BINDING_FRAME] = BytesOfOne(uniforms);
  buffers_.by_binding[PERDIX_BINDING_TABLES] = BytesOfOne(vp9::SubpelFilters());
  buffers_.by_binding[PERDIX_BINDING_TARGET] = input.target.bytes();
  buffers_.by_binding[PERDIX_BINDING_COEFFICIENTS] =
      BytesOf(std::span<const int16_t>(input.coefficients));
  buffers_.by_binding[PERDIX_BINDING_RESIDUAL].assign(2 * residual_values,
                                                      0x5a);
  buffers_.by_binding[PERDIX_BINDING_EDGES] =
      BytesOf(std::span<const uint32_t>(vp9::EdgesOf(input)));
  for (size_t i = 0; i < PERDIX_MAX_REFERENCES; ++i) {
    buffers_.references[i] = input.references[i].bytes();
  }
}

void ShaderTest::Compare(const std::vector<GpuDispatch>& dispatches,
                         KernelId kernel, KernelInput input,
                         const std::string& what) {
  const KernelArgs args = input.Args();
  RowOf(kernel).cpu[0][0](args, {0, ItemCount(args, kernel)});
  const Bytes& expected = input.target.bytes();
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

GpuDispatch TransformGpuDispatch(const FrameParams& params,
                                 const vp9::TransformDispatch& dispatch,
                                 const PlaneOffsets& target) {
  GpuDispatch gpu;
  gpu.shader = "vp9/inverse_transform_" + std::to_string(4 << dispatch.tx_size);
  gpu.constants = {dispatch.transform, dispatch.output};
  gpu.push = BytesOfOne(vp9::ConstantsOf(params, dispatch, target));
  gpu.groups_x = dispatch.workgroups;
  gpu.barrier = dispatch.barrier;
  return gpu;
}

}  // namespace perdix
