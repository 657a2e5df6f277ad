// SPDX-License-Identifier: BSD-2-Clause
// The frames of a stream in their order: which begins, which waits for which,
// and that they end one after the other.
//
// Frames begin one at a time (frame_order.h knows what each of them waits for).
// One frame is reconstructed at a time, or two where the CPU decodes them
// (FramesOverlap): the second follows the first. Frames in flight beyond these
// two are only parsed (CpuFramesInFlight).
// Reconstruction starts when a frame's gate opens: of the oldest frame, of the
// one that follows it, and of one that begins on the GPU behind one that ends
// there. It goes through the segments of the frame's plan (frame_plan.h). CPU
// work on a frame that began on the GPU starts when all frames before it are
// over, because it reads their pictures.
#ifndef PERDIX_ENGINE_FRAME_QUEUE_H_
#define PERDIX_ENGINE_FRAME_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "codec/frame_request.h"
#include "engine/frame_order.h"
#include "engine/owners.h"

namespace perdix {

struct EngineParts;
class StreamMeter;
struct CodecRow;

class FrameQueue final : public FrameEvents {
 public:
  // All must outlive this.
  FrameQueue(EngineParts& engine, const CodecRow& codec, StreamMeter& meter,
             const Owners& owners);

  // See Decoder::Submit and Decoder::Drain.
  void Submit(FrameRequest request);
  void Drain();

  void NextMayBegin() override;
  void FrameParsed(FrameJob& job) override;
  void SegmentOver(FrameJob& job) override;
  void LeftToGpu(FrameJob& job) override;
  void BeginsAgain(FrameJob& job) override;
  void FrameOver(FrameJob& job) override;

 private:
  struct WaitingFrame {
    FrameRequest request;
    uint64_t submitted = 0;  // FrameTimes::submitted
  };

  // With mutex_ held.
  void StartNext();
  bool IsIdle() const;

  void Begin(FrameJob& job);
  Status Prepare(FrameJob& job);
  bool MayOverlap(const FrameJob& job) const;
  Followed Follow(FrameJob& job);
  SegmentEvents& AtWork(const FrameJob& job) const;
  void OpenGate(FrameJob& job);
  bool IsOldest(FrameJob& job, WhenOldest else_later);
  void Report(FrameJob& job);
  FrameJob* GoOn();

  EngineParts& engine_;
  const CodecRow& codec_;
  StreamMeter& meter_;
  const Owners& owners_;
  const size_t max_frames_;  // in flight, of any size

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<WaitingFrame> waiting_;
  FrameOrder order_;
  bool beginning_ = false;       // no other frame may begin
  size_t frames_in_flight_ = 2;  // for the last frame's size
  uint64_t frames_ = 0;          // started
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_FRAME_QUEUE_H_
