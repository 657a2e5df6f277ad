// SPDX-License-Identifier: BSD-2-Clause
// What this client refuses of AV1 although the specification allows it, and
// with which words. What breaks the specification is told where it is read.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_REFUSALS_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_REFUSALS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/status.h"

namespace perdix::client::av1 {

inline Status Unsupported(std::string message) {
  return {StatusCode::kUnsupported, std::move(message)};
}

// Large scale tile decoding (7.3).
inline Status RefuseTileList() {
  return Unsupported(
      "OBU_TILE_LIST: large scale tile decoding is not supported; allowed: "
      "frames of tile groups");
}

// Profiles 3 to 7 are reserved (6.4.1).
inline Status RefuseProfile(uint32_t profile) {
  return Unsupported("seq_profile is " + std::to_string(profile) +
                     ", allowed: 0 to 2 (Main, High, Professional)");
}

// A node cannot take it: the kernel's control has 8 bits for the id.
inline Status RefuseContextTile(uint32_t id) {
  return Unsupported("context_update_tile_id is " + std::to_string(id) +
                     ", a node takes 0 to 255; it decodes without --device");
}

// A node cannot take them: the kernel's control has no more entries.
inline Status RefuseTileCount(size_t tiles, size_t most) {
  return Unsupported("the frame has " + std::to_string(tiles) +
                     " tiles, a node takes " + std::to_string(most) +
                     "; it decodes without --device");
}

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_REFUSALS_H_
