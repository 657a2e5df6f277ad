// SPDX-License-Identifier: BSD-2-Clause
#include "client/decoded_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace perdix::client {
namespace {

// A packet's letter is a frame: "s" is shown, "h" hidden, "f" is shown and
// fails.
class LetterParser : public PacketParser {
 public:
  void BeginPacket(std::span<const uint8_t> packet) override {
    packet_ = packet;
  }
  Status NextFrame(CodedFrame* frame, bool* end) override {
    *end = packet_.empty();
    if (*end) return Status::Ok();
    frame->data = packet_.first(1);
    frame->shown = packet_.front() != 'h';
    packet_ = packet_.subspan(1);
    return Status::Ok();
  }

 private:
  std::span<const uint8_t> packet_;
};

constexpr ClientCodec kLetters = {
    .name = "letters",
    .id = 0,
    .pixelformat = 0,
    .ivf = "",
    .matroska = "",
    .libavformat = "",
    .open = [] { return std::unique_ptr<PacketParser>(new LetterParser); },
    .format_control = 0,
    .node_controls = nullptr,
    .set_timestamps = nullptr};

struct Counts {
  uint32_t submitted = 0;
  uint32_t in_flight = 0;  // submitted and not waited for
  uint32_t most_in_flight = 0;
};

// An image is as wide as the frame's number.
struct NumberedFrame : DecodedFrame {
  NumberedFrame(Counts& counts, bool fails)
      : counts(counts), number(++counts.submitted), fails(fails) {
    counts.most_in_flight = std::max(counts.most_in_flight, ++counts.in_flight);
  }
  Status Wait() override {
    --counts.in_flight;
    if (!fails) return Status::Ok();
    return {StatusCode::kInvalidBitstream, "broken"};
  }
  Status Map(Image* image) override {
    *image = {};
    image->view.width = number;
    return Status::Ok();
  }

  Counts& counts;
  const uint32_t number;
  const bool fails;
};

class NumberingBackend : public BackendOf<NumberedFrame> {
 public:
  explicit NumberingBackend(Counts& counts)
      : BackendOf(kLetters), counts_(counts) {}
  size_t depth() const override { return 3; }

 private:
  Status Decode(const SubmittedFrame& coded, const References&,
                std::shared_ptr<NumberedFrame>* frame) override {
    *frame =
        std::make_shared<NumberedFrame>(counts_, coded.data.front() == 'f');
    return Status::Ok();
  }

  Counts& counts_;
};

// Packets of a letter each; "!" is damage of the file.
class LetterFile : public Container {
 public:
  explicit LetterFile(std::string letters) : letters_(std::move(letters)) {}
  const ClientCodec& codec() const override { return kLetters; }
  FrameRate frame_rate() const override { return {25, 2}; }
  bool Resync() override { return true; }
  Status Next(Packet* packet, bool* end) override {
    *end = at_ == letters_.size();
    if (*end) return Status::Ok();
    const auto* const letter =
        reinterpret_cast<const uint8_t*>(&letters_[at_++]);
    if (*letter == '!') return {StatusCode::kInvalidBitstream, "cut"};
    packet->data = {letter, 1};
    return Status::Ok();
  }

 private:
  const std::string letters_;
  size_t at_ = 0;
};

class DecodedSourceTest : public testing::Test {
 protected:
  std::unique_ptr<DecodedSource> Open(const std::string& letters,
                                      const DecodedSourceOptions& options) {
    return std::make_unique<DecodedSource>(
        std::make_unique<LetterFile>(letters),
        std::make_unique<NumberingBackend>(counts_), options);
  }
  // "1 3" frames 1 and 3 are given; failures in brackets.
  std::string Log(const std::string& letters,
                  const DecodedSourceOptions& options = {}) {
    const auto source = Open(letters, options);
    std::string log;
    for (;;) {
      ShownFrame frame;
      bool end = false;
      const Status status = source->Next(&frame, &end);
      if (end) return log;
      log += status.ok() ? std::to_string(frame.image.view.width) + " "
                         : "(" + status.message() + ") ";
    }
  }

  Counts counts_;
};

TEST_F(DecodedSourceTest, GivesTheFramesThatAreShown) {
  EXPECT_EQ(Log("shsshs"), "1 3 4 6 ");
  EXPECT_EQ(Log(""), "");
}

TEST_F(DecodedSourceTest, HasAsManyFramesInFlightAsTheBackendWants) {
  Log("ssssssssss");
  EXPECT_EQ(counts_.most_in_flight, 3u);
}

TEST_F(DecodedSourceTest, SaysTheEndAgain) {
  const auto source = Open("s", {});
  ShownFrame frame;
  bool end = false;
  EXPECT_TRUE(source->Next(&frame, &end).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(source->Next(&frame, &end).ok());
    EXPECT_TRUE(end);
    EXPECT_EQ(frame.owner, nullptr);
  }
}

TEST_F(DecodedSourceTest, AFrameLivesAsLongAsItIsHeld) {
  const auto source = Open("ssssssss", {});
  ShownFrame held, frame;
  bool end = false;
  EXPECT_TRUE(source->Next(&held, &end).ok());
  EXPECT_TRUE(source->Next(&frame, &end).ok());
  const std::weak_ptr<const void> second = frame.owner;
  while (!end) EXPECT_TRUE(source->Next(&frame, &end).ok());
  EXPECT_TRUE(second.expired());
  held.decoded = nullptr;
  EXPECT_EQ(held.owner.use_count(), 1);
}

TEST_F(DecodedSourceTest, BeginsNothingBehindTheLimit) {
  EXPECT_EQ(Log("sssssss", {{}, 4}), "1 2 3 4 ");
  EXPECT_EQ(counts_.submitted, 4u);
}

TEST_F(DecodedSourceTest, NamesAFrameThatFailsAndGoesOn) {
  EXPECT_EQ(Log("shfs"), "1 (frame 3 (packet 3): broken) 4 ");
}

TEST_F(DecodedSourceTest, EndsAtDamageOfTheFile) {
  EXPECT_EQ(Log("ss!s"), "1 2 (frame 3 (packet 3): cut) ");
}

TEST_F(DecodedSourceTest, GoesOnBehindDamageOfTheFileIfItIsTold) {
  EXPECT_EQ(Log("ss!s", {{}, 0, true}), "1 2 (frame 3 (packet 3): cut) 3 ");
}

}  // namespace
}  // namespace perdix::client
