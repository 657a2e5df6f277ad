// SPDX-License-Identifier: BSD-2-Clause
// The compressed header of a VP9 frame (VP9 6.3), for nodes that do not read it
// themselves. perdixd does; the in-process backend has no use for it.
#ifndef PERDIX_TOOLS_CLIENT_COMPRESSED_HEADER_H_
#define PERDIX_TOOLS_CLIENT_COMPRESSED_HEADER_H_

#include <linux/v4l2-controls.h>

#include <cstdint>
#include <span>

#include "kernels/status.h"
#include "tools/client/vp9_header.h"

namespace perdix::client {

// Fills the control, and reference_mode of the frame's. <data> is the frame
// that <header> was parsed from.
Status ParseCompressedHeader(std::span<const uint8_t> data, FrameHeader* header,
                             v4l2_ctrl_vp9_compressed_hdr* compressed);

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_CLIENT_COMPRESSED_HEADER_H_
