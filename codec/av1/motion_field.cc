// SPDX-License-Identifier: BSD-2-Clause
// Motion field estimation (7.9).
#include "codec/av1/motion_field.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "codec/av1/motion_projection.h"

namespace perdix::av1 {
namespace {

constexpr int kMfmvStackSize = 3;  // MFMV_STACK_SIZE

bool IsUsable(const FrameState& frame, const PictureData* picture) {
  const size_t blocks = size_t(frame.mi_rows >> 1) * size_t(frame.mi_cols >> 1);
  return picture != nullptr && picture->mi_rows == frame.mi_rows &&
         picture->mi_cols == frame.mi_cols &&
         picture->frame_type != V4L2_AV1_KEY_FRAME &&
         picture->frame_type != V4L2_AV1_INTRA_ONLY_FRAME &&
         picture->mvs.size() == blocks;
}

// False: the reference frame has no vectors that can be used.
bool AddSource(const std::shared_ptr<const PictureData>& picture, RefFrame name,
               FrameState& frame) {
  if (!IsUsable(frame, picture.get())) return false;
  const int to_current =
      RelativeDistance(frame, frame.order_hints[name], frame.order_hint);
  if (std::abs(to_current) > kMaxFrameDistance) return true;
  frame.motion_sources.push_back({name, picture, to_current});
  return true;
}

}  // namespace

int StoredDistance(const FrameState& frame, int ref_order_hint) {
  if (RelativeDistance(frame, ref_order_hint, frame.order_hint) >= 0) return -1;
  const int offset = RelativeDistance(frame, frame.order_hint, ref_order_hint);
  return offset > 0 && offset <= kMaxFrameDistance ? offset : 0;
}

void FindMotionSources(
    std::span<const std::shared_ptr<const PictureData>> references,
    FrameState* frame) {
  const PictureData* last = references[LAST_FRAME].get();
  if (last != nullptr && int(last->order_hints[ALTREF_FRAME]) !=
                             frame->order_hints[GOLDEN_FRAME]) {
    AddSource(references[LAST_FRAME], LAST_FRAME, *frame);
  }
  const auto is_later = [frame](RefFrame name) {
    return RelativeDistance(*frame, frame->order_hints[name],
                            frame->order_hint) > 0;
  };
  int ref_stamp = kMfmvStackSize - 2;
  for (const RefFrame name : {BWDREF_FRAME, ALTREF2_FRAME, ALTREF_FRAME}) {
    if (name == ALTREF_FRAME && ref_stamp < 0) break;
    if (is_later(name) && AddSource(references[name], name, *frame)) {
      --ref_stamp;
    }
  }
  if (ref_stamp >= 0) {
    AddSource(references[LAST2_FRAME], LAST2_FRAME, *frame);
  }
}

void EstimateMotionField(Range rows8, Range cols8, FrameState* frame) {
  for (uint32_t begin = rows8.begin; begin < rows8.end; begin += kGroup8) {
    const Range strip = {begin, std::min(begin + kGroup8, rows8.end)};
    for (uint32_t y8 = strip.begin; y8 < strip.end; ++y8) {
      std::fill_n(frame->motion_field.Row(int(y8)) + cols8.begin,
                  cols8.end - cols8.begin, MotionFieldMv{});
    }
    for (const MotionSource& source : frame->motion_sources) {
      for (uint32_t y8 = strip.begin; y8 < strip.end; ++y8)
        ProjectRow(source, int(y8), strip, cols8, *frame);
    }
  }
}

}  // namespace perdix::av1
