// SPDX-License-Identifier: BSD-2-Clause
#include "tests/vulkan/vulkan_test.h"

#include <cstdlib>
#include <cstring>

namespace perdix::vulkan {
namespace {

std::unique_ptr<Gpu> shared_gpu;
Status shared_status;

// Opens on first use; closed before the process looks for leaks.
class SharedGpu : public testing::Environment {
 public:
  void TearDown() override { shared_gpu.reset(); }
};
[[maybe_unused]] const testing::Environment* const kSharedGpu =
    testing::AddGlobalTestEnvironment(new SharedGpu);

}  // namespace

Status OpenValidated(GpuOptions options, std::unique_ptr<Gpu>* gpu) {
  options.validate = true;
  if (Gpu::Open(options, gpu).ok()) return Status::Ok();
  options.validate = false;
  return Gpu::Open(options, gpu);
}

GpuOptions TestOptions() {
  GpuOptions options;
  const char* const device = std::getenv("PERDIX_TEST_GPU");
  if (device != nullptr) options.device = device;
  return options;
}

gpu::Picture Upload(Gpu& gpu, GuardedPicture& picture,
                    Gpu::Placement placement) {
  gpu::Picture made;
  made.view = picture.View();
  made.offsets = picture.layout();
  const Status status =
      gpu.Allocate(picture.bytes().size(), placement, &made.memory);
  EXPECT_TRUE(status.ok()) << status.message();
  if (made.memory->data() != nullptr) {
    std::memcpy(made.memory->data(), picture.bytes().data(),
                picture.bytes().size());
  }
  return made;
}

Bytes Download(Gpu& gpu, const gpu::Picture& picture) {
  Bytes bytes(picture.memory->size());
  const Status status = gpu.Read(*picture.memory, 0, bytes);
  EXPECT_TRUE(status.ok()) << status.message();
  return bytes;
}

GpuRandomFrame::GpuRandomFrame(Gpu& gpu, RandomFrame& frame)
    : tiles(frame.Tiles()) {
  input.params = &frame.params;
  input.codec = &frame.codec_params;
  input.tiles = tiles;
  input.tables = frame.tables.View();
  input.target = Upload(gpu, frame.target, Gpu::Placement::kShared);
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    input.references[i] =
        Upload(gpu, frame.references[i], Gpu::Placement::kShared);
  }
}

Status GpuRandomFrame::Submit(GpuFrame& runner,
                              std::span<const KernelId> stages) {
  auto promise = std::make_shared<std::promise<GpuFrameResult>>();
  result = promise->get_future();
  Status status = runner.Prepare(input, stages);
  if (!status.ok()) return status;
  return runner.Submit(
      [promise](const GpuFrameResult& done) { promise->set_value(done); });
}

void WaitReady(Gpu& gpu, std::span<const KernelId> stages) {
  for (const KernelId kernel : stages) gpu.Ready(kernel, Frame420(8, 8));
  for (const KernelId kernel : stages) {
    gpu.WaitReady(kernel, Frame420(8, 8));
  }
}

void VulkanTest::SetUp() {
  if (shared_gpu == nullptr && shared_status.ok()) {
    shared_status = OpenValidated(TestOptions(), &shared_gpu);
  }
  if (shared_gpu == nullptr) GTEST_SKIP() << shared_status.message();
  gpu_ = shared_gpu.get();
  WaitReady(*gpu_, kAllStages);
}

void VulkanTest::TearDown() {
  if (gpu_ == nullptr) return;
  EXPECT_EQ(gpu_->validation_messages(), 0u);
}

}  // namespace perdix::vulkan
