// SPDX-License-Identifier: BSD-2-Clause
// One stream through a V4L2 stateless node, into surfaces that the caller
// chooses. A session and its surfaces belong to one thread at a time. Functions
// that are noexcept return kOutOfMemory where others would throw.
#ifndef PERDIX_CLIENT_NODE_SESSION_H_
#define PERDIX_CLIENT_NODE_SESSION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "client/base/coded_frame.h"
#include "client/base/image.h"
#include "client/bitstream/codec.h"
#include "kernels/status.h"

namespace perdix::client {

class NodeSession;
class SessionQueue;
class V4l2Device;

// How a picture lies in its dma-buf: what importers ask for. Luma, then chroma.
struct SurfaceLayout {
  uint32_t fourcc = 0;    // DRM_FORMAT_NV12 or _P010; V4L2 has the same numbers
  uint64_t modifier = 0;  // DRM_FORMAT_MOD_LINEAR
  uint32_t width = 0;     // luma samples there is room for
  uint32_t height = 0;
  std::array<uint32_t, kPlaneCount> offsets = {};  // bytes
  std::array<uint32_t, kPlaneCount> strides = {};  // bytes
  size_t bytes = 0;                                // of the dma-buf, at least

  bool operator==(const SurfaceLayout&) const = default;
};

// Memory for a picture, in a dma-buf; one of the session's decoded buffers as
// long as it lives. It may outlive the session, to be read.
class Surface {
 public:
  Surface(std::shared_ptr<SessionQueue> queue, const SurfaceLayout& layout,
          uint32_t index, int fd);
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  const SurfaceLayout& layout() const { return layout_; }

  // A descriptor of the dma-buf, which is the caller's to close.
  Status Export(int* fd) const noexcept;

  // After Session::Wait(): the pixels of the frame that was decoded last, to be
  // read until Unmap(). The first call maps the memory.
  Status Map(Image* image) noexcept;
  // Another frame that is decoded into the surface unmaps it too.
  void Unmap() noexcept;

 private:
  friend NodeSession;

  Status SyncCpu(uint64_t flags) const;

  const std::shared_ptr<SessionQueue> queue_;
  const uint32_t queue_life_;
  const SurfaceLayout layout_;
  const uint32_t index_;  // of the decoded queue's buffer
  const int fd_;          // the surface's own
  uint8_t* data_ = nullptr;
  bool cpu_reads_ = false;
  // The frame decoded last:
  FrameFormat format_;
  uint64_t timestamp_us_ = 0;  // 0: there was none
  bool in_flight_ = false;
  bool failed_ = false;  // the node says that it is not intact
};

using SurfacePtr = std::shared_ptr<Surface>;

struct SessionOptions {
  // For a frame, from the moment that it is waited for. A node that needs
  // longer is given up.
  int timeout_ms = 2000;
  // Surfaces are dma-bufs that the caller has, Import(), and not the node's.
  bool imports = false;
};

// A frame to be decoded.
struct NodeFrame {
  SurfacePtr target;
  // What it may read, in the order in which the codec's controls name it: of
  // VP9 last, golden, altref, of AV1 the eight slots. Null: there is none, or
  // it failed. Empty: an intra frame.
  std::vector<SurfacePtr> references;
  // The kernel's, but for the references' timestamps, which are filled in.
  std::vector<NodeControl> controls;
  std::span<const uint8_t> data;  // copied
};

class Session {
 public:
  // path: the video node, /dev/videoN. Its media device is found.
  static Status Open(const std::string& path, const ClientCodec& codec,
                     const SessionOptions& options,
                     std::unique_ptr<Session>* session) noexcept;
  // device: open. For tests.
  Session(std::unique_ptr<V4l2Device> device, const ClientCodec& codec,
          const SessionOptions& options);
  ~Session();

  // For frames of this format from now on; waits for those in flight. controls:
  // of the first such frame. restarts: no frame from now on refers to one
  // before, as at a key frame. Surfaces made before can only be read then;
  // otherwise they can be references too.
  Status SetFormat(const FrameFormat& format,
                   std::span<const NodeControl> controls,
                   bool restarts) noexcept;
  const FrameFormat& format() const;  // width 0: not set

  // How the surfaces of the format lie in memory; valid once it is set.
  const SurfaceLayout& layout() const;
  // A surface of the node's memory.
  Status NewSurface(SurfacePtr* surface) noexcept;
  // One of the caller's, for sessions that import: a dma-buf in which a picture
  // lies as layout() says. fd stays the caller's.
  Status Import(int fd, SurfacePtr* surface) noexcept;

  // Queues the frame; waits while kRequests are in flight. Holds its surfaces
  // until it is decoded. What was in the target is lost.
  static constexpr int kRequests = 4;
  Status Submit(NodeFrame frame) noexcept;
  // Waits until the frame in the surface is decoded, or has failed.
  Status Wait(const Surface& surface) noexcept;
  // Waits for the frame that was submitted first; fails if none is in flight.
  Status WaitForOldest() noexcept;

 private:
  const std::unique_ptr<NodeSession> node_;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_SESSION_H_
