// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/superframe.h"

#include <string>
#include <utility>

namespace perdix::client::vp9 {
namespace {

constexpr uint8_t kMarkerMask = 0xe0;
constexpr uint8_t kMarker = 0xc0;

Status Invalid(std::string message) {
  return {StatusCode::kInvalidBitstream, "superframe: " + std::move(message)};
}

size_t LittleEndian(std::span<const uint8_t> bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

}  // namespace

Status SplitSuperframe(std::span<const uint8_t> packet,
                       std::vector<std::span<const uint8_t>>* frames) {
  if (packet.empty()) {
    return {StatusCode::kInvalidBitstream, "packet is empty"};
  }
  const uint8_t marker = packet.back();
  if ((marker & kMarkerMask) != kMarker) {
    *frames = {packet};
    return Status::Ok();
  }

  const size_t count = (marker & 7u) + 1;
  const size_t size_bytes = (marker >> 3 & 3u) + 1;
  const size_t index_bytes = 2 + size_bytes * count;
  if (packet.size() < index_bytes) {
    return Invalid("index of " + std::to_string(index_bytes) +
                   " bytes in a packet of " + std::to_string(packet.size()));
  }
  const auto index = packet.last(index_bytes);
  if (index.front() != marker) {
    return Invalid("first index byte is " + std::to_string(index.front()) +
                   ", must equal the last, " + std::to_string(marker));
  }

  std::vector<std::span<const uint8_t>> found;
  size_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size =
        LittleEndian(index.subspan(1 + i * size_bytes, size_bytes));
    // A frame may reach into the index, as for libvpx, not beyond the packet.
    const size_t room = packet.size() - offset;
    if (size == 0 || size > room) {
      return Invalid("frame " + std::to_string(i + 1) + " of " +
                     std::to_string(count) + " has size " +
                     std::to_string(size) + ", allowed 1 to " +
                     std::to_string(room));
    }
    found.push_back(packet.subspan(offset, size));
    offset += size;
  }
  *frames = std::move(found);
  return Status::Ok();
}

}  // namespace perdix::client::vp9
