// SPDX-License-Identifier: BSD-2-Clause
// AV1's work of inter prediction for the GPU: its steps, and what it refuses.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kernels/gpu/kernel_work.h"
#include "tests/frame/av1/random_inter.h"

namespace perdix::av1 {
namespace {

class NoMemory final : public gpu::Memory {
 public:
  uint8_t* data() const override { return nullptr; }
  size_t size() const override { return 0; }
};

class GpuInterPredTest : public testing::Test {
 protected:
  // A frame without blocks, with all references but the last one.
  void SetUp() override {
    TestRandom random(1);
    input_ = RandomInterFrame(random, 64, 64, 8, false, {});
    input_.lists[kInterBlocks.index].clear();
    input_.references[PERDIX_AV1_REFS - 1] = {};
  }

  void Add(uint32_t kind) {
    InterBlock block = {};
    block.shape =
        PackInterShape(4, 4, PERDIX_PLANES_LUMA, kind, 0, 1, 0, 0, 0, 0);
    input_.Of(kInterBlocks).push_back(block);
  }

  // A letter for each barrier and dispatch.
  std::string Build() {
    tile_ = input_.View();
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tiles = {&tile_, 1};
    frame.target = {input_.target.View(), input_.target.layout(), memory_};
    for (size_t i = 0; i < PERDIX_AV1_REFS; ++i) {
      GuardedPicture& picture = input_.references[i];
      if (picture.bytes().empty()) continue;
      frame.references[i] = {picture.View(), picture.layout(), memory_};
    }
    kernel_ = gpu::FindGpuKernel(KernelId::kAv1InterPred)->make(traits_);
    work_.Clear();
    const Status status = kernel_->Build(frame, &work_);
    EXPECT_TRUE(status.ok()) << status.message();
    std::string letters;
    for (const gpu::Command& command : work_.commands()) {
      letters += std::holds_alternative<gpu::Barrier>(command) ? 'b' : 'd';
    }
    return letters;
  }

  const gpu::MemoryPtr memory_ = std::make_shared<NoMemory>();
  const gpu::DeviceTraits traits_ = {.subgroup_size = 16, .addresses = true};
  KernelInput input_;
  WorkLists tile_;
  std::unique_ptr<gpu::KernelWork> kernel_;
  gpu::Work work_;
};

TEST_F(GpuInterPredTest, HasAStepForWhatDependsOnAnother) {
  EXPECT_EQ(Build(), "b");
  Add(PERDIX_INTER_SINGLE);
  EXPECT_EQ(Build(), "bd");
  Add(PERDIX_INTER_OBMC_LEFT);
  EXPECT_EQ(Build(), "bdbd");
  Add(PERDIX_INTER_OBMC_ABOVE);
  EXPECT_EQ(Build(), "bdbdbd");
  // Halves into the scratch memory, then their blend.
  Add(PERDIX_INTER_AVERAGE);
  EXPECT_EQ(Build(), "bddbddbd");
}

TEST_F(GpuInterPredTest, StagesTheAddressesOfBothPlanesOfReferences) {
  Add(PERDIX_INTER_SINGLE);
  Build();
  ASSERT_EQ(work_.addresses().size(), 2u * (PERDIX_AV1_REFS - 1));
  const gpu::Work::Address& address = work_.addresses()[3];
  EXPECT_EQ(address.picture, gpu::ReferenceId(1));
  EXPECT_EQ(address.at, input_.references[1].layout().chroma_offset);
}

TEST_F(GpuInterPredTest, NeedsADeviceWithAddresses) {
  EXPECT_TRUE(gpu::CheckDevice(KernelId::kAv1InterPred, traits_).ok());
  const Status status = gpu::CheckDevice(KernelId::kAv1InterPred, {});
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "device without bufferDeviceAddress, which Av1InterPred needs");
  EXPECT_TRUE(gpu::CheckDevice(KernelId::kAv1Cdef, {}).ok());
  EXPECT_TRUE(gpu::CheckDevice(KernelId::kAv1InverseTransform, {}).ok());
}

}  // namespace
}  // namespace perdix::av1
