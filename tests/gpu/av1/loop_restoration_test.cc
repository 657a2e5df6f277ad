// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration's work for the GPU: its steps, where it finds saved lines,
// and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <variant>

#include "kernels/av1/line_buffers.h"
#include "kernels/av1/restoration/restoration_walk.h"
#include "kernels/gpu/kernel_work.h"
#include "kernels/shared/av1/dispatch.h"
#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

class LoopRestorationWorkTest : public testing::Test {
 protected:
  LoopRestorationWorkTest()
      : kernel_(gpu::FindGpuKernel(KernelId::kAv1LoopRestoration)
                    ->make({16, false})) {
    input_.params = TestFrameParams(200, 100, 8, 1, 1);
    av1().mi_cols = 50;
    av1().mi_rows = 26;
    av1().upscaled_width = 200;
    av1().restoration[0] = {1, 64, 3, 2, 0, 0, 0, 0};
    SetUnits(6, kWiener);
    ResizeLines();
  }

  Params& av1() { return input_.codec_params.As<Params>(); }
  void SetUnits(size_t count, uint32_t type) {
    RestorationUnit unit = {};
    unit.type = type;
    std::ranges::fill(input_.tables.Resize(kRestorationUnits, count), unit);
  }
  // The lines that the frame has room for, and so many bytes more.
  void ResizeLines(size_t more = 0) {
    input_.tables.Resize(kCdefLines,
                         CdefLinesBytes(input_.params, av1()) + more);
    input_.tables.Resize(kRestorationLines,
                         RestorationLinesBytes(input_.params, av1()) + more);
  }

  gpu::FrameInput Frame() {
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tables = input_.tables.View();
    return frame;
  }
  Status Build() {
    work_.Clear();
    return kernel_->Build(Frame(), &work_);
  }
  // What the first dispatch is told.
  RestorationConstants FirstConstants() const {
    for (const gpu::Command& command : work_.commands()) {
      const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
      if (dispatch == nullptr) continue;
      RestorationConstants constants;
      std::memcpy(&constants, work_.ConstantsOf(*dispatch).data(),
                  sizeof(constants));
      return constants;
    }
    return {};
  }
  void ExpectRefusal(const char* message) {
    const Status status = Build();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), message);
  }

  KernelInput input_;
  gpu::Work work_;
  const std::unique_ptr<gpu::KernelWork> kernel_;
};

TEST_F(LoopRestorationWorkTest, FiltersAndThenCopies) {
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 2u);
  EXPECT_EQ(work_.dispatches(), 2u);
  EXPECT_EQ(work_.staged_bytes(PERDIX_BINDING_FRAME_TABLES),
            CdefLinesBytes(input_.params, av1()));
}

TEST_F(LoopRestorationWorkTest, HasNothingToDoWithoutUnitsThatAreFiltered) {
  SetUnits(6, kNone);
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 0u);
}

TEST_F(LoopRestorationWorkTest, ReadsLinesWhereTheyWereMade) {
  work_.Clear();
  work_.Stage(PERDIX_BINDING_FRAME_TABLES, 1600, 16, [](uint8_t*) {});
  const size_t at = work_.MakeTable(input_.tables.View(), kCdefLines.index);
  ASSERT_TRUE(kernel_->Build(Frame(), &work_).ok());
  EXPECT_EQ(at, 1600u);
  EXPECT_EQ(FirstConstants().saved, 1600u / 4);
  EXPECT_EQ(work_.staged_bytes(PERDIX_BINDING_FRAME_TABLES),
            1600u + CdefLinesBytes(input_.params, av1()));
}

TEST_F(LoopRestorationWorkTest, RefusesTooFewUnits) {
  SetUnits(5, kWiener);
  ExpectRefusal("loop restoration's units: got 5, needed 6");
}

TEST_F(LoopRestorationWorkTest, RefusesLinesOfAnotherSize) {
  ResizeLines(16);
  const size_t needed = CdefLinesBytes(input_.params, av1());
  ExpectRefusal(("loop restoration's lines in bytes: got " +
                 std::to_string(needed + 16) + ", needed " +
                 std::to_string(needed))
                    .c_str());
}

TEST_F(LoopRestorationWorkTest, RefusesUpscaledLinesOfAnotherSize) {
  av1().upscaled_width = 400;
  av1().restoration[0].unit_cols = 6;
  SetUnits(12, kWiener);
  ResizeLines();
  EXPECT_TRUE(Build().ok());
  ResizeLines(16);
  EXPECT_EQ(Build().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace perdix::av1
