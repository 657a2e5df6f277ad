// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/codec.h"

#include <linux/v4l2-controls.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <iterator>

#include "client/bitstream/change_control.h"
#include "client/bitstream/vp9/compressed_header.h"
#include "client/bitstream/vp9/packet_parser.h"
#include "codec/controls.h"
#include "v4l2/perdix_uapi.h"

namespace perdix::client::vp9 {
namespace {

Status NodeControls(const CodedFrame& frame,
                    std::vector<NodeControl>* controls) {
  v4l2_ctrl_vp9_frame control;
  Status status =
      ReadControl(frame.controls, V4L2_CID_STATELESS_VP9_FRAME, &control);
  if (!status.ok()) return status;
  v4l2_ctrl_vp9_compressed_hdr compressed;
  // What is wrong with it the node will say.
  const bool parsed =
      ParseCompressedHeader(frame.data, &control, &compressed).ok();
  controls->push_back(MakeNodeControl(V4L2_CID_STATELESS_VP9_FRAME, control));
  if (parsed) {
    controls->push_back(
        MakeNodeControl(V4L2_CID_STATELESS_VP9_COMPRESSED_HDR, compressed));
  }
  return status;
}

// timestamps_ns: of last, golden, altref
Status SetTimestamps(std::span<const uint64_t> timestamps_ns,
                     std::span<NodeControl> controls) {
  return ChangeControl<v4l2_ctrl_vp9_frame>(
      V4L2_CID_STATELESS_VP9_FRAME, controls, [&](v4l2_ctrl_vp9_frame* frame) {
        uint64_t timestamps[3] = {};
        std::copy_n(timestamps_ns.begin(),
                    std::min(timestamps_ns.size(), std::size(timestamps)),
                    timestamps);
        frame->last_frame_ts = timestamps[0];
        frame->golden_frame_ts = timestamps[1];
        frame->alt_frame_ts = timestamps[2];
      });
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
                            .node_controls = &NodeControls,
                            .set_timestamps = &SetTimestamps};

}  // namespace perdix::client::vp9
