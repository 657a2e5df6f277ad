// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/codec.h"

#include <linux/v4l2-controls.h>
#include <linux/videodev2.h>

#include "client/bitstream/vp9/compressed_header.h"
#include "client/bitstream/vp9/packet_parser.h"
#include "codec/controls.h"
#include "v4l2/perdix_uapi.h"

namespace perdix::client::vp9 {
namespace {

template <typename Value>
NodeControl ToControl(uint32_t id, const Value& value) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
  return {id, {bytes, bytes + sizeof(value)}};
}

// timestamps_ns: of last, golden, altref; none of an intra frame
Status NodeControls(const CodedFrame& frame,
                    std::span<const uint64_t> timestamps_ns,
                    std::vector<NodeControl>* controls) {
  v4l2_ctrl_vp9_frame control;
  Status status =
      ReadControl(frame.controls, V4L2_CID_STATELESS_VP9_FRAME, &control);
  if (!status.ok()) return status;
  v4l2_ctrl_vp9_compressed_hdr compressed;
  // What is wrong with it the node will say.
  const bool parsed =
      ParseCompressedHeader(frame.data, &control, &compressed).ok();
  if (!timestamps_ns.empty()) {
    control.last_frame_ts = timestamps_ns[0];
    control.golden_frame_ts = timestamps_ns[1];
    control.alt_frame_ts = timestamps_ns[2];
  }
  controls->push_back(ToControl(V4L2_CID_STATELESS_VP9_FRAME, control));
  if (parsed) {
    controls->push_back(
        ToControl(V4L2_CID_STATELESS_VP9_COMPRESSED_HDR, compressed));
  }
  return status;
}

}  // namespace

const ClientCodec kCodec = {.name = "VP9",
                            .id = PERDIX_CODEC_VP9,
                            .pixelformat = V4L2_PIX_FMT_VP9_FRAME,
                            .ivf = "VP90",
                            .matroska = "V_VP9",
                            .libavformat = "vp9",
                            .open = &OpenPacketParser,
                            .format_control = V4L2_CID_STATELESS_VP9_FRAME,
                            .node_controls = &NodeControls};

}  // namespace perdix::client::vp9
