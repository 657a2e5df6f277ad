// SPDX-License-Identifier: BSD-2-Clause
// The GPU's part in a stream's frames: which stages it takes, one submit for
// each of its segments, the check of what it made, and what happens when it is
// lost or wrong.
//
// The work of a frame's first segment is made as soon as the frame is parsed,
// whatever the frames before it do: several frames' at the same time. It is
// submitted once the frame before only waits for the GPU, whose own queue keeps
// the order. When the GPU is lost, the CPU does
// again what the GPU had. A frame that is checked (self_check.h) lets no other
// frame start before it is known to be right; if it is wrong, the CPU does it
// again.
#ifndef PERDIX_ENGINE_GPU_QUEUE_H_
#define PERDIX_ENGINE_GPU_QUEUE_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "codec/picture.h"
#include "engine/gpu_submitter.h"
#include "engine/owners.h"
#include "engine/self_check.h"

namespace perdix {

struct EngineParts;
class StreamMeter;
struct CodecRow;

// Has no lock: one task at a time prepares a frame, and after it one has a
// frame that is at work on the GPU.
class GpuQueue final : public GpuEvents {
 public:
  // The GpuQueue's part of a frame's job.
  class Frame {
   public:
    // Whether Check() comes after the last segment.
    bool checked() const { return check_.on; }

   private:
    friend class GpuQueue;

    SelfCheck check_;
    Submission submission_;
    std::atomic<uint8_t> conditions_{0};  // before the first segment's submit
    std::atomic<uint8_t> pending_{0};     // Submit's return, the GPU's report
  };

  // All must outlive this.
  GpuQueue(EngineParts& engine, const CodecRow& codec, StreamMeter& meter,
           const Owners& owners)
      : engine_(engine),
        codec_(codec),
        meter_(meter),
        owners_(owners),
        submitter_(engine, meter) {}

  Status Plan(FrameJob& job) override;
  void GateOpens(FrameJob& job) override { Meet(job); }
  void FrameParsed(FrameJob& job) override;
  void StartSegment(FrameJob& job) override;
  void Check(FrameJob& job) override;

 private:
  void Prepare(FrameJob& job);
  void Meet(FrameJob& job);
  void Submit(FrameJob& job);
  void Step(FrameJob& job);
  void End(FrameJob& job);
  void KeepForCheck(FrameJob& job);
  void Redo(FrameJob& job, const Status& why);

  EngineParts& engine_;
  const CodecRow& codec_;
  StreamMeter& meter_;
  const Owners& owners_;
  GpuSubmitter submitter_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_GPU_QUEUE_H_
