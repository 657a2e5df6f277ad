// SPDX-License-Identifier: BSD-2-Clause
// A GPU that is wrong is found out, kernel by kernel, and does no harm.
#include <gtest/gtest.h>

#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

constexpr uint32_t kAllOnGpu = 15;

class SelfCheckTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { FakeGpu().checksums = 0; }
  void TearDown() override {
    FakeGpu().reachable = FakeGpu().shares = true;
    FakeGpu().wrong_kernel = -1;
    FakeGpu().wrong_from = 1;
    FakeGpu().delay_us = 0;
  }
  std::vector<size_t> Expected() {
    return Decode(GetParam(), {.threads = 1}).frames;
  }
  Decoded Check(uint32_t mask, uint32_t self_check) {
    return Decode(
        GetParam(),
        {.threads = 4, .recipe = MixedRecipe(mask), .self_check = self_check});
  }
};

TEST_P(SelfCheckTest, FindsNothingWrongWithAGoodGpu) {
  const std::vector<size_t> expected = Expected();
  for (uint32_t mask = 1; mask < 1 << kStages; ++mask) {
    const Decoded decoded = Check(mask, 1);
    EXPECT_EQ(decoded.frames, expected) << "mask " << mask;
    EXPECT_EQ(decoded.counters.self_checks, decoded.counters.gpu_frames);
    EXPECT_EQ(decoded.counters.self_check_failures, 0u);
    EXPECT_EQ(decoded.counters.redone_frames, 0u);
    EXPECT_TRUE(decoded.notices.empty());
  }
}

TEST_P(SelfCheckTest, ChecksEveryNthFrame) {
  const Decoded decoded = Check(kAllOnGpu, 4);
  const EngineCounters& counters = decoded.counters;
  EXPECT_EQ(counters.self_checks, (counters.gpu_frames + 3) / 4);
  EXPECT_EQ(decoded.frames, Expected());
}

TEST_P(SelfCheckTest, AsksForNoChecksumsWhenOff) {
  const Decoded decoded = Check(kAllOnGpu, 0);
  EXPECT_EQ(decoded.counters.self_checks, 0u);
  EXPECT_EQ(FakeGpu().checksums, 0u);
}

TEST_P(SelfCheckTest, NamesTheKernelThatIsWrongAndDoesWithoutIt) {
  const std::vector<size_t> expected = Expected();
  for (uint32_t kernel = 0; kernel < kStages; ++kernel) {
    for (const uint64_t from : {1u, 7u}) {
      for (const uint32_t mask : {kAllOnGpu, 1u << kernel}) {
        SCOPED_TRACE(std::string(kStageKeys[kernel]) + " from submit " +
                     std::to_string(from) + ", mask " + std::to_string(mask));
        FakeGpu().wrong_kernel = int(kernel);
        FakeGpu().wrong_from = from;
        const Decoded decoded = Check(mask, 1);
        EXPECT_EQ(decoded.frames, expected);
        EXPECT_EQ(decoded.failures, 0);
        EXPECT_EQ(decoded.counters.self_check_failures, 1u);
        EXPECT_GE(decoded.counters.redone_frames, 1u);
        ASSERT_EQ(decoded.notices.size(), 1u);
        EXPECT_EQ(decoded.notices[0].find(
                      std::string("self-check: ") + kStageKeys[kernel] +
                      " on fake differs from the CPU at frame "),
                  0u)
            << decoded.notices[0];
        Recipe without = MixedRecipe(mask);
        without.LeaveGpu(KernelId(kernel));
        EXPECT_EQ(decoded.recipe.ToString(), without.ToString());
      }
    }
  }
}

// What was planned before the mismatch does not run there either.
TEST_P(SelfCheckTest, IsRightFromTheFirstCheckOn) {
  const std::vector<size_t> expected = Expected();
  FakeGpu().delay_us = 1000;
  for (uint32_t kernel = 0; kernel < kStages; ++kernel) {
    FakeGpu().wrong_kernel = int(kernel);
    EXPECT_EQ(Check(kAllOnGpu, 1000).frames, expected) << kStageKeys[kernel];
  }
}

TEST_P(SelfCheckTest, ChecksPicturesThatTheCpuDoesNotReach) {
  FakeGpu().reachable = FakeGpu().shares = false;
  const std::vector<size_t> expected = Expected();
  const Decoded good = Check(kAllOnGpu, 1);
  EXPECT_EQ(good.frames, expected);
  EXPECT_GT(good.counters.self_checks, 0u);
  EXPECT_EQ(good.counters.self_check_failures, 0u);

  FakeGpu().wrong_kernel = int(KernelId::kVp9LoopFilter);
  FakeGpu().wrong_from = 3;
  const Decoded wrong = Check(kAllOnGpu, 1);
  EXPECT_EQ(wrong.counters.self_check_failures, 1u);
  EXPECT_EQ(wrong.notices.size(), 1u);
  EXPECT_GT(wrong.failures, 0);  // it cannot be done again
}

TEST_P(SelfCheckTest, MeasuresMotionOnlyWhenAsked) {
  EngineOptions options = {.threads = 2, .recipe = MixedRecipe(kAllOnGpu)};
  EXPECT_EQ(Decode(GetParam(), options).counters.motion_frames, 0u);
  options.watch.on = true;
  const Decoded decoded = Decode(GetParam(), options);
  EXPECT_EQ(decoded.frames, Expected());
  EXPECT_GT(decoded.counters.motion_frames, 0u);
  EXPECT_GT(decoded.counters.motion_sum, 0u);
}

INSTANTIATE_TEST_SUITE_P(Clips, SelfCheckTest,
                         testing::Values("odd_99x57.webm", "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
