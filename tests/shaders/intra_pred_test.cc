// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vp9/kernels.h"
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/frame.h"
#include "tests/shaders/random_lists.h"

namespace perdix::vp9 {
namespace {

class IntraPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             const TransformChoice& choice, Content content, uint32_t seed) {
    Random random(seed);
    TestPicture picture(width, height, subsampling);
    Fill(random, content, &picture);
    TestParams params(picture);
    params.vp9().lossless = choice.lossless;
    std::vector<IntraBlock> blocks;
    std::vector<TransformBlock> transforms;
    std::vector<int16_t> coefficients;
    AddIntraBlocks(random, params.frame, choice, &blocks, &transforms,
                   &coefficients);

    KernelArgs args;
    args.params = &params.frame;
    args.codec = &params.codec;
    args.lists.Set(kIntraBlocks, blocks);
    args.lists.Set(kIntraTransforms, transforms);
    args.lists.coefficients = coefficients;
    args.target = picture.View();
    SetFrame(args, picture);
    std::vector<GpuDispatch> dispatches =
        Dispatches(params, picture.layout, args.lists);
    IntraPred<uint8_t>(args, {0, static_cast<uint32_t>(blocks.size())});
    for (const uint32_t lanes : {16u, 128u}) {
      for (GpuDispatch& dispatch : dispatches) {
        if (dispatch.shader != "vp9/intra_pred") continue;
        dispatch.constants = {0, lanes};
        dispatch.lanes = lanes;
      }
      Compare(dispatches, picture.bytes,
              "seed " + std::to_string(seed) + ", " + std::to_string(lanes) +
                  " lanes");
    }
  }

 private:
  // Both lists of records in one buffer, transforms first.
  std::vector<GpuDispatch> Dispatches(TestParams& params,
                                      const PlaneOffsets& target,
                                      const WorkLists& lists) {
    const TileInput tile = {lists, 0};
    TransformOrder transforms;
    transforms.Set(params.vp9(), {&tile, 1}, TransformList::kIntra);
    IntraOrder intra;
    intra.Set(params.frame, {&tile, 1});
    Bytes& records = buffers_.by_binding[PERDIX_BINDING_RECORDS];
    records = Records<TransformBlock>(transforms);
    const uint32_t base = transforms.size();
    const Bytes blocks = Records<IntraBlock>(intra);
    records.insert(records.end(), blocks.begin(), blocks.end());

    std::vector<GpuDispatch> dispatches;
    for (const TransformDispatch& dispatch : transforms.dispatches()) {
      dispatches.push_back(
          TransformGpuDispatch(params.frame, dispatch, target));
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
          Content::kNoise, seed);
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
  Check(99, 57, 1, choice, Content::kSmooth, 1);
}

TEST_F(IntraPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3) {
    Check(size, 21 - size, 1, {}, Content::kNoise, size);
  }
}

}  // namespace
}  // namespace perdix::vp9
