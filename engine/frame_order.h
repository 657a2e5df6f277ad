// SPDX-License-Identifier: BSD-2-Clause
// The frames of a stream that are in flight, the oldest first, and what each of
// them waits for. FrameQueue has the lock, and acts on what is said here.
#ifndef PERDIX_ENGINE_FRAME_ORDER_H_
#define PERDIX_ENGINE_FRAME_ORDER_H_

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "engine/owners.h"

namespace perdix {

// What a frame does once it is the oldest: all frames before it are reported.
enum class WhenOldest { kNothing, kSegment, kCheck, kReport };

class FrameOrder {
 public:
  // The FrameOrder's part of a frame's job.
  class Frame {
    friend class FrameOrder;

    // Whether reconstruction may start. kOpening: a task has taken it upon
    // itself. kOpen: what the frame writes has its memory.
    enum class Gate { kClosed, kOpening, kOpen };

    bool begun_ = false;  // the plan is made, rows are being parsed
    bool uses_gpu_ = false;
    bool begins_on_gpu_ = false;
    bool left_to_gpu_ = false;  // nothing is left but to wait for it
    bool follows_ = false;      // the frame before
    Gate gate_ = Gate::kClosed;
    WhenOldest when_oldest_ = WhenOldest::kNothing;
  };
  // What goes on once the oldest frame is gone.
  struct GoesOn {
    FrameJob* oldest = nullptr;
    WhenOldest as = WhenOldest::kNothing;  // what the oldest frame does now
    std::array<FrameJob*, 2> opens = {};   // gates that the caller is to open
  };

  FrameOrder();
  ~FrameOrder();

  size_t size() const { return jobs_.size(); }
  // The next frame. Throws std::bad_alloc.
  FrameJob& Add();

  // The frame, which is the last, has its plan. Whether the caller is to open
  // its gate.
  bool Begun(FrameJob& job);
  bool HasBegun(const FrameJob& job) const;
  // The frame before, if the CPU may begin <job>, which is the last, before
  // that is over, once that is the oldest one: if it is at work on the CPU, and
  // neither writes nor reads the memory that <job> is about to write.
  Followed Follow(FrameJob& job);

  // The gate of <job> is open; or <job> only waits for the GPU any more. Both
  // return the next frame if the caller is to open its gate, else null.
  FrameJob* Open(FrameJob& job);
  FrameJob* LeaveToGpu(FrameJob& job);

  // Whether it is the oldest. If not, RemoveOldest() says <else_later> once it
  // is.
  bool IsOldest(FrameJob& job, WhenOldest else_later);
  // The oldest frame is reported.
  GoesOn RemoveOldest();

 private:
  bool OpensNow(size_t index);
  FrameJob* OpensBehind(const FrameJob& job);

  std::deque<std::unique_ptr<FrameJob>> jobs_;
  std::vector<std::unique_ptr<FrameJob>> spare_;  // to be used again
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_FRAME_ORDER_H_
