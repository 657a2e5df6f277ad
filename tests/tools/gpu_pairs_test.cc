// SPDX-License-Identifier: BSD-2-Clause
// Over a GPU that fails when it is told to. metrics_test.cc has real ones.
#include "tools/decode/gpu_pairs.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "tests/tools/numbered_pairs.h"
#include "tools/decode/pair_queue.h"

namespace perdix::client {
namespace {

using vulkan::GpuQualityResult;

// When the stub fails, and what it was given.
struct Script {
  int fails_at_submit = 0;  // counted from 1; 0: never
  int fails_at_take = 0;
  int submits = 0;
  int takes = 0;
  int uploads = 0;
  int without_previous = 0;  // of the submits
};

// Sums are numbers of pairs: what is uploaded is as wide as its pair's.
class StubQuality : public vulkan::GpuQuality {
 public:
  explicit StubQuality(Script& script) : script_(script) {}

  Status Upload(const PictureView& picture, gpu::Picture* uploaded) override {
    ++script_.uploads;
    *uploaded = {picture, {}, memory_};
    return Status::Ok();
  }
  Status Submit(const gpu::QualityInput& input) override {
    if (++script_.submits == script_.fails_at_submit) {
      return {StatusCode::kUnsupported, "too wide"};
    }
    if (input.previous.memory == nullptr) ++script_.without_previous;
    pending_.push_back(input.reference.view.width);
    return Status::Ok();
  }
  Status Take(GpuQualityResult* result) override {
    const uint32_t number = pending_.front();
    pending_.pop_front();
    if (++script_.takes == script_.fails_at_take) {
      return {StatusCode::kDeviceLost, "gone"};
    }
    result->sums.sse[0] = number;
    result->nanoseconds.fill(1'000'000);
    return Status::Ok();
  }
  uint32_t pending() const override { return uint32_t(pending_.size()); }
  uint64_t bytes_read() const override { return 448u * script_.takes; }

 private:
  struct NoMemory : gpu::Memory {
    uint8_t* data() const override { return nullptr; }
    size_t size() const override { return 0; }
  };

  Script& script_;
  const gpu::MemoryPtr memory_ = std::make_shared<NoMemory>();
  std::deque<uint32_t> pending_;
};

class StubGpu : public vulkan::Gpu {
 public:
  Script script;

  const vulkan::GpuIdentity& identity() const override { return identity_; }
  bool Ready(KernelId, const FrameParams&) override { return false; }
  void WaitReady(KernelId, const FrameParams&) override {}
  bool compiling() const override { return false; }
  bool lost() const override { return false; }
  void MarkRemoved() override {}
  uint64_t validation_messages() const override { return 0; }
  bool Supports(KernelId, const FrameParams&) const override { return false; }
  Status ImportDmaBuf(int, size_t, gpu::MemoryPtr*) override { return kNone; }
  Status Allocate(size_t, Placement, gpu::MemoryPtr*) override { return kNone; }
  Status Read(const gpu::Memory&, size_t, std::span<uint8_t>) override {
    return kNone;
  }
  uint64_t bytes_read() const override { return 0; }
  Status Write(gpu::Memory&, size_t, std::span<const uint8_t>) override {
    return kNone;
  }
  Status MeasureOverheads(vulkan::GpuOverheads*) override { return kNone; }
  std::unique_ptr<vulkan::GpuFrame> NewFrame() override { return nullptr; }
  std::unique_ptr<vulkan::GpuQuality> NewQuality() override {
    return std::make_unique<StubQuality>(script);
  }

 private:
  inline static const Status kNone = {StatusCode::kUnsupported, "a stub"};
  vulkan::GpuIdentity identity_;
};

// A picture that went with the GPU.
struct LostFrame : DecodedFrame {
  Status Wait() override { return Status::Ok(); }
  Status Map(Image*) override { return {StatusCode::kDeviceLost, "gone"}; }
};

class GpuPairsTest : public testing::Test {
 protected:
  static constexpr int64_t kCpu = 1000;  // more than the GPU's sums

  static std::unique_ptr<PairMeter> MakeCpu() {
    return std::make_unique<PairQueue>(2, []() -> MeasurePair {
      return [](const QualityInput& input, QualitySums* sums) {
        sums->sse[0] = kCpu + input.reference.width;
        return Status::Ok();
      };
    });
  }

  // The numbers of six pairs, each as who measured it gives it.
  std::string Log() {
    std::string log;
    const auto take = [&] {
      QualitySums sums;
      const Status status = pairs_.Take(&sums);
      log += (status.ok() ? std::to_string(sums.sse[0]) : status.message());
      log += ' ';
      return status.ok();
    };
    for (uint32_t i = 0; i < 6; ++i) {
      while (pairs_.IsFull()) {
        if (!take()) return log;
      }
      Pair pair = PairOf(i);
      if (i == lost_) pair.decoded.decoded = std::make_shared<LostFrame>();
      pairs_.Add(std::move(pair));
    }
    while (pairs_.size() > 0 && take()) {
    }
    return log;
  }

  uint32_t lost_ = 100;  // the pair whose picture is
  StubGpu gpu_;
  GpuPairs pairs_{gpu_, MakeCpu};
};

TEST_F(GpuPairsTest, GivesSumsInTheOrderOfPairs) {
  EXPECT_EQ(Log(), "0 1 2 3 4 5 ");
  EXPECT_EQ(gpu_.script.without_previous, 1);
  EXPECT_EQ(pairs_.Cost(),
            "pairs on the GPU 6, ms each 6.000, bytes read 2688");
}

// The reference before is there already.
TEST_F(GpuPairsTest, UploadsEachPictureOnce) {
  Log();
  EXPECT_EQ(gpu_.script.uploads, 12);
}

TEST_F(GpuPairsTest, LetsGoOfAPairThatIsTaken) {
  Pair pair = PairOf(1);
  const std::weak_ptr<const void> owner = pair.decoded.owner;
  pairs_.Add(std::move(pair));
  EXPECT_FALSE(owner.expired());
  QualitySums sums;
  EXPECT_TRUE(pairs_.Take(&sums).ok());
  EXPECT_TRUE(owner.expired());
}

TEST_F(GpuPairsTest, TheCpuTakesWhatTheGpuRefuses) {
  gpu_.script.fails_at_submit = 4;
  EXPECT_EQ(Log(), "0 1 1002 1003 1004 1005 ");
  EXPECT_EQ(gpu_.script.submits, 4);
}

TEST_F(GpuPairsTest, TheCpuTakesWhatWasLostOnTheGpu) {
  gpu_.script.fails_at_take = 3;
  EXPECT_EQ(Log(), "0 1 1002 1003 1004 1005 ");
  EXPECT_EQ(pairs_.Cost(), "pairs on the GPU 2, ms each 6.000, bytes read 896");
}

TEST_F(GpuPairsTest, APictureThatWentWithTheGpuIsAFailure) {
  gpu_.script.fails_at_take = 3;
  lost_ = 3;
  EXPECT_EQ(Log(),
            "0 1 1002 a picture in the GPU's memory cannot be read: gone ");
  EXPECT_TRUE(pairs_.IsFull());  // nothing behind it is decoded
}

}  // namespace
}  // namespace perdix::client
