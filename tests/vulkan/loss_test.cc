// SPDX-License-Identifier: BSD-2-Clause
// The device is lost: everybody is told, nobody waits.
#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

class DeviceLossTest : public VulkanTest {
 protected:
  void SetUp() override {
    GpuOptions options = TestOptions();
    options.lose_at_submit = 3;
    Open(options);
  }
};

TEST_F(DeviceLossTest, PendingFramesAndLaterOnesAreToldSo) {
  Random random(1);
  RandomFrame frame(random, 328, 200, {});
  std::vector<std::unique_ptr<GpuFrame>> runners;
  std::vector<std::unique_ptr<GpuRandomFrame>> frames;
  for (int i = 0; i < 4; ++i) {
    runners.push_back(gpu_->NewFrame());
    frames.push_back(std::make_unique<GpuRandomFrame>(*gpu_, frame));
  }
  // The first is done before the device is lost, the second may be or not.
  ASSERT_TRUE(frames[0]->Submit(*runners[0], kAllStages).ok());
  EXPECT_TRUE(frames[0]->result.get().status.ok());
  ASSERT_TRUE(frames[1]->Submit(*runners[1], kAllStages).ok());
  ASSERT_TRUE(frames[2]->Submit(*runners[2], kAllStages).ok());
  EXPECT_EQ(frames[3]->Submit(*runners[3], kAllStages).code(),
            StatusCode::kDeviceLost);
  frames[1]->result.get();
  EXPECT_EQ(frames[2]->result.get().status.code(), StatusCode::kDeviceLost);
  EXPECT_TRUE(gpu_->lost());
  EXPECT_EQ(frames[0]->Submit(*runners[0], kAllStages).code(),
            StatusCode::kDeviceLost);
}

TEST_F(DeviceLossTest, MemoryOfTheHostCanStillBeRead) {
  Random random(2);
  RandomFrame frame(random, 80, 80, {});
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  GpuRandomFrame gpu_frame(*gpu_, frame);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
    gpu_frame.result.get();
  }
  EXPECT_TRUE(gpu_->lost());
  EXPECT_EQ(Download(*gpu_, gpu_frame.input.references[0]),
            frame.references[0].bytes);
}

}  // namespace
}  // namespace perdix::vulkan
