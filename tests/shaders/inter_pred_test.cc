// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

class InterPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const InterChoice& choice, uint32_t seed) {
    TestRandom random(seed);
    KernelInput input =
        ShaderInput(random, width, height, subsampling, Content::kRandom);
    AddReferences(random, choice, &input);
    AddInterBlocks(random, input.params, choice, &input);
    SetFrame(input);

    const KernelArgs args = input.Args();
    const TileInput tile = {args.lists, 0};
    InterOrder order;
    order.Set(input.params, ParamsOf(input), {&tile, 1}, input.target.layout(),
              args.references);
    buffers_.by_binding[PERDIX_BINDING_RECORDS] = Records<InterUnit>(order);
    std::vector<GpuDispatch> dispatches;
    for (const InterDispatch& dispatch : order.dispatches()) {
      GpuDispatch gpu;
      gpu.constants = {dispatch.plane, dispatch.kind, dispatch.average};
      gpu.push = BytesOfOne(
          ConstantsOf(ParamsOf(input), dispatch, input.target.layout(),
                      input.references[dispatch.reference].layout(),
                      args.references[dispatch.reference]));
      gpu.groups_x = dispatch.workgroups;
      gpu.barrier = dispatch.barrier;
      gpu.reference = dispatch.reference;
      dispatches.push_back(gpu);
      ++seen_[dispatch.kind];
    }
    std::vector<std::string> shaders = {"vp9/inter_pred"};
    if (gpu_->rounds_to_even()) shaders.push_back("vp9/inter_pred_rte");
    for (const std::string& shader : shaders) {
      for (GpuDispatch& dispatch : dispatches) dispatch.shader = shader;
      Compare(dispatches, KernelId::kVp9InterPred, input,
              "seed " + std::to_string(seed) + ", " + shader);
    }
  }

  uint32_t seen_[PERDIX_INTER_KINDS] = {};
};

TEST_F(InterPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    Check(99 + 37 * seed, 57 + 51 * (seed % 4), 1, {}, seed);
  }
  for (uint32_t kind = PERDIX_INTER_CLAMPED; kind < PERDIX_INTER_KINDS;
       ++kind) {
    EXPECT_GT(seen_[kind], 0u) << "kind " << kind;
  }
}

TEST_F(InterPredShaderTest, AgreesOnExtremeSamples) {
  InterChoice choice;
  choice.content = Content::kExtremes;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(328, 200, 1, choice, seed);
}

TEST_F(InterPredShaderTest, AgreesOnVectorsFarOutside) {
  InterChoice choice;
  choice.mv_range = 65536;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(150, 90, 1, choice, seed);
}

TEST_F(InterPredShaderTest, AgreesOnChromaOfFullSize) {
  for (uint32_t seed = 0; seed < 4; ++seed) Check(203, 101, 0, {}, seed);
}

TEST_F(InterPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3)
    Check(size, 21 - size, 1, {}, size);
}

TEST_F(InterPredShaderTest, AgreesOnScaledReferences) {
  InterChoice choice;
  choice.scaled = true;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Check(90 + 17 * seed, 130 - 7 * seed, 1, choice, seed);
  }
  EXPECT_GT(seen_[PERDIX_INTER_SCALED], 0u);
}

}  // namespace
}  // namespace perdix::vp9
