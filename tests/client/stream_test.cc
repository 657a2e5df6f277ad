// SPDX-License-Identifier: BSD-2-Clause
#include "client/stream/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "tests/client/vp9/header_writer.h"

namespace perdix::client {
namespace {

using Bytes = std::vector<uint8_t>;
using vp9::TestHeader;
using vp9::WriteFrame;
using vp9::WriteShowExisting;

// Decodes nothing. A frame's image is as wide as the frame's number.
class FakeBackend;

struct FakeFrame : DecodedFrame {
  Status Wait() override;
  Status Map(Image* image) override {
    *image = {};
    image->view.width = number;
    return Status::Ok();
  }
  std::span<const uint8_t> rest() const override { return rest_of_data; }
  FakeBackend* backend = nullptr;
  uint32_t number = 0;
  Status status;
  std::span<const uint8_t> rest_of_data;
};

class FakeBackend : public BackendOf<FakeFrame> {
 public:
  explicit FakeBackend(const ClientCodec& codec) : BackendOf(codec) {}

  Status Decode(const SubmittedFrame& coded, const References& from,
                std::shared_ptr<FakeFrame>* frame) override {
    auto submitted = std::make_shared<FakeFrame>();
    submitted->backend = this;
    submitted->number = ++count;
    most_in_flight = std::max(most_in_flight, ++in_flight);
    if (submitted->number == fails_in_wait) submitted->status = Failure();
    if (coded.parser_behind != nullptr && coded.data.size() > frame_bytes)
      submitted->rest_of_data = coded.data.subspan(frame_bytes);
    references.clear();
    for (size_t i = 0; i < coded.reference_slots.size(); ++i) {
      references.push_back(from[i] ? from[i]->number : 0);
    }
    if (submitted->number == fails_in_submit) return Failure();
    *frame = submitted;
    return Status::Ok();
  }
  void CopySlot(uint8_t slot, uint32_t refresh) override {
    copies.push_back({slot, refresh});
  }
  void FramesAreLost() override { ++losses; }
  void Rewind() override {
    ++rewinds;
    in_flight = 0;
  }
  size_t depth() const override { return 3; }

  static Status Failure() { return {StatusCode::kInvalidBitstream, "broken"}; }

  uint32_t count = 0;
  size_t in_flight = 0;  // submitted and not waited for
  size_t most_in_flight = 0;
  uint32_t fails_in_wait = 0;
  uint32_t fails_in_submit = 0;
  size_t frame_bytes = SIZE_MAX;  // behind which another frame begins
  int losses = 0, rewinds = 0;
  std::vector<uint32_t> references;  // of the last frame submitted
  std::vector<std::pair<uint8_t, uint32_t>> copies;  // slot, refresh
};

Status FakeFrame::Wait() {
  --backend->in_flight;
  return status;
}

class StreamTest : public testing::Test {
 protected:
  bool Decode(const Bytes& packet) { return stream_.Decode(packet, nullptr); }

  static Bytes Key() { return WriteFrame(TestHeader()); }
  static Bytes Inter(bool shown, uint32_t refresh) {
    TestHeader header;
    header.key_frame = false;
    header.shown = shown;
    header.refresh = refresh;
    return WriteFrame(header);
  }
  static Bytes Superframe(const std::vector<Bytes>& frames) {
    Bytes packet, index;
    const uint8_t marker = uint8_t(0xc0 | (frames.size() - 1));
    for (const Bytes& frame : frames) {
      packet.insert(packet.end(), frame.begin(), frame.end());
      index.push_back(uint8_t(frame.size()));
    }
    packet.push_back(marker);
    packet.insert(packet.end(), index.begin(), index.end());
    packet.push_back(marker);
    return packet;
  }

  FakeBackend backend_{vp9::kCodec};
  std::string log_;  // "3" frame 3 shown, "!5.4" packet 5, frame 4 failed
  bool keep_going_ = true;
  std::string message_;
  Stream stream_{backend_,
                 {[this](const Image& image) {
                    log_ += std::to_string(image.view.width) + " ";
                    return true;
                  },
                  [this](const Position& position, const Status& status) {
                    log_ += "!" + std::to_string(position.packet) + "." +
                            std::to_string(position.frame) + " ";
                    message_ = status.message();
                    return keep_going_;
                  }}};
};

TEST_F(StreamTest, ShowsFramesInOrderOnceEnoughAreInFlight) {
  Decode(Key());
  for (int i = 0; i < 3; ++i) Decode(Inter(true, 1));
  EXPECT_EQ(log_, "1 ");
  stream_.Flush();
  EXPECT_EQ(log_, "1 2 3 4 ");
}

// But for those of one packet, which go together.
TEST_F(StreamTest, HasNoMoreFramesInFlightThanTheBackendWants) {
  Decode(Key());
  for (int i = 0; i < 4; ++i) {
    Decode(Superframe({Inter(false, 4), Inter(true, 1)}));
  }
  stream_.Flush();
  EXPECT_EQ(log_, "1 3 5 7 9 ");
  EXPECT_EQ(backend_.most_in_flight, backend_.depth() + 1);
}

TEST_F(StreamTest, StopsBehindTheFramesInFlight) {
  backend_.fails_in_wait = 2;
  keep_going_ = false;
  Decode(Key());
  const Bytes packet = Superframe({Inter(false, 4), Inter(true, 1)});
  EXPECT_TRUE(Decode(packet));
  EXPECT_FALSE(Decode(packet));
  EXPECT_EQ(log_, "1 !2.2 ");
  EXPECT_EQ(backend_.count, 5u);
}

TEST_F(StreamTest, KeepsTheReferenceSlots) {
  Decode(Key());
  Decode(Inter(true, 0x80));
  TestHeader header;
  header.key_frame = false;
  header.references[1] = 7;
  Decode(WriteFrame(header));
  EXPECT_EQ(backend_.references, (std::vector<uint32_t>{1, 2, 1}));
  Decode(Key());
  EXPECT_TRUE(backend_.references.empty());
}

TEST_F(StreamTest, HidesHiddenFramesUntilTheyAreShown) {
  Decode(Key());
  Decode(Superframe({Inter(false, 4), Inter(true, 1)}));
  Decode(WriteShowExisting(2));
  stream_.Flush();
  EXPECT_EQ(log_, "1 3 2 ");
}

TEST_F(StreamTest, ShowsTheLastFrameOfAPacketOnly) {
  Decode(Superframe({Key(), Inter(true, 1)}));
  Decode(Superframe({Inter(true, 1), Inter(false, 1)}));
  stream_.Flush();
  EXPECT_EQ(log_, "2 ");
}

TEST_F(StreamTest, DecodesWhatFollowsAShownFrameInItsPacket) {
  Decode(Key());
  Bytes packet = WriteShowExisting(0);
  packet.push_back(0);
  const Bytes next = Inter(true, 1);
  packet.insert(packet.end(), next.begin(), next.end());
  Decode(packet);
  stream_.Flush();
  EXPECT_EQ(log_, "1 2 ");
}

TEST_F(StreamTest, NamesPacketAndFrameOfAFailure) {
  Decode(Key());
  Decode(Superframe({Inter(false, 1), Inter(false, 1), {0x12}}));
  stream_.Flush();
  EXPECT_EQ(log_, "1 !2.4 ");
  EXPECT_EQ(message_, "frame_marker is 0, allowed: 2");
}

TEST_F(StreamTest, StopsWhenToldTo) {
  keep_going_ = false;
  backend_.fails_in_wait = 2;
  EXPECT_TRUE(Decode(Key()));
  EXPECT_TRUE(Decode(Inter(true, 1)));
  EXPECT_TRUE(Decode(Inter(true, 1)));
  EXPECT_TRUE(Decode(Inter(true, 1)));
  EXPECT_FALSE(Decode(Inter(true, 1)));
  EXPECT_EQ(log_, "1 !2.2 ");
}

TEST_F(StreamTest, GoesOnWhereAnEventStoppedIt) {
  keep_going_ = false;
  backend_.fails_in_wait = 2;
  const Bytes packet = Inter(true, 1);  // lives until it is decoded
  Decode(Key());
  for (int i = 0; i < 4; ++i) Decode(packet);
  EXPECT_EQ(log_, "1 !2.2 ");
  EXPECT_TRUE(stream_.GoOn());
  EXPECT_EQ(backend_.count, 5u);
  EXPECT_TRUE(stream_.Flush());
  EXPECT_EQ(log_, "1 !2.2 3 4 5 ");
}

// Which of those behind it depend on it the backend knows.
TEST_F(StreamTest, GoesOnBehindAFrameThatFails) {
  backend_.fails_in_wait = 2;
  Decode(Key());
  Decode(Inter(true, 1));
  Decode(Inter(true, 1));
  Decode(WriteShowExisting(5));
  Decode(WriteShowExisting(0));
  stream_.Flush();
  EXPECT_EQ(log_, "1 !2.2 3 1 3 ");
  EXPECT_EQ(backend_.losses, 0);
}

TEST_F(StreamTest, FramesOfWhichNothingIsKnownLeaveNoReferences) {
  Decode(Key());
  Decode({0x12});
  Decode(Inter(true, 1));
  EXPECT_EQ(backend_.references, (std::vector<uint32_t>{0, 0, 0}));
  EXPECT_EQ(backend_.losses, 1);
  stream_.Flush();
  EXPECT_EQ(log_, "1 !2.2 2 ");
}

// Frames of the packets behind were submitted already. They are again.
TEST_F(StreamTest, DecodesWhatFollowsAFrameInItsPacket) {
  const Bytes first = Key(), second = Inter(true, 2);
  Bytes packet = first;
  packet.insert(packet.end(), second.begin(), second.end());
  backend_.frame_bytes = first.size();
  Decode(packet);
  TestHeader header;
  header.key_frame = false;
  header.references[0] = 1;
  const Bytes third = WriteFrame(header);
  Decode(third);
  Decode(third);
  stream_.Fail({StatusCode::kInvalidBitstream, "cut"});
  stream_.Flush();
  EXPECT_EQ(backend_.rewinds, 1);
  // 2 and 3 were forgotten; the packet shows its last frame only
  EXPECT_EQ(log_, "4 5 6 !4.5 ");
}

TEST_F(StreamTest, SurvivesASlotWhoseFrameWasRefused) {
  backend_.fails_in_submit = 2;
  Decode(Key());
  Decode(Inter(true, 2));
  Decode(WriteShowExisting(1));
  stream_.Flush();
  EXPECT_EQ(log_, "1 !2.2 !3.3 ");
  EXPECT_EQ(message_, "shows slot 1, whose frame failed");
}

TEST_F(StreamTest, ReportsAContainerFailureInOrder) {
  Decode(Key());
  stream_.Fail({StatusCode::kInvalidBitstream, "cut"});
  stream_.Flush();
  EXPECT_EQ(log_, "1 !2.2 ");
  EXPECT_EQ(message_, "cut");
}

TEST_F(StreamTest, FramesBehindALossAreOutput) {
  Decode(Key());
  stream_.Fail({StatusCode::kInvalidBitstream, "cut"});
  Decode(Inter(true, 1));
  stream_.Flush();
  EXPECT_EQ(log_, "1 !2.2 2 ");
}

TEST_F(StreamTest, AnEmptyPacketIsNoFrameAndNoFault) {
  Decode({});
  Decode(Key());
  Decode({});
  Decode(Inter(true, 1));
  Decode({0x12});
  stream_.Flush();
  EXPECT_EQ(log_, "1 2 !5.3 ");
}

TEST_F(StreamTest, DecodesWhatIsNotOutput) {
  stream_.Decode(Key(), nullptr, false);
  stream_.Decode(Superframe({Inter(false, 4), Inter(true, 1)}), nullptr, false);
  stream_.Decode(WriteShowExisting(2), nullptr, false);
  Decode(Inter(true, 1));
  stream_.Flush();
  EXPECT_EQ(log_, "4 ");
  EXPECT_EQ(backend_.references, (std::vector<uint32_t>{3, 3, 3}));
}

// ---- frames of another backend ----

TEST(BackendTest, RefusesAReferenceOfAnotherKindOfBackend) {
  struct OtherFrame : DecodedFrame {
    Status Wait() override { return Status::Ok(); }
    Status Map(Image*) override { return Status::Ok(); }
  };
  FakeBackend backend(vp9::kCodec);
  SubmittedFrame coded;
  coded.references[2] = std::make_shared<OtherFrame>();
  DecodedFramePtr frame;
  const Status status = backend.Submit(coded, &frame);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "reference 2 is a frame of another kind of backend");
  EXPECT_EQ(frame, nullptr);
  EXPECT_EQ(backend.count, 0u);
}

// ---- a codec that does what the others do not ----

// A packet's byte is a frame: what it does is a row of a table.
class TableParser : public PacketParser {
 public:
  void BeginPacket(std::span<const uint8_t> packet) override {
    packet_ = packet;
  }
  Status NextFrame(CodedFrame* frame, bool* end) override {
    *end = packet_.empty();
    if (*end) return Status::Ok();
    switch (packet_.front()) {
      case 'k':  // a hidden frame, kept in slot 3
        frame->refresh = 1 << 3;
        break;
      case 's':  // shows it, and keeps it in slots 0 and 7 too
        frame->shows_slot = 3;
        frame->refresh = 1 << 7 | 1;
        break;
      case 'r':  // reads all slots, in reverse
        frame->reference_slots = {7, 6, 5, 4, 3, 2, 1, 0};
        frame->shown = true;
        break;
    }
    packet_ = packet_.subspan(1);
    return Status::Ok();
  }

 private:
  std::span<const uint8_t> packet_;
};

constexpr ClientCodec kTableCodec = {
    .name = "table",
    .id = 0,
    .pixelformat = 0,
    .ivf = "",
    .matroska = "",
    .libavformat = "",
    .open = [] { return std::unique_ptr<PacketParser>(new TableParser); },
    .format_control = 0,
    .node_controls = nullptr,
    .set_timestamps = nullptr};

TEST(StreamOfAnotherCodecTest, AFrameThatIsShownAgainMayTakeSlots) {
  FakeBackend backend(kTableCodec);
  std::string log;
  Stream stream(backend,
                {[&](const Image& image) {
                   log += std::to_string(image.view.width) + " ";
                   return true;
                 },
                 [](const Position&, const Status&) { return false; }});
  for (const char* packet : {"k", "s", "kr"}) {
    EXPECT_TRUE(stream.Decode(
        {reinterpret_cast<const uint8_t*>(packet), strlen(packet)}, nullptr));
  }
  EXPECT_TRUE(stream.Flush());
  EXPECT_EQ(log, "1 3 ");
  EXPECT_EQ(backend.references,
            (std::vector<uint32_t>{1, 0, 0, 0, 2, 0, 0, 1}));
  EXPECT_EQ(backend.copies,
            (std::vector<std::pair<uint8_t, uint32_t>>{{3, 0x81}}));
}

}  // namespace
}  // namespace perdix::client
