// SPDX-License-Identifier: BSD-2-Clause
// What perdix-bench needs of a Gpu besides frames.
#include <vector>

#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

class OverheadsTest : public VulkanTest {};

TEST_F(OverheadsTest, ASubmitTakesTime) {
  GpuOverheads overheads;
  const Status status = gpu_->MeasureOverheads(&overheads);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_GT(overheads.empty_submit, 0u);
}

TEST_F(OverheadsTest, ReadsWhatWasWritten) {
  using Placement = Gpu::Placement;
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(i * 7);
  for (const Placement placement : {Placement::kDevice, Placement::kShared}) {
    gpu::MemoryPtr memory;
    ASSERT_TRUE(gpu_->Allocate(4096, placement, &memory).ok());
    ASSERT_TRUE(gpu_->Write(*memory, 16, bytes).ok());
    std::vector<uint8_t> read(bytes.size());
    ASSERT_TRUE(gpu_->Read(*memory, 16, read).ok());
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(gpu_->Write(*memory, 4000, bytes).code(),
              StatusCode::kInvalidArgument);
  }
}

TEST_F(OverheadsTest, TheListNamesTheDevice) {
  const std::vector<GpuDescription> list = Gpu::List(TestOptions());
  bool found = false;
  for (const GpuDescription& device : list) {
    found |=
        device.usable.ok() && ToString(device) == ToString(gpu_->identity());
  }
  EXPECT_TRUE(found);
  GpuOptions none;
  none.device = "no such device";
  EXPECT_TRUE(Gpu::List(none).empty());
}

}  // namespace
}  // namespace perdix::vulkan
