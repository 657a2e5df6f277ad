// SPDX-License-Identifier: BSD-2-Clause
// The luma of pictures that are shown: how bright it is, and how much it
// differs from the picture shown before (kernels/metrics/luma.h). It is summed
// behind the last pass that writes a frame's target: line by line as they
// become final, or in the submit of the GPU that makes that pass. Without film
// grain, whose noise would keep a still picture from standing still.
//
// A client may decode into the memory of the picture shown before: then nothing
// is compared with it. A frame that would overwrite it while the frame before
// is compared with it does not overlap that frame.
#ifndef PERDIX_ENGINE_LUMA_WATCH_H_
#define PERDIX_ENGINE_LUMA_WATCH_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "codec/picture.h"
#include "engine/reference_rows.h"
#include "kernels/luma_sums.h"

namespace perdix {

struct EngineParts;
struct FrameJob;

class LumaWatch {
 public:
  // The LumaWatch's part of a frame's job.
  class Frame {
   public:
    bool on() const { return on_; }  // the frame is watched
    // The frame would overwrite what the frame before is compared with.
    bool spoils() const { return spoils_; }
    // What its luma is compared with; null: nothing.
    const PicturePtr& previous() const { return previous_; }
    uint32_t dark_level() const { return dark_level_; }

   private:
    friend class LumaWatch;

    // Written while the frame begins; previous_ also between segments.
    bool on_ = false;
    bool spoils_ = false;
    uint32_t dark_level_ = 0;
    PicturePtr previous_;

    std::mutex mutex_;  // for those below
    FinalRows rows_;
    uint32_t lines_ = 0;  // from the first on, that are summed or about to be
    LumaSums sums_;
    bool missed_ = false;  // the CPU could not read what to compare with
  };

  // engine must outlive this.
  explicit LumaWatch(EngineParts& engine) : engine_(engine) {}

  // The frame has its plan. Frames in order, one at a time.
  void Plan(FrameJob& job);

  // These are for frames that are watched in the segment at work
  // (FrameJob::SumsLuma).

  // The CPU begins the segment. Throws std::bad_alloc.
  static void BeginSegment(FrameJob& job);
  // How many lines must be final of the frame before, which the frame follows,
  // before <sb_row> can be compared.
  static int LinesRead(const FrameJob& job, uint32_t sb_row);
  // The CPU is through with the row's passes. Any task.
  static void RowFinal(FrameJob& job, uint32_t sb_row);
  // The GPU is through with the segment.
  static void Take(FrameJob& job, const LumaSums& sums);

  // The frame is over, and so are all before it: what was seen goes to the
  // picture, unless the frame failed.
  void Report(FrameJob& job);

  // Differences to pictures shown before, and how many they are of.
  uint64_t motion_sum() const { return motion_sum_; }
  uint64_t motion_frames() const { return motion_frames_; }

 private:
  EngineParts& engine_;
  PicturePtr last_;        // shown last of the frames planned so far
  PictureView last_view_;  // its size and format
  PicturePtr compared_;    // previous_ of the frame planned last
  std::atomic<uint64_t> motion_sum_{0};
  std::atomic<uint64_t> motion_frames_{0};
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_LUMA_WATCH_H_
