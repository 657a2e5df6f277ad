// SPDX-License-Identifier: BSD-2-Clause
// The work of a Session: which calls, in which order (kernel documentation,
// dev-stateless-decoder), with several requests in flight.
#ifndef PERDIX_CLIENT_NODE_NODE_SESSION_H_
#define PERDIX_CLIENT_NODE_NODE_SESSION_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "client/node/session.h"
#include "client/node/v4l2_device.h"
#include "kernels/status.h"

namespace perdix::client {

// What a session's surfaces need of it, and keep.
class SessionQueue {
 public:
  explicit SessionQueue(std::unique_ptr<V4l2Device> device)
      : device_(std::move(device)) {}
  V4l2Device& device() { return *device_; }
  // How often the decoded queue was emptied. A surface of another life is no
  // buffer of the queue any more.
  uint32_t life() const { return life_; }
  void Emptied() { ++life_; }

 private:
  const std::unique_ptr<V4l2Device> device_;
  uint32_t life_ = 0;
};

class NodeSession {
 public:
  // Each does what Session says of its namesake; may throw std::bad_alloc.
  NodeSession(std::unique_ptr<V4l2Device> device, const ClientCodec& codec,
              const SessionOptions& options);
  Status SetFormat(const FrameFormat& format,
                   std::span<const NodeControl> controls, bool restarts);
  const FrameFormat& format() const { return format_; }
  const SurfaceLayout& layout() const { return layout_; }
  Status NewSurface(SurfacePtr* surface);
  Status Import(int fd, SurfacePtr* surface);
  Status Submit(NodeFrame frame);
  Status Wait(const Surface& surface);
  Status WaitForOldest();

 private:
  // A coded buffer and the request that it goes with.
  struct Slot {
    MappedBufferPtr buffer;
    FileDescriptor request;
  };
  // Holds its surfaces, so that none is written while it is read.
  struct InFlight {
    size_t slot = 0;
    SurfacePtr target;
    std::vector<SurfacePtr> references;
  };

  Status Restart(const FrameFormat& format,
                 std::span<const NodeControl> controls);
  Status Resize(const FrameFormat& format,
                std::span<const NodeControl> controls);
  Status SetNodeFormats(const FrameFormat& format,
                        std::span<const NodeControl> controls);
  Status TellFormat(std::span<const NodeControl> controls);
  Status EmptyQueues();
  Status AddSlot();
  Status AddSurface(FileDescriptor dma_buf, uint32_t index,
                    SurfacePtr* surface);
  Status CheckTarget(const Surface* target) const;
  Status FindTimestamps(const std::vector<SurfacePtr>& references,
                        std::vector<uint64_t>* timestamps_ns) const;
  Status StartStreaming();
  Status TakeSlot(size_t* index);
  Status Fill(Slot& slot, std::span<const uint8_t> data);
  Status QueueBuffers(const NodeFrame& frame, uint64_t timestamp_us,
                      Slot& slot);
  Status TakeBack(const InFlight& job, bool* failed);
  Status Drain();
  Status Break(Status status);

  const std::shared_ptr<SessionQueue> queue_;
  V4l2Device& device_;  // the queue's
  const ClientCodec& codec_;
  const int timeout_ms_;
  Status broken_;       // not ok: the session is over
  FrameFormat format_;  // of the node's queues; width 0: none
  SurfaceLayout layout_;
  bool streams_ = false;
  std::vector<Slot> slots_;
  std::vector<size_t> free_slots_;
  std::deque<InFlight> in_flight_;
  uint64_t last_timestamp_us_ = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_NODE_SESSION_H_
