// SPDX-License-Identifier: BSD-2-Clause
// A Gpu for tests, and frames run on it.
#ifndef PERDIX_TESTS_VULKAN_VULKAN_TEST_H_
#define PERDIX_TESTS_VULKAN_VULKAN_TEST_H_

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "kernels/vulkan/gpu.h"
#include "tests/frame/vp9/random_frame.h"

namespace perdix::vulkan {

// The one codec there is stands for all.
using vp9::InterChoice;
using vp9::kAllStages;
using vp9::RandomFrame;

// Parameters of a frame of 8 bits, with chroma of half the size.
inline FrameParams Frame420(uint32_t width, uint32_t height) {
  return TestFrameParams(width, height, 8, 1, 1);
}

// With the device of $PERDIX_TEST_GPU, if it is set.
GpuOptions TestOptions();

// The picture's bytes in memory of the GPU; its planes as they are in it.
gpu::Picture Upload(Gpu& gpu, GuardedPicture& picture,
                    Gpu::Placement placement);
Bytes Download(Gpu& gpu, const gpu::Picture& picture);

// A RandomFrame on the GPU.
struct GpuRandomFrame {
  GpuRandomFrame(Gpu& gpu, RandomFrame& frame);
  // Prepares and submits.
  Status Submit(GpuFrame& runner, std::span<const KernelId> stages);

  std::array<WorkLists, 2> tiles;
  gpu::FrameInput input;
  std::future<GpuFrameResult> result;  // of the last Submit
};

// Opens a GPU with the validation layer, where that is installed.
Status OpenValidated(GpuOptions options, std::unique_ptr<Gpu>* gpu);

// The stage that has the fewest programs, for tests that any stage serves.
inline constexpr std::array kOneStage = {KernelId::kVp9LoopFilter};

// Until the programs of the stages are compiled: with the validation layer, of
// all of them, most of a minute on a busy machine.
void WaitReady(Gpu& gpu, std::span<const KernelId> stages);

// One Gpu for all tests that do it no harm: to compile its pipelines takes
// seconds. Skips without a device. The validation layer must have no message.
class VulkanTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Gpu* gpu_ = nullptr;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_TESTS_VULKAN_VULKAN_TEST_H_
