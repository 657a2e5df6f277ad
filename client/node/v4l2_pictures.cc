// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/v4l2_pictures.h"

#include <string>
#include <utility>

namespace perdix::client {

void NodePictures::FormatChanged(const NodeFormat& layout) {
  layout_ = layout;
  ++format_life_;
  for (NodePicture& picture : std::exchange(free_, {})) {
    Release(std::move(picture));
  }
}

void NodePictures::QueueEmptied() {
  ++queue_life_;
  free_.clear();
}

Status NodePictures::Add() {
  NodePicture picture;
  Status status = device_.CreateBuffer(Queue::kDecoded, 0, &picture.buffer);
  if (!status.ok()) return status;
  // 4:2:0: chroma rows follow the luma rows.
  const size_t needed =
      size_t{layout_.stride_bytes} * (layout_.height + layout_.height / 2);
  if (picture.buffer->bytes().size() < needed) {
    return {StatusCode::kUnsupported,
            "the node's picture has " +
                std::to_string(picture.buffer->bytes().size()) +
                " bytes, its format needs " + std::to_string(needed)};
  }
  picture.layout = layout_;
  picture.queue_life = queue_life_;
  picture.format_life = format_life_;
  free_.push_back(std::move(picture));
  return Status::Ok();
}

NodePicture NodePictures::Take() {
  NodePicture picture = std::move(free_.back());
  free_.pop_back();
  return picture;
}

void NodePictures::Release(NodePicture picture) {
  if (picture.queue_life != queue_life_) return;  // its index is another's now
  if (picture.format_life == format_life_) {
    free_.push_back(std::move(picture));
  } else {
    device_.RemoveBuffer(Queue::kDecoded, picture.buffer->index());
  }
}

}  // namespace perdix::client
