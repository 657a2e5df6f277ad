// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/v4l2_backend.h"

#include "client/node/v4l2_device.h"
#include "client/node/v4l2_session.h"

namespace perdix::client {

Status V4l2Backend::Open(const std::string& path, const ClientCodec& codec,
                         int timeout_ms, std::unique_ptr<Backend>* backend) {
  std::unique_ptr<V4l2Device> device;
  Status status = V4l2Device::Open(path, &device);
  if (!status.ok()) return status;
  backend->reset(new V4l2Backend(
      codec,
      std::make_shared<NodeSession>(std::move(device), codec, timeout_ms)));
  return Status::Ok();
}

V4l2Backend::~V4l2Backend() { session_->Close(); }

Status V4l2Backend::Submit(const CodedFrame& coded, DecodedFramePtr* frame) {
  return session_->Submit(coded, frame);
}

size_t V4l2Backend::depth() const { return NodeSession::kRequests; }

}  // namespace perdix::client
