// SPDX-License-Identifier: BSD-2-Clause
// The uncompressed header of a VP9 frame (VP9 6.2, 7.2) as the V4L2 stateless
// API wants it, and the state that the API leaves with the client.
#ifndef PERDIX_CLIENT_BITSTREAM_VP9_HEADER_H_
#define PERDIX_CLIENT_BITSTREAM_VP9_HEADER_H_

#include <linux/v4l2-controls.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "client/base/coded_frame.h"
#include "kernels/status.h"

namespace perdix::client::vp9 {

inline constexpr int kReferencesPerFrame = 3;  // REFS_PER_FRAME

struct FrameHeader {
  // The slot that a frame without coded data shows; all below but
  // uncompressed_bytes is unset then.
  bool show_existing_frame = false;
  uint8_t frame_to_show = 0;

  size_t uncompressed_bytes = 0;
  bool shown = false;
  bool intra = false;  // key frame or intra-only
  FrameFormat format;
  uint8_t refresh_frame_flags = 0;  // bit n: slot n takes this frame
  // Slots of last, golden, altref; of an inter frame only.
  std::array<uint8_t, kReferencesPerFrame> references = {};
  // Complete but for the timestamps, which belong to the backend, and
  // reference_mode, which is in the compressed header.
  v4l2_ctrl_vp9_frame control = {};
};

// What one frame's header leaves for the next ones.
struct HeaderState {
  std::array<FrameFormat, kReferenceSlots> slots;
  FrameFormat samples;  // of the last intra frame; no size
  bool full_range = false;
  v4l2_vp9_loop_filter loop_filter = {};
  v4l2_vp9_segmentation segmentation = {};
};

// One stream's headers, in decoding order.
class HeaderParser {
 public:
  HeaderParser();

  // A frame that fails changes nothing: the next one sees the state before it.
  Status Parse(std::span<const uint8_t> frame, FrameHeader* header);

 private:
  HeaderState state_;
};

}  // namespace perdix::client::vp9

#endif  // PERDIX_CLIENT_BITSTREAM_VP9_HEADER_H_
