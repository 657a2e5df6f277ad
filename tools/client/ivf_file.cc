// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/ivf_file.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace perdix::client {
namespace {

constexpr size_t kHeaderSize = 32;
constexpr size_t kPacketHeaderSize = 12;

uint32_t Little32(const uint8_t* bytes) {
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 |
         uint32_t{bytes[3]} << 24;
}

// Fewer at the end of the file.
size_t Read(std::FILE* file, uint8_t* bytes, size_t size) {
  return std::fread(bytes, 1, size, file);
}

}  // namespace

Status IvfFile::Open(InputFile file, std::unique_ptr<Container>* container) {
  uint8_t header[kHeaderSize];
  if (Read(file.get(), header, kHeaderSize) < kHeaderSize) {
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
  const size_t header_size = Read(file_.get(), header, kPacketHeaderSize);
  *end = header_size == 0;
  if (*end) return Status::Ok();
  if (header_size < kPacketHeaderSize) return CutShort(0);

  const auto bytes = std::make_shared<std::vector<uint8_t>>();
  for (size_t left = Little32(header); left > 0;) {
    const size_t piece = std::min(left, kReadPiece);
    const size_t before = bytes->size();
    bytes->resize(before + piece);
    const size_t got = Read(file_.get(), bytes->data() + before, piece);
    if (got < piece) return CutShort(before + got);
    left -= piece;
  }
  *packet = {*bytes, bytes};
  return Status::Ok();
}

}  // namespace perdix::client
