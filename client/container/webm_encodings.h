// SPDX-License-Identifier: BSD-2-Clause
// What Matroska's ContentEncodings did to the bytes of a track's frames.
#ifndef PERDIX_CLIENT_CONTAINER_WEBM_ENCODINGS_H_
#define PERDIX_CLIENT_CONTAINER_WEBM_ENCODINGS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/status.h"

namespace perdix::client {

// ContentCompression, which libwebm does not know.
struct WebmCompression {
  // ContentCompAlgo
  enum : uint64_t { kZlib = 0, kBzip2 = 1, kLzo = 2, kHeaderStripping = 3 };
  uint64_t algorithm = kZlib;
  std::vector<uint8_t> settings;  // header stripping: what was stripped
};

// element: the content of a ContentCompression
Status ParseWebmCompression(std::span<const uint8_t> element,
                            WebmCompression* compression);

// Why it cannot be undone, as a word before the codec's name; empty: it can.
std::string NameUnknownCompression(const WebmCompression& compression);

// Undoes it; compression: one that is known. Nothing becomes larger than a
// frame can be.
Status Decompress(const WebmCompression& compression,
                  std::vector<uint8_t>* bytes);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_CONTAINER_WEBM_ENCODINGS_H_
