// SPDX-License-Identifier: BSD-2-Clause
// The work of frames of random records, for devices of every kind.
#include "kernels/gpu/frame_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/gpu/metrics.h"
#include "tests/frame/vp9/random_frame.h"

namespace perdix::gpu {
namespace {

using vp9::kAllStages;
using vp9::RandomFrame;

constexpr uint64_t kMaxRange = uint64_t{1} << 27;

class TestMemory final : public Memory {
 public:
  explicit TestMemory(size_t size) : size_(size) {}
  uint8_t* data() const override { return nullptr; }
  size_t size() const override { return size_; }

 private:
  const size_t size_;
};

Picture PictureOf(GuardedPicture& picture) {
  return {picture.View(), picture.layout(),
          std::make_shared<TestMemory>(picture.bytes().size())};
}

class FrameWorkTest : public testing::Test {
 protected:
  // A frame of random size, and the input of all its stages.
  void Draw(uint32_t seed) {
    TestRandom random(seed);
    vp9::InterChoice choice;
    choice.scaled = seed % 3 == 0;
    const uint32_t subsampling = seed % 4 == 0 ? 0 : 1;
    frame_ = std::make_unique<RandomFrame>(
        random,
        TestFrameParams(8 + random.Below(400), 8 + random.Below(300), 8,
                        subsampling, subsampling),
        choice);
    tiles_ = frame_->Tiles();
    input_ = {};
    input_.params = &frame_->params;
    input_.codec = &frame_->codec_params;
    input_.tiles = tiles_;
    input_.tables = frame_->tables.View();
    input_.target = PictureOf(frame_->target);
    for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
      input_.references[i] = PictureOf(frame_->references[i]);
    }
  }

  Status Build(const DeviceTraits& traits) {
    frame_work_ = std::make_unique<FrameWork>(traits);
    return frame_work_->Build(input_, kAllStages, kMaxRange);
  }
  const Work& work() const { return frame_work_->work(); }

  // stage: by position; kMaxStages: of none. Calls visit(dispatch, stage).
  template <typename Visit>
  void ForEachDispatch(const Visit& visit) const {
    size_t stage = 0;
    for (const Command& command : work().commands()) {
      if (std::holds_alternative<EndOfStage>(command)) ++stage;
      if (const auto* const dispatch = std::get_if<Dispatch>(&command)) {
        visit(*dispatch, stage);
      }
    }
  }

  std::unique_ptr<RandomFrame> frame_;
  std::array<WorkLists, 2> tiles_;
  FrameInput input_;
  std::unique_ptr<FrameWork> frame_work_;
};

constexpr DeviceTraits kDevices[] = {{0, false},  {4, false}, {8, true},
                                     {16, false}, {32, true}, {64, false}};

TEST_F(FrameWorkTest, DispatchesOnlyProgramsThatItsKernelNames) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Draw(seed);
    input_.checksums = seed % 2 == 0;
    input_.sums_luma = true;
    input_.previous = input_.target;
    const DeviceTraits& traits = kDevices[seed % std::size(kDevices)];
    ASSERT_TRUE(Build(traits).ok());
    ForEachDispatch([&](const Dispatch& dispatch, size_t stage) {
      const std::vector<Program> programs =
          dispatch.bindings.metrics
              ? MetricsPrograms(traits)
              : FindGpuKernel(kAllStages[stage])->programs(traits, 8);
      EXPECT_NE(std::ranges::find(programs, dispatch.program), programs.end())
          << dispatch.program.shader << ", seed " << seed;
    });
  }
}

TEST_F(FrameWorkTest, HasNoProgramTwice) {
  for (const DeviceTraits& traits : kDevices) {
    for (const KernelId kernel : kAllStages) {
      for (const uint32_t bit_depth : {8u, 10u}) {
        if (!RowOf(kernel).HasShaderFor(bit_depth)) continue;
        std::vector<Program> programs =
            FindGpuKernel(kernel)->programs(traits, bit_depth);
        std::ranges::sort(programs);
        EXPECT_EQ(std::ranges::adjacent_find(programs), programs.end());
      }
    }
  }
}

// Every workgroup's records are there.
TEST_F(FrameWorkTest, StagesAllRecordsThatAreDispatched) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Draw(seed);
    ASSERT_TRUE(Build(kDevices[seed % std::size(kDevices)]).ok());
    const size_t records =
        work().staged_bytes(PERDIX_BINDING_RECORDS) / kRecordBytes;
    size_t dispatched = 0;
    ForEachDispatch([&](const Dispatch& dispatch, size_t stage) {
      EXPECT_NE(dispatch.records, 0u);
      if (kAllStages[stage] == KernelId::kVp9LoopFilter) return;
      const uint32_t first = work().ConstantsOf(dispatch)[0];
      const size_t count = size_t{dispatch.groups_x} * dispatch.records;
      EXPECT_LE(first + count, records);
      dispatched += count;
    });
    EXPECT_EQ(dispatched, records);
  }
}

TEST_F(FrameWorkTest, EndsEachStageAndCountsItsStepsAndDispatches) {
  Draw(1);
  for (const bool checksums : {false, true}) {
    input_.checksums = checksums;
    ASSERT_TRUE(Build({16, false}).ok());
    std::vector<uint32_t> steps;
    uint32_t dispatches = 0;
    for (const Command& command : work().commands()) {
      if (const auto* const end = std::get_if<EndOfStage>(&command)) {
        steps.push_back(end->steps);
        EXPECT_EQ(end->dispatches, dispatches);
        dispatches = 0;
      } else if (const auto* const one = std::get_if<Dispatch>(&command)) {
        dispatches += one->bindings.metrics ? 0 : 1;
      }
    }
    ASSERT_EQ(steps.size(), std::size(kAllStages));
    EXPECT_EQ(steps.back(), frame_->params.sb_cols + frame_->params.sb_rows);
  }
}

TEST_F(FrameWorkTest, RefusesATargetSmallerThanTheFrame) {
  Draw(1);
  --input_.target.view.width;
  const Status status = Build({});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().find("target: got"), 0u) << status.message();
}

TEST_F(FrameWorkTest, RefusesADisplayOfAnotherSize) {
  Draw(1);
  input_.display = input_.target;
  EXPECT_TRUE(Build({}).ok());
  ++input_.display.view.height;
  const Status status = Build({});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().find("display: got"), 0u) << status.message();
}

}  // namespace
}  // namespace perdix::gpu
