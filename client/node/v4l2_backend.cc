// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/v4l2_backend.h"

#include <algorithm>
#include <utility>

namespace perdix::client {
namespace {

constexpr int kFirstSurfaces = 4;  // there before streaming starts

}  // namespace

class SurfaceFrame : public DecodedFrame {
 public:
  SurfaceFrame(std::shared_ptr<Session> session, SurfacePtr surface)
      : session_(std::move(session)), surface_(std::move(surface)) {}

  Status Wait() override { return session_->Wait(*surface_); }
  Status Map(Image* image) override { return surface_->Map(image); }
  const SurfacePtr& surface() const { return surface_; }

 private:
  const std::shared_ptr<Session> session_;
  const SurfacePtr surface_;
};

template class BackendOf<SurfaceFrame>;

Status V4l2Backend::Open(const std::string& path, const ClientCodec& codec,
                         int timeout_ms, std::unique_ptr<Backend>* backend) {
  std::unique_ptr<Session> session;
  Status status =
      Session::Open(path, codec, {.timeout_ms = timeout_ms}, &session);
  if (!status.ok()) return status;
  *backend = std::make_unique<V4l2Backend>(codec, std::move(session));
  return status;
}

V4l2Backend::V4l2Backend(const ClientCodec& codec,
                         std::shared_ptr<Session> session)
    : BackendOf(codec), session_(std::move(session)) {}

V4l2Backend::~V4l2Backend() = default;

Status V4l2Backend::Decode(const SubmittedFrame& coded,
                           const References& references,
                           std::shared_ptr<SurfaceFrame>* frame) {
  NodeFrame request;
  Status status = NodeControls(codec(), coded, &request.controls);
  if (status.ok()) status = SetFormat(coded, request.controls);
  if (status.ok()) status = TakeSurface(&request.target);
  if (!status.ok()) return status;
  for (size_t i = 0; i < coded.reference_slots.size(); ++i) {
    request.references.push_back(references[i] ? references[i]->surface()
                                               : nullptr);
  }
  request.data = coded.data;
  auto decoded = std::make_shared<SurfaceFrame>(session_, request.target);
  status = session_->Submit(std::move(request));
  if (status.ok()) *frame = std::move(decoded);
  return status;
}

Status V4l2Backend::SetFormat(const SubmittedFrame& coded,
                              const std::vector<NodeControl>& controls) {
  if (coded.format == session_->format()) return Status::Ok();
  surfaces_.clear();
  const bool restarts = coded.key_frame || session_->format().width == 0;
  Status status = session_->SetFormat(coded.format, controls, restarts);
  for (int i = 0; i < kFirstSurfaces && restarts && status.ok(); ++i) {
    status = AddSurface();
  }
  return status;
}

Status V4l2Backend::AddSurface() {
  SurfacePtr surface;
  Status status = session_->NewSurface(&surface);
  if (status.ok()) surfaces_.push_back(std::move(surface));
  return status;
}

// One that neither a frame nor the session holds.
Status V4l2Backend::TakeSurface(SurfacePtr* surface) {
  for (;;) {
    const auto free = std::ranges::find_if(
        surfaces_, [](const SurfacePtr& one) { return one.use_count() == 1; });
    if (free != surfaces_.end()) {
      *surface = *free;
      return Status::Ok();
    }
    Status status = AddSurface();
    // Full: a frame that completes lets go of its references.
    if (!status.ok()) {
      const Status room = session_->WaitForOldest();
      if (room.code() == StatusCode::kCancelled) return room;
      if (!room.ok()) return status;
    }
  }
}

}  // namespace perdix::client
