// SPDX-License-Identifier: BSD-2-Clause
// One stream through a stateless node: which calls, in which order (kernel
// documentation, dev-stateless-decoder), with several requests in flight.
#ifndef PERDIX_CLIENT_NODE_V4L2_SESSION_H_
#define PERDIX_CLIENT_NODE_V4L2_SESSION_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "client/backend.h"
#include "client/node/v4l2_device.h"
#include "client/node/v4l2_pictures.h"
#include "kernels/status.h"

namespace perdix::client {

class NodeFrame;

class NodeSession : public std::enable_shared_from_this<NodeSession> {
 public:
  static constexpr int kRequests = 4;  // frames in flight at most

  // timeout_ms: for a frame, from the moment that it is waited for
  NodeSession(std::unique_ptr<V4l2Device> device, const ClientCodec& codec,
              int timeout_ms);

  Status Submit(const CodedFrame& coded, DecodedFramePtr* frame);
  // Waits for the oldest frame in flight.
  Status CompleteOldest();
  // Forgets what is in flight; Submit fails from now on.
  void Close();
  void Release(NodePicture picture) { pictures_.Release(std::move(picture)); }

 private:
  // A coded buffer and the request that it goes with.
  struct Slot {
    MappedBufferPtr buffer;
    FileDescriptor request;
  };
  struct InFlight {
    size_t slot = 0;
    std::shared_ptr<NodeFrame> frame;
    // Held so that no picture is written again while it is read.
    std::array<DecodedFramePtr, kReferenceSlots> references;
  };

  Status Configure(const CodedFrame& coded);
  Status Restart(const CodedFrame& coded);
  Status Resize(const CodedFrame& coded);
  Status SetFormats(const CodedFrame& coded);
  Status EmptyQueues();
  Status AddSlot();
  Status TakeSlot(size_t* index);
  Status TakePicture(NodePicture* picture);
  Status Fill(Slot& slot, std::span<const uint8_t> data);
  Status SetControls(const Slot& slot, const CodedFrame& coded);
  Status QueueFrame(const CodedFrame& coded, Slot& slot,
                    const NodeFrame& frame);
  Status TakeBack(const InFlight& job, bool* failed);
  Status Drain();
  Status Break(Status status);

  const std::unique_ptr<V4l2Device> device_;
  const ClientCodec& codec_;
  const int timeout_ms_;
  NodePictures pictures_;
  Status broken_;       // not ok: the session is over
  FrameFormat format_;  // of the node's queues; width 0: none
  std::vector<Slot> slots_;
  std::vector<size_t> free_slots_;
  std::deque<InFlight> in_flight_;
  uint64_t last_timestamp_us_ = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_V4L2_SESSION_H_
