// SPDX-License-Identifier: BSD-2-Clause
// Film grain's work for the GPU: the numbers of its blocks, and what it
// refuses.
#include "kernels/av1/grain/film_grain.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/av1/lists.h"
#include "kernels/gpu/kernel_work.h"
#include "kernels/shared/av1/film_grain_dispatch.h"
#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

class FilmGrainWorkTest : public testing::Test {
 protected:
  FilmGrainWorkTest()
      : kernel_(
            gpu::FindGpuKernel(KernelId::kAv1FilmGrain)->make({16, false})) {
    input_.params = TestFrameParams(100, 70, 8, 1, 1);
    input_.target = GuardedPicture::ForTarget(input_.params);
    input_.display = GuardedPicture::ForTarget(input_.params);
    FilmGrainParams grain;
    grain.grain_seed = 1234;
    grain.points[0] = {.count = 1, .value = {0}, .scaling = {80}};
    BuildFilmGrain(grain,
                   input_.tables.Resize(kFilmGrain, sizeof(FilmGrainTables)));
  }

  Status Build() {
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tables = input_.tables.View();
    frame.target.view = input_.target.View();
    frame.display.view = input_.display.View();
    work_.Clear();
    return kernel_->Build(frame, &work_);
  }
  std::vector<uint32_t> Records() const {
    std::vector<uint32_t> words(work_.staged_bytes(PERDIX_BINDING_RECORDS) / 4);
    for (const gpu::Work::Part& part : work_.parts()) {
      if (part.binding != PERDIX_BINDING_RECORDS) continue;
      part.write(reinterpret_cast<uint8_t*>(words.data()) + part.offset);
    }
    return words;
  }

  KernelInput input_;
  gpu::Work work_;
  const std::unique_ptr<gpu::KernelWork> kernel_;
};

TEST_F(FilmGrainWorkTest, WritesTheDisplayFromTheTargetInOneStep) {
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.barriers(), 1u);
  EXPECT_EQ(work_.dispatches(), 2u);
  for (const gpu::Command& command : work_.commands()) {
    const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
    if (dispatch == nullptr) continue;
    EXPECT_EQ(dispatch->bindings.target, gpu::PictureId::kDisplay);
    EXPECT_EQ(dispatch->bindings.reference, gpu::PictureId::kTarget);
  }
}

TEST_F(FilmGrainWorkTest, LeavesOutChromaThatIsNotThere) {
  input_.codec_params.As<Params>().monochrome = 1;
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(work_.dispatches(), 1u);
}

// A record has the numbers of the blocks to the left, above, and above left.
TEST_F(FilmGrainWorkTest, KnowsTheNumbersOfTheBlocksAround) {
  ASSERT_TRUE(Build().ok());
  const std::vector<uint32_t> records = Records();
  constexpr uint32_t kColumns = 4;
  ASSERT_EQ(records.size(), size_t{kColumns} * 3);
  const FilmGrainTables& tables = *reinterpret_cast<const FilmGrainTables*>(
      input_.tables.View().Of(kFilmGrain).data());
  const auto here = [&](uint32_t column, uint32_t row) {
    return records[row * kColumns + column] & 0xff;
  };
  for (uint32_t row = 0; row < 3; ++row) {
    GrainRandom random = StripeRandom(tables, row);
    for (uint32_t column = 0; column < kColumns; ++column) {
      const uint32_t record = records[row * kColumns + column];
      EXPECT_EQ(record & 0xff, random.Next(8));
      if (column > 0) {
        EXPECT_EQ(record >> 8 & 0xff, here(column - 1, row));
      }
      if (row > 0) {
        EXPECT_EQ(record >> 16 & 0xff, here(column, row - 1));
      }
      if (column > 0 && row > 0) {
        EXPECT_EQ(record >> 24, here(column - 1, row - 1));
      }
    }
  }
}

TEST_F(FilmGrainWorkTest, RefusesATableOfAnotherSize) {
  input_.tables.Resize(kFilmGrain, 8);
  const Status status = Build();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "film grain's table in bytes: got 8, needed " +
                                  std::to_string(sizeof(FilmGrainTables)));
}

}  // namespace
}  // namespace perdix::av1
