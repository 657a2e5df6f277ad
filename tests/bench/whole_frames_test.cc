// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/whole_frames.h"

#include <gtest/gtest.h>

#include "tests/engine/fake_gpu.h"

namespace perdix::bench {
namespace {

class WholeFramesTest : public testing::Test {
 protected:
  void TearDown() override {
    FakeGpu().wrong_kernel = -1;
    FakeGpu().absent = FakeGpu().refuse = false;
  }

  // All scalar, all Vulkan, a mixture.
  static std::vector<RecipeReport> Measure() {
    std::vector<Placement> placements;
    for (const char* text :
         {"scalar", "vulkan", "scalar,vp9_loop_filter=vulkan"}) {
      Recipe recipe;
      EXPECT_TRUE(Recipe::Parse(text, &recipe).ok());
      placements.push_back({text, recipe, 0});
    }
    EngineOptions options;
    options.threads = 2;
    Engine engine(options);
    std::vector<RecipeReport> reports;
    const Status status = MeasureRecipes(engine, PERDIX_CLIPS "/odd_99x57.webm",
                                         placements, {2, {}}, &reports);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(reports.size(), 3u);
    return reports;
  }
};

TEST_F(WholeFramesTest, TimesEveryRecipe) {
  for (const RecipeReport& report : Measure()) {
    EXPECT_TRUE(report.exact) << report.reason;
    EXPECT_GT(report.fps, 0);
    EXPECT_GT(report.cpu_seconds, 0);
  }
}

TEST_F(WholeFramesTest, NeverTimesOtherFrames) {
  FakeGpu().wrong_kernel = int(KernelId::kVp9LoopFilter);
  const auto reports = Measure();
  EXPECT_TRUE(reports[0].exact);
  EXPECT_FALSE(reports[1].exact);
  EXPECT_FALSE(reports[2].exact);
  EXPECT_EQ(reports[2].fps, 0);
  EXPECT_EQ(reports[2].reason, "other frames than scalar");
}

TEST_F(WholeFramesTest, NeverTimesWhatTheGpuDidNotDo) {
  FakeGpu().refuse = true;
  EXPECT_FALSE(Measure()[1].exact);
  FakeGpu().refuse = false;
  FakeGpu().absent = true;
  EXPECT_EQ(Measure()[1].reason, "no frame was done by the GPU");
}

TEST_F(WholeFramesTest, FailsOnABadFile) {
  Engine engine({.threads = 1});
  std::vector<RecipeReport> reports;
  EXPECT_FALSE(MeasureRecipes(engine, "/dev/null", {}, {}, &reports).ok());
}

}  // namespace
}  // namespace perdix::bench
