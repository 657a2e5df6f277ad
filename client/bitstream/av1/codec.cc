// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/codec.h"

#include <algorithm>
#include <iterator>

#include "client/bitstream/av1/obu.h"
#include "client/bitstream/av1/packet_parser.h"
#include "client/bitstream/av1/refusals.h"
#include "client/bitstream/change_control.h"
#include "codec/av1/private_controls.h"
#include "codec/av1/v4l2_controls.h"
#include "codec/controls.h"
#include "v4l2/perdix_uapi.h"

namespace perdix::client::av1 {
namespace {

// The record as it is.
Status CopyControl(const CodedFrame& frame, uint32_t id,
                   std::vector<NodeControl>* controls) {
  std::span<const uint8_t> value;
  Status status = FindControl(frame.controls, id, &value);
  if (status.ok()) controls->push_back({id, {value.begin(), value.end()}});
  return status;
}

Status NodeControls(const CodedFrame& frame,
                    std::vector<NodeControl>* controls) {
  v4l2_ctrl_av1_frame control;
  Status status =
      ReadControl(frame.controls, V4L2_CID_STATELESS_AV1_FRAME, &control);
  if (!status.ok()) return status;
  const size_t tiles =
      size_t{control.tile_info.tile_cols} * control.tile_info.tile_rows;
  if (tiles > V4L2_AV1_MAX_TILE_COUNT) {
    return RefuseTileCount(tiles, V4L2_AV1_MAX_TILE_COUNT);
  }
  perdix::av1::ContextTileControl context;
  if (ReadControl(frame.controls, perdix::av1::kContextTileControl, &context)
          .ok()) {
    return RefuseContextTile(context.id);
  }
  controls->push_back(MakeNodeControl(V4L2_CID_STATELESS_AV1_FRAME, control));
  for (const uint32_t id : {V4L2_CID_STATELESS_AV1_SEQUENCE,
                            V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY,
                            V4L2_CID_STATELESS_AV1_FILM_GRAIN}) {
    status = CopyControl(frame, id, controls);
    if (!status.ok()) return status;
  }
  return status;
}

// timestamps_ns: of the eight slots
Status SetTimestamps(std::span<const uint64_t> timestamps_ns,
                     std::span<NodeControl> controls) {
  return ChangeControl<v4l2_ctrl_av1_frame>(
      V4L2_CID_STATELESS_AV1_FRAME, controls, [&](v4l2_ctrl_av1_frame* frame) {
        std::copy_n(timestamps_ns.begin(),
                    std::min(timestamps_ns.size(),
                             std::size(frame->reference_frame_ts)),
                    frame->reference_frame_ts);
      });
}

}  // namespace

const ClientCodec kCodec = {.name = "AV1",
                            .id = PERDIX_CODEC_AV1,
                            .pixelformat = V4L2_PIX_FMT_AV1_FRAME,
                            .ivf = "AV01",
                            .matroska = "V_AV1",
                            .libavformat = "av1",
                            .open = &OpenPacketParser,
                            .format_control = V4L2_CID_STATELESS_AV1_SEQUENCE,
                            .node_controls = &NodeControls,
                            .set_timestamps = &SetTimestamps,
                            .outputs_all_shown = true,
                            .configuration = &ConfigurationObus};

}  // namespace perdix::client::av1
