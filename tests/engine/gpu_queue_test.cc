// SPDX-License-Identifier: BSD-2-Clause
// Submits of frames without a stage to a GPU that does what the test says.
#include "engine/gpu_queue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/fake_gpu.h"
#include "tests/engine/recorded_owners.h"

namespace perdix {
namespace {

constexpr CodecRow kCodec = BareCodec();

EngineOptions OnGpu(uint32_t self_check) {
  EngineOptions options;
  options.threads = 1;
  EXPECT_TRUE(Recipe::Parse("vulkan", &options.recipe).ok());
  options.self_check = self_check;
  return options;
}

class GpuQueueTest : public OwnerTest {
 protected:
  explicit GpuQueueTest(uint32_t self_check = 0)
      : OwnerTest(OnGpu(self_check)) {
    job_.number = 1;
    job_.Reset({});
    FillParams(job_, 3, 1);
    job_.request.target = NewTarget();
    EXPECT_TRUE(queue_.Plan(job_).ok());
  }
  ~GpuQueueTest() override {
    FakeGpu().refuse = false;
    FakeGpu().prepares = nullptr;
  }

  PicturePtr NewTarget() {
    const PicturePtr picture = NewRequest().target;
    const size_t size = picture->memory.size;
    gpu::MemoryPtr memory;
    EXPECT_TRUE(engine_.gpu.get()
                    ->Allocate(size, vulkan::Gpu::Placement::kShared, &memory)
                    .ok());
    picture->memory = {memory, memory->data(), size, memory};
    return picture;
  }
  bool Saw(const std::string& line) const { return log_.Count(line) != 0; }

  StreamMeter meter_{engine_, "none"};
  FrameJob job_;
  GpuQueue queue_{engine_, kCodec, meter_, owners_};
};

TEST_F(GpuQueueTest, PreparesOnceTheFrameIsParsedAndSubmitsOnceItsGateIsOpen) {
  FakeGpu().prepares = [this] { log_.Add("prepared"); };
  FillPlan(job_, {true});
  queue_.FrameParsed(job_);
  log_.Await("prepared");
  EXPECT_EQ(log_.lines().size(), 1u);
  queue_.GateOpens(job_);
  log_.Await("SegmentOver 1");
  EXPECT_TRUE(Saw("LeftToGpu 1"));
}

TEST_F(GpuQueueTest, OnlyTheLastSegmentLeavesTheFrameToTheGpu) {
  FillPlan(job_, {true, false});
  queue_.GateOpens(job_);
  queue_.FrameParsed(job_);
  log_.Await("SegmentOver 1");
  EXPECT_FALSE(Saw("LeftToGpu 1"));
}

TEST_F(GpuQueueTest, AFrameThatFailedIsOver) {
  FillPlan(job_, {true});
  job_.Fail({StatusCode::kInvalidBitstream, "the test wants it so"});
  queue_.GateOpens(job_);
  queue_.FrameParsed(job_);
  log_.Await("FrameOver 1");
}

TEST_F(GpuQueueTest, AFrameThatTheGpuRefusesBeginsAgainOnTheCpu) {
  FakeGpu().refuse = true;
  FillPlan(job_, {true});
  job_.segment = 0;
  queue_.StartSegment(job_);
  EXPECT_TRUE(Saw("BeginsAgain 1"));
  EXPECT_FALSE(job_.plan.UsesGpu());
  EXPECT_EQ(engine_.counters.Read().redone_frames, 1u);
}

TEST_F(GpuQueueTest, AFrameOfPicturesThatTheCpuDoesNotReachFails) {
  FakeGpu().refuse = true;
  FillPlan(job_, {true});
  job_.request.target->memory.data = nullptr;
  queue_.StartSegment(job_);
  EXPECT_TRUE(Saw("FrameOver 1"));
  EXPECT_TRUE(job_.failed());
}

}  // namespace
}  // namespace perdix
