// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/webm_encodings.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "client/container/input_file.h"

namespace perdix::client {
namespace {

using Bytes = std::vector<uint8_t>;

// More than the samples of 8192x4320 in 4:4:4 with 12 bit, packed.
constexpr size_t kMaxUnpackedBytes = size_t{256} << 20;
constexpr size_t kFirstUnpackedBytes = size_t{64} << 10;

// EBML's variable-size integer, taken off <*rest>: as many bytes as its first
// one has leading zeros, and one. with_marker: with the bit that ends these, as
// an element's id counts.
bool TakeNumber(std::span<const uint8_t>* rest, bool with_marker,
                uint64_t* value) {
  if (rest->empty() || rest->front() == 0) return false;
  const size_t size = size_t(std::countl_zero(rest->front())) + 1;
  if (rest->size() < size) return false;
  *value = with_marker ? rest->front() : rest->front() & (0xffu >> size);
  for (size_t i = 1; i < size; ++i) *value = *value << 8 | (*rest)[i];
  *rest = rest->subspan(size);
  return true;
}

std::string Number(size_t value) { return std::to_string(value); }

// The stream's memory.
class Inflater {
 public:
  Inflater() {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& operator*() { return stream_; }

 private:
  z_stream stream_ = {};
};

Status Inflate(std::span<const uint8_t> packed, Bytes* bytes) {
  Inflater inflater;
  z_stream& stream = *inflater;
  // zlib only reads it
  stream.next_in = const_cast<uint8_t*>(packed.data());
  stream.avail_in = uInt(packed.size());
  size_t done = 0;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    if (done == kMaxUnpackedBytes) {
      return InvalidFile("zlib packet of " + Number(packed.size()) +
                         " bytes unpacks to more than " + Number(done) +
                         ", the most that is allowed");
    }
    bytes->resize(
        std::min(std::max(2 * done, kFirstUnpackedBytes), kMaxUnpackedBytes));
    stream.next_out = bytes->data() + done;
    stream.avail_out = uInt(bytes->size() - done);
    result = inflate(&stream, Z_NO_FLUSH);
    done = bytes->size() - stream.avail_out;
    if (result != Z_OK && result != Z_STREAM_END) {
      return InvalidFile("zlib packet of " + Number(packed.size()) +
                         " bytes is damaged or cut short at byte " +
                         Number(packed.size() - stream.avail_in));
    }
  }
  bytes->resize(done);
  return Status::Ok();
}

}  // namespace

Status ParseWebmCompression(std::span<const uint8_t> element,
                            WebmCompression* compression) {
  constexpr uint64_t kContentCompAlgo = 0x4254, kContentCompSettings = 0x4255;
  while (!element.empty()) {
    uint64_t id = 0, size = 0;
    if (!TakeNumber(&element, true, &id) ||
        !TakeNumber(&element, false, &size) || size > element.size()) {
      return InvalidFile("ContentCompression is damaged");
    }
    const auto content = element.first(size_t(size));
    element = element.subspan(size_t(size));
    if (id == kContentCompAlgo) {
      compression->algorithm = 0;
      for (const uint8_t byte : content) {
        compression->algorithm = compression->algorithm << 8 | byte;
      }
    } else if (id == kContentCompSettings) {
      compression->settings.assign(content.begin(), content.end());
    }
  }
  return Status::Ok();
}

std::string NameUnknownCompression(const WebmCompression& compression) {
  switch (compression.algorithm) {
    case WebmCompression::kZlib:
    case WebmCompression::kHeaderStripping:
      return "";
    case WebmCompression::kBzip2:
      return "bzip2-compressed ";
    case WebmCompression::kLzo:
      return "LZO-compressed ";
  }
  return "compressed (algorithm " + std::to_string(compression.algorithm) +
         ") ";
}

Status Decompress(const WebmCompression& compression, Bytes* bytes) {
  if (compression.algorithm == WebmCompression::kHeaderStripping) {
    bytes->insert(bytes->begin(), compression.settings.begin(),
                  compression.settings.end());
    return Status::Ok();
  }
  Bytes unpacked;
  Status status = Inflate(*bytes, &unpacked);
  if (status.ok()) *bytes = std::move(unpacked);
  return status;
}

}  // namespace perdix::client
