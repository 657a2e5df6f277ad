// SPDX-License-Identifier: BSD-2-Clause
// The compressed header of a VP9 frame (VP9 6.3), for nodes that do not read it
// themselves. perdixd does; the engine in process has no use for it.
#ifndef PERDIX_CLIENT_BITSTREAM_VP9_COMPRESSED_HEADER_H_
#define PERDIX_CLIENT_BITSTREAM_VP9_COMPRESSED_HEADER_H_

#include <linux/v4l2-controls.h>

#include <cstdint>
#include <span>

#include "kernels/status.h"

namespace perdix::client::vp9 {

// Fills <compressed>, and reference_mode of <control>, which has all else that
// the uncompressed header of the frame <data> says. Fails with
// kInvalidBitstream, and fills nothing, if the frame lacks such bytes.
Status ParseCompressedHeader(std::span<const uint8_t> data,
                             v4l2_ctrl_vp9_frame* control,
                             v4l2_ctrl_vp9_compressed_hdr* compressed);

}  // namespace perdix::client::vp9

#endif  // PERDIX_CLIENT_BITSTREAM_VP9_COMPRESSED_HEADER_H_
