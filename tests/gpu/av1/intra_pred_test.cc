// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction's work for the GPU: its programs and steps, and what it
// refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "kernels/gpu/av1/intra_items.h"
#include "kernels/gpu/kernel_work.h"
#include "tests/frame/av1/random_intra.h"

namespace perdix::av1 {
namespace {

const gpu::GpuKernel& Kernel() {
  return *gpu::FindGpuKernel(KernelId::kAv1IntraPred);
}

// A frame's work, and what it was made of.
class BuiltWork {
 public:
  BuiltWork(KernelInput input, const gpu::DeviceTraits& traits)
      : input_(std::move(input)),
        tile_(input_.View()),
        kernel_(Kernel().make(traits)) {
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tiles = {&tile_, 1};
    work_.Clear();
    status_ = kernel_->Build(frame, &work_);
  }

  const Status& status() const { return status_; }
  const gpu::Work& work() const { return work_; }

 private:
  const KernelInput input_;
  const WorkLists tile_;
  const std::unique_ptr<gpu::KernelWork> kernel_;
  gpu::Work work_;
  Status status_;
};

TEST(Av1IntraPredWorkTest, DispatchesProgramsThatItNames) {
  for (const gpu::DeviceTraits traits :
       {gpu::DeviceTraits{16, false}, gpu::DeviceTraits{32, false}}) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      const std::vector<gpu::Program> programs =
          Kernel().programs(traits, bit_depth);
      TestRandom random(bit_depth);
      const BuiltWork built(RandomIntraInput(random, 300, 200, bit_depth, {}),
                            traits);
      ASSERT_TRUE(built.status().ok()) << built.status().message();
      for (const gpu::Command& command : built.work().commands()) {
        const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
        if (dispatch == nullptr) continue;
        EXPECT_NE(std::ranges::find(programs, dispatch->program),
                  programs.end());
      }
    }
  }
}

TEST(Av1IntraPredWorkTest, HasABarrierBeforeEachWave) {
  IntraChoice choice;
  choice.residual = false;
  TestRandom random(3);
  const KernelInput input = RandomIntraInput(random, 200, 100, 8, choice);
  const WorkLists tile = input.View();
  std::vector<gpu::TileInput> tiles;
  gpu::PlaceTiles({&tile, 1}, &tiles);
  IntraItems items;
  ASSERT_TRUE(
      items.Set(input.params, input.codec_params.As<Params>(), tiles).ok());
  const auto waves = static_cast<uint32_t>(std::ranges::count_if(
      items.batches(), [](const IntraBatch& b) { return b.begins_wave; }));
  EXPECT_GT(waves, 10u);

  const BuiltWork built(input, {16, false});
  // The first one is that of Work::Clear.
  EXPECT_EQ(built.work().barriers(), waves);
  EXPECT_EQ(built.work().dispatches(), items.batches().size());
}

TEST(Av1IntraPredWorkTest, HasNothingToDoWithoutRecords) {
  KernelInput input;
  input.params = TestFrameParams(64, 64, 8, 1, 1);
  const BuiltWork built(input, {16, false});
  EXPECT_TRUE(built.status().ok());
  EXPECT_EQ(built.work().dispatches(), 0u);
}

TEST(Av1IntraPredWorkTest, RefusesFramesThatCopyFromThemselves) {
  TestRandom random(4);
  KernelInput input = RandomIntraInput(random, 64, 64, 8, {});
  input.codec_params.As<Params>().allow_intrabc = 1;
  const BuiltWork built(input, {16, false});
  EXPECT_EQ(built.status().code(), StatusCode::kUnsupported);
}

TEST(Av1IntraPredWorkTest, RefusesOtherFormats) {
  FrameParams params = TestFrameParams(64, 64, 8, 1, 1);
  EXPECT_TRUE(Kernel().check(params).ok());
  params.subsampling_y = 0;
  EXPECT_EQ(Kernel().check(params).code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace perdix::av1
