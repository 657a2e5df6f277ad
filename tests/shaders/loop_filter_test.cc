// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vp9/kernels.h"
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"
#include "tests/shaders/random_lists.h"

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
    Random random(seed);
    TestPicture picture(width, height, subsampling);
    Fill(random, content, &picture);
    TestParams params(picture);
    params.vp9().loop_filter_sharpness = Below(random, 8);
    params.vp9().loop_filter_level = 63;
    std::vector<uint32_t> edges = RandomEdges(random, params.frame);

    KernelArgs args;
    args.params = &params.frame;
    args.codec = &params.codec;
    args.tables.Set(kEdges, edges);
    args.target = picture.View();
    SetFrame(args, picture);
    std::vector<GpuDispatch> dispatches;
    for (uint32_t i = 0; i < LoopFilterStepCount(params.frame); ++i) {
      const LoopFilterStep step =
          LoopFilterStepAt(params.frame, params.vp9(), picture.layout, i);
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
    LoopFilter<uint8_t>(args, {0, params.frame.sb_cols * params.frame.sb_rows});
    Compare(dispatches, picture.bytes, "seed " + std::to_string(seed));
  }
};

TEST_P(LoopFilterShaderTest, FiltersWhatTheScalarKernelFilters) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    Check(99 + 67 * (seed % 5), 57 + 71 * (seed % 4), seed % 6 == 5 ? 0 : 1,
          Content::kSmooth, seed);
  }
}

TEST_P(LoopFilterShaderTest, AgreesOnNoiseAndExtremes) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    Check(200, 136, 1, Content::kNoise, seed);
    Check(200, 136, 1, Content::kExtremes, seed);
  }
}

TEST_P(LoopFilterShaderTest, AgreesOnFramesWiderAndHigherThanTheWave) {
  Check(700, 140, 1, Content::kSmooth, 1);
  Check(140, 700, 1, Content::kSmooth, 2);
}

TEST_P(LoopFilterShaderTest, AgreesOnFramesSmallerThanASuperblock) {
  for (uint32_t size = 1; size < 80; size += 9) {
    Check(size, 81 - size, 1, Content::kSmooth, size);
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
