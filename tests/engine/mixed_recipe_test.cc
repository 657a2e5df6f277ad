// SPDX-License-Identifier: BSD-2-Clause
// Stages on either side of the CPU-GPU border give the same frames, whatever
// the recipe, the number of threads, and what becomes of the GPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

class MixedRecipeTest : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override {
    FakeGpu().absent = FakeGpu().refuse = false;
    FakeGpu().reachable = true;
    FakeGpu().delay_us = 0;
    FakeGpu().unsupported_kernel = -1;
  }
  std::vector<size_t> Expected() {
    return Decode(GetParam(), {.threads = 1}).frames;
  }
};

TEST_P(MixedRecipeTest, EveryMixtureGivesTheSameFrames) {
  const std::vector<size_t> expected = Expected();
  for (uint32_t mask = 1; mask < 1 << kStages; ++mask) {
    for (const int threads : {1, 4}) {
      const Decoded decoded =
          Decode(GetParam(), {.threads = threads, .recipe = MixedRecipe(mask)});
      EXPECT_EQ(decoded.frames, expected)
          << "mask " << mask << ", " << threads << " threads";
      EXPECT_GT(decoded.counters.gpu_frames, 0u);
    }
  }
}

// Whichever it is: the others run on the GPU as the recipe wants.
TEST_P(MixedRecipeTest, AKernelThatTheGpuDoesNotTakeRunsOnTheCpu) {
  const std::vector<size_t> expected = Expected();
  for (int kernel = 0; kernel < int(kStages); ++kernel) {
    FakeGpu().unsupported_kernel = kernel;
    const Decoded decoded =
        Decode(GetParam(), {.threads = 2, .recipe = MixedRecipe(15)});
    EXPECT_EQ(decoded.frames, expected) << "kernel " << kernel;
    EXPECT_GT(decoded.counters.gpu_frames, 0u) << "kernel " << kernel;
    EXPECT_EQ(decoded.counters.redone_frames, 0u) << "kernel " << kernel;
  }
}

TEST_P(MixedRecipeTest, SlowGpuKeepsTheOrder) {
  FakeGpu().delay_us = 3000;
  FakeGpu().reachable = false;
  const Decoded decoded =
      Decode(GetParam(), {.threads = 2, .recipe = MixedRecipe(15)});
  EXPECT_EQ(decoded.frames, Expected());
  EXPECT_EQ(decoded.counters.cpu_frames, 0u);
}

TEST_P(MixedRecipeTest, CpuTakesOverWhenTheGpuIsLost) {
  const std::vector<size_t> expected = Expected();
  for (const uint32_t mask : {15u, 1u, 8u, 10u}) {
    for (const uint64_t lost : {1u, 2u, 5u}) {
      const Decoded decoded =
          Decode(GetParam(), {.threads = 4,
                              .recipe = MixedRecipe(mask),
                              .gpu = {.device = {},
                                      .cache_file = {},
                                      .validate = false,
                                      .test_hooks = {.lose_at_submit = lost}}});
      EXPECT_EQ(decoded.frames, expected) << "mask " << mask << " at " << lost;
      EXPECT_EQ(decoded.failures, 0);
      EXPECT_GT(decoded.counters.redone_frames, 0u);
      EXPECT_EQ(decoded.notices.size(), 1u);
    }
  }
}

TEST_P(MixedRecipeTest, CpuTakesWhatTheGpuRefuses) {
  FakeGpu().refuse = true;
  const Decoded decoded =
      Decode(GetParam(), {.threads = 4, .recipe = MixedRecipe(15)});
  EXPECT_EQ(decoded.frames, Expected());
  EXPECT_GT(decoded.counters.redone_frames, 0u);
}

TEST_P(MixedRecipeTest, CpuDecodesWithoutAGpu) {
  FakeGpu().absent = true;
  const Decoded decoded =
      Decode(GetParam(), {.threads = 2, .recipe = MixedRecipe(15)});
  EXPECT_EQ(decoded.frames, Expected());
  EXPECT_EQ(decoded.notices.size(), 1u);
}

TEST_P(MixedRecipeTest, FramesInLostMemoryFailUntilTheNextKeyFrame) {
  FakeGpu().reachable = false;
  const std::vector<size_t> expected = Expected();
  const Decoded decoded =
      Decode(GetParam(), {.threads = 2,
                          .recipe = MixedRecipe(15),
                          .gpu = {.device = {},
                                  .cache_file = {},
                                  .validate = false,
                                  .test_hooks = {.lose_at_submit = 3}}});
  EXPECT_GT(decoded.failures, 0);
  EXPECT_LT(decoded.frames.size(), expected.size());
}

INSTANTIATE_TEST_SUITE_P(Clips, MixedRecipeTest,
                         testing::Values("odd_99x57.webm", "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
