// SPDX-License-Identifier: BSD-2-Clause
// Decodes a Stream through a V4L2 stateless node: a session, and as many
// surfaces as the stream holds frames.
#ifndef PERDIX_CLIENT_NODE_V4L2_BACKEND_H_
#define PERDIX_CLIENT_NODE_V4L2_BACKEND_H_

#include <memory>
#include <string>
#include <vector>

#include "client/node/session.h"
#include "client/stream/backend.h"
#include "kernels/status.h"

namespace perdix::client {

class SurfaceFrame;
extern template class BackendOf<SurfaceFrame>;

class V4l2Backend : public BackendOf<SurfaceFrame> {
 public:
  // path: the video node, /dev/videoN. Its media device is found. A node that
  // needs longer than timeout_ms for a frame is given up.
  static Status Open(const std::string& path, const ClientCodec& codec,
                     int timeout_ms, std::unique_ptr<Backend>* backend);
  V4l2Backend(const ClientCodec& codec, std::shared_ptr<Session> session);
  ~V4l2Backend() override;

  size_t depth() const override { return Session::kRequests; }

 private:
  Status Decode(const SubmittedFrame& coded, const References& references,
                std::shared_ptr<SurfaceFrame>* frame) override;
  Status SetFormat(const SubmittedFrame& coded,
                   const std::vector<NodeControl>& controls);
  Status AddSurface();
  Status TakeSurface(SurfacePtr* surface);

  // Shared with the frames, which may outlive the backend.
  const std::shared_ptr<Session> session_;
  std::vector<SurfacePtr> surfaces_;  // of the present format
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_V4L2_BACKEND_H_
