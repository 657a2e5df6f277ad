// SPDX-License-Identifier: BSD-2-Clause
#include <iterator>
#include <string>

#include "kernels/shared/av1/inter_dispatch.h"
#include "tests/frame/av1/random_inter.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

// Blocks of these kinds, and SINGLE.
constexpr uint32_t Kinds(std::initializer_list<uint32_t> kinds) {
  uint32_t bits = 0;
  for (const uint32_t kind : kinds) bits |= 1u << kind;
  return bits;
}

// Tests for each bit depth.
class Av1InterPredShaderTest : public ShaderTest,
                               public testing::WithParamInterface<uint32_t> {
 protected:
  void SetUp() override {
    ShaderTest::SetUp();
    if (!IsSkipped() && !gpu_->traits().addresses) {
      GTEST_SKIP() << gpu_->name() << " has no bufferDeviceAddress";
    }
  }

  void Check(uint32_t width, uint32_t height, const InterChoice& choice,
             uint32_t seed, bool gray = false) {
    TestRandom random(seed);
    const KernelInput input =
        RandomInterFrame(random, width, height, GetParam(), gray, choice);
    Compare(KernelId::kAv1InterPred, input,
            std::to_string(width) + "x" + std::to_string(height) + ", seed " +
                std::to_string(seed));
  }

  void See(const gpu::Work& work) override {
    for (const gpu::Command& command : work.commands()) {
      const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
      if (dispatch == nullptr) continue;
      const gpu::Program& program = dispatch->program;
      if (program.shader.find("blend") != std::string_view::npos) {
        ++blends_[program.constants[0]];
      } else {
        ++seen_[program.constants[0]][program.constants[1]];
      }
    }
  }

  uint32_t seen_[PERDIX_PREDICT_OUTPUTS][PERDIX_PREDICT_SOURCES] = {};
  uint32_t blends_[PERDIX_BLENDS] = {};
};

TEST_P(Av1InterPredShaderTest, PredictsFromOneReference) {
  InterChoice choice;
  choice.kinds = 0;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Check(99 + 37 * seed, 57 + 51 * (seed % 4), choice, seed);
  }
  for (uint32_t source = 0; source < PERDIX_PREDICT_SCALED; ++source) {
    EXPECT_GT(seen_[PERDIX_PREDICT_TO_TARGET][source], 0u) << source;
  }
}

TEST_P(Av1InterPredShaderTest, BlendsTwoPredictions) {
  for (const uint32_t kind : {PERDIX_INTER_AVERAGE, PERDIX_INTER_DISTANCE,
                              PERDIX_INTER_WEDGE, PERDIX_INTER_DIFFWTD}) {
    InterChoice choice;
    choice.kinds = Kinds({kind});
    for (uint32_t seed = 1; seed <= 2; ++seed) {
      Check(119 + 40 * seed, 90, choice, 16 * kind + seed);
    }
  }
  for (const uint32_t blends : blends_) EXPECT_GT(blends, 0u);
}

TEST_P(Av1InterPredShaderTest, OverlapsNeighbours) {
  InterChoice choice;
  choice.kinds = Kinds({PERDIX_INTER_OBMC_ABOVE, PERDIX_INTER_OBMC_LEFT});
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Check(130 + 40 * seed, 150 - 20 * seed, choice, seed);
  }
}

TEST_P(Av1InterPredShaderTest, Warps) {
  InterChoice choice;
  choice.kinds = Kinds({PERDIX_INTER_WARP_LOCAL, PERDIX_INTER_WARP_GLOBAL});
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    choice.far_warps = seed > 2;
    Check(130 + 40 * seed, 150 - 20 * seed, choice, seed);
  }
  EXPECT_GT(seen_[PERDIX_PREDICT_TO_TARGET][PERDIX_PREDICT_WARP], 0u);
}

TEST_P(Av1InterPredShaderTest, ReadsScaledReferences) {
  InterChoice choice;
  choice.scaled = true;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    Check(60 + 17 * seed, 100 - 7 * seed, choice, seed);
  }
  for (const auto& sources : seen_) {
    EXPECT_GT(sources[PERDIX_PREDICT_SCALED], 0u);
  }
}

TEST_P(Av1InterPredShaderTest, AgreesOnExtremeSamples) {
  InterChoice choice;
  choice.content = Content::kExtremes;
  for (uint32_t seed = 1; seed <= 3; ++seed) Check(328, 120, choice, seed);
}

TEST_P(Av1InterPredShaderTest, AgreesOnVectorsFarOutside) {
  InterChoice choice;
  choice.mv_range = 32767;
  choice.far_warps = true;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    choice.scaled = seed == 3;
    Check(150, 90, choice, seed);
  }
}

TEST_P(Av1InterPredShaderTest, AgreesOnFramesSmallerThanABlock) {
  for (uint32_t size = 1; size < 20; size += 3) {
    Check(size, 21 - size, {}, size);
  }
}

TEST_P(Av1InterPredShaderTest, LeavesChromaOfGrayFramesAlone) {
  for (uint32_t seed = 1; seed <= 2; ++seed) Check(130, 70, {}, seed, true);
}

TEST_P(Av1InterPredShaderTest, AgreesOnWhateverIsDrawn) {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    TestRandom random(seed);
    InterChoice choice;
    choice.mv_range = 2 << random.Below(14);
    choice.scaled = random.OneIn(4);
    choice.content = kAllContents[random.Below(std::size(kAllContents))];
    Check(1 + random.Below(260), 1 + random.Below(200), choice, seed);
  }
}

INSTANTIATE_TEST_SUITE_P(BitDepths, Av1InterPredShaderTest,
                         testing::Values(8u, 10u),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace perdix::av1
