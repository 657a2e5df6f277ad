// SPDX-License-Identifier: BSD-2-Clause
// The order of parsing, where nobody waits for what is parsed.
#include "engine/parse_queue.h"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <utility>

#include "tests/engine/recorded_owners.h"

namespace perdix {
namespace {

constexpr uint32_t kRows = 3;

// Accepts every frame; the first byte of its controls is a row that fails.
class BareState final : public CodecState {
 public:
  Status Begin(ParsedFrame& frame) override {
    FillParams(frame, kRows, 1);
    return Status::Ok();
  }
  Status ParseRow(ParsedFrame& frame, uint32_t, uint32_t sb_row) override {
    const auto& controls = frame.request.controls;
    if (controls.empty() || controls[0] != sb_row) return Status::Ok();
    return {StatusCode::kInvalidBitstream, "the test wants it so"};
  }
  void End(ParsedFrame&) override {}
};
std::unique_ptr<CodecState> Open() { return std::make_unique<BareState>(); }

constexpr CodecRow kInOrder = BareCodec(Open);
constexpr CodecRow kApart = BareCodec(Open, true);

class ParseQueueTest : public OwnerTest {
 protected:
  explicit ParseQueueTest(const CodecRow& codec = kInOrder, int threads = 1)
      : OwnerTest(threads), queue_(engine_, codec, meter_, owners_) {
    for (uint64_t i : {0, 1}) jobs_[i].number = i + 1;
  }

  FrameJob& Begin(size_t index, FrameRequest request) {
    FrameJob& job = jobs_[index];
    job.Reset(std::move(request));
    EXPECT_TRUE(queue_.Begin(job).ok());
    FillPlan(job, {false});
    job.sharing = {.workers = 1, .rows = kRows};
    return job;
  }
  void Start(FrameJob& job) {
    queue_.SetUp(job);
    queue_.Start(job);
  }
  // The one worker has nothing left to do.
  void Settle() {
    std::latch settled(1);
    engine_.pool.Post(Priority::kParse, {}, [&] { settled.count_down(); });
    settled.wait();
  }

  StreamMeter meter_{engine_, "none"};
  FrameJob jobs_[2];
  ParseQueue queue_;
};

TEST_F(ParseQueueTest, ARowWaitsForRoomInTheLists) {
  FrameJob& job = Begin(0, NewRequest());
  Start(job);  // lists keep one row
  log_.Await("RowParsed 1.0.0");
  Settle();
  EXPECT_EQ(log_.Count("RowParsed 1.1.0"), 0u);
  queue_.ListsRead(job, {0, 1}, 0);
  log_.Await("RowParsed 1.1.0");
  queue_.ListsRead(job, {0, 1}, 1);
  log_.Await("FrameParsed 1");
  EXPECT_EQ(log_.Count("NextMayBegin"), 1u);
}

TEST_F(ParseQueueTest, EveryRowOfAFailedFrameIsAccountedFor) {
  FrameRequest request = NewRequest();
  request.controls = {0};
  FrameJob& job = Begin(0, std::move(request));
  Start(job);
  for (uint32_t row : {0, 1}) queue_.ListsRead(job, {0, 1}, row);
  log_.Await("FrameParsed 1");
  EXPECT_TRUE(job.failed());
  EXPECT_TRUE(job.request.target->broken);
  EXPECT_EQ(log_.Count("RowParsed 1.2.0"), 1u);
}

TEST_F(ParseQueueTest, AFrameThatFailedToBeginHasNoRows) {
  FrameJob& job = Begin(0, NewRequest());
  job.Fail({StatusCode::kOutOfMemory, "the test wants it so"});
  queue_.Abandon(job);
  EXPECT_EQ(log_.lines(),
            (std::vector<std::string>{"NextMayBegin", "FrameParsed 1"}));
}

// Where frames are parsed side by side.
class SideBySideTest : public ParseQueueTest {
 protected:
  SideBySideTest() : ParseQueueTest(kApart, 3) {}

  // The second frame goes on from the first, all of whose rows but the first
  // wait for room.
  void StartBoth(bool by_row) {
    FrameJob& first = Begin(0, NewRequest());
    first.request.bitstream = {kLarge, sizeof(kLarge)};
    FrameJob& second = Begin(1, NewRequest());
    const PicturePtr& source = first.request.target;
    if (by_row) {
      second.parse_sources.by_row = {source};
    } else {
      second.parse_sources.whole = source;
    }
    Start(first);
    Start(second);
    log_.Await("RowParsed 1.1.0");  // half of the rows have room
  }

  // So much that its lists do not keep all rows.
  static constexpr uint8_t kLarge[3 * 4096] = {};
};

TEST_F(SideBySideTest, AFrameGoesOnAfterAllOfItsSource) {
  StartBoth(false);
  EXPECT_EQ(log_.Count("NextMayBegin"), 2u);
  EXPECT_EQ(log_.Count("RowParsed 2.0.0"), 0u);
  queue_.ListsRead(jobs_[0], {0, 1}, 0);
  log_.Await("FrameParsed 1");
  for (uint32_t row : {0, 1}) queue_.ListsRead(jobs_[1], {0, 1}, row);
  log_.Await("FrameParsed 2");
}

TEST_F(SideBySideTest, AFrameGoesOnRowByRowBehindItsSource) {
  StartBoth(true);
  log_.Await("RowParsed 2.1.0");
  EXPECT_EQ(log_.Count("RowParsed 2.2.0"), 0u);
  queue_.ListsRead(jobs_[0], {0, 1}, 0);
  log_.Await("FrameParsed 1");
  for (uint32_t row : {0, 1}) queue_.ListsRead(jobs_[1], {0, 1}, row);
  log_.Await("FrameParsed 2");
}

}  // namespace
}  // namespace perdix
