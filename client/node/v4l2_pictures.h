// SPDX-License-Identifier: BSD-2-Clause
// The decoded buffers of a node: made when needed, used again when nobody holds
// them, removed when the format they were made for is gone.
#ifndef PERDIX_CLIENT_NODE_V4L2_PICTURES_H_
#define PERDIX_CLIENT_NODE_V4L2_PICTURES_H_

#include <cstdint>
#include <vector>

#include "client/node/v4l2_device.h"
#include "kernels/status.h"

namespace perdix::client {

// A decoded buffer and where the pixels lie in it.
struct NodePicture {
  MappedBufferPtr buffer;
  NodeFormat layout;
  uint32_t queue_life = 0;   // how often the queue was emptied before
  uint32_t format_life = 0;  // how often its format was set before
};

class NodePictures {
 public:
  explicit NodePictures(V4l2Device& device) : device_(device) {}

  // The device has a new decoded format. Buffers of the old one stay valid,
  // each until it is released.
  void FormatChanged(const NodeFormat& layout);
  // The device has no decoded buffer any more; what is held stays readable.
  void QueueEmptied();

  // Makes one more.
  Status Add();
  bool empty() const { return free_.empty(); }
  NodePicture Take();  // not when empty
  void Release(NodePicture picture);

 private:
  V4l2Device& device_;
  NodeFormat layout_;
  uint32_t queue_life_ = 0;
  uint32_t format_life_ = 0;
  std::vector<NodePicture> free_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_V4L2_PICTURES_H_
