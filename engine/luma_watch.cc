// SPDX-License-Identifier: BSD-2-Clause
#include "engine/luma_watch.h"

#include <algorithm>
#include <utility>

#include "engine/engine_parts.h"
#include "engine/frame_job.h"
#include "engine/picture_access.h"
#include "kernels/metrics/luma.h"

namespace perdix {
namespace {

bool Overwrites(const FrameJob& job, const PicturePtr& picture) {
  if (picture == nullptr) return false;
  const FrameRequest& request = job.request;
  return SharesMemory(*picture, *request.target) ||
         (request.display && SharesMemory(*picture, *request.display));
}

bool SameFormat(const PictureView& a, const PictureView& b) {
  return a.width == b.width && a.height == b.height &&
         a.bit_depth == b.bit_depth && a.shift == b.shift;
}

bool CpuReads(const Picture& picture) {
  return picture.view.planes[kLuma].data != nullptr && !picture.gpu_wrote;
}

}  // namespace

void LumaWatch::Plan(FrameJob& job) {
  if (!engine_.watch.on) return;
  Frame& frame = job.luma;
  const PicturePtr& target = job.request.target;
  frame.on_ = job.shown;
  frame.spoils_ = Overwrites(job, compared_);
  frame.previous_ = nullptr;
  if (Overwrites(job, last_)) last_ = nullptr;
  if (job.shown) {
    const bool gpu = job.plan.segments[job.plan.FinalSegment()].gpu;
    frame.dark_level_ = engine_.watch.black_level
                        << (target->view.bit_depth - 8);
    if (last_ && SameFormat(last_view_, target->view) &&
        (!gpu || GpuReaches(*last_)))
      frame.previous_ = last_;
    last_ = target;
    last_view_ = target->view;
  }
  compared_ = frame.previous_;
}

// What the GPU may have summed of it before is of no use.
void LumaWatch::BeginSegment(FrameJob& job) {
  Frame& frame = job.luma;
  frame.rows_.Reset(job.params.sb_rows);
  frame.lines_ = 0;
  frame.sums_ = {};
  frame.missed_ = false;
}

int LumaWatch::LinesRead(const FrameJob& job, uint32_t sb_row) {
  return job.luma.previous_ ? FinalLines(job, sb_row) : 0;
}

void LumaWatch::RowFinal(FrameJob& job, uint32_t sb_row) {
  if (job.failed()) return;
  Frame& frame = job.luma;
  const PictureView& view = job.request.target->view;
  Range lines;
  {
    std::lock_guard lock(frame.mutex_);
    if (!frame.rows_.Add(sb_row)) return;
    const int final_lines = FinalLines(job, frame.rows_.count() - 1);
    lines.begin = frame.lines_;
    lines.end =
        uint32_t(std::clamp(final_lines, int(frame.lines_), int(view.height)));
    frame.lines_ = lines.end;
  }
  const Picture* const previous = frame.previous_.get();
  const bool compares = previous != nullptr && CpuReads(*previous);
  const LumaSums sums = SumLumaSimd(view, compares ? &previous->view : nullptr,
                                    frame.dark_level_, lines);
  std::lock_guard lock(frame.mutex_);
  frame.sums_ += sums;
  frame.missed_ |= previous != nullptr && !compares;
}

void LumaWatch::Take(FrameJob& job, const LumaSums& sums) {
  std::lock_guard lock(job.luma.mutex_);
  job.luma.sums_ = sums;
  job.luma.missed_ = false;
}

void LumaWatch::Report(FrameJob& job) {
  Frame& frame = job.luma;
  const PicturePtr previous = std::exchange(frame.previous_, nullptr);
  if (!std::exchange(frame.on_, false) || job.failed()) return;
  const bool compared =
      previous != nullptr && !previous->broken && !frame.missed_;
  job.request.target->seen = {.sums = frame.sums_, .compared = compared};
  if (!compared) return;
  motion_sum_ += frame.sums_.difference;
  ++motion_frames_;
  engine_.counters.CountMotion(frame.sums_.difference);
}

}  // namespace perdix
