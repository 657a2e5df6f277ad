// SPDX-License-Identifier: BSD-2-Clause
// A pair's work on the GPU as data: steps, what they are bound to, what is
// refused. Needs no GPU.
#include "kernels/gpu/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace perdix::gpu {
namespace {

class SomeMemory final : public Memory {
 public:
  explicit SomeMemory(size_t size) : size_(size) {}
  uint8_t* data() const override { return nullptr; }
  size_t size() const override { return size_; }

 private:
  const size_t size_;
};

Picture PictureOf(uint32_t width, uint32_t height, uint32_t bit_depth = 8) {
  Picture picture;
  picture.view.width = width;
  picture.view.height = height;
  picture.view.bit_depth = bit_depth;
  const uint32_t stride = (width * (bit_depth > 8 ? 2 : 1) + 15) / 16 * 16;
  picture.offsets = {0, stride * height, stride, stride};
  picture.memory = std::make_shared<SomeMemory>(size_t{stride} * height * 2);
  return picture;
}

QualityInput InputOf(uint32_t width, uint32_t height, uint32_t bit_depth = 8) {
  QualityInput input;
  input.reference = input.decoded = input.previous =
      PictureOf(width, height, bit_depth);
  return input;
}

// The shaders of each step.
std::vector<std::vector<std::string>> StepsOf(const Work& work) {
  std::vector<std::vector<std::string>> steps(1);
  for (const Command& command : work.commands()) {
    if (const auto* const dispatch = std::get_if<Dispatch>(&command)) {
      steps.back().emplace_back(dispatch->program.shader);
    } else if (std::holds_alternative<EndOfStage>(command)) {
      steps.emplace_back();
    }
  }
  steps.pop_back();
  return steps;
}

TEST(QualityWorkTest, HasSixStepsWhoseDispatchesLieSideBySide) {
  QualityWork work({});
  ASSERT_TRUE(work.Build(InputOf(1920, 1080), UINT32_MAX).ok());
  const auto steps = StepsOf(work.work());
  ASSERT_EQ(steps.size(), kQualitySteps);
  EXPECT_EQ(steps[0], (std::vector<std::string>{
                          "quality/sse", "quality/sse", "quality/motion_blur",
                          "quality/vif_down_0", "quality/vif_stat_0",
                          "quality/adm_dwt_0"}));
  EXPECT_EQ(steps[3],
            (std::vector<std::string>{"quality/vif_stat_3", "quality/adm_dwt_3",
                                      "quality/adm_mask_2"}));
  EXPECT_EQ(steps[4], (std::vector<std::string>{"quality/adm_mask_3"}));
  EXPECT_EQ(work.work().barriers(), kQualitySteps);
  EXPECT_EQ(work.work().scratch_bytes(), 0u);
}

// So nothing that a step reads is written in the same step.
TEST(QualityWorkTest, TakesTurnsWithTwoBuffersOfPlanes) {
  QualityWork work({});
  ASSERT_TRUE(work.Build(InputOf(100, 100), UINT32_MAX).ok());
  std::vector<std::vector<uint32_t>> bound(1);
  for (const Command& command : work.work().commands()) {
    if (const auto* const dispatch = std::get_if<Dispatch>(&command)) {
      bound.back().push_back(dispatch->bindings.quality);
    } else if (std::holds_alternative<EndOfStage>(command)) {
      bound.emplace_back();
    }
  }
  const std::vector<uint32_t> expected = {0, 1, 2, 1, 2, 3};
  for (size_t step = 0; step < expected.size(); ++step) {
    EXPECT_FALSE(bound[step].empty());
    for (const uint32_t buffers : bound[step]) {
      EXPECT_EQ(buffers, expected[step]) << "step " << step;
    }
  }
  for (const QualityBuffers& buffers : kQualityBuffers) {
    EXPECT_NE(buffers.in, buffers.out);
  }
}

TEST(QualityWorkTest, NamesAllItsPrograms) {
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    const DeviceTraits traits = {16, false};
    QualityWork work(traits);
    ASSERT_TRUE(work.Build(InputOf(64, 64, bit_depth), UINT32_MAX).ok());
    const std::vector<Program> programs = QualityPrograms(traits, bit_depth);
    for (const Command& command : work.work().commands()) {
      if (const auto* const dispatch = std::get_if<Dispatch>(&command)) {
        EXPECT_NE(
            std::find(programs.begin(), programs.end(), dispatch->program),
            programs.end())
            << dispatch->program.shader;
      }
    }
  }
}

TEST(QualityWorkTest, NeedsLittleForMotionAlone) {
  QualityInput input = InputOf(1920, 1080);
  input.features = kQualityMotion;
  QualityWork work({});
  ASSERT_TRUE(work.Build(input, UINT32_MAX).ok());
  EXPECT_EQ(work.plane_bytes(0), 0u);
  EXPECT_EQ(work.plane_bytes(1), 0u);
  EXPECT_EQ(work.work().partials(), 32u * 45u);
}

TEST(QualityWorkTest, RefusesMoreMemoryThanShadersSee) {
  QualityWork work({});
  const Status status = work.Build(InputOf(1920, 1080), 1 << 20);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
}

TEST(QualityInputTest, IsCheckedPictureByPicture) {
  EXPECT_TRUE(CheckQualityInput(InputOf(33, 33), UINT32_MAX).ok());
  EXPECT_EQ(CheckQualityInput(InputOf(32, 33), UINT32_MAX).code(),
            StatusCode::kUnsupported);
  QualityInput input = InputOf(64, 64);
  input.decoded = PictureOf(64, 66);
  EXPECT_EQ(CheckQualityInput(input, UINT32_MAX).message(),
            "decoded picture: got 64x66 of 8 bit, needed 64x64 of 8 bit");
  input = InputOf(64, 64);
  input.previous.view.shift = 6;
  EXPECT_EQ(CheckQualityInput(input, UINT32_MAX).code(),
            StatusCode::kUnsupported);
  input.previous = {};  // none
  EXPECT_TRUE(CheckQualityInput(input, UINT32_MAX).ok());
  input.decoded.memory = nullptr;
  EXPECT_EQ(CheckQualityInput(input, UINT32_MAX).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace perdix::gpu
