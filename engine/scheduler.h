// SPDX-License-Identifier: BSD-2-Clause
// The order of work of one stream: its four owners (owners.h), put together.
// docs/order-of-work.md says how they work with each other, and why.
#ifndef PERDIX_ENGINE_SCHEDULER_H_
#define PERDIX_ENGINE_SCHEDULER_H_

#include "codec/codec.h"
#include "engine/cell_queue.h"
#include "engine/engine_parts.h"
#include "engine/frame_queue.h"
#include "engine/gpu_queue.h"
#include "engine/owners.h"
#include "engine/parse_queue.h"
#include "engine/stream_meter.h"

namespace perdix {

class Scheduler {
 public:
  // Both must outlive this.
  Scheduler(EngineParts& engine, const CodecRow& codec);
  ~Scheduler() { frames_.Drain(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  FrameQueue& frames() { return frames_; }
  const StreamMeter& meter() const { return meter_; }

 private:
  StreamMeter meter_;
  Owners owners_;
  FrameQueue frames_;
  ParseQueue parse_;
  CellQueue cells_;
  GpuQueue gpu_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_SCHEDULER_H_
