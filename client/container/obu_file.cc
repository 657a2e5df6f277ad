// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/obu_file.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/av1/syntax.h"

namespace perdix::client {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kMaxLeb128Bytes = 8;

class File : public Container {
 public:
  explicit File(InputFile file) : file_(std::move(file)) {}

  const ClientCodec& codec() const override { return av1::kCodec; }
  FrameRate frame_rate() const override { return {}; }

 protected:
  // Fewer bytes at the end of the file.
  Status ReadInto(size_t size, Bytes* bytes) {
    if (bytes->size() + size > kMaxPacketBytes) {
      return TooLarge("temporal unit", bytes->size() + size);
    }
    for (size_t left = size; left > 0;) {
      const size_t piece = std::min(left, kReadPiece);
      const size_t before = bytes->size();
      bytes->resize(before + piece);
      const size_t got =
          std::fread(bytes->data() + before, 1, piece, file_.get());
      bytes->resize(before + got);
      if (got < piece) return CutShort(bytes->size());
      left -= piece;
    }
    return Status::Ok();
  }

  // The bytes of a leb128(), appended. *end: the file ended before the first.
  Status ReadLeb128(Bytes* bytes, uint32_t* value, bool* end) {
    const size_t begin = bytes->size();
    int byte = 0x80;
    while ((byte & 0x80) != 0 && bytes->size() - begin < kMaxLeb128Bytes) {
      byte = std::fgetc(file_.get());
      *end = byte == EOF && bytes->size() == begin;
      if (*end) return Status::Ok();
      if (byte == EOF) return CutShort(bytes->size());
      bytes->push_back(uint8_t(byte));
    }
    size_t size = 0;
    if (av1::ReadLeb128(std::span(*bytes).subspan(begin), value, &size)) {
      return Status::Ok();
    }
    return InvalidFile(
        "OBU file is damaged: a size has more than 8 bytes or 32 bits");
  }

  std::FILE* file() { return file_.get(); }

 private:
  const InputFile file_;
};

Status Give(std::shared_ptr<Bytes> bytes, Packet* packet) {
  *packet = {*bytes, bytes};
  return Status::Ok();
}

class AnnexBFile : public File {
 public:
  using File::File;

  Status Next(Packet* packet, bool* end) override {
    Bytes unit;
    uint32_t size = 0;
    whole_ = false;
    while (size == 0) {  // an empty unit says nothing
      unit.clear();
      Status status = ReadLeb128(&unit, &size, end);
      if (!status.ok() || *end) return status;
    }
    unit.clear();
    Status status = ReadInto(size, &unit);
    whole_ = status.ok();
    const auto bytes = std::make_shared<Bytes>();
    if (status.ok()) status = av1::FromAnnexB(unit, bytes.get());
    return status.ok() ? Give(bytes, packet) : status;
  }

  // Behind a unit that is damaged inside.
  bool Resync() override { return whole_; }

 private:
  bool whole_ = false;  // the last unit was read
};

class LowOverheadFile : public File {
 public:
  using File::File;

  // Up to the next temporal delimiter, whose bytes wait for the next call.
  Status Next(Packet* packet, bool* end) override {
    const auto unit = std::make_shared<Bytes>(std::exchange(delimiter_, {}));
    for (;;) {
      const size_t begin = unit->size();
      bool ended = false, is_delimiter = false;
      Status status = ReadObu(unit.get(), &is_delimiter, &ended);
      if (!status.ok()) return status;
      *end = ended && unit->empty();
      if (ended) return *end ? Status::Ok() : Give(unit, packet);
      if (!is_delimiter || begin == 0) continue;
      delimiter_.assign(unit->begin() + ptrdiff_t(begin), unit->end());
      unit->resize(begin);
      return Give(unit, packet);
    }
  }

 private:
  // Appends the next OBU. *end: there is none.
  Status ReadObu(Bytes* unit, bool* is_delimiter, bool* end) {
    const int first = std::fgetc(file());
    *end = first == EOF;
    if (*end) return Status::Ok();
    constexpr int kExtensionBit = 0x04, kSizeBit = 0x02;
    if ((first & kSizeBit) == 0) {
      return InvalidFile(
          "OBU file is damaged: obu_has_size_field is 0, allowed: 1");
    }
    *is_delimiter =
        av1::ObuType(first >> 3 & 15) == av1::ObuType::kTemporalDelimiter;
    unit->push_back(uint8_t(first));
    Status status = Status::Ok();
    if ((first & kExtensionBit) != 0) status = ReadInto(1, unit);
    if (!status.ok()) return status;
    uint32_t size = 0;
    bool no_size = false;
    status = ReadLeb128(unit, &size, &no_size);
    if (no_size) return CutShort(unit->size());
    return status.ok() ? ReadInto(size, unit) : status;
  }

  Bytes delimiter_;
};

}  // namespace

Status ObuFile::Open(InputFile file, av1::ObuFormat format,
                     std::unique_ptr<Container>* container) {
  if (format == av1::ObuFormat::kAnnexB) {
    *container = std::make_unique<AnnexBFile>(std::move(file));
  } else {
    *container = std::make_unique<LowOverheadFile>(std::move(file));
  }
  return Status::Ok();
}

}  // namespace perdix::client
