// SPDX-License-Identifier: BSD-2-Clause
// CDEF's work for the GPU: its steps, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <variant>

#include "kernels/av1/lists.h"
#include "kernels/gpu/kernel_work.h"
#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

class CdefWorkTest : public testing::Test {
 protected:
  CdefWorkTest()
      : kernel_(gpu::FindGpuKernel(KernelId::kAv1Cdef)->make({16, false})) {
    input_.params = TestFrameParams(200, 100, 8, 1, 1);
    SetStrengths(PackCdefStrength(1, 0), PackCdefStrength(0, 2));
    SetBlocks(4 * 2);
    work_.Clear();
  }

  Params& av1() { return input_.codec_params.As<Params>(); }
  void SetStrengths(uint32_t luma, uint32_t chroma) {
    std::fill_n(av1().cdef_y_strength, 8, luma);
    std::fill_n(av1().cdef_uv_strength, 8, chroma);
  }
  // All of which are filtered.
  void SetBlocks(size_t count) {
    for (CdefBlock& block : input_.tables.Resize(kCdefBlocks, count)) {
      block = {0, 0, UINT32_MAX, UINT32_MAX};
    }
  }

  Status Build() {
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tables = input_.tables.View();
    return kernel_->Build(frame, &work_);
  }
  // The dispatches of a shader.
  uint32_t CountOf(std::string_view shader) const {
    uint32_t count = 0;
    for (const gpu::Command& command : work_.commands()) {
      const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
      count += dispatch && dispatch->program.shader == shader;
    }
    return count;
  }

  KernelInput input_;
  gpu::Work work_;
  const std::unique_ptr<gpu::KernelWork> kernel_;
};

TEST_F(CdefWorkTest, FindsDirectionsThenFiltersThenCopies) {
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 3u);
  EXPECT_EQ(CountOf("av1/cdef_direction"), 1u);
  EXPECT_EQ(CountOf("av1/cdef"), 4u);  // edges and the others, two planes
  EXPECT_EQ(CountOf("av1/cdef_copy"), 2u);
}

TEST_F(CdefWorkTest, FindsNoDirectionsWithoutAPrimaryStrength) {
  SetStrengths(PackCdefStrength(0, 4), PackCdefStrength(0, 1));
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 2u);
  EXPECT_EQ(CountOf("av1/cdef_direction"), 0u);
}

TEST_F(CdefWorkTest, TouchesNoPlaneWithoutAStrengthAndNoChromaOfGrayFrames) {
  SetStrengths(0, PackCdefStrength(0, 1));
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(CountOf("av1/cdef_copy"), 1u);
  work_.Clear();
  av1().monochrome = 1;
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 0u);
}

TEST_F(CdefWorkTest, RefusesATableOfAnotherSize) {
  SetBlocks(4 * 2 - 1);
  const Status status = Build();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "CDEF's blocks: got 7, needed 8");
}

TEST_F(CdefWorkTest, TakesChromaOfHalfTheSizeAlone) {
  EXPECT_TRUE(gpu::CheckParams(KernelId::kAv1Cdef, input_.params).ok());
  input_.params.bit_depth = 10;
  EXPECT_TRUE(gpu::CheckParams(KernelId::kAv1Cdef, input_.params).ok());
  for (const auto& [bit_depth, x, y] :
       {std::array{12u, 1u, 1u}, {8u, 1u, 0u}, {8u, 0u, 0u}}) {
    const FrameParams params = TestFrameParams(200, 100, bit_depth, x, y);
    EXPECT_EQ(gpu::CheckParams(KernelId::kAv1Cdef, params).code(),
              StatusCode::kUnsupported);
  }
}

}  // namespace
}  // namespace perdix::av1
