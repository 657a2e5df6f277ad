// SPDX-License-Identifier: BSD-2-Clause
#include "engine/cpu_frames.h"

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

const std::string kNoShaders = "no shaders";

// A GPU with all that the build has shaders for.
GpuAnswers AllShaders() {
  return {[](KernelId) { return true; }, [](KernelId) { return false; },
          [](KernelId kernel, const FrameParams& params) {
            return RowOf(kernel).HasShaderFor(params.bit_depth) &&
                   params.subsampling_x == 1 && params.subsampling_y == 1;
          }};
}

TEST(CpuFramesTest, AreThoseWithoutShaders) {
  const CpuFrames found = FindCpuFrames(AllShaders());
  for (const std::string codec : {"vp9", "av1"}) {
    for (const char* format : {"12 bit", "4:2:2", "4:4:4"})
      EXPECT_EQ(found.at(codec + " of " + format), kNoShaders);
    EXPECT_FALSE(found.contains(codec + " of 10 bit"));
  }
  EXPECT_TRUE(found.contains("av1 frames with intrabc"));
  EXPECT_EQ(found.size(), 7u);
}

TEST(CpuFramesTest, NameTheKernelWhereOthersAreOnTheGpu) {
  GpuAnswers gpu = AllShaders();
  gpu.supports = [supports = gpu.supports](KernelId kernel,
                                           const FrameParams& params) {
    return supports(kernel, params) && kernel != KernelId::kAv1InterPred &&
           (kernel != KernelId::kAv1Cdef || params.bit_depth == 8);
  };
  gpu.wrong = [](KernelId kernel) {
    return kernel == KernelId::kVp9LoopFilter;
  };
  const CpuFrames found = FindCpuFrames(gpu);
  EXPECT_EQ(found.at("av1_inter_pred"), "the GPU lacks what its shaders need");
  EXPECT_EQ(found.at("av1_cdef of 10 bit"), kNoShaders);
  EXPECT_EQ(found.at("vp9_loop_filter"),
            "a self-check found it wrong on the GPU");
  EXPECT_EQ(found.size(), 10u);
}

TEST(CpuFramesTest, AreNoneOfACodecThatTheRecipeHasOnTheCpu) {
  GpuAnswers gpu = AllShaders();
  gpu.wanted = [](KernelId kernel) {
    return kernel == KernelId::kVp9InterPred;
  };
  for (const auto& [frames, reason] : FindCpuFrames(gpu))
    EXPECT_TRUE(frames.starts_with("vp9")) << frames;
  gpu.wanted = [](KernelId) { return false; };
  EXPECT_TRUE(FindCpuFrames(gpu).empty());
}

TEST(CpuFramesTest, OfAnEngineNeedAGpu) {
  EngineOptions options = {.threads = 1};
  ASSERT_TRUE(Recipe::Parse("vulkan", &options.recipe).ok());
  EXPECT_TRUE(Engine(options).cpu_frames().contains("av1 of 12 bit"));
  FakeGpu().absent = true;
  EXPECT_TRUE(Engine(options).cpu_frames().empty());
  FakeGpu().absent = false;
}

}  // namespace
}  // namespace perdix
