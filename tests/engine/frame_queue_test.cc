// SPDX-License-Identifier: BSD-2-Clause
// Frames in their order, where nobody parses or reconstructs them.
#include "engine/frame_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <map>
#include <new>
#include <thread>
#include <utility>

#include "tests/engine/recorded_owners.h"

namespace perdix {
namespace {

constexpr CodecRow kCodec = BareCodec();

class FrameQueueTest : public OwnerTest {
 protected:
  FrameQueueTest() : OwnerTest(2) {
    owners_.frames = &queue_;
    parse_.begin = [this](FrameJob& job) {
      FillParams(job, 3, 1);
      jobs_[job.number] = &job;  // one at a time begins
      return Status::Ok();
    };
    gpu_.plan = [](FrameJob& job) { FillPlan(job, {false}); };
  }

  void Submit(FrameRequest request = NewRequest()) {
    const std::string number = std::to_string(++submitted_);
    request.done = [this, number](const Status& status) {
      log_.Add((status.ok() ? "done " : "failed ") + number);
    };
    queue_.Submit(std::move(request));
  }
  // The frame is begun, and the next one may.
  void AwaitStart(int number) {
    log_.Await("Start " + std::to_string(number));
    queue_.NextMayBegin();
  }

  int submitted_ = 0;
  std::map<uint64_t, FrameJob*> jobs_;
  StreamMeter meter_{engine_, "none"};
  FrameQueue queue_{engine_, kCodec, meter_, owners_};
};

TEST_F(FrameQueueTest, FramesEndInTheirOrder) {
  Submit();
  Submit();
  AwaitStart(1);
  AwaitStart(2);
  queue_.FrameOver(*jobs_[2]);
  EXPECT_EQ(log_.Count("done 2"), 0u);
  queue_.FrameOver(*jobs_[1]);
  queue_.Drain();
  const std::vector<std::string> lines = log_.lines();
  EXPECT_LT(std::ranges::find(lines, "done 1"),
            std::ranges::find(lines, "done 2"));
  EXPECT_EQ(log_.Count("done 2"), 1u);
}

TEST_F(FrameQueueTest, OneFrameBeginsAtATime) {
  Submit();
  Submit();
  log_.Await("Start 1");
  EXPECT_EQ(log_.Count("Begin 2"), 0u);
  queue_.NextMayBegin();
  AwaitStart(2);
  for (int i : {1, 2}) queue_.FrameOver(*jobs_[uint64_t(i)]);
}

TEST_F(FrameQueueTest, AFrameFollowsTheOneBefore) {
  Submit();
  Submit();
  AwaitStart(1);
  AwaitStart(2);
  EXPECT_EQ(log_.Count("Follows 2"), 1u);
  EXPECT_EQ(log_.Count("GateOpens 2"), 1u);
  for (int i : {1, 2}) queue_.FrameOver(*jobs_[uint64_t(i)]);
}

TEST_F(FrameQueueTest, AFrameInTheMemoryOfTheOneBeforeDoesNotFollowIt) {
  FrameRequest first = NewRequest(), second = NewRequest();
  second.target->memory = first.target->memory;
  Submit(std::move(first));
  Submit(std::move(second));
  AwaitStart(1);
  AwaitStart(2);
  EXPECT_EQ(log_.Count("Follows 2") + log_.Count("GateOpens 2"), 0u);
  queue_.FrameOver(*jobs_[1]);
  EXPECT_EQ(log_.Count("GateOpens 2"), 1u);
  queue_.FrameOver(*jobs_[2]);
}

// What a frame follows may be what it reads.
TEST_F(FrameQueueTest, AFollowersGateOpensOnceTheFrameBeforeHasItsMemory) {
  gpu_.plan = [](FrameJob& job) {
    FillPlan(job, {false});
    if (job.number == 1) FillPlan(job, {false, true});  // has no follower
  };
  std::latch asked(1), given(1);
  FrameRequest second = NewRequest();
  second.target->take_memory = [&, memory = second.target->memory] {
    asked.count_down();
    given.wait();
    return memory;
  };
  second.target->memory.data = nullptr;
  Submit();
  Submit(std::move(second));
  Submit();
  AwaitStart(1);
  log_.Await("Start 2");
  std::thread reporter(
      [&queue = queue_, first = jobs_[1]] { queue.FrameOver(*first); });
  asked.wait();
  AwaitStart(2);
  AwaitStart(3);
  EXPECT_EQ(log_.Count("Follows 3"), 1u);
  EXPECT_EQ(log_.Count("GateOpens 3"), 0u);
  given.count_down();
  reporter.join();
  EXPECT_EQ(log_.Count("GateOpens 3"), 1u);
  for (int i : {2, 3}) queue_.FrameOver(*jobs_[uint64_t(i)]);
}

TEST_F(FrameQueueTest, ALaterSegmentComesAfterAllFramesBefore) {
  gpu_.plan = [](FrameJob& job) { FillPlan(job, {true, false}); };
  Submit();
  Submit();
  AwaitStart(1);
  AwaitStart(2);
  queue_.FrameParsed(*jobs_[2]);
  EXPECT_EQ(log_.Count("GpuParsed 2"), 1u);
  EXPECT_EQ(log_.Count("GpuGateOpens 2"), 0u);
  queue_.LeftToGpu(*jobs_[1]);
  EXPECT_EQ(log_.Count("GpuGateOpens 2"), 1u);
  queue_.SegmentOver(*jobs_[2]);
  EXPECT_EQ(log_.Count("StartSegment 2"), 0u);
  queue_.SegmentOver(*jobs_[1]);
  EXPECT_EQ(log_.Count("StartSegment 1"), 1u);
  queue_.SegmentOver(*jobs_[1]);
  log_.Await("StartSegment 2");
  queue_.SegmentOver(*jobs_[2]);
  queue_.Drain();
}

TEST_F(FrameQueueTest, AFrameThatFailsToBeginIsAbandonedAndReported) {
  parse_.begin = [this](FrameJob& job) -> Status {
    jobs_[job.number] = &job;
    throw std::bad_alloc();
  };
  Submit();
  log_.Await("Abandon 1");
  queue_.NextMayBegin();
  queue_.FrameParsed(*jobs_[1]);
  EXPECT_EQ(log_.Count("failed 1"), 1u);
  EXPECT_EQ(log_.Count("GateOpens 1") + log_.Count("CellsParsed 1"), 0u);
}

// Its task may still be on its way to NextMayBegin().
TEST_F(FrameQueueTest, DrainWaitsForTheTaskThatBeginsAFrame) {
  Submit();
  log_.Await("Start 1");
  queue_.FrameOver(*jobs_[1]);
  std::atomic<bool> drained = false;
  std::thread drainer([&] {
    queue_.Drain();
    drained = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(drained);
  queue_.NextMayBegin();
  drainer.join();
}

}  // namespace
}  // namespace perdix
