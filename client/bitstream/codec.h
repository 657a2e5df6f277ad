// SPDX-License-Identifier: BSD-2-Clause
// One row for each codec: all that the client knows of codecs beside the
// parsers themselves, which lie in a folder for each.
#ifndef PERDIX_CLIENT_BITSTREAM_CODEC_H_
#define PERDIX_CLIENT_BITSTREAM_CODEC_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/base/coded_frame.h"
#include "kernels/status.h"

namespace perdix::client {

// What a user chooses of a stream; a codec that has no such thing ignores it.
struct ParserOptions {
  // Which set of layers is decoded, of those that a sequence header lists.
  uint32_t operating_point = 0;
  // Outputs all spatial layers of a picture, not the highest one only.
  bool all_layers = false;
  // Changes each frame before it is decoded (bitstream/av1/edits.h). Null:
  // frames stay as they are.
  std::function<void(CodedFrame*)> edit = nullptr;
};

// Finds the coded frames in the packets of one stream, in decoding order, and
// keeps what one frame's header leaves for the next ones.
class PacketParser {
 public:
  virtual ~PacketParser() = default;

  // Before the first packet.
  void SetOptions(const ParserOptions& options) { options_ = options; }

  // The packet that Next() works on; its bytes must stay readable meanwhile.
  void Begin(std::span<const uint8_t> packet) noexcept;

  // The packet's next frame; *end is set instead when there is none left. Fails
  // with kInvalidBitstream or kUnsupported; the rest of the packet is lost
  // then. A frame that fails changes nothing for the frames after it. After
  // kOutOfMemory the stream can only go on at a key frame.
  Status Next(CodedFrame* frame, bool* end) noexcept;

  // In the same state. Null: the codec has no use for it, as the end of each of
  // its frames is known before it is decoded.
  virtual std::unique_ptr<PacketParser> Clone() const { return nullptr; }

 protected:
  const ParserOptions& options() const { return options_; }

 private:
  // Do what Begin() and Next() say; may throw std::bad_alloc.
  virtual void BeginPacket(std::span<const uint8_t> packet) = 0;
  virtual Status NextFrame(CodedFrame* frame, bool* end) = 0;

  ParserOptions options_;
  Status begun_;  // of the last Begin()
};

// A control for a V4L2 node.
struct NodeControl {
  uint32_t id;  // V4L2_CID_STATELESS_...
  std::vector<uint8_t> value;
};

// value: the struct that the kernel has for the control
template <typename Value>
NodeControl MakeNodeControl(uint32_t id, const Value& value) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
  return {id, {bytes, bytes + sizeof(value)}};
}

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
  // What a node wants of the frame, without timestamps: its controls, and those
  // that only some nodes have.
  Status (*node_controls)(const CodedFrame& frame,
                          std::vector<NodeControl>* controls);
  // Puts the timestamps (nanoseconds) of the references, in the order of
  // reference_slots and 0 where there is none, into the control that has them.
  // None: an intra frame.
  Status (*set_timestamps)(std::span<const uint64_t> timestamps_ns,
                           std::span<NodeControl> controls);
  // Which frames of a packet are output: all that the parser calls shown, or at
  // most one, the last, if that is shown or shows another.
  bool outputs_all_shown = false;
  // What belongs before the first packet, of what WebM calls CodecPrivate and
  // MP4 keeps in the sample description. Null: nothing.
  std::vector<uint8_t> (*configuration)(std::span<const uint8_t> extradata) =
      nullptr;
};

std::span<const ClientCodec* const> ClientCodecs() noexcept;

// The row whose container id, such as &ClientCodec::ivf, is <value>. Null:
// none.
const ClientCodec* FindClientCodec(const char* ClientCodec::*id,
                                   std::string_view value) noexcept;

// A parser for one stream of the codec.
Status OpenParser(const ClientCodec& codec, const ParserOptions& options,
                  std::unique_ptr<PacketParser>* parser) noexcept;

// The frame's controls for a node, without timestamps.
Status NodeControls(const ClientCodec& codec, const CodedFrame& frame,
                    std::vector<NodeControl>* controls) noexcept;

// What all rows have in that field, for messages: "A, B". May throw
// std::bad_alloc.
std::string ListClientCodecs(const char* ClientCodec::*id);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BITSTREAM_CODEC_H_
