// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/webm_file.h"

#include <webm/callback.h>
#include <webm/file_reader.h>
#include <webm/webm_parser.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace perdix::client {
namespace {

using Bytes = std::shared_ptr<std::vector<uint8_t>>;

// Blocks when it is told to, so that Feed returns and can be called again.
class PausingReader : public webm::FileReader {
 public:
  using webm::FileReader::FileReader;

  webm::Status Read(size_t size, uint8_t* bytes, uint64_t* done) override {
    return paused ? Blocked(done) : FileReader::Read(size, bytes, done);
  }
  webm::Status Skip(uint64_t size, uint64_t* done) override {
    return paused ? Blocked(done) : FileReader::Skip(size, done);
  }

  bool paused = false;

 private:
  static webm::Status Blocked(uint64_t* done) {
    *done = 0;
    return webm::Status(webm::Status::kWouldBlock);
  }
};

// 1e9 / nanoseconds, as n / 1 or 1000 n / 1001 where that is what was meant.
FrameRate RateOf(uint64_t nanoseconds) {
  for (const int64_t denominator : {1, 1001}) {
    const int64_t unit = denominator == 1 ? 1 : 1000;
    const double rate = 1e9 * double(denominator) / double(nanoseconds);
    const int64_t numerator = std::llround(rate / double(unit)) * unit;
    if (std::abs(double(numerator) - rate) < rate * 1e-4 && numerator > 0) {
      return {numerator, denominator};
    }
  }
  return {1'000'000'000, int64_t(nanoseconds)};
}

class Parser : public WebmFile, private webm::Callback {
 public:
  explicit Parser(InputFile file) : reader_(file.release()) {}

  // To the first packet, by which time the tracks are known.
  Status Open() {
    first_ = Advance();
    if (codec_ != nullptr) return Status::Ok();
    if (!first_.ok()) return first_;
    return UnknownCodec(found_, &ClientCodec::matroska);
  }

  Status Next(Packet* packet, bool* end) override {
    Status status = std::exchange(first_, Status::Ok());
    if (status.ok() && frame_ == nullptr) status = Advance();
    if (!status.ok()) return status;
    *end = frame_ == nullptr;
    if (frame_ == nullptr) return Status::Ok();
    *packet = {*frame_, frame_};
    frame_ = nullptr;
    Configure(*codec_, std::exchange(codec_private_, {}), packet);
    return Status::Ok();
  }
  const ClientCodec& codec() const override { return *codec_; }
  FrameRate frame_rate() const override { return frame_rate_; }

 private:
  // Until frame_ is complete or, null, at the end.
  Status Advance() {
    reader_.paused = false;
    frame_ = nullptr;
    const webm::Status status = parser_.Feed(this, &reader_);
    if (reader_.paused || status.completed_ok()) return Status::Ok();
    if (status.code != webm::Status::kEndOfFile) {
      return InvalidFile("WebM is damaged at byte " +
                         std::to_string(reader_.Position()));
    }
    const Bytes cut = std::exchange(frame_, nullptr);
    return cut == nullptr ? Status::Ok() : CutShort(cut->size());
  }

  webm::Status OnTrackEntry(const webm::ElementMetadata&,
                            const webm::TrackEntry& track) override {
    const std::string& id = track.codec_id.value();
    const ClientCodec* const codec =
        FindClientCodec(&ClientCodec::matroska, id);
    if (codec == nullptr) {
      found_ += (found_.empty() ? "" : ", ") + id;
    } else if (codec_ == nullptr) {
      codec_ = codec;
      track_ = track.track_number.value();
      codec_private_ = track.codec_private.value();
      const uint64_t duration = track.default_duration.value();
      if (duration > 0 && duration <= 1'000'000'000'000) {
        frame_rate_ = RateOf(duration);
      }
    }
    return webm::Status(webm::Status::kOkCompleted);
  }

  webm::Status OnSimpleBlockBegin(const webm::ElementMetadata&,
                                  const webm::SimpleBlock& block,
                                  webm::Action* action) override {
    return BeginBlock(block, action);
  }
  webm::Status OnBlockBegin(const webm::ElementMetadata&,
                            const webm::Block& block,
                            webm::Action* action) override {
    return BeginBlock(block, action);
  }
  webm::Status BeginBlock(const webm::Block& block, webm::Action* action) {
    const bool ours = codec_ != nullptr && block.track_number == track_;
    *action = ours ? webm::Action::kRead : webm::Action::kSkip;
    return webm::Status(webm::Status::kOkCompleted);
  }

  webm::Status OnFrame(const webm::FrameMetadata&, webm::Reader* reader,
                       uint64_t* left) override {
    if (frame_ == nullptr) frame_ = std::make_shared<std::vector<uint8_t>>();
    while (*left > 0) {
      const size_t before = frame_->size();
      const size_t piece = size_t(std::min<uint64_t>(*left, kReadPiece));
      frame_->resize(before + piece);
      uint64_t done = 0;
      const webm::Status status =
          reader->Read(piece, frame_->data() + before, &done);
      frame_->resize(before + size_t(done));
      *left -= done;
      if (!status.ok()) return status;
    }
    reader_.paused = true;
    return webm::Status(webm::Status::kOkCompleted);
  }

  webm::WebmParser parser_;
  PausingReader reader_;
  const ClientCodec* codec_ = nullptr;  // of our track; null: not found yet
  uint64_t track_ = 0;                  // its number
  Bytes::element_type codec_private_;   // until the first packet is given
  std::string found_;                   // codecs of other tracks
  FrameRate frame_rate_;
  Status first_;  // of the first packet, for Next
  Bytes frame_;   // that has been read, or is being read
};

}  // namespace

Status WebmFile::Open(InputFile file, std::unique_ptr<Container>* container) {
  auto parser = std::make_unique<Parser>(std::move(file));
  Status status = parser->Open();
  if (status.ok()) *container = std::move(parser);
  return status;
}

}  // namespace perdix::client
