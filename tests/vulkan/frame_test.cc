// SPDX-License-Identifier: BSD-2-Clause
// Frames on the GPU against the scalar kernels run in order.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "kernels/gpu/vp9/intra_waves.h"
#include "kernels/metrics/checksum.h"
#include "kernels/metrics/luma.h"
#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

class FrameTest : public VulkanTest {
 protected:
  // Runs the stages on the GPU and compares the whole memory of the target.
  void Check(RandomFrame& frame, std::span<const KernelId> stages) {
    const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
    Check(*runner, frame, stages);
  }

  void Check(GpuFrame& runner, RandomFrame& frame,
             std::span<const KernelId> stages) {
    GpuRandomFrame gpu_frame(*gpu_, frame);
    const Status status = gpu_frame.Submit(runner, stages);
    ASSERT_TRUE(status.ok()) << status.message();
    const GpuFrameResult result = gpu_frame.result.get();
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    frame.RunScalar(stages);
    ExpectTarget(gpu_frame, frame);
  }

  // All stages.
  GpuFrameResult Run(GpuRandomFrame& gpu_frame) {
    const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
    EXPECT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
    GpuFrameResult result = gpu_frame.result.get();
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    return result;
  }

  void ExpectTarget(const GpuRandomFrame& gpu_frame, const RandomFrame& frame) {
    const Bytes got = Download(*gpu_, gpu_frame.input.target);
    const Bytes& want = frame.target.bytes();
    ASSERT_EQ(got.size(), want.size());
    const auto [at, expected] =
        std::mismatch(got.begin(), got.end(), want.begin());
    EXPECT_TRUE(at == got.end()) << "byte " << at - got.begin() << " differs";
  }
};

TEST_F(FrameTest, AllStagesAgreeWithTheScalarKernels) {
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  for (uint32_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    TestRandom random(seed);
    InterChoice choice;
    choice.scaled = seed == 4;
    const uint32_t subsampling = seed == 5 ? 0 : 1;
    // Large, then small, then large: staging memory grows and is reused.
    RandomFrame frame(
        random,
        TestFrameParams(99 + 150 * (seed % 3), 57 + 71 * (seed % 2), 8,
                        subsampling, subsampling),
        choice);
    Check(*runner, frame, kAllStages);
  }
}

TEST_F(FrameTest, StagesWithoutWorkAreSkipped) {
  TestRandom random(1);
  RandomFrame frame(random, Frame420(80, 80), {});
  frame.lists = {};
  frame.intra.lists = {};
  vp9::ParamsOf(frame).loop_filter_level = 0;
  GpuRandomFrame gpu_frame(*gpu_, frame);
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
  EXPECT_TRUE(gpu_frame.result.get().status.ok());
  ExpectTarget(gpu_frame, frame);
}

TEST_F(FrameTest, TwoInFlightSeeEachOther) {
  const std::unique_ptr<GpuFrame> runners[] = {gpu_->NewFrame(),
                                               gpu_->NewFrame()};
  TestRandom random(7);
  RandomFrame first(random, Frame420(328, 200), {});
  RandomFrame second(random, Frame420(328, 200), {});
  GpuRandomFrame gpu_first(*gpu_, first);
  GpuRandomFrame gpu_second(*gpu_, second);
  first.RunScalar(kAllStages);
  vp9::SetReference(second, 0, first.target);
  gpu_second.input.references[0] = gpu_first.input.target;
  ASSERT_TRUE(gpu_first.Submit(*runners[0], kAllStages).ok());
  ASSERT_TRUE(gpu_second.Submit(*runners[1], kAllStages).ok());
  EXPECT_TRUE(gpu_second.result.get().status.ok());
  // Done in order.
  EXPECT_EQ(gpu_first.result.wait_for(std::chrono::seconds(0)),
            std::future_status::ready);
  second.RunScalar(kAllStages);
  ExpectTarget(gpu_first, first);
  ExpectTarget(gpu_second, second);
}

TEST_F(FrameTest, PicturesMayLieInMemoryOfTheDevice) {
  TestRandom random(8);
  RandomFrame first(random, Frame420(200, 136), {});
  RandomFrame second(random, Frame420(200, 136), {});
  GpuRandomFrame gpu_first(*gpu_, first);
  GpuRandomFrame gpu_second(*gpu_, second);
  gpu_first.input.target = Upload(*gpu_, first.target, Gpu::Placement::kDevice);
  EXPECT_EQ(gpu_first.input.target.memory->data(), nullptr);
  gpu_second.input.references[0] = gpu_first.input.target;
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  ASSERT_TRUE(gpu_first.Submit(*runner, kAllStages).ok());
  gpu_first.result.get();
  ASSERT_TRUE(gpu_second.Submit(*runner, kAllStages).ok());
  gpu_second.result.get();
  first.RunScalar(kAllStages);
  vp9::SetReference(second, 0, first.target);
  second.RunScalar(kAllStages);
  ExpectTarget(gpu_second, second);
  // Only what the frame covers was ever written there.
  Bytes row(200);
  const size_t offset = first.target.layout().luma_offset +
                        100 * size_t{first.target.layout().luma_stride};
  ASSERT_TRUE(gpu_->Read(*gpu_first.input.target.memory, offset, row).ok());
  EXPECT_EQ(std::memcmp(row.data(), first.target.bytes().data() + offset, 200),
            0);
}

TEST_F(FrameTest, AFrameMaySubmitAgainFromDone) {
  TestRandom random(9);
  RandomFrame frame(random, Frame420(99, 57), {});
  GpuRandomFrame gpu_frame(*gpu_, frame);
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  std::promise<Status> second_done;
  const auto submit = [&](std::function<void(const GpuFrameResult&)> done) {
    Status status = runner->Prepare(gpu_frame.input, kAllStages);
    return status.ok() ? runner->Submit(std::move(done)) : status;
  };
  ASSERT_TRUE(submit([&](const GpuFrameResult&) {
                const Status status = submit([&](const GpuFrameResult& result) {
                  second_done.set_value(result.status);
                });
                if (!status.ok()) second_done.set_value(status);
              }).ok());
  EXPECT_TRUE(second_done.get_future().get().ok());
  frame.RunScalar(kAllStages);
  frame.RunScalar(kAllStages);
  ExpectTarget(gpu_frame, frame);
}

// More workgroups than a dispatch may have, in each stage.
TEST_F(FrameTest, SplitsLargeDispatches) {
  GpuOptions options = TestOptions();
  options.test_hooks.max_workgroups = 2;
  std::unique_ptr<Gpu> gpu;
  ASSERT_TRUE(OpenValidated(options, &gpu).ok());
  WaitReady(*gpu, kAllStages);
  TestRandom random(10);
  RandomFrame frame(random, Frame420(1100, 600), {});
  GpuRandomFrame gpu_frame(*gpu, frame);
  const std::unique_ptr<GpuFrame> runner = gpu->NewFrame();
  ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
  EXPECT_TRUE(gpu_frame.result.get().status.ok());
  frame.RunScalar(kAllStages);
  EXPECT_EQ(Download(*gpu, gpu_frame.input.target), frame.target.bytes());
  EXPECT_EQ(gpu->validation_messages(), 0u);
}

TEST_F(FrameTest, TellsTheTimeOfEachStage) {
  TestRandom random(11);
  RandomFrame frame(random, Frame420(328, 200), {});
  GpuRandomFrame gpu_frame(*gpu_, frame);
  const GpuFrameResult result = Run(gpu_frame);
  uint64_t total = 0;
  for (const uint64_t nanoseconds : result.nanoseconds) total += nanoseconds;
  if (total == 0) GTEST_SKIP() << "no timestamps on " << gpu_->name();
  for (size_t i = 0; i < std::size(kAllStages); ++i) {
    EXPECT_GT(result.nanoseconds[i], 0u);
  }
}

TEST_F(FrameTest, CountsTheStepsOfEachStage) {
  TestRandom random(11);
  RandomFrame frame(random, Frame420(328, 200), {});
  GpuRandomFrame gpu_frame(*gpu_, frame);
  const GpuFrameResult result = Run(gpu_frame);
  vp9::IntraWaves intra;
  std::vector<gpu::TileInput> tiles;
  gpu::PlaceTiles(gpu_frame.input.tiles, &tiles);
  const FrameParams& params = *gpu_frame.input.params;
  intra.Set(params, tiles);
  EXPECT_EQ(result.steps[2], intra.waves().size());
  EXPECT_EQ(result.steps[3], params.sb_cols + params.sb_rows);
}

TEST_F(FrameTest, BeganBetweenSubmitAndReportByTheClockOfTheCpu) {
  const auto now = [] {
    return uint64_t(std::chrono::nanoseconds(
                        std::chrono::steady_clock::now().time_since_epoch())
                        .count());
  };
  TestRandom random(12);
  RandomFrame frame(random, Frame420(328, 200), {});
  GpuRandomFrame gpu_frame(*gpu_, frame);
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
  EXPECT_EQ(gpu_frame.result.get().begun, 0u) << "not asked for";

  gpu_frame.input.begun = true;
  const uint64_t submitted = now();
  ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
  const GpuFrameResult result = gpu_frame.result.get();
  const uint64_t reported = now();
  if (result.begun == 0) {
    GTEST_SKIP() << "no VK_EXT_calibrated_timestamps on " << gpu_->name();
  }
  constexpr uint64_t kDeviation = 100'000;  // nanoseconds, of the two clocks
  EXPECT_GE(result.begun + kDeviation, submitted);
  uint64_t end = result.begun;
  for (const uint64_t nanoseconds : result.nanoseconds) end += nanoseconds;
  EXPECT_LE(end, reported + kDeviation);
}

// ---- metrics ----

TEST_F(FrameTest, ChecksumsAreThoseOfTheScalarKernelsAfterEachStage) {
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  for (uint32_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    TestRandom random(20 + seed);
    const uint32_t subsampling = seed == 3 ? 0 : 1;
    // Large, then small, then large: partial sums grow and are reused.
    RandomFrame frame(
        random,
        TestFrameParams(99 + 229 * (seed % 2), 57 + 143 * (seed % 2), 8,
                        subsampling, subsampling),
        {});
    GpuRandomFrame gpu_frame(*gpu_, frame);
    gpu_frame.input.checksums = true;
    ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
    const GpuFrameResult result = gpu_frame.result.get();
    ASSERT_TRUE(result.status.ok());
    for (size_t i = 0; i < std::size(kAllStages); ++i) {
      frame.RunScalar(std::span(kAllStages).subspan(i, 1));
      EXPECT_EQ(result.checksums[i], PictureChecksum(frame.target.View()))
          << "stage " << i;
    }
    EXPECT_EQ(result.luma, LumaSums());
    ExpectTarget(gpu_frame, frame);
  }
}

TEST_F(FrameTest, ChecksumsAreByPositionAmongTheStages) {
  constexpr KernelId kStages[] = {KernelId::kVp9InverseTransform,
                                  KernelId::kVp9LoopFilter};
  TestRandom random(24);
  RandomFrame frame(random, Frame420(150, 90), {});
  frame.lists[vp9::kInterTransforms.index]
      .clear();  // a stage without work has one too
  GpuRandomFrame gpu_frame(*gpu_, frame);
  gpu_frame.input.checksums = true;
  const uint64_t before = PictureChecksum(frame.target.View());
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  ASSERT_TRUE(gpu_frame.Submit(*runner, kStages).ok());
  const GpuFrameResult result = gpu_frame.result.get();
  frame.RunScalar(kStages);
  EXPECT_EQ(result.checksums[0], before);
  EXPECT_EQ(result.checksums[1], PictureChecksum(frame.target.View()));
  EXPECT_EQ(result.checksums[2], 0u);
}

TEST_F(FrameTest, LumaIsThatOfTheTargetAndThePictureBefore) {
  constexpr uint32_t kDarkLevel = 100;
  const std::unique_ptr<GpuFrame> runner = gpu_->NewFrame();
  for (const bool checksums : {false, true}) {
    for (const bool compares : {false, true}) {
      TestRandom random(25);
      RandomFrame frame(random, Frame420(201, 133), {});
      GuardedPicture previous = GuardedPicture::ForTarget(frame.params);
      previous.Fill(Content::kNatural, random);
      GpuRandomFrame gpu_frame(*gpu_, frame);
      gpu_frame.input.checksums = checksums;
      gpu_frame.input.sums_luma = true;
      gpu_frame.input.dark_level = kDarkLevel;
      if (compares)
        gpu_frame.input.previous =
            Upload(*gpu_, previous, Gpu::Placement::kShared);
      ASSERT_TRUE(gpu_frame.Submit(*runner, kAllStages).ok());
      gpu_frame.input.previous = {};  // the frame in flight has its own
      const GpuFrameResult result = gpu_frame.result.get();
      frame.RunScalar(kAllStages);
      const PictureView before = previous.View();
      EXPECT_EQ(result.luma,
                SumLuma(frame.target.View(), compares ? &before : nullptr,
                        kDarkLevel, {0, frame.params.height}));
      EXPECT_EQ(result.checksums[3],
                checksums ? PictureChecksum(frame.target.View()) : 0);
    }
  }
}

// ---- what cannot run ----

class RefusalTest : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (gpu_ == nullptr) return;
    gpu_frame_ = std::make_unique<GpuRandomFrame>(*gpu_, frame_);
    runner_ = gpu_->NewFrame();
  }
  void ExpectRefused(StatusCode code, const std::string& message) {
    const Status status = gpu_frame_->Submit(*runner_, kAllStages);
    EXPECT_EQ(status.code(), code);
    EXPECT_NE(status.message().find(message), std::string::npos)
        << status.message();
  }

  TestRandom random_{1};
  RandomFrame frame_{random_, Frame420(80, 80), {}};
  std::unique_ptr<GpuRandomFrame> gpu_frame_;
  std::unique_ptr<GpuFrame> runner_;
};

TEST_F(RefusalTest, AStrideThatIsNoMultipleOf16) {
  gpu_frame_->input.target.offsets.luma_stride += 8;
  ExpectRefused(StatusCode::kUnsupported, "target luma stride: got 216");
}

TEST_F(RefusalTest, AnOffsetThatIsNoMultipleOf16) {
  gpu_frame_->input.references[1].offsets.chroma_offset += 4;
  ExpectRefused(StatusCode::kUnsupported, "reference chroma offset");
}

TEST_F(RefusalTest, APreviousFrameThatEndsBehindItsMemory) {
  gpu_frame_->input.previous = gpu_frame_->input.target;
  gpu_frame_->input.previous.offsets.luma_offset += 65536;
  ExpectRefused(StatusCode::kInvalidArgument, "previous luma end");
}

TEST_F(RefusalTest, APreviousFrameOfAnotherSize) {
  gpu_frame_->input.previous = gpu_frame_->input.target;
  --gpu_frame_->input.previous.view.height;
  ExpectRefused(StatusCode::kInvalidArgument, "previous: got 80x79");
}

TEST_F(RefusalTest, APictureThatEndsBehindItsMemory) {
  gpu_frame_->input.target.offsets.chroma_offset += 4096;
  ExpectRefused(StatusCode::kInvalidArgument, "target chroma end");
}

TEST_F(RefusalTest, BitDepthsAndSubsamplingsWithoutShaders) {
  FrameParams& params = frame_.params;
  const KernelId kernel = kAllStages[0];
  EXPECT_TRUE(gpu_->Supports(kernel, params));
  params.bit_depth = 12;
  EXPECT_FALSE(gpu_->Supports(kernel, params));
  ExpectRefused(StatusCode::kUnsupported, "bit depth: got 12");
  params.bit_depth = 8;
  params.subsampling_y = 0;
  EXPECT_FALSE(gpu_->Supports(kernel, params));
  ExpectRefused(StatusCode::kUnsupported, "subsampling");
}

TEST_F(RefusalTest, ADisplayThatEndsBehindItsMemory) {
  gpu_frame_->input.display = gpu_frame_->input.target;
  gpu_frame_->input.display.offsets.luma_offset += 65536;
  ExpectRefused(StatusCode::kInvalidArgument, "display luma end");
}

TEST_F(RefusalTest, NoStages) {
  const Status status = gpu_frame_->Submit(*runner_, {});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "stages: got 0, needed 1 to 16");
}

TEST_F(RefusalTest, BlocksOfAReferenceThatIsNotThere) {
  gpu_frame_->input.references[2].memory = nullptr;
  ExpectRefused(StatusCode::kMissingReference, "reference 2");
}

TEST_F(RefusalTest, EdgesOfAnotherFrame) {
  gpu_frame_->input.tables.Set(vp9::kEdges, vp9::EdgesOf(frame_).first(3));
  ExpectRefused(StatusCode::kInvalidArgument, "edges: got 3");
}

}  // namespace
}  // namespace perdix::vulkan
