// SPDX-License-Identifier: BSD-2-Clause
#include "client/decoded_source.h"

#include <string>
#include <utility>

namespace perdix::client {

DecodedSource::DecodedSource(std::unique_ptr<Container> container,
                             std::unique_ptr<Backend> backend,
                             const DecodedSourceOptions& options)
    : container_(std::move(container)),
      backend_(std::move(backend)),
      limit_(options.limit),
      resync_(options.resync),
      stream_(*backend_,
              {[this](const Image& image) { return Shown(image); },
               [this](const Position& position, const Status& status) {
                 return Failed(position, status);
               }},
              options.parser) {}

Status DecodedSource::Next(ShownFrame* frame, bool* end) {
  *frame = {};  // its pixels may be written again
  *end = false;
  do {
    *end = limit_ != 0 && shown_ == limit_;
    if (*end) return Status::Ok();
    if (!Advance()) break;
    *end = no_more_packets_;
    if (*end) return Status::Ok();
  } while (TakePacket());
  *frame = std::exchange(frame_, {});
  return std::exchange(failure_, Status::Ok());
}

// What lies behind the last frame is not begun.
bool DecodedSource::Advance() {
  const bool drains = no_more_packets_ || (limit_ != 0 && packets_ >= limit_);
  return drains ? stream_.Flush() : stream_.GoOn();
}

bool DecodedSource::TakePacket() {
  Packet packet;
  Status status = container_->Next(&packet, &no_more_packets_);
  if (!status.ok()) {
    no_more_packets_ = !resync_ || !container_->Resync();
    return stream_.Fail(status);
  }
  if (no_more_packets_) return true;
  ++packets_;
  return stream_.Decode(packet.data, packet.owner, packet.output);
}

bool DecodedSource::Shown(const Image& image) {
  ++shown_;
  const DecodedFramePtr& frame = stream_.shown_frame();
  frame_ = {image, frame, frame};
  return false;
}

bool DecodedSource::Failed(const Position& position, const Status& status) {
  failure_ = {status.code(), "frame " + std::to_string(position.frame) +
                                 " (packet " + std::to_string(position.packet) +
                                 "): " + status.message()};
  return false;
}

}  // namespace perdix::client
