// SPDX-License-Identifier: BSD-2-Clause
// Deblocking's work for the GPU: its steps, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "kernels/av1/line_buffers.h"
#include "kernels/gpu/kernel_work.h"
#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

class DeblockWorkTest : public testing::Test {
 protected:
  DeblockWorkTest()
      : kernel_(gpu::FindGpuKernel(KernelId::kAv1Deblock)->make({16, false})) {
    SetFrame(8);
    std::fill_n(av1().loop_filter_level, 4, 20u);
    SetEdges(50 * 26, PackLumaEdges(1, 1, 20, 20));
  }

  Params& av1() { return input_.codec_params.As<Params>(); }
  void SetFrame(uint32_t bit_depth) {
    input_.params = TestFrameParams(200, 100, bit_depth, 1, 1);
    av1().mi_cols = 50;
    av1().mi_rows = 26;
  }
  // All of luma's are <word>; chroma's are none.
  void SetEdges(size_t count, uint32_t word) {
    std::ranges::fill(input_.tables.Resize(kLumaEdges, count),
                      static_cast<uint16_t>(word));
    std::ranges::fill(input_.tables.Resize(kChromaEdges, 25 * 13), 0u);
  }

  Status Build() {
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tables = input_.tables.View();
    work_.Clear();
    return kernel_->Build(frame, &work_);
  }

  KernelInput input_;
  gpu::Work work_;
  const std::unique_ptr<gpu::KernelWork> kernel_;
};

TEST_F(DeblockWorkTest, FiltersEdgesThatShareWordsInTwoSteps) {
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 3u);
  EXPECT_EQ(work_.dispatches(), 3u);
  SetFrame(10);
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 2u);
  EXPECT_EQ(work_.dispatches(), 2u);
}

TEST_F(DeblockWorkTest, HasNothingToDoWithoutEdgesOrLevels) {
  SetEdges(50 * 26, PackLumaEdges(0, 0, 20, 20));
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 0u);
  SetEdges(50 * 26, PackLumaEdges(1, 1, 20, 20));
  av1().loop_filter_level[0] = av1().loop_filter_level[1] = 0;
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 0u);
}

TEST_F(DeblockWorkTest, SavesLinesInAStepOfTheirOwnForLoopRestoration) {
  av1().restoration[1].type = 1;
  const size_t bytes = CdefLinesBytes(input_.params, av1());
  input_.tables.Resize(kCdefLines, bytes);
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 4u);
  EXPECT_EQ(work_.dispatches(), 5u);
  EXPECT_EQ(work_.staged_bytes(PERDIX_BINDING_FRAME_TABLES), bytes);
  av1().loop_filter_level[0] = av1().loop_filter_level[1] = 0;
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 1u);
  EXPECT_EQ(work_.dispatches(), 2u);
  input_.tables.Resize(kCdefLines, bytes - 1);
  EXPECT_EQ(Build().code(), StatusCode::kInvalidArgument);
}

TEST_F(DeblockWorkTest, RefusesATableOfAnotherSize) {
  SetEdges(50 * 26 - 1, 0);
  const Status status = Build();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "edges of luma: got 1299, needed 1300");
}

}  // namespace
}  // namespace perdix::av1
