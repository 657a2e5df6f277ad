// SPDX-License-Identifier: BSD-2-Clause
// One row for each codec: all that the client knows of codecs beside the
// parsers themselves, which lie in a folder for each.
#ifndef PERDIX_CLIENT_BITSTREAM_CODEC_H_
#define PERDIX_CLIENT_BITSTREAM_CODEC_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/coded_frame.h"
#include "kernels/status.h"

namespace perdix::client {

// What a user chooses of a stream; a codec that has no such thing ignores it.
struct ParserOptions {
  // Which set of layers is decoded, of those that a sequence header lists.
  uint32_t operating_point = 0;
  // Outputs all spatial layers of a picture, not the highest one only.
  bool all_layers = false;
  // Outputs frames with the grain that the stream describes.
  bool film_grain = true;
  // In-loop filters that are left out, for tests: codec/av1/private_controls.h.
  uint32_t left_out = 0;
};

// Finds the coded frames in the packets of one stream, in decoding order, and
// keeps what one frame's header leaves for the next ones.
class PacketParser {
 public:
  virtual ~PacketParser() = default;

  // Before the first packet.
  virtual void SetOptions(const ParserOptions&) {}

  // The packet that Next() works on; its bytes must stay readable meanwhile.
  virtual void Begin(std::span<const uint8_t> packet) = 0;

  // The packet's next frame; *end is set instead when there is none left. Fails
  // with kInvalidBitstream or kUnsupported; the rest of the packet is lost
  // then. A frame that fails changes nothing for the frames after it.
  virtual Status Next(CodedFrame* frame, bool* end) = 0;

  // In the same state. Null: the codec has no use for it, as the end of each of
  // its frames is known before it is decoded.
  virtual std::unique_ptr<PacketParser> Clone() const { return nullptr; }
};

// A control for a V4L2 node.
struct NodeControl {
  uint32_t id;  // V4L2_CID_STATELESS_...
  std::vector<uint8_t> value;
};

struct ClientCodec {
  const char* name;      // for people
  uint32_t id;           // enum perdix_codec: the engine's row
  uint32_t pixelformat;  // V4L2 fourcc of a node's coded queue
  // What containers call it: the fourcc in IVF, the CodecID in WebM and
  // Matroska, the name of the codec in libavformat.
  const char* ivf;
  const char* matroska;
  const char* libavformat;
  std::unique_ptr<PacketParser> (*open)();
  // The control from which a node learns the sample format, on which the
  // formats of its decoded queue depend.
  uint32_t format_control;
  // What a node wants: the frame's controls with the timestamps (nanoseconds)
  // of its references, in the order of reference_slots and 0 where there is
  // none, and those that only some nodes have.
  Status (*node_controls)(const CodedFrame& frame,
                          std::span<const uint64_t> timestamps_ns,
                          std::vector<NodeControl>* controls);
  // Which frames of a packet are output: all that the parser calls shown, or at
  // most one, the last, if that is shown or shows another.
  bool outputs_all_shown = false;
  // What belongs before the first packet, of what WebM calls CodecPrivate and
  // MP4 keeps in the sample description. Null: nothing.
  std::vector<uint8_t> (*configuration)(std::span<const uint8_t> extradata) =
      nullptr;
};

std::span<const ClientCodec* const> ClientCodecs();

// The row whose container id, such as &ClientCodec::ivf, is <value>. Null:
// none.
const ClientCodec* FindClientCodec(const char* ClientCodec::*id,
                                   std::string_view value);

// That field of all rows, for messages: "A, B".
std::string ListClientCodecs(const char* ClientCodec::*id);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BITSTREAM_CODEC_H_
