// SPDX-License-Identifier: BSD-2-Clause
// A Gpu for tests, and frames run on it.
#ifndef PERDIX_TESTS_VULKAN_VULKAN_TEST_H_
#define PERDIX_TESTS_VULKAN_VULKAN_TEST_H_

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <span>

#include "kernels/vulkan/gpu.h"
#include "tests/vulkan/random_frame.h"

namespace perdix::vulkan {

// With the device of $PERDIX_TEST_GPU, if it is set.
GpuOptions TestOptions();

// The picture's bytes in memory of the GPU; its planes as they are in it.
GpuPicture Upload(Gpu& gpu, TestPicture& picture, Gpu::Placement placement);
Bytes Download(Gpu& gpu, const GpuPicture& picture);

// A RandomFrame on the GPU.
struct GpuRandomFrame {
  GpuRandomFrame(Gpu& gpu, RandomFrame& frame);
  Status Submit(GpuFrame& runner, std::span<const KernelId> stages);

  std::array<WorkLists, 2> tiles;
  GpuFrameInput input;
  std::future<GpuFrameResult> result;  // of the last Submit
};

// Skips without a device. With the validation layer, where it is installed:
// then there must not be a message.
class VulkanTest : public testing::Test {
 protected:
  void SetUp() override { Open(TestOptions()); }
  void TearDown() override;
  void Open(GpuOptions options);

  std::unique_ptr<Gpu> gpu_;
};

// One Gpu for all tests that do it no harm.
class SharedVulkanTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  static inline std::unique_ptr<Gpu> gpu_;
  static inline std::string why_;  // there is none
};

}  // namespace perdix::vulkan

#endif  // PERDIX_TESTS_VULKAN_VULKAN_TEST_H_
