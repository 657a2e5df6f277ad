// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/webm_file.h"

#include <webm/callback.h>
#include <webm/reader.h>
#include <webm/webm_parser.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "client/container/webm_encodings.h"

namespace perdix::client {
namespace {

using Bytes = std::vector<uint8_t>;

// A block's header at least: the track's number (one byte or more), time,
// flags.
constexpr uint64_t kBlockHeaderBytes = 4;
// Ids of four bytes, which those inside a Segment have.
constexpr uint32_t kTopLevelIds = 0x10000000;

// ContentCompression, which libwebm has no name for.
constexpr auto kContentCompression = webm::Id(0x5034);
constexpr uint64_t kMaxCompressionBytes = 64 << 10;  // of its content

webm::Status Done() { return webm::Status(webm::Status::kOkCompleted); }

// The file, forwards only: a pipe will do. Blocks when it is told to, so that
// Feed returns and can be called again.
class FileReader : public webm::Reader {
 public:
  explicit FileReader(InputFile file) : file_(std::move(file)) {}

  webm::Status Read(size_t size, uint8_t* bytes, uint64_t* done) override;
  webm::Status Skip(uint64_t size, uint64_t* done) override;
  uint64_t Position() const override { return position_; }

  // To the next Cluster's beginning, at <from> or behind it: what was read
  // since is looked at too, of the last kRecentBytes. False: there is none.
  bool FindCluster(uint64_t from);

  bool paused = false;

 private:
  static constexpr size_t kRecentBytes = 16;  // an element's header has 12

  webm::Status Result(uint64_t wanted, uint64_t done) const;
  void GiveBack(std::span<const uint8_t> bytes);

  const InputFile file_;
  uint64_t position_ = 0;
  Bytes recent_;  // the bytes before position_ that were read
};

webm::Status FileReader::Result(uint64_t wanted, uint64_t done) const {
  if (done == wanted) return Done();
  if (done > 0) return webm::Status(webm::Status::kOkPartial);
  return webm::Status(paused ? webm::Status::kWouldBlock
                             : webm::Status::kEndOfFile);
}

webm::Status FileReader::Read(size_t size, uint8_t* bytes, uint64_t* done) {
  *done = paused ? 0 : std::fread(bytes, 1, size, file_.get());
  position_ += *done;
  const std::span<const uint8_t> read(bytes, size_t(*done));
  const auto tail = read.last(std::min(read.size(), kRecentBytes));
  recent_.insert(recent_.end(), tail.begin(), tail.end());
  if (recent_.size() > kRecentBytes) {
    recent_.erase(recent_.begin(), recent_.end() - kRecentBytes);
  }
  return Result(size, *done);
}

webm::Status FileReader::Skip(uint64_t size, uint64_t* done) {
  *done = 0;
  if (paused) return Result(size, 0);
  recent_.clear();
  if (size <= INT64_MAX && fseeko(file_.get(), off_t(size), SEEK_CUR) == 0) {
    *done = size;
  } else {
    while (*done < size && std::fgetc(file_.get()) != EOF) ++*done;
  }
  position_ += *done;
  return Result(size, *done);
}

// glibc's stdio takes back as many bytes as one gives it.
void FileReader::GiveBack(std::span<const uint8_t> bytes) {
  for (size_t i = bytes.size(); i > 0; --i) {
    std::ungetc(bytes[i - 1], file_.get());
  }
  position_ -= bytes.size();
}

bool FileReader::FindCluster(uint64_t from) {
  const auto id = uint32_t(webm::Id::kCluster);
  GiveBack(std::span(recent_).last(
      std::min<uint64_t>(recent_.size(), position_ - from)));
  recent_.clear();
  uint32_t last = 0;  // four bytes
  for (int byte = 0; (byte = std::fgetc(file_.get())) != EOF;) {
    ++position_;
    // A size, which follows the id, is in no more than eight bytes.
    if (last == id && byte != 0) {
      const uint8_t header[] = {uint8_t(id >> 24), uint8_t(id >> 16),
                                uint8_t(id >> 8), uint8_t(id), uint8_t(byte)};
      GiveBack(header);
      return true;
    }
    last = last << 8 | uint32_t(byte);
  }
  return false;
}

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

// Where the element ends; 0: it does not say.
uint64_t EndOf(const webm::ElementMetadata& element) {
  if (element.size == webm::kUnknownElementSize) return 0;
  return element.position + element.header_size + element.size;
}

// Reads <*left> bytes behind those in <*bytes>.
webm::Status ReadAll(webm::Reader* reader, uint64_t* left, Bytes* bytes) {
  while (*left > 0) {
    const size_t before = bytes->size();
    const size_t piece = size_t(std::min<uint64_t>(*left, kReadPiece));
    bytes->resize(before + piece);
    uint64_t done = 0;
    const webm::Status status =
        reader->Read(piece, bytes->data() + before, &done);
    bytes->resize(before + size_t(done));
    *left -= done;
    if (!status.ok()) return status;
  }
  return Done();
}

// Why the track's frames cannot be read, as a word before the codec's name;
// empty: they can. compressions: one for each of its ContentEncodings.
std::string Obstacle(const webm::TrackEntry& track,
                     const std::vector<WebmCompression>& compressions) {
  const auto& encodings = track.content_encodings.value().encodings;
  if (encodings.size() != compressions.size()) return "wrongly encoded ";
  for (size_t i = 0; i < encodings.size(); ++i) {
    const webm::ContentEncoding& encoding = encodings[i].value();
    if (encoding.type.value() == webm::ContentEncodingType::kCompression) {
      std::string unknown = NameUnknownCompression(compressions[i]);
      if (!unknown.empty()) return unknown;
    } else if (encoding.encryption.value().algorithm.value() !=
               webm::ContentEncAlgo::kOnlySigned) {
      return "encrypted ";
    }
  }
  return "";
}

class Parser : public WebmFile, private webm::Callback {
 public:
  explicit Parser(InputFile file) : reader_(std::move(file)) {}

  Status Open();
  Status Next(Packet* packet, bool* end) override;
  bool Resync() override;
  const ClientCodec& codec() const override { return *codec_; }
  FrameRate frame_rate() const override { return frame_rate_; }

 private:
  // Bits of ContentEncodingScope.
  enum Scope : uint64_t { kFrames = 1, kCodecPrivate = 2 };

  // A ContentEncoding of our track.
  struct Encoding {
    uint64_t order = 0;
    uint64_t scope = kFrames;
    WebmCompression compression;
  };

  Status Advance();
  bool BeginAgain();
  Status Undo(Scope scope, std::vector<uint8_t>* bytes) const;
  void TakeTrack(const ClientCodec& codec, const webm::TrackEntry& track);
  webm::Status Fail(Status failure);
  webm::Status ReadCompression(webm::Reader* reader, uint64_t* left);
  webm::Status BeginBlock(const webm::ElementMetadata& element,
                          const webm::Block& block, webm::Action* action) const;

  // ---- what libwebm calls ----

  webm::Status OnElementBegin(const webm::ElementMetadata& element,
                              webm::Action* action) override;
  webm::Status OnUnknownElement(const webm::ElementMetadata& element,
                                webm::Reader* reader, uint64_t* left) override;
  webm::Status OnTrackEntry(const webm::ElementMetadata&,
                            const webm::TrackEntry& track) override;
  webm::Status OnSimpleBlockBegin(const webm::ElementMetadata& element,
                                  const webm::SimpleBlock& block,
                                  webm::Action* action) override {
    return BeginBlock(element, block, action);
  }
  webm::Status OnBlockBegin(const webm::ElementMetadata& element,
                            const webm::Block& block,
                            webm::Action* action) override {
    return BeginBlock(element, block, action);
  }
  webm::Status OnFrame(const webm::FrameMetadata&, webm::Reader* reader,
                       uint64_t* left) override;

  webm::WebmParser parser_;
  FileReader reader_;
  const ClientCodec* codec_ = nullptr;  // of our track; null: not found yet
  uint64_t track_ = 0;                  // our track's number
  std::vector<Encoding> encodings_;     // our track's, in the order of undoing
  Bytes codec_private_;                 // until the first packet is given
  std::string found_;                   // codecs of other tracks
  FrameRate frame_rate_;
  Status first_;                  // of the first packet, for Next
  std::shared_ptr<Bytes> frame_;  // that has been read, or is being read
  // The compressions of the track that is being read, one for each
  // ContentEncoding.
  std::vector<WebmCompression> compressions_;
  uint64_t begun_ = 0;         // behind the header of the last element
  Status failure_;             // a callback's, for which Feed failed
  uint64_t cluster_end_ = 0;   // the last Cluster's, 0: not known
  bool nested_ = false;        // the last Cluster begins inside another one
  bool left_segment_ = false;  // libwebm has, and a Cluster is at begun_
  bool damaged_ = false;       // libwebm cannot go on from where it is
};

// To the first packet, by which time the tracks are known.
Status Parser::Open() {
  first_ = Advance();
  if (codec_ != nullptr) return Status::Ok();
  if (!first_.ok()) return first_;
  return UnknownCodec(found_, &ClientCodec::matroska);
}

Status Parser::Next(Packet* packet, bool* end) {
  Status status = std::exchange(first_, Status::Ok());
  if (status.ok() && frame_ == nullptr) status = Advance();
  if (!status.ok()) return status;
  *end = frame_ == nullptr;
  if (*end) return status;
  const std::shared_ptr<Bytes> frame = std::exchange(frame_, nullptr);
  Bytes configuration = std::exchange(codec_private_, {});
  status = Undo(kCodecPrivate, &configuration);
  if (status.ok()) status = Undo(kFrames, frame.get());
  if (!status.ok()) return status;
  *packet = {*frame, frame};
  Configure(*codec_, configuration, packet);
  return status;
}

// At the next packet, unless libwebm failed.
bool Parser::Resync() {
  return !std::exchange(damaged_, false) || BeginAgain();
}

bool Parser::BeginAgain() {
  if (!reader_.FindCluster(begun_)) return false;
  cluster_end_ = 0;
  parser_.DidSeek();
  return true;
}

// Until frame_ is complete or, null, at the end.
Status Parser::Advance() {
  reader_.paused = false;
  frame_ = nullptr;
  webm::Status status = parser_.Feed(this, &reader_);
  while (std::exchange(left_segment_, false) && BeginAgain()) {
    status = parser_.Feed(this, &reader_);
  }
  if (reader_.paused || status.completed_ok()) return Status::Ok();
  const bool ended = status.code == webm::Status::kEndOfFile;
  const std::shared_ptr<Bytes> cut = std::exchange(frame_, nullptr);
  if (ended && cut == nullptr) return Status::Ok();
  damaged_ = true;
  if (ended) return CutShort(cut->size());
  if (!failure_.ok()) return std::exchange(failure_, Status::Ok());
  return InvalidFile("WebM is damaged at byte " +
                     std::to_string(reader_.Position()));
}

// What was done to what the scope names. Of nothing nothing becomes.
Status Parser::Undo(Scope scope, Bytes* bytes) const {
  if (bytes->empty()) return Status::Ok();
  for (const Encoding& encoding : encodings_) {
    if ((encoding.scope & scope) == 0) continue;
    Status status = Decompress(encoding.compression, bytes);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// Makes Feed end with it.
webm::Status Parser::Fail(Status failure) {
  failure_ = std::move(failure);
  return webm::Status(webm::Status::kInvalidElementValue);
}

// libwebm refuses blocks that end with their header.
webm::Status Parser::OnElementBegin(const webm::ElementMetadata& element,
                                    webm::Action* action) {
  begun_ = reader_.Position();
  if (element.id == webm::Id::kCluster) {
    nested_ = element.position < cluster_end_;
    if (!nested_) cluster_end_ = EndOf(element);
  }
  if (element.id == webm::Id::kTrackEntry) compressions_.clear();
  if (element.id == webm::Id::kContentEncoding) compressions_.emplace_back();
  const bool empty = (element.id == webm::Id::kSimpleBlock ||
                      element.id == webm::Id::kBlock) &&
                     element.size == kBlockHeaderBytes;
  *action = empty ? webm::Action::kSkip : webm::Action::kRead;
  return Done();
}

// A Cluster is not known inside another one, whose size is wrong then; and
// where an element that libwebm does not know, such as Attachments, has ended a
// Segment of unknown size for it. What begins as a Cluster does is one whose id
// is wrong.
webm::Status Parser::OnUnknownElement(const webm::ElementMetadata& element,
                                      webm::Reader* reader, uint64_t* left) {
  if (element.id == kContentCompression && !compressions_.empty()) {
    return ReadCompression(reader, left);
  }
  bool cluster = element.id == webm::Id::kCluster;
  left_segment_ = cluster && !nested_;
  if (!cluster && uint32_t(element.id) >= kTopLevelIds && *left > 0) {
    uint8_t first = 0;
    uint64_t done = 0;
    const webm::Status status = reader->Read(1, &first, &done);
    *left -= done;
    if (!status.completed_ok()) return status;
    cluster = first == uint8_t(webm::Id::kTimecode);
  }
  if (!cluster) return Callback::OnUnknownElement(element, reader, left);
  begun_ = element.position;
  if (left_segment_) return webm::Status(webm::Status::kInvalidElementId);
  return Fail(InvalidFile("WebM is damaged at byte " +
                          std::to_string(element.position)));
}

webm::Status Parser::ReadCompression(webm::Reader* reader, uint64_t* left) {
  if (*left > kMaxCompressionBytes) {
    return Fail(InvalidFile("ContentCompression has " + std::to_string(*left) +
                            " bytes, allowed: 0 to " +
                            std::to_string(kMaxCompressionBytes)));
  }
  Bytes content;
  const webm::Status status = ReadAll(reader, left, &content);
  if (!status.completed_ok()) return status;
  Status parsed = ParseWebmCompression(content, &compressions_.back());
  return parsed.ok() ? Done() : Fail(std::move(parsed));
}

webm::Status Parser::OnTrackEntry(const webm::ElementMetadata&,
                                  const webm::TrackEntry& track) {
  const std::string& id = track.codec_id.value();
  const ClientCodec* const codec = FindClientCodec(&ClientCodec::matroska, id);
  const std::string obstacle = Obstacle(track, compressions_);
  if (codec == nullptr || !obstacle.empty()) {
    found_ += (found_.empty() ? "" : ", ") + obstacle + id;
  } else if (codec_ == nullptr) {
    TakeTrack(*codec, track);
  }
  return Done();
}

void Parser::TakeTrack(const ClientCodec& codec,
                       const webm::TrackEntry& track) {
  codec_ = &codec;
  track_ = track.track_number.value();
  codec_private_ = track.codec_private.value();
  const uint64_t duration = track.default_duration.value();
  if (duration > 0 && duration <= 1'000'000'000'000) {
    frame_rate_ = RateOf(duration);
  }
  const auto& encodings = track.content_encodings.value().encodings;
  for (size_t i = 0; i < encodings.size(); ++i) {
    const webm::ContentEncoding& encoding = encodings[i].value();
    if (encoding.type.value() != webm::ContentEncodingType::kCompression) {
      continue;  // only signed
    }
    encodings_.push_back(
        {encoding.order.value(), encoding.scope.value(), compressions_[i]});
  }
  std::ranges::stable_sort(encodings_, std::ranges::greater(),
                           &Encoding::order);
}

webm::Status Parser::BeginBlock(const webm::ElementMetadata& element,
                                const webm::Block& block,
                                webm::Action* action) const {
  const bool ours = codec_ != nullptr && block.track_number == track_;
  const bool empty = reader_.Position() == EndOf(element);
  *action = ours && !empty ? webm::Action::kRead : webm::Action::kSkip;
  return Done();
}

webm::Status Parser::OnFrame(const webm::FrameMetadata&, webm::Reader* reader,
                             uint64_t* left) {
  if (*left > kMaxPacketBytes) return Fail(TooLarge("packet", *left));
  if (frame_ == nullptr) frame_ = std::make_shared<Bytes>();
  const webm::Status status = ReadAll(reader, left, frame_.get());
  if (status.completed_ok()) reader_.paused = true;
  return status;
}

}  // namespace

Status WebmFile::Open(InputFile file, std::unique_ptr<Container>* container) {
  auto parser = std::make_unique<Parser>(std::move(file));
  Status status = parser->Open();
  if (status.ok()) *container = std::move(parser);
  return status;
}

}  // namespace perdix::client
