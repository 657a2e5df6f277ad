// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "kernels/vp9/kernels.h"
#include "kernels/vulkan/work_order.h"
#include "tests/shaders/frame.h"

namespace perdix {
namespace {

// What one kind of frame is made of.
struct InterChoice {
  uint32_t subsampling = 1;
  uint32_t mv_range = 256;  // 1/8 sample
  bool scaled = false;
  Content content = Content::kNoise;
};

class InterPredShaderTest : public ShaderTest {
 protected:
  void Check(uint32_t width, uint32_t height, const InterChoice& choice,
             uint32_t seed) {
    Random random(seed);
    TestPicture target(width, height, choice.subsampling);
    Fill(random, Content::kNoise, &target);
    FrameParams params = ParamsOf(target);
    KernelArgs args;
    std::vector<TestPicture> references;
    references.reserve(PERDIX_VP9_REFS);
    for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
      references.push_back(Reference(random, target, choice, i));
      args.references[i] = references[i].View();
      params.references[i] = ReferenceParamsOf(target, references[i]);
      buffers_.references[i] = references[i].bytes;
    }
    std::vector<InterBlock> blocks = Blocks(random, params, choice);
    args.params = &params;
    args.lists.inter_blocks = blocks;
    args.target = target.View();
    SetFrame(args, target);

    const vulkan::TileInput tile = {args.lists, 0};
    vulkan::InterOrder order;
    order.Set(params, {&tile, 1}, target.layout, args.references);
    buffers_.by_binding[PERDIX_BINDING_RECORDS] = Records<InterUnit>(order);
    std::vector<GpuDispatch> dispatches;
    for (const vulkan::InterDispatch& dispatch : order.dispatches()) {
      GpuDispatch gpu;
      gpu.shader = "vp9/inter_pred";
      gpu.constants = {dispatch.plane, dispatch.kind, dispatch.average};
      gpu.push = vulkan::InterConstants(params, dispatch, target.layout,
                                        references[dispatch.reference].layout,
                                        args.references[dispatch.reference]);
      gpu.groups_x = dispatch.workgroups;
      gpu.barrier = dispatch.barrier;
      gpu.reference = dispatch.reference;
      dispatches.push_back(gpu);
      ++seen_[dispatch.kind];
    }
    vp9::InterPred<uint8_t>(args, {0, static_cast<uint32_t>(blocks.size())});
    Compare(dispatches, target.bytes, "seed " + std::to_string(seed));
  }

  uint32_t seen_[PERDIX_INTER_KINDS] = {};

 private:
  static TestPicture Reference(Random& random, const TestPicture& target,
                               const InterChoice& choice, uint32_t index) {
    uint32_t width = target.width;
    uint32_t height = target.height;
    if (choice.scaled && index != 0) {
      // From twice as large to a sixteenth.
      width =
          std::max(1u, index == 1 ? width * 2 - Below(random, width)
                                  : (width + 15) / 16 + Below(random, width));
      height =
          std::max(1u, index == 1 ? height * 2 - Below(random, height)
                                  : (height + 15) / 16 + Below(random, height));
    }
    TestPicture picture(width, height, choice.subsampling);
    Fill(random, choice.content, &picture);
    return picture;
  }

  static ReferenceParams ReferenceParamsOf(const TestPicture& target,
                                           const TestPicture& reference) {
    ReferenceParams params = {};
    params.width = reference.width;
    params.height = reference.height;
    params.x_scale = (reference.width << 14) / target.width;
    params.y_scale = (reference.height << 14) / target.height;
    params.x_step = (16 * params.x_scale) >> 14;
    params.y_step = (16 * params.y_scale) >> 14;
    params.valid = 1;
    return params;
  }

  static uint32_t Vector(Random& random, uint32_t range) {
    const int half = static_cast<int>(range) / 2;
    int row = static_cast<int>(Below(random, range)) - half;
    int col = static_cast<int>(Below(random, range)) - half;
    if (Below(random, 4) == 0) row &= ~7;
    if (Below(random, 4) == 0) col &= ~7;
    return PackMv(row, col);
  }

  static std::vector<InterBlock> Blocks(Random& random,
                                        const FrameParams& params,
                                        const InterChoice& choice) {
    std::vector<InterBlock> blocks;
    const auto add = [&](uint32_t x4, uint32_t y4, uint32_t width4,
                         uint32_t height4, uint32_t planes, uint32_t sub8x8) {
      const uint32_t second =
          Below(random, 2) == 0 ? PERDIX_REF_NONE : Below(random, 3);
      blocks.push_back(
          {PackPosition(x4, y4),
           PackInterShape(width4, height4, planes, Below(random, 4),
                          Below(random, 3), second, sub8x8),
           Vector(random, choice.mv_range), Vector(random, choice.mv_range)});
    };
    for (uint32_t y = 0; y < params.mi_rows * 2; y += 16) {
      for (uint32_t x = 0; x < params.mi_cols * 2; x += 16) {
        const uint32_t width4 = 2u << Below(random, 4);
        const uint32_t height4 = 2u << Below(random, 4);
        for (uint32_t j = y; j < y + 16; j += height4) {
          for (uint32_t i = x; i < x + 16; i += width4) {
            if (i >= params.mi_cols * 2 || j >= params.mi_rows * 2) continue;
            if (width4 > 2 || height4 > 2) {
              add(i, j, width4, height4, 3, 0);
              continue;
            }
            for (uint32_t k = 0; k < 4; ++k) {
              add(i + k % 2, j + k / 2, 1, 1,
                  choice.subsampling ? PERDIX_PLANES_LUMA : 3u, 1);
            }
            if (choice.subsampling) {
              add(i, j, 2, 2, PERDIX_PLANES_CHROMA, 1);
            }
          }
        }
      }
    }
    return blocks;
  }
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
}  // namespace perdix
