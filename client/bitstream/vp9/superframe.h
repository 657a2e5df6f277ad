// SPDX-License-Identifier: BSD-2-Clause
// A packet of a container holds one coded frame, or a superframe: several
// frames, the hidden ones first, and an index at the end (VP9 Annex B).
#ifndef PERDIX_CLIENT_BITSTREAM_VP9_SUPERFRAME_H_
#define PERDIX_CLIENT_BITSTREAM_VP9_SUPERFRAME_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/status.h"

namespace perdix::client::vp9 {

// The coded frames of <packet>, in decoding order; they point into it. A
// packet without an index is one frame.
Status SplitSuperframe(std::span<const uint8_t> packet,
                       std::vector<std::span<const uint8_t>>* frames);

}  // namespace perdix::client::vp9

#endif  // PERDIX_CLIENT_BITSTREAM_VP9_SUPERFRAME_H_
