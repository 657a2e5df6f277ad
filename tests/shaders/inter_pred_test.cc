// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vp9/kernels.h"
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"
#include "tests/shaders/random_lists.h"

namespace perdix::vp9 {
namespace {

class InterPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, const InterChoice& choice,
             uint32_t seed) {
    Random random(seed);
    TestPicture target(width, height, choice.subsampling);
    Fill(random, Content::kNoise, &target);
    TestParams params(target);
    KernelArgs args;
    std::vector<TestPicture> references;
    references.reserve(PERDIX_VP9_REFS);
    for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
      references.push_back(RandomReference(random, target, choice, i));
      args.references[i] = references[i].View();
      params.SetReference(i, references[i]);
      buffers_.references[i] = references[i].bytes;
    }
    std::vector<InterBlock> blocks;
    AddInterBlocks(random, params.frame, choice, &blocks);
    args.params = &params.frame;
    args.codec = &params.codec;
    args.lists.Set(kInterBlocks, blocks);
    args.target = target.View();
    SetFrame(args, target);

    const TileInput tile = {args.lists, 0};
    InterOrder order;
    order.Set(params.frame, params.vp9(), {&tile, 1}, target.layout,
              args.references);
    buffers_.by_binding[PERDIX_BINDING_RECORDS] = Records<InterUnit>(order);
    std::vector<GpuDispatch> dispatches;
    for (const InterDispatch& dispatch : order.dispatches()) {
      GpuDispatch gpu;
      gpu.constants = {dispatch.plane, dispatch.kind, dispatch.average};
      gpu.push = BytesOfOne(ConstantsOf(params.vp9(), dispatch, target.layout,
                                        references[dispatch.reference].layout,
                                        args.references[dispatch.reference]));
      gpu.groups_x = dispatch.workgroups;
      gpu.barrier = dispatch.barrier;
      gpu.reference = dispatch.reference;
      dispatches.push_back(gpu);
      ++seen_[dispatch.kind];
    }
    InterPred<uint8_t>(args, {0, static_cast<uint32_t>(blocks.size())});
    std::vector<std::string> shaders = {"vp9/inter_pred"};
    if (gpu_->rounds_to_even()) shaders.push_back("vp9/inter_pred_rte");
    for (const std::string& shader : shaders) {
      for (GpuDispatch& dispatch : dispatches) dispatch.shader = shader;
      Compare(dispatches, target.bytes,
              "seed " + std::to_string(seed) + ", " + shader);
    }
  }

  uint32_t seen_[PERDIX_INTER_KINDS] = {};
};

TEST_F(InterPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    Check(99 + 37 * seed, 57 + 51 * (seed % 4), {}, seed);
  }
  for (uint32_t kind = PERDIX_INTER_CLAMPED; kind < PERDIX_INTER_KINDS;
       ++kind) {
    EXPECT_GT(seen_[kind], 0u) << "kind " << kind;
  }
}

TEST_F(InterPredShaderTest, AgreesOnExtremeSamples) {
  InterChoice choice;
  choice.content = Content::kExtremes;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(328, 200, choice, seed);
}

TEST_F(InterPredShaderTest, AgreesOnVectorsFarOutside) {
  InterChoice choice;
  choice.mv_range = 65536;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(150, 90, choice, seed);
}

TEST_F(InterPredShaderTest, AgreesOnChromaOfFullSize) {
  InterChoice choice;
  choice.subsampling = 0;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(203, 101, choice, seed);
}

TEST_F(InterPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3)
    Check(size, 21 - size, {}, size);
}

TEST_F(InterPredShaderTest, AgreesOnScaledReferences) {
  InterChoice choice;
  choice.scaled = true;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Check(90 + 17 * seed, 130 - 7 * seed, choice, seed);
  }
  EXPECT_GT(seen_[PERDIX_INTER_SCALED], 0u);
}

}  // namespace
}  // namespace perdix::vp9
