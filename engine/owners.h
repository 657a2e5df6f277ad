// SPDX-License-Identifier: BSD-2-Clause
// The four owners of a stream's order of work, and the events by which they
// speak to each other. docs/order-of-work.md has the picture.
//
// An event is delivered without any owner's lock held, by the task that made it
// true. Whoever delivers one that may end a frame touches neither the frame nor
// its own members afterwards: both may be gone.
#ifndef PERDIX_ENGINE_OWNERS_H_
#define PERDIX_ENGINE_OWNERS_H_

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix {

struct FrameJob;

// The frame before, where a frame begins before that one is over.
struct Followed {
  FrameJob* frame = nullptr;
  // The references of the later frame that are its target (bit: index).
  uint32_t references = 0;
};

// What FrameQueue is told.
class FrameEvents {
 public:
  // What the next frame's Begin() needs of the one that began last is there.
  virtual void NextMayBegin() = 0;
  // All rows are parsed, or the frame failed to begin.
  virtual void FrameParsed(FrameJob& job) = 0;
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

// What ParseQueue is told.
class ParseEvents {
 public:
  // It is the frame's turn to begin: reads its headers.
  virtual Status Begin(FrameJob& job) = 0;
  // The frame has its plan: how many rows its lists keep. Throws
  // std::bad_alloc.
  virtual void SetUp(FrameJob& job) = 0;
  // Rows may be parsed.
  virtual void Start(FrameJob& job) = 0;
  // In place of Start: the frame failed to begin.
  virtual void Abandon(FrameJob& job) = 0;
  // Reconstruction waits for parsing now.
  virtual void GateOpens(FrameJob& job) = 0;
  // Nobody reads any more what was parsed of the row in these tile columns.
  virtual void ListsRead(FrameJob& job, Range tile_cols, uint32_t sb_row) = 0;

 protected:
  ~ParseEvents() = default;
};

// What those are told who work segments off: CellQueue the CPU's, GpuQueue the
// GPU's.
class SegmentEvents {
 public:
  // The frame's first segment waits for both of these. At the first, the memory
  // of what the CPU writes and reads is there.
  virtual void GateOpens(FrameJob& job) = 0;
  virtual void FrameParsed(FrameJob& job) = 0;
  // A later segment, or the first one once more: the frame is parsed, and all
  // frames before it are over.
  virtual void StartSegment(FrameJob& job) = 0;

 protected:
  ~SegmentEvents() = default;
};

// What CellQueue is told.
class CellEvents : public SegmentEvents {
 public:
  // The frame has its plan. followed: each of its rows begins as soon as the
  // lines that it reads of that frame are final. Throws std::bad_alloc.
  virtual void SetUp(FrameJob& job, const Followed& followed) = 0;
  // The row is parsed in that tile column. row_ends: in all of them now.
  virtual void RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                         bool row_ends) = 0;

 protected:
  ~CellEvents() = default;
};

// What GpuQueue is told.
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
  ParseEvents* parse = nullptr;
  CellEvents* cells = nullptr;
  GpuEvents* gpu = nullptr;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_OWNERS_H_
