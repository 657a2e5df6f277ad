// SPDX-License-Identifier: BSD-2-Clause
// Packets in, shown frames out, in order: the reference slots, the frames in
// flight. Knows no container, no codec and no backend.
#ifndef PERDIX_CLIENT_STREAM_STREAM_H_
#define PERDIX_CLIENT_STREAM_STREAM_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "client/stream/backend.h"
#include "kernels/status.h"

namespace perdix::client {

// Where in the stream something is; both count from 1.
struct Position {
  uint64_t packet = 0;
  uint64_t frame = 0;  // coded frame, hidden ones and repetitions included
};

// Called in decoding order. False: the call of Stream returns at once; its next
// one goes on behind this event.
struct StreamEvents {
  // The image is valid during the call.
  std::function<bool(const Image&)> shown;
  // The frame is missing, or not intact. Frames after it that do not depend on
  // it are shown.
  std::function<bool(const Position&, const Status&)> failed;
};

class Stream {
 public:
  // A stream of the backend's codec. The backend must outlive it.
  Stream(Backend& backend, StreamEvents events,
         const ParserOptions& options = {});

  // Decodes one packet, whose bytes live as long as owner. The codec's row says
  // which of its frames are output; output false: none is. A packet ends with
  // the first header that cannot be read; an empty one is no frame and no
  // fault. False: an event stopped it.
  bool Decode(std::span<const uint8_t> packet,
              const std::shared_ptr<const void>& owner, bool output = true);

  // Something is wrong between two packets, which may have lost some. Nobody
  // knows what would have referred to these, so the frames that follow are
  // output as they are decoded.
  bool Fail(const Status& status);

  // Goes on after an event that stopped a call; true when what that call was
  // given is decoded, as far as the backend wants it.
  bool GoOn();

  // Waits for what is in flight.
  bool Flush();

  // During StreamEvents::shown: the frame whose image it is. Who holds it may
  // read the image later.
  const DecodedFramePtr& shown_frame() const { return shown_frame_; }

 private:
  struct Packet {
    std::span<const uint8_t> data;
    std::shared_ptr<const void> owner;
    bool output = true;
    Status status = {};  // not ok: why the frame is missing
    uint64_t number = 0;
  };
  // A frame on its way, or the failure in its place.
  struct Entry {
    Position position;
    DecodedFramePtr frame;
    Status status;
    uint32_t refresh = 0;  // bit n: slot n takes the frame
    bool output = false;
    std::shared_ptr<const PacketParser> parser_behind;  // CodedFrame's own
  };
  using Slots = std::array<DecodedFramePtr, kReferenceSlots>;

  bool Take(Packet packet);
  bool Advance(bool drains);
  void DecodePacket(Packet& packet);
  Status DecodeFrames(const Packet& packet);
  Entry ShowExisting(const CodedFrame& coded);
  Entry Submit(SubmittedFrame coded);
  void Append(Entry entry);
  bool CollectOldest();
  bool Show(const DecodedFramePtr& frame, const Image& image);
  void ForgetPacketsBefore(uint64_t number);
  void GoOnBehind(const Entry& entry);

  Backend& backend_;
  const StreamEvents events_;
  std::unique_ptr<PacketParser> parser_;
  Slots slots_;
  std::deque<Entry> entries_;
  // The packets of entries_, then those that are to be decoded.
  std::deque<Packet> packets_;
  size_t decoded_packets_ = 0;  // how many of packets_
  Slots collected_slots_;       // before the first of entries_
  Position position_;
  DecodedFramePtr shown_frame_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_STREAM_STREAM_H_
