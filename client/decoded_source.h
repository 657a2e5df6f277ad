// SPDX-License-Identifier: BSD-2-Clause
// The frames that a coded file shows, through whichever backend. Frames behind
// the one that was asked for last are in flight, as many as the backend wants.
#ifndef PERDIX_CLIENT_DECODED_SOURCE_H_
#define PERDIX_CLIENT_DECODED_SOURCE_H_

#include <cstdint>
#include <memory>

#include "client/bitstream/codec.h"
#include "client/container/container.h"
#include "client/frame_source.h"
#include "client/stream/backend.h"
#include "client/stream/stream.h"
#include "kernels/status.h"

namespace perdix::client {

struct DecodedSourceOptions {
  ParserOptions parser;
  uint64_t limit = 0;  // shown frames; 0: all
  // Behind damage of the file itself: goes on where packets begin again.
  bool resync = false;
};

class DecodedSource : public FrameSource {
 public:
  DecodedSource(std::unique_ptr<Container> container,
                std::unique_ptr<Backend> backend,
                const DecodedSourceOptions& options);

  // A failure names its frame and packet; kCancelled: the node is lost.
  Status Next(ShownFrame* frame, bool* end) override;
  FrameRate frame_rate() const override { return container_->frame_rate(); }

 private:
  bool Shown(const Image& image);
  bool Failed(const Position& position, const Status& status);
  // Both false: an event stopped the stream.
  bool Advance();
  bool TakePacket();

  const std::unique_ptr<Container> container_;
  const std::unique_ptr<Backend> backend_;
  const uint64_t limit_;
  const bool resync_;
  Stream stream_;
  uint64_t packets_ = 0;  // nearly each shows a frame
  uint64_t shown_ = 0;
  bool no_more_packets_ = false;
  // What the event that stopped the stream leaves Next() to return.
  Status failure_;
  ShownFrame frame_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_DECODED_SOURCE_H_
