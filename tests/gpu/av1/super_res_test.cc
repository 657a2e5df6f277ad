// SPDX-License-Identifier: BSD-2-Clause
// Super-resolution's work for the GPU: its steps, the lines that it makes, and
// what it refuses.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kernels/av1/line_buffers.h"
#include "kernels/gpu/kernel_work.h"
#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

constexpr size_t kFilterBytes = 1024;

class SuperResWorkTest : public testing::Test {
 protected:
  SuperResWorkTest()
      : kernel_(gpu::FindGpuKernel(KernelId::kAv1SuperRes)->make({16, false})) {
    input_.params = TestFrameParams(100, 70, 8, 1, 1);
    av1().mi_cols = 26;
    av1().mi_rows = 18;
    av1().upscaled_width = 190;
  }

  Params& av1() { return input_.codec_params.As<Params>(); }
  // The lines that the frame has room for, and so many bytes more.
  void ResizeLines(size_t more, size_t more_upscaled) {
    input_.tables.Resize(kCdefLines,
                         CdefLinesBytes(input_.params, av1()) + more);
    input_.tables.Resize(
        kRestorationLines,
        RestorationLinesBytes(input_.params, av1()) + more_upscaled);
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

TEST_F(SuperResWorkTest, UpscalesAndThenCopies) {
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 2u);
  EXPECT_EQ(work_.dispatches(), 4u);
  EXPECT_EQ(work_.staged_bytes(PERDIX_BINDING_FRAME_TABLES), kFilterBytes);
  // Lines of 190 samples, or of 95 pairs, each a multiple of 16 bytes.
  EXPECT_EQ(work_.scratch_bytes(), 192u * (72 + 36));
  av1().monochrome = 1;
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 2u);
}

TEST_F(SuperResWorkTest, HasNothingToDoAtFullWidth) {
  av1().upscaled_width = 100;
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 0u);
}

TEST_F(SuperResWorkTest, UpscalesLinesInTheSameStepForLoopRestoration) {
  av1().restoration[0].type = 1;
  ResizeLines(0, 0);
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 2u);
  EXPECT_EQ(work_.dispatches(), 6u);
  EXPECT_EQ(work_.staged_bytes(PERDIX_BINDING_FRAME_TABLES),
            CdefLinesBytes(input_.params, av1()) +
                RestorationLinesBytes(input_.params, av1()) + kFilterBytes);
}

TEST_F(SuperResWorkTest, RefusesLinesOfAnotherSize) {
  av1().restoration[0].type = 1;
  ResizeLines(1, 0);
  const size_t bytes = CdefLinesBytes(input_.params, av1());
  EXPECT_EQ(Build().message(), "super-resolution's lines in bytes: got " +
                                   std::to_string(bytes + 1) + ", needed " +
                                   std::to_string(bytes));
  ResizeLines(0, 1);
  EXPECT_EQ(Build().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace perdix::av1
