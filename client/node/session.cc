// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/session.h"

#include <utility>

#include "client/base/no_throw.h"
#include "client/node/node_session.h"
#include "client/node/v4l2_device.h"

namespace perdix::client {

Status Session::Open(const std::string& path, const ClientCodec& codec,
                     const SessionOptions& options,
                     std::unique_ptr<Session>* session) noexcept {
  return NoThrow([&]() -> Status {
    std::unique_ptr<V4l2Device> device;
    Status status = V4l2Device::Open(path, &device);
    if (!status.ok()) return status;
    *session = std::make_unique<Session>(std::move(device), codec, options);
    return status;
  });
}

Session::Session(std::unique_ptr<V4l2Device> device, const ClientCodec& codec,
                 const SessionOptions& options)
    : node_(std::make_unique<NodeSession>(std::move(device), codec, options)) {}

Session::~Session() = default;

Status Session::SetFormat(const FrameFormat& format,
                          std::span<const NodeControl> controls,
                          bool restarts) noexcept {
  return NoThrow([&] { return node_->SetFormat(format, controls, restarts); });
}

const FrameFormat& Session::format() const { return node_->format(); }

const SurfaceLayout& Session::layout() const { return node_->layout(); }

Status Session::NewSurface(SurfacePtr* surface) noexcept {
  return NoThrow([&] { return node_->NewSurface(surface); });
}

Status Session::Import(int fd, SurfacePtr* surface) noexcept {
  return NoThrow([&] { return node_->Import(fd, surface); });
}

Status Session::Submit(NodeFrame frame) noexcept {
  return NoThrow([&] { return node_->Submit(std::move(frame)); });
}

Status Session::Wait(const Surface& surface) noexcept {
  return NoThrow([&] { return node_->Wait(surface); });
}

Status Session::WaitForOldest() noexcept {
  return NoThrow([&] { return node_->WaitForOldest(); });
}

}  // namespace perdix::client
