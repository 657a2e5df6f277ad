// SPDX-License-Identifier: BSD-2-Clause
// The uncompressed header of an AV1 frame (5.9, 6.8) as the V4L2 stateless API
// wants it, and the state that the API leaves with the client.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_FRAME_HEADER_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_FRAME_HEADER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "client/base/coded_frame.h"
#include "client/bitstream/av1/film_grain.h"
#include "client/bitstream/av1/global_motion.h"
#include "client/bitstream/av1/obu.h"
#include "client/bitstream/av1/sequence_header.h"
#include "client/bitstream/av1/tile_info.h"
#include "codec/av1/v4l2_controls.h"
#include "kernels/status.h"

namespace perdix::client::av1 {

// What the reference frame update process (7.20) keeps of a frame in a slot, as
// far as headers depend on it.
struct SavedFrame {
  FrameFormat format;  // UpscaledWidth x FrameHeight; width 0: no frame
  uint16_t render_width_minus_1 = 0;
  uint16_t render_height_minus_1 = 0;
  uint32_t frame_type = V4L2_AV1_KEY_FRAME;
  uint32_t frame_id = 0;
  uint32_t order_hint = 0;
  GmParams gm_params = IdentityGmParams();
  v4l2_av1_loop_filter loop_filter = {};    // the deltas
  v4l2_av1_segmentation segmentation = {};  // the features
  FilmGrain film_grain = {};
};

using Slots = std::array<SavedFrame, kReferenceSlots>;

struct FrameHeader {
  // The slot that a frame without coded data shows; of all below only refresh
  // and saved are set then.
  bool show_existing_frame = false;
  uint8_t frame_to_show = 0;

  uint8_t refresh = 0;  // bit n: slot n takes this frame, and <saved>
  SavedFrame saved;
  bool shown = false;
  bool intra = false;  // key frame or intra-only
  size_t bytes = 0;    // the header's, the last one filled up
  TileNumbers tile_numbers;
  // Complete but for the timestamps, which belong to the backend.
  v4l2_ctrl_av1_frame control = {};
};

// Reads the header at the beginning of <obu>'s payload. The slots do not
// change: that is for who has seen the whole frame.
Status ParseFrameHeader(const Obu& obu, const SequenceHeader& sequence,
                        const Slots& slots, FrameHeader* header);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_FRAME_HEADER_H_
