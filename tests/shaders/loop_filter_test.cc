// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

struct Program {
  const char* shader;
  uint32_t lanes;  // with subsampled chroma, else twice as many
};

class LoopFilterShaderTest : public ShaderTest,
                             public testing::WithParamInterface<Program> {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             Content content, uint32_t seed) {
    TestRandom random(seed);
    KernelInput input =
        ShaderInput(random, width, height, subsampling, content);
    ParamsOf(input).loop_filter_sharpness = random.Below(8);
    ParamsOf(input).loop_filter_level = 63;
    SetRandomEdges(random, &input);
    SetFrame(input);
    std::vector<GpuDispatch> dispatches;
    for (uint32_t i = 0; i < LoopFilterStepCount(input.params); ++i) {
      const LoopFilterStep step = LoopFilterStepAt(
          input.params, ParamsOf(input), input.target.layout(), i);
      GpuDispatch gpu;
      gpu.shader = GetParam().shader;
      gpu.lanes = GetParam().lanes << (subsampling ? 0 : 1);
      gpu.constants = {3, gpu.lanes, 1};
      gpu.push = BytesOfOne(step.constants);
      gpu.groups_x = step.workgroups;
      gpu.groups_y = kPlaneCount;
      gpu.barrier = true;
      dispatches.push_back(gpu);
    }
    Compare(dispatches, KernelId::kVp9LoopFilter, input,
            "seed " + std::to_string(seed));
  }
};

TEST_P(LoopFilterShaderTest, FiltersWhatTheScalarKernelFilters) {
  uint32_t seed = 0;
  for (const Content content : kAllContents) {
    for (const uint32_t subsampling : {0u, 1u}) {
      ++seed;
      Check(99 + 67 * (seed % 5), 57 + 71 * (seed % 4), subsampling, content,
            seed);
    }
  }
}

TEST_P(LoopFilterShaderTest, AgreesOnFramesWiderAndHigherThanTheWave) {
  Check(700, 140, 1, Content::kSteps, 1);
  Check(140, 700, 1, Content::kSteps, 2);
}

TEST_P(LoopFilterShaderTest, AgreesOnFramesSmallerThanASuperblock) {
  for (uint32_t size = 1; size < 80; size += 9) {
    Check(size, 81 - size, 1, Content::kSteps, size);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, LoopFilterShaderTest,
    testing::Values(Program{"vp9/loop_filter", 32},
                    Program{"vp9/loop_filter_lines", 64}),
    [](const testing::TestParamInfo<Program>& info) {
      return std::string(info.param.shader).substr(std::string("vp9/").size());
    });

}  // namespace
}  // namespace perdix::vp9
