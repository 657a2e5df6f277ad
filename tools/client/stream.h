// SPDX-License-Identifier: BSD-2-Clause
// Packets in, shown frames out, in order: the reference slots, the frames in
// flight. Knows no container, no codec and no backend.
#ifndef PERDIX_TOOLS_CLIENT_STREAM_H_
#define PERDIX_TOOLS_CLIENT_STREAM_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/status.h"
#include "tools/client/backend.h"

namespace perdix::client {

// Where in the stream something is; both count from 1.
struct Position {
  uint64_t packet = 0;
  uint64_t frame = 0;  // coded frame, hidden ones and repetitions included
};

// Called in decoding order; false stops the stream.
struct StreamEvents {
  // The image is valid during the call.
  std::function<bool(const Image&)> shown;
  std::function<bool(const Position&, const Status&)> failed;
};

class Stream {
 public:
  // A stream of the backend's codec. The backend must outlive it.
  Stream(Backend& backend, StreamEvents events,
         const ParserOptions& options = {});

  // Decodes one packet. The codec's row says which of its frames are output;
  // output false: none is. As in libvpx, a packet ends with its first bad
  // frame. False: an event stopped the stream.
  bool Decode(std::span<const uint8_t> packet,
              const std::shared_ptr<const void>& owner, bool output = true);

  // Something is wrong between two packets, which may have lost some. Nobody
  // knows what would have referred to these, so the frames that follow are
  // output as they are decoded.
  bool Fail(const Status& status);

  // Waits for what is in flight.
  bool Flush();

 private:
  // A frame on its way, or the failure in its place.
  struct Entry {
    Position position;
    DecodedFramePtr frame;
    Status status;
    bool intra = false;
    bool output = false;
    bool between_packets = false;
  };

  bool IsOutput(const CodedFrame& coded) const;
  Status DecodePacket(std::span<const uint8_t> packet,
                      const std::shared_ptr<const void>& owner);
  Status ShowExisting(const CodedFrame& coded);
  Status Submit(CodedFrame coded);
  void Refresh(uint32_t slots, const DecodedFramePtr& frame);
  bool CollectDownTo(size_t count);
  bool Collect(const Entry& entry);

  Backend& backend_;
  const StreamEvents events_;
  const std::unique_ptr<PacketParser> parser_;
  std::array<DecodedFramePtr, kReferenceSlots> slots_;
  std::deque<Entry> entries_;
  bool output_ = true;    // of the packet
  bool stopped_ = false;  // by an event, within a packet
  Position position_;
  // A frame is missing; only an intra frame brings the stream back.
  uint64_t failed_frame_ = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_CLIENT_STREAM_H_
