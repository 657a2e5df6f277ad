// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

class IntraPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const TransformChoice& choice, Content content, uint32_t seed) {
    TestRandom random(seed);
    KernelInput input =
        ShaderInput(random, width, height, subsampling, content);
    ParamsOf(input).lossless = choice.lossless;
    AddIntraBlocks(random, input.params, choice, &input);
    SetFrame(input);
    std::vector<GpuDispatch> dispatches = Dispatches(input);
    for (const uint32_t lanes : {16u, 128u}) {
      for (GpuDispatch& dispatch : dispatches) {
        if (dispatch.shader != "vp9/intra_pred") continue;
        dispatch.constants = {0, lanes};
        dispatch.lanes = lanes;
      }
      Compare(dispatches, KernelId::kVp9IntraPred, input,
              "seed " + std::to_string(seed) + ", " + std::to_string(lanes) +
                  " lanes");
    }
  }

 private:
  // Both lists of records in one buffer, transforms first.
  std::vector<GpuDispatch> Dispatches(KernelInput& input) {
    const TileInput tile = {input.View(), 0};
    TransformOrder transforms;
    transforms.Set(ParamsOf(input), {&tile, 1}, TransformList::kIntra);
    IntraOrder intra;
    intra.Set(input.params, {&tile, 1});
    Bytes& records = buffers_.by_binding[PERDIX_BINDING_RECORDS];
    records = Records<TransformBlock>(transforms);
    const uint32_t base = transforms.size();
    const Bytes blocks = Records<IntraBlock>(intra);
    records.insert(records.end(), blocks.begin(), blocks.end());

    std::vector<GpuDispatch> dispatches;
    for (const TransformDispatch& dispatch : transforms.dispatches()) {
      dispatches.push_back(
          TransformGpuDispatch(input.params, dispatch, input.target.layout()));
    }
    for (const IntraWave& wave : intra.waves()) {
      GpuDispatch gpu;
      gpu.shader = "vp9/intra_pred";
      gpu.push = BytesOfOne(IntraConstants{base + wave.first});
      gpu.groups_x = wave.count;
      gpu.barrier = true;
      dispatches.push_back(gpu);
    }
    return dispatches;
  }
};

TEST_F(IntraPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Check(99 + 13 * seed, 57 + 31 * (seed % 5), seed % 4 == 3 ? 0 : 1, {},
          Content::kRandom, seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnExtremes) {
  TransformChoice choice;
  choice.magnitude = 32768;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    Check(136, 72, 1, choice, Content::kExtremes, seed);
  }
}

TEST_F(IntraPredShaderTest, AgreesOnLosslessBlocks) {
  TransformChoice choice;
  choice.lossless = 1;
  Check(99, 57, 1, choice, Content::kNatural, 1);
}

TEST_F(IntraPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3) {
    Check(size, 21 - size, 1, {}, Content::kRandom, size);
  }
}

}  // namespace
}  // namespace perdix::vp9
