// SPDX-License-Identifier: BSD-2-Clause
// A coded frame as a codec's parser finds it in a packet. Nothing here belongs
// to one codec.
#ifndef PERDIX_CLIENT_BASE_CODED_FRAME_H_
#define PERDIX_CLIENT_BASE_CODED_FRAME_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace perdix::client {

// Slots in which a stream keeps frames that later ones may read.
inline constexpr int kReferenceSlots = 8;

// Size and sample format of a frame.
struct FrameFormat {
  uint32_t width = 0;  // luma samples; 0: no frame
  uint32_t height = 0;
  uint32_t bit_depth = 8;
  uint32_t subsampling_x = 1;  // chroma's, log2
  uint32_t subsampling_y = 1;
  // Chroma is there, for who needs it, but is not part of the video. The
  // subsampling is 1, 1.
  bool monochrome = false;

  bool operator==(const FrameFormat&) const = default;
  bool SameSamples(const FrameFormat& other) const {
    return bit_depth == other.bit_depth &&
           subsampling_x == other.subsampling_x &&
           subsampling_y == other.subsampling_y &&
           monochrome == other.monochrome;
  }
};

class PacketParser;

struct CodedFrame {
  // The slot whose frame is shown again. Nothing is decoded then, and of the
  // fields below only refresh has a meaning, and shown if the codec outputs all
  // that it shows.
  std::optional<uint8_t> shows_slot;
  uint32_t refresh = 0;  // bit n: slot n takes this frame, or the one shown
  bool shown = false;
  // What is shown of it is not what later frames refer to: film grain is added
  // to a picture of its own.
  bool separate_display = false;
  // Whatever the recipe says, the CPU decodes part of it (AV1: intra block
  // copy).
  bool needs_cpu = false;
  bool key_frame = false;  // no later frame depends on what came before
  FrameFormat format;
  // The slots that it may read, at most kReferenceSlots, in the order of the
  // timestamps in its controls. Empty: an intra frame.
  std::vector<uint8_t> reference_slots;
  // Records (codec/controls.h) as the engine takes them, without timestamps.
  // NodeControls() makes a node's controls of them.
  std::vector<uint8_t> controls;
  std::span<const uint8_t> data;  // headers included; lies in the packet
  // Only decoding finds the frame's end in <data>, and another frame may follow
  // there: the parser as it is to go on then. Null: none follows.
  std::shared_ptr<const PacketParser> parser_behind;

  bool intra() const { return reference_slots.empty(); }
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BASE_CODED_FRAME_H_
