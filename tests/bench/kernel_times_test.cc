// SPDX-License-Identifier: BSD-2-Clause
// The gate: what is wrong, or did nothing, is found and never timed.
#include "tools/bench/kernel_times.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tests/engine/fake_gpu.h"

namespace perdix::bench {
namespace {

class KernelTimesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(vulkan::Gpu::Open({}, &gpu_).ok());
    ASSERT_TRUE(
        CaptureFrames(PERDIX_CLIPS "/tiles_512x288.webm", 3, &frames_).ok());
    ASSERT_EQ(frames_.size(), 3u);
    options_.gpu = gpu_.get();
    options_.effort.repeats = 1;
    options_.effort.overlap = std::chrono::milliseconds(2);
    options_.effort.threads = 2;
  }
  void TearDown() override {
    FakeGpu().wrong_kernel = FakeGpu().idle_kernel = -1;
    FakeGpu().refuse = false;
  }

  std::unique_ptr<vulkan::Gpu> gpu_;
  std::vector<CapturedFrame> frames_;
  KernelTimesOptions options_;
};

// Every kernel's Vulkan rows: <gate> for the kernel, exact for all others.
void ExpectGate(const std::vector<KernelReport>& rows, KernelId kernel,
                GateResult gate) {
  for (const KernelReport& row : rows) {
    SCOPED_TRACE(KernelTable()[size_t(row.kernel)].key);
    const bool bad = row.kernel == kernel && row.variant == Variant::kVulkan;
    EXPECT_EQ(row.gate, bad ? gate : GateResult::kExact) << row.reason;
    EXPECT_EQ(row.nanoseconds == 0, bad);
    EXPECT_EQ(row.wall == 0, bad);
    EXPECT_EQ(row.reason.empty(), !bad);
  }
}

// The kernels of the clip's codec.
constexpr KernelId kKernels[] = {
    KernelId::kVp9InterPred, KernelId::kVp9InverseTransform,
    KernelId::kVp9IntraPred, KernelId::kVp9LoopFilter};

size_t CpuVariants() {
  size_t count = 0;
  for (const KernelId kernel : kKernels) {
    for (const auto& variant : RowOf(kernel).cpu)
      count += variant[0] != nullptr;
  }
  return count;
}

TEST_F(KernelTimesTest, TimesEveryVariantThatIsExact) {
  const auto rows = MeasureKernels(frames_, options_);
  // the GPU's in device and in shared memory
  EXPECT_EQ(rows.size(), CpuVariants() + 2 * std::size(kKernels));
  for (const KernelReport& row : rows) {
    EXPECT_TRUE(row.exact()) << row.reason;
    EXPECT_GT(row.nanoseconds, 0u);
  }
}

TEST_F(KernelTimesTest, CatchesAWrongSample) {
  for (const KernelId kernel : kKernels) {
    FakeGpu().wrong_kernel = int(kernel);
    ExpectGate(MeasureKernels(frames_, options_), kernel, GateResult::kWrong);
  }
}

TEST_F(KernelTimesTest, CatchesAVariantThatWritesNothing) {
  for (const KernelId kernel : kKernels) {
    FakeGpu().idle_kernel = int(kernel);
    ExpectGate(MeasureKernels(frames_, options_), kernel,
               GateResult::kNothingWritten);
  }
}

TEST_F(KernelTimesTest, CatchesAVariantThatDoesNotRun) {
  FakeGpu().refuse = true;
  for (const KernelReport& row : MeasureKernels(frames_, options_)) {
    EXPECT_EQ(row.exact(), row.variant != Variant::kVulkan);
    if (row.exact()) continue;
    EXPECT_EQ(row.gate, GateResult::kDidNotRun);
    EXPECT_EQ(row.reason, "fake");
  }
}

TEST_F(KernelTimesTest, MeasuresTheCpuAloneWithoutAGpu) {
  options_.gpu = nullptr;
  const auto rows = MeasureKernels(frames_, options_);
  EXPECT_EQ(rows.size(), CpuVariants());
  EXPECT_TRUE(MeasureOverlaps(frames_, rows, options_).empty());
}

TEST_F(KernelTimesTest, MeasuresOneKernel) {
  options_.kernel = "vp9_intra_pred";
  for (const KernelReport& row : MeasureKernels(frames_, options_)) {
    EXPECT_EQ(row.kernel, KernelId::kVp9IntraPred);
  }
}

// With two threads: each kernel beside itself twice, beside each other one
// once.
TEST_F(KernelTimesTest, OverlapsOnlyWhatIsExact) {
  FakeGpu().wrong_kernel = int(KernelId::kVp9IntraPred);
  const auto rows = MeasureKernels(frames_, options_);
  const auto overlaps = MeasureOverlaps(frames_, rows, options_);
  const size_t exact = std::size(kKernels) - 1;
  EXPECT_EQ(overlaps.size(), exact * (2 + exact));
  for (const OverlapReport& row : overlaps) {
    EXPECT_NE(row.gpu_kernel, KernelId::kVp9IntraPred);
    EXPECT_GT(row.cpu_alone, 0);
    EXPECT_GT(row.gpu_alone, 0);
  }
}

// Lines that deblocking saves for later filters, a picture that is shown beside
// the one that is referred to, a width that changes between stages, luma alone.
TEST_F(KernelTimesTest, EveryKernelOfAv1IsExact) {
  std::set<std::pair<KernelId, Variant>> exact, known;
  for (const char* clip : {"grain_176x72.ivf", "grain10_176x72.ivf",
                           "superres_240x100.ivf", "mono_98x42.obu"}) {
    ASSERT_TRUE(
        CaptureFrames(PERDIX_CLIPS "/av1/" + std::string(clip), 3, &frames_)
            .ok());
    for (const KernelReport& row : MeasureKernels(frames_, options_)) {
      SCOPED_TRACE(clip + std::string(" ") + RowOf(row.kernel).key);
      known.emplace(row.kernel, row.variant);
      if (row.exact()) exact.emplace(row.kernel, row.variant);
      EXPECT_TRUE(row.exact() || row.gate == GateResult::kNoWork) << row.reason;
    }
  }
  EXPECT_EQ(exact, known);
}

TEST_F(KernelTimesTest, AWrongSampleOfWhatIsShownIsCaught) {
  ASSERT_TRUE(
      CaptureFrames(PERDIX_CLIPS "/av1/grain_176x72.ivf", 3, &frames_).ok());
  FakeGpu().wrong_kernel = int(KernelId::kAv1FilmGrain);
  options_.kernel = "av1_film_grain";
  ExpectGate(MeasureKernels(frames_, options_), KernelId::kAv1FilmGrain,
             GateResult::kWrong);
}

// Frames with intra block copy stay on the CPU, and nothing is placed by them.
TEST_F(KernelTimesTest, WhatStaysOnTheCpuIsNotCompared) {
  ASSERT_TRUE(
      CaptureFrames(PERDIX_CLIPS "/av1/screen_256x128.ivf", 1, &frames_).ok());
  for (const KernelReport& row : MeasureKernels(frames_, options_))
    EXPECT_EQ(row.gate, GateResult::kNoWork);
}

TEST_F(KernelTimesTest, CapturesFramesSpreadOverTheClip) {
  EXPECT_EQ(frames_[0].number, 0u);
  EXPECT_LT(frames_[0].number, frames_[1].number);
  EXPECT_LT(frames_[1].number, frames_[2].number);
  EXPECT_FALSE(frames_[0].references[0]);
  EXPECT_TRUE(frames_[2].references[0]);
  EXPECT_GT(frames_[2].tiles.size(), 1u);
}

}  // namespace
}  // namespace perdix::bench
