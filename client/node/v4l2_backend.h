// SPDX-License-Identifier: BSD-2-Clause
// Decodes through a V4L2 stateless node with the Request API.
#ifndef PERDIX_CLIENT_NODE_V4L2_BACKEND_H_
#define PERDIX_CLIENT_NODE_V4L2_BACKEND_H_

#include <memory>
#include <string>
#include <utility>

#include "client/backend.h"
#include "kernels/status.h"

namespace perdix::client {

class NodeSession;

class V4l2Backend : public Backend {
 public:
  // path: the video node, /dev/videoN. Its media device is found. A node that
  // needs longer than timeout_ms for a frame is given up.
  static Status Open(const std::string& path, const ClientCodec& codec,
                     int timeout_ms, std::unique_ptr<Backend>* backend);
  ~V4l2Backend() override;

  Status Submit(const CodedFrame& coded, DecodedFramePtr* frame) override;
  size_t depth() const override;

 private:
  V4l2Backend(const ClientCodec& codec, std::shared_ptr<NodeSession> session)
      : Backend(codec), session_(std::move(session)) {}

  // Shared with the frames, which may outlive the backend.
  const std::shared_ptr<NodeSession> session_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_V4L2_BACKEND_H_
