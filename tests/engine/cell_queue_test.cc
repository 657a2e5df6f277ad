// SPDX-License-Identifier: BSD-2-Clause
// The cells of frames whose parsing and gates the test plays.
#include "engine/cell_queue.h"

#include <gtest/gtest.h>

#include <latch>
#include <utility>

#include "tests/engine/recorded_owners.h"

namespace perdix {
namespace {

constexpr uint32_t kRows = 3;
constexpr CodecRow kCodec = BareCodec();

class CellQueueTest : public OwnerTest {
 protected:
  CellQueueTest() : OwnerTest(1) {
    for (uint64_t i : {0, 1}) jobs_[i].number = i + 1;
  }

  FrameJob& SetUp(size_t index, const Followed& followed = {}) {
    FrameJob& job = jobs_[index];
    job.Reset(NewRequest());
    FillParams(job, kRows, 1);
    FillPlan(job, {false});
    job.sharing = {.workers = 1, .rows = kRows};
    if (followed.frame != nullptr)
      job.request.references[0] = followed.frame->request.target;
    queue_.SetUp(job, followed);
    return job;
  }
  void ParseRows(FrameJob& job) {
    for (uint32_t row = 0; row < kRows; ++row)
      queue_.RowParsed(job, 0, row, true);
  }
  // The one worker has nothing left to do.
  void Settle() {
    std::latch settled(1);
    engine_.pool.Post(Priority::kParse, {}, [&] { settled.count_down(); });
    settled.wait();
  }

  StreamMeter meter_{engine_, "none"};
  FrameJob jobs_[2];
  CellQueue queue_{engine_, kCodec, meter_, owners_};
};

TEST_F(CellQueueTest, ARowWaitsForItsParsingAndTheGate) {
  FrameJob& job = SetUp(0);
  queue_.RowParsed(job, 0, 0, true);
  Settle();
  EXPECT_TRUE(log_.lines().empty());
  queue_.GateOpens(job);
  Settle();
  EXPECT_EQ(log_.lines(), std::vector<std::string>{"ListsRead 1.0"});
}

TEST_F(CellQueueTest, TheSegmentIsOverOnceTheFrameIsParsed) {
  FrameJob& job = SetUp(0);
  queue_.GateOpens(job);
  ParseRows(job);
  Settle();
  EXPECT_EQ(log_.Count("SegmentOver 1"), 0u);
  queue_.FrameParsed(job);
  Settle();
  EXPECT_EQ(log_.Count("SegmentOver 1"), 1u);
}

TEST_F(CellQueueTest, RowsOfAFollowerWaitForTheLinesThatTheyRead) {
  FrameJob& before = SetUp(0);
  FrameJob& job = SetUp(1, {&before, 0b1});
  queue_.GateOpens(before);
  queue_.GateOpens(job);
  ParseRows(job);
  Settle();
  EXPECT_TRUE(log_.lines().empty());
  queue_.RowParsed(before, 0, 0, true);
  Settle();
  EXPECT_EQ(log_.lines(),
            (std::vector<std::string>{"ListsRead 1.0", "ListsRead 2.0"}));
  queue_.RowParsed(before, 0, 1, true);
  queue_.RowParsed(before, 0, 2, true);
  queue_.FrameParsed(before);
  Settle();
  EXPECT_EQ(log_.Count("SegmentOver 1"), 1u);
  queue_.FrameParsed(job);
  Settle();
  EXPECT_EQ(log_.Count("SegmentOver 2"), 1u);
}

TEST_F(CellQueueTest, AFollowerOfAFrameThatIsOverWaitsForNothing) {
  FrameJob& before = SetUp(0);
  queue_.GateOpens(before);
  ParseRows(before);
  queue_.FrameParsed(before);
  log_.Await("SegmentOver 1");
  FrameJob& job = SetUp(1, {&before, 0b1});
  queue_.GateOpens(job);
  ParseRows(job);
  queue_.FrameParsed(job);
  log_.Await("SegmentOver 2");
}

TEST_F(CellQueueTest, CellsOfAFailedFrameAreAccountedFor) {
  FrameJob& job = SetUp(0);
  job.Fail({StatusCode::kInvalidBitstream, "the test wants it so"});
  queue_.GateOpens(job);
  ParseRows(job);
  queue_.FrameParsed(job);
  log_.Await("SegmentOver 1");
}

TEST_F(CellQueueTest, ALaterSegmentNeedsNoParsing) {
  FrameJob& job = SetUp(0);
  queue_.StartSegment(job);
  log_.Await("SegmentOver 1");
}

}  // namespace
}  // namespace perdix
