// SPDX-License-Identifier: BSD-2-Clause
// The device is lost: everybody is told, nobody waits.
#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

class DeviceLossTest : public testing::Test {
 protected:
  void SetUp() override {
    GpuOptions options = TestOptions();
    options.test_hooks.lose_at_submit = 3;
    const Status status = OpenValidated(options, &gpu_);
    if (!status.ok()) GTEST_SKIP() << status.message();
    WaitReady(*gpu_, kOneStage);
  }
  void TearDown() override {
    if (gpu_ == nullptr) return;
    EXPECT_EQ(gpu_->validation_messages(), 0u);
  }

  std::unique_ptr<Gpu> gpu_;
};

TEST_F(DeviceLossTest, PendingFramesAndLaterOnesAreTold) {
  TestRandom random(1);
  RandomFrame frame(random, Frame420(328, 200), {});
  std::vector<std::unique_ptr<GpuFrame>> runners;
  std::vector<std::unique_ptr<GpuRandomFrame>> frames;
  for (int i = 0; i < 4; ++i) {
    runners.push_back(gpu_->NewFrame());
    frames.push_back(std::make_unique<GpuRandomFrame>(*gpu_, frame));
  }
  // The first is done before the device is lost, the second may be or not.
  ASSERT_TRUE(frames[0]->Submit(*runners[0], kOneStage).ok());
  EXPECT_TRUE(frames[0]->result.get().status.ok());
  ASSERT_TRUE(frames[1]->Submit(*runners[1], kOneStage).ok());
  ASSERT_TRUE(frames[2]->Submit(*runners[2], kOneStage).ok());
  EXPECT_EQ(frames[3]->Submit(*runners[3], kOneStage).code(),
            StatusCode::kDeviceLost);
  frames[1]->result.get();
  EXPECT_EQ(frames[2]->result.get().status.code(), StatusCode::kDeviceLost);
  EXPECT_TRUE(gpu_->lost());
  EXPECT_EQ(frames[0]->Submit(*runners[0], kOneStage).code(),
            StatusCode::kDeviceLost);
  // What lies in memory of the host can still be read.
  EXPECT_EQ(Download(*gpu_, frames[3]->input.references[0]),
            frame.references[0].bytes());
}

}  // namespace
}  // namespace perdix::vulkan
