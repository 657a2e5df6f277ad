// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/shared/vp9/dispatch.h"
#include "tests/shaders/frame.h"

namespace perdix::vp9 {
namespace {

// Tests for each bit depth. References of more than 8 bits have their values in
// the upper bits, or not, at random.
class InterPredShaderTest : public ShaderTest,
                            public testing::WithParamInterface<uint32_t> {
 protected:
  void Check(uint32_t width, uint32_t height, uint32_t subsampling,
             InterChoice choice, uint32_t seed) {
    TestRandom random(seed);
    choice.mixed_shift = GetParam() > 8;
    KernelInput input = ShaderInput(random, width, height, subsampling,
                                    Content::kRandom, GetParam());
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

TEST_P(InterPredShaderTest, PredictsWhatTheScalarKernelPredicts) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    Check(99 + 37 * seed, 57 + 51 * (seed % 4), 1, {}, seed);
  }
  for (uint32_t kind = PERDIX_INTER_CLAMPED; kind < PERDIX_INTER_KINDS;
       ++kind) {
    EXPECT_GT(seen_[kind], 0u) << "kind " << kind;
  }
}

TEST_P(InterPredShaderTest, AgreesOnExtremeSamples) {
  InterChoice choice;
  choice.content = Content::kExtremes;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(328, 200, 1, choice, seed);
}

TEST_P(InterPredShaderTest, AgreesOnVectorsFarOutside) {
  InterChoice choice;
  choice.mv_range = 65536;
  for (uint32_t seed = 0; seed < 4; ++seed) Check(150, 90, 1, choice, seed);
}

TEST_P(InterPredShaderTest, AgreesOnChromaOfFullSize) {
  for (uint32_t seed = 0; seed < 4; ++seed) Check(203, 101, 0, {}, seed);
}

TEST_P(InterPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3)
    Check(size, 21 - size, 1, {}, size);
}

TEST_P(InterPredShaderTest, AgreesOnScaledReferences) {
  InterChoice choice;
  choice.scaled = true;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    Check(90 + 17 * seed, 130 - 7 * seed, 1, choice, seed);
  }
  EXPECT_GT(seen_[PERDIX_INTER_SCALED], 0u);
}

TEST_P(InterPredShaderTest, AgreesOnWhateverIsDrawn) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    TestRandom random(seed);
    InterChoice choice;
    choice.mv_range = 2u << random.Below(16);
    choice.scaled = random.OneIn(4);
    choice.content = kAllContents[random.Below(std::size(kAllContents))];
    Check(1 + random.Below(200), 1 + random.Below(150), random.Below(2), choice,
          seed);
  }
}

INSTANTIATE_TEST_SUITE_P(BitDepths, InterPredShaderTest,
                         testing::Values(8u, 10u),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace perdix::vp9
