// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/shared/vp9/dispatch.h"
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
    Compare(KernelId::kVp9InterPred, input, "seed " + std::to_string(seed));
  }

  void See(const gpu::Work& work) override {
    for (const gpu::Command& command : work.commands()) {
      const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
      if (dispatch == nullptr) continue;
      ++seen_[dispatch->program
                  .constants[PERDIX_CONSTANT_KIND - PERDIX_CONSTANT_OWN]];
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
