// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/ivf_file.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace perdix::client {
namespace {

constexpr size_t kHeaderSize = 32;
constexpr size_t kPacketHeaderSize = 12;

// A header that is looked for after damage is one whose successors look right
// too, up to so many of them.
constexpr int kSuccessors = 2;
// Between two packets: 18 minutes if the unit is a nanosecond.
constexpr uint64_t kMaxTimeStep = uint64_t{1} << 40;

uint32_t Little32(const uint8_t* bytes) {
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
         uint32_t{bytes[3]} << 24;
}

// The time that a packet's header says.
uint64_t TimeOf(const uint8_t* header) {
  return Little32(header + 4) | uint64_t{Little32(header + 8)} << 32;
}

// Whether the next packet may have that time. time: nothing before the first.
bool GoesOn(std::optional<uint64_t> time, uint64_t next) {
  return !time || (next >= *time && next - *time <= kMaxTimeStep);
}

}  // namespace

Status IvfFile::Open(InputFile file, std::unique_ptr<Container>* container) {
  uint8_t header[kHeaderSize];
  if (std::fread(header, 1, kHeaderSize, file.get()) < kHeaderSize) {
    return InvalidFile("cannot open: an IVF header has 32 bytes");
  }
  const std::string fourcc(header + 8, header + 12);
  const ClientCodec* const codec = FindClientCodec(&ClientCodec::ivf, fourcc);
  if (codec == nullptr) return UnknownCodec(fourcc, &ClientCodec::ivf);
  FrameRate rate = {Little32(header + 16), Little32(header + 20)};
  if (rate.numerator == 0 || rate.denominator == 0) rate = {};
  const size_t header_size = header[6] | size_t{header[7]} << 8;
  for (size_t at = kHeaderSize; at < header_size; ++at) {
    std::fgetc(file.get());
  }
  container->reset(new IvfFile(std::move(file), *codec, rate));
  return Status::Ok();
}

Status IvfFile::Next(Packet* packet, bool* end) {
  uint8_t header[kPacketHeaderSize];
  const size_t header_size = Read(header, kPacketHeaderSize);
  *end = header_size == 0;
  if (*end) return Status::Ok();
  const auto bytes = std::make_shared<std::vector<uint8_t>>();
  Status status = header_size < kPacketHeaderSize
                      ? CutShort(0)
                      : ReadPacket(Little32(header), bytes.get());
  if (!status.ok()) {
    bytes->insert(bytes->begin(), header, header + header_size);
    bytes->insert(bytes->end(), again_.begin() + ptrdiff_t(again_at_),
                  again_.end());
    again_ = std::move(*bytes);
    again_at_ = 0;
    return status;
  }
  // The time of a header that is none is no measure for those behind it.
  if (GoesOn(time_, TimeOf(header))) time_ = TimeOf(header);
  *packet = {*bytes, bytes};
  return Status::Ok();
}

// Fewer at the end of the file.
size_t IvfFile::Read(uint8_t* bytes, size_t size) {
  const size_t old = std::min(size, again_.size() - again_at_);
  std::copy_n(again_.begin() + ptrdiff_t(again_at_), old, bytes);
  again_at_ += old;
  return old + std::fread(bytes + old, 1, size - old, file_.get());
}

// What there is of it if it fails.
Status IvfFile::ReadPacket(size_t size, std::vector<uint8_t>* bytes) {
  if (size > kMaxPacketBytes) return TooLarge("packet", size);
  for (size_t left = size; left > 0;) {
    const size_t piece = std::min(left, kReadPiece);
    const size_t before = bytes->size();
    bytes->resize(before + piece);
    const size_t got = Read(bytes->data() + before, piece);
    bytes->resize(before + got);
    if (got < piece) return CutShort(bytes->size());
    left -= piece;
  }
  return Status::Ok();
}

// Behind the header that failed, at any byte: IVF has no marks.
bool IvfFile::Resync() {
  for (size_t at = 1; Load(at + kPacketHeaderSize); ++at) {
    if (!PacketsSeemAt(at)) continue;
    again_at_ = at;
    return true;
  }
  return false;
}

// Makes again_ as large as that, or larger. False: the file ends before.
bool IvfFile::Load(size_t size) {
  while (again_.size() < size) {
    const size_t before = again_.size();
    again_.resize(before + kReadPiece);
    const size_t got =
        std::fread(again_.data() + before, 1, kReadPiece, file_.get());
    again_.resize(before + got);
    if (got == 0) return false;
  }
  return true;
}

// Whether a packet with bytes is there whose time goes on from the last one's,
// and others behind it, or the end of the file.
bool IvfFile::PacketsSeemAt(size_t at) {
  std::optional<uint64_t> time = time_;
  for (int i = 0; i <= kSuccessors; ++i) {
    if (!Load(at + kPacketHeaderSize)) return i > 0 && at == again_.size();
    const uint8_t* const header = again_.data() + at;
    const size_t size = Little32(header);
    if (i == 0 && size == 0) return false;
    if (size > kMaxPacketBytes || !GoesOn(time, TimeOf(header))) return false;
    time = TimeOf(header);
    at += kPacketHeaderSize + size;
    if (!Load(at)) return false;
  }
  return true;
}

}  // namespace perdix::client
