// SPDX-License-Identifier: BSD-2-Clause
// What the readers of containers share.
#ifndef PERDIX_CLIENT_CONTAINER_INPUT_FILE_H_
#define PERDIX_CLIENT_CONTAINER_INPUT_FILE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/codec.h"
#include "client/container/container.h"
#include "client/container/open_file.h"
#include "kernels/status.h"

namespace perdix::client {

inline Status InvalidFile(std::string message) {
  return {StatusCode::kInvalidBitstream, std::move(message)};
}

// holds: the file's codecs, as the container calls them; id: the field of the
// rows that it was looked for in.
inline Status UnknownCodec(const std::string& holds,
                           const char* ClientCodec::*id) {
  return InvalidFile("holds " + (holds.empty() ? "no stream" : holds) +
                     ", allowed: " + ListClientCodecs(id));
}

// Bytes are read in pieces of so many: a size in a file is not to be trusted
// with memory.
inline constexpr size_t kReadPiece = size_t{1} << 20;

// More than any temporal unit of a size that AV1 or VP9 has.
inline constexpr size_t kMaxPacketBytes = size_t{1} << 30;

// The first packet of a stream, behind what the container keeps for it
// (ClientCodec::configuration).
inline void Configure(const ClientCodec& codec,
                      std::span<const uint8_t> extradata, Packet* first) {
  if (codec.configuration == nullptr) return;
  const std::vector<uint8_t> before = codec.configuration(extradata);
  if (before.empty()) return;
  const auto bytes = std::make_shared<std::vector<uint8_t>>(before.size() +
                                                            first->data.size());
  std::ranges::copy(first->data, std::ranges::copy(before, bytes->begin()).out);
  *first = {*bytes, bytes};
}

inline Status TooLarge(const std::string& what, size_t bytes) {
  return InvalidFile(
      what + " has " + std::to_string(bytes) +
      " bytes or more, allowed: " + std::to_string(kMaxPacketBytes));
}

inline Status CutShort(size_t bytes) {
  return InvalidFile("packet of " + std::to_string(bytes) +
                     " bytes is cut short by the end of the file");
}

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_INPUT_FILE_H_
