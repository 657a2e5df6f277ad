// SPDX-License-Identifier: BSD-2-Clause
// AV1's kernels that have a shader, on the GPU between others on the CPU.
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

constexpr const char* kFilters[] = {"av1_deblock", "av1_cdef", "av1_super_res",
                                    "av1_loop_restoration", "av1_film_grain"};

// Bit i: kFilters[i] on the GPU.
std::string MixtureOf(uint32_t mask) {
  std::string recipe = "scalar";
  for (size_t i = 0; i < std::size(kFilters); ++i) {
    if (mask >> i & 1) recipe += std::string(",") + kFilters[i] + "=vulkan";
  }
  return recipe;
}

class Av1RecipeTest : public testing::TestWithParam<const char*> {
 protected:
  void TearDown() override {
    FakeGpu().wrong_kernel = -1;
    FakeGpu().reachable = true;
  }
  std::vector<size_t> Expected() {
    return Decode(Clip(), {.threads = 1}).frames;
  }
  // With CDEF on the GPU, and every frame checked. lost: the submit at which
  // the GPU is lost; 0: none.
  Decoded DecodeWithCdef(int threads, uint64_t lost = 0) {
    return DecodeWith("scalar,av1_cdef=vulkan", threads, lost);
  }
  Decoded DecodeWith(const std::string& text, int threads, uint64_t lost = 0) {
    Recipe recipe;
    EXPECT_TRUE(Recipe::Parse(text, &recipe).ok());
    return Decode(Clip(), {.threads = threads,
                           .recipe = recipe,
                           .gpu = {.device = {},
                                   .cache_file = {},
                                   .validate = false,
                                   .test_hooks = {.lose_at_submit = lost}},
                           .self_check = 1});
  }

 private:
  static std::string Clip() { return std::string("av1/") + GetParam(); }
};

TEST_P(Av1RecipeTest, CdefOnTheGpuGivesTheSameFrames) {
  const std::vector<size_t> expected = Expected();
  for (const bool reachable : {true, false}) {
    FakeGpu().reachable = reachable;
    for (const int threads : {1, 4}) {
      const Decoded decoded = DecodeWithCdef(threads);
      EXPECT_EQ(decoded.frames, expected) << threads << " threads";
      EXPECT_GT(decoded.counters.gpu_frames, 0u);
      EXPECT_EQ(decoded.counters.self_checks, decoded.counters.gpu_frames);
      EXPECT_EQ(decoded.counters.self_check_failures, 0u);
      EXPECT_TRUE(decoded.notices.empty());
    }
  }
}

// A filter alone is on the GPU where no kernel on the CPU needs lines of it.
TEST_P(Av1RecipeTest, EveryMixtureGivesTheSameFrames) {
  const std::vector<size_t> expected = Expected();
  for (uint32_t mask = 1; mask < 1 << std::size(kFilters); ++mask) {
    const Decoded decoded = DecodeWith(MixtureOf(mask), 4);
    EXPECT_EQ(decoded.frames, expected) << MixtureOf(mask);
    EXPECT_EQ(decoded.counters.self_checks, decoded.counters.gpu_frames);
    EXPECT_EQ(decoded.counters.self_check_failures, 0u) << MixtureOf(mask);
    EXPECT_TRUE(decoded.notices.empty());
  }
}

// Part of the reconstruction on the GPU, the rest of it on the CPU, and filters
// of both sides.
TEST_P(Av1RecipeTest, ReconstructionOnTheGpuGivesTheSameFrames) {
  const std::vector<size_t> expected = Expected();
  for (const char* const recipe :
       {"scalar,av1_inter_pred=vulkan", "scalar,av1_inverse_transform=vulkan",
        "scalar,av1_intra_pred=vulkan",
        "scalar,av1_inter_pred=vulkan,av1_cdef=vulkan",
        "scalar,av1_inverse_transform=vulkan,av1_cdef=vulkan",
        "scalar,av1_intra_pred=vulkan,av1_cdef=vulkan"}) {
    for (const int threads : {1, 4}) {
      const Decoded decoded = DecodeWith(recipe, threads);
      EXPECT_EQ(decoded.frames, expected) << recipe;
      EXPECT_GT(decoded.counters.gpu_frames, 0u);
      EXPECT_EQ(decoded.counters.self_checks, decoded.counters.gpu_frames);
      EXPECT_EQ(decoded.counters.self_check_failures, 0u);
      EXPECT_TRUE(decoded.notices.empty());
    }
  }
}

TEST_P(Av1RecipeTest, AWrongCdefIsFoundOutAndDoneWithout) {
  const std::vector<size_t> expected = Expected();
  FakeGpu().wrong_kernel = int(KernelId::kAv1Cdef);
  const Decoded decoded = DecodeWithCdef(4);
  EXPECT_EQ(decoded.frames, expected);
  EXPECT_EQ(decoded.counters.self_check_failures, 1u);
  EXPECT_FALSE(decoded.recipe.Uses(Variant::kVulkan));
  ASSERT_EQ(decoded.notices.size(), 1u);
  EXPECT_EQ(decoded.notices[0].find(
                "self-check: av1_cdef on fake differs from the CPU at frame "),
            0u)
      << decoded.notices[0];
}

// The check has a display of its own: the client's is written once by the GPU,
// and once by the CPU when that has found the GPU wrong.
TEST_P(Av1RecipeTest, AWrongFilterIsFoundOutWhereverItIs) {
  const std::vector<size_t> expected = Expected();
  for (const KernelId wrong :
       {KernelId::kAv1SuperRes, KernelId::kAv1LoopRestoration,
        KernelId::kAv1FilmGrain}) {
    FakeGpu().wrong_kernel = int(wrong);
    const Decoded decoded = DecodeWith(MixtureOf(31), 4);
    EXPECT_EQ(decoded.frames, expected) << RowOf(wrong).name;
    EXPECT_LE(decoded.counters.self_check_failures, 1u);
    EXPECT_EQ(decoded.notices.size(), decoded.counters.self_check_failures);
  }
}

TEST_P(Av1RecipeTest, CpuTakesOverWhenTheGpuIsLost) {
  const std::vector<size_t> expected = Expected();
  for (const uint64_t lost : {1u, 2u, 3u}) {
    const Decoded decoded = DecodeWithCdef(4, lost);
    EXPECT_EQ(decoded.frames, expected) << "at " << lost;
    EXPECT_EQ(decoded.failures, 0);
    EXPECT_GT(decoded.counters.redone_frames, 0u);
    EXPECT_EQ(decoded.notices.size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Clips, Av1RecipeTest,
    testing::Values("svt_480x200.ivf", "superres_240x100.ivf",
                    "superres10_240x100.ivf", "tenbit_176x72.ivf",
                    "grain10_176x72.ivf", "mono_98x42.obu"),
    ClipName);

}  // namespace
}  // namespace perdix
