// SPDX-License-Identifier: BSD-2-Clause
// The engine's GPU, where the GPU does what the test says (fake_gpu.h).
#include "engine/gpu_owner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/self_check.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

using Texts = std::vector<std::string>;

class GpuOwnerTest : public testing::Test {
 protected:
  ~GpuOwnerTest() override {
    FakeGpu().absent = false;
    FakeGpu().ready = true;
    FakeGpu().unsupported_kernel = -1;
  }

  Texts notices_;
  GpuOwner owner_{
      {}, false, [this](const std::string& text) { notices_.push_back(text); }};
};

FrameParams Params(uint32_t bit_depth) {
  FrameParams params = {};
  params.bit_depth = bit_depth;
  return params;
}

TEST_F(GpuOwnerTest, OpensTheGpuOnceAndOnlyIfItIsAskedTo) {
  EXPECT_EQ(owner_.get(), nullptr);
  EXPECT_FALSE(owner_.lost());
  owner_.Open();
  vulkan::Gpu* const gpu = owner_.get();
  EXPECT_NE(gpu, nullptr);
  owner_.Open();
  EXPECT_EQ(owner_.get(), gpu);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(GpuOwnerTest, TellsThatThereIsNoneAndTriesAgain) {
  FakeGpu().absent = true;
  owner_.Open();
  EXPECT_EQ(owner_.get(), nullptr);
  EXPECT_FALSE(owner_.Takes(KernelId::kVp9LoopFilter, Params(8)));
  EXPECT_EQ(notices_, Texts{"no fake GPU: the CPU decodes"});
  FakeGpu().absent = false;
  owner_.Open();
  EXPECT_NE(owner_.get(), nullptr);
}

TEST_F(GpuOwnerTest, TakesWhatTheGpuSupportsUntilItIsLost) {
  owner_.Open();
  EXPECT_TRUE(owner_.Takes(KernelId::kVp9LoopFilter, Params(8)));
  EXPECT_FALSE(owner_.Takes(KernelId::kVp9LoopFilter, Params(12)));
  FakeGpu().unsupported_kernel = int(KernelId::kVp9LoopFilter);
  EXPECT_FALSE(owner_.Takes(KernelId::kVp9LoopFilter, Params(8)));
  FakeGpu().unsupported_kernel = -1;
  owner_.get()->MarkRemoved();
  EXPECT_TRUE(owner_.lost());
  EXPECT_FALSE(owner_.Takes(KernelId::kVp9LoopFilter, Params(8)));
}

TEST_F(GpuOwnerTest, TakesNothingUntilItsProgramsAreCompiled) {
  owner_.Open();
  FakeGpu().ready = false;
  EXPECT_FALSE(owner_.Takes(KernelId::kVp9LoopFilter, Params(8)));
  FakeGpu().ready = true;
  EXPECT_TRUE(owner_.Takes(KernelId::kVp9LoopFilter, Params(8)));
}

// So that a stream does not wait again when its first inter frame comes.
TEST_F(GpuOwnerTest, HasAllProgramsOfACodecCompiledAtOnce) {
  Recipe recipe;
  ASSERT_TRUE(Recipe::Parse("simd,av1_cdef=vulkan,av1_deblock=vulkan,"
                            "vp9_loop_filter=vulkan,final_shift=vulkan",
                            &recipe)
                  .ok());
  owner_.Open();
  owner_.Prepare(recipe);
  FakeGpu().ready = false;
  FakeGpu().asked = 0;
  EXPECT_FALSE(owner_.Takes(KernelId::kAv1Cdef, Params(10)));
  EXPECT_EQ(FakeGpu().asked, 1u << int(KernelId::kAv1Cdef) |
                                 1u << int(KernelId::kAv1Deblock) |
                                 1u << int(KernelId::kFinalShift));
}

TEST_F(GpuOwnerTest, WaitsForProgramsIfItIsToldTo) {
  GpuOwner waiting({}, true, nullptr);
  waiting.Open();
  FakeGpu().ready = false;
  EXPECT_FALSE(waiting.Takes(KernelId::kVp9LoopFilter, Params(12)));
  EXPECT_FALSE(FakeGpu().ready);  // nothing to wait for
  EXPECT_TRUE(waiting.Takes(KernelId::kVp9LoopFilter, Params(8)));
}

TEST_F(GpuOwnerTest, TellsOfAFailureAndOfARefusedBufferOnce) {
  owner_.Open();
  const Status lost(StatusCode::kDeviceLost, "gone");
  owner_.ReportFailure(lost);
  owner_.ReportFailure(lost);
  gpu::MemoryPtr memory;
  EXPECT_FALSE(owner_.Import(-1, 4096, &memory).ok());
  EXPECT_FALSE(owner_.Import(-1, 4096, &memory).ok());
  EXPECT_EQ(notices_, (Texts{"gone: the CPU goes on",
                             "fake: the CPU decodes such streams"}));
}

TEST_F(GpuOwnerTest, TellsOfEveryKernelThatIsWrong) {
  owner_.Open();
  owner_.ReportWrong(KernelId::kVp9LoopFilter, "frame 7");
  EXPECT_EQ(notices_,
            Texts{"self-check: vp9_loop_filter on fake differs from the CPU at "
                  "frame 7: it runs on the CPU from now on"});
}

TEST(SelfCheckTurnsTest, ComeToTheFirstOfEveryFewFrames) {
  SelfCheckTurns turns(3);
  EXPECT_TRUE(turns.any());
  std::vector<bool> due;
  for (int i = 0; i < 7; ++i) due.push_back(turns.Next());
  EXPECT_EQ(due,
            (std::vector<bool>{true, false, false, true, false, false, true}));
}

TEST(SelfCheckTurnsTest, NeverComeIfNoneIsWanted) {
  SelfCheckTurns turns(0);
  EXPECT_FALSE(turns.any());
  EXPECT_FALSE(turns.Next());
}

}  // namespace
}  // namespace perdix
