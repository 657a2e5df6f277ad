// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vp9/kernels.h"
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"
#include "tests/shaders/random_lists.h"

namespace perdix::vp9 {
namespace {

class InverseTransformShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const TransformChoice& choice, uint32_t seed) {
    Random random(seed);
    TestPicture picture(width, height, subsampling);
    Fill(random, Content::kNoise, &picture);
    TestParams params(picture);
    params.vp9().lossless = choice.lossless;
    std::vector<TransformBlock> blocks;
    std::vector<int16_t> coefficients;
    AddTransforms(random, params.frame, choice, &blocks, &coefficients);

    KernelArgs args;
    args.params = &params.frame;
    args.codec = &params.codec;
    args.lists.Set(kInterTransforms, blocks);
    args.lists.coefficients = coefficients;
    args.target = picture.View();
    SetFrame(args, picture);
    const TileInput tile = {args.lists, 0};
    TransformOrder order;
    order.Set(params.vp9(), {&tile, 1}, TransformList::kInter);
    buffers_.by_binding[PERDIX_BINDING_RECORDS] =
        Records<TransformBlock>(order);
    std::vector<GpuDispatch> dispatches;
    for (const TransformDispatch& dispatch : order.dispatches()) {
      dispatches.push_back(
          TransformGpuDispatch(params.frame, dispatch, picture.layout));
    }
    InverseTransform<uint8_t>(args, {0, static_cast<uint32_t>(blocks.size())});
    Compare(dispatches, picture.bytes, "seed " + std::to_string(seed));
  }
};

TEST_F(InverseTransformShaderTest, AddsWhatTheScalarKernelAdds) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    Check(99 + 13 * seed, 57 + 31 * (seed % 5), seed % 4 == 3 ? 0 : 1, {},
          seed);
  }
}

TEST_F(InverseTransformShaderTest, AgreesOnCoefficientsOfAnySize) {
  TransformChoice choice;
  choice.magnitude = 32768;
  for (uint32_t seed = 0; seed < 8; ++seed) Check(200, 136, 1, choice, seed);
}

TEST_F(InverseTransformShaderTest, AgreesOnDctAlone) {
  TransformChoice choice;
  choice.types = 1;
  for (uint32_t seed = 0; seed < 8; ++seed) Check(120, 200, 1, choice, seed);
}

TEST_F(InverseTransformShaderTest, AgreesOnLosslessBlocks) {
  TransformChoice choice;
  choice.lossless = 1;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(99, 57, 1, choice, seed);
}

}  // namespace
}  // namespace perdix::vp9
