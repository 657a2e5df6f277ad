// SPDX-License-Identifier: BSD-2-Clause
// The owners of a stream's order of work, and the events by which they speak to
// each other. docs/order-of-work.md has the picture.
//
// An event is delivered without any owner's lock held, by the task that made it
// true. Whoever delivers one that may end a frame touches neither the frame nor
// its own members afterwards: both may be gone.
#ifndef PERDIX_ENGINE_OWNERS_H_
#define PERDIX_ENGINE_OWNERS_H_

#include "kernels/status.h"

namespace perdix {

struct FrameJob;

// To FrameQueue.
class FrameEvents {
 public:
  // The segment at work went through the whole frame, or failed.
  virtual void SegmentOver(FrameJob& job) = 0;
  // The frame's last segment is in the GPU's queue.
  virtual void LeftToGpu(FrameJob& job) = 0;
  // The frame has a new plan, and begins again with its first segment.
  virtual void BeginsAgain(FrameJob& job) = 0;
  // Nothing is left to do.
  virtual void FrameOver(FrameJob& job) = 0;

 protected:
  ~FrameEvents() = default;
};

// To who works segments off: GpuQueue the GPU's.
class SegmentEvents {
 public:
  // The frame's first segment waits for both of these.
  virtual void GateOpens(FrameJob& job) = 0;
  virtual void FrameParsed(FrameJob& job) = 0;
  // A later segment, or the first one once more: the frame is parsed, and all
  // frames before it are over.
  virtual void StartSegment(FrameJob& job) = 0;

 protected:
  ~SegmentEvents() = default;
};

// To GpuQueue.
class GpuEvents : public SegmentEvents {
 public:
  // The frame's headers are read: makes its plan.
  virtual Status Plan(FrameJob& job) = 0;
  // The frame's last segment is over, and so are all frames before it.
  virtual void Check(FrameJob& job) = 0;

 protected:
  ~GpuEvents() = default;
};

// Where a stream's events go.
struct Owners {
  FrameEvents* frames = nullptr;
  GpuEvents* gpu = nullptr;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_OWNERS_H_
