// SPDX-License-Identifier: BSD-2-Clause
// Motion field estimation (7.9).
#include "codec/av1/motion_field.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace perdix::av1 {
namespace {

constexpr int kMfmvStackSize = 3;  // MFMV_STACK_SIZE

// MAX_OFFSET_WIDTH; MAX_OFFSET_HEIGHT is 0. 8x8 units.
constexpr int kMaxOffsetWidth8 = 8;
constexpr int kGroup8 = 8;  // 64 luma samples: how far a vector may lead

bool IsUsable(const FrameState& frame, const PictureData* picture) {
  const size_t blocks = size_t(frame.mi_rows >> 1) * size_t(frame.mi_cols >> 1);
  return picture != nullptr && picture->mi_rows == frame.mi_rows &&
         picture->mi_cols == frame.mi_cols &&
         picture->frame_type != V4L2_AV1_KEY_FRAME &&
         picture->frame_type != V4L2_AV1_INTRA_ONLY_FRAME &&
         picture->mvs.size() == blocks;
}

// 8x8 blocks begin..end - 1 of a row have the vector <field>, which leads
// <offset> blocks to the right, to columns of <to>.
void ProjectRun(int begin, int end, int offset, Range cols8,
                MotionFieldMv field, MotionFieldMv* to) {
  while (begin < end) {
    const int group = begin & ~(kGroup8 - 1);
    const int group_end = std::min(group + kGroup8, end);
    const int first =
        std::max(group - kMaxOffsetWidth8, int(cols8.begin)) - offset;
    const int last =
        std::min(group + kGroup8 + kMaxOffsetWidth8, int(cols8.end)) - offset;
    const int x_end = std::min(group_end, last);
    for (int x8 = std::max(begin, first); x8 < x_end; ++x8) {
      to[x8 + offset] = field;
    }
    begin = group_end;
  }
}

// Of a row of 8x8 blocks, to rows of <strip>. Neighbours often have the same
// vector: it is projected once.
void ProjectRow(const MotionSource& source, int y8, Range strip, Range cols8,
                FrameState& frame) {
  const int cols = frame.mi_cols >> 1;
  const int from_end = std::min(int(cols8.end) + kMaxOffsetWidth8, cols);
  const SavedMv* from = source.picture->mvs.data() + size_t(y8) * size_t(cols);
  int begin = std::max(int(cols8.begin) - kMaxOffsetWidth8, 0);
  for (int end; begin < from_end; begin = end) {
    const SavedMv saved = from[begin];
    end = begin + 1;
    while (end < from_end && BitsOf(from[end]) == BitsOf(saved)) ++end;
    if (saved.ref_frame <= INTRA_FRAME) continue;
    const int distance = source.distances[size_t(saved.ref_frame)];
    if (distance == 0) continue;
    const Mv projected = ProjectMv(saved.mv, source.to_current, distance);
    // 7.9.4: whole 8x8 blocks, rounded towards 0
    const int to_y = y8 + source.sign * (projected.row / 64);
    if (to_y < int(strip.begin) || to_y >= int(strip.end)) continue;
    ProjectRun(begin, end, source.sign * (projected.col / 64), cols8,
               {saved.mv, distance}, frame.motion_field.Row(to_y));
  }
}

// False: the reference frame has no vectors that can be used.
bool AddSource(const std::shared_ptr<const PictureData>& picture, RefFrame name,
               int sign, FrameState& frame) {
  if (!IsUsable(frame, picture.get())) return false;
  const int hint = frame.order_hints[name];
  const int to_current = RelativeDistance(frame, hint, frame.order_hint);
  if (std::abs(to_current) > kMaxFrameDistance) return true;
  MotionSource source = {name, picture, to_current * sign, sign, {}};
  for (size_t ref = LAST_FRAME; ref < kTotalRefs; ++ref) {
    const int distance =
        RelativeDistance(frame, hint, int(picture->order_hints[ref]));
    if (distance > 0 && distance <= kMaxFrameDistance) {
      source.distances[ref] = distance;
    }
  }
  frame.motion_sources.push_back(std::move(source));
  return true;
}

}  // namespace

void FindMotionSources(
    std::span<const std::shared_ptr<const PictureData>> references,
    FrameState* frame) {
  const PictureData* last = references[LAST_FRAME].get();
  if (last != nullptr && int(last->order_hints[ALTREF_FRAME]) !=
                             frame->order_hints[GOLDEN_FRAME]) {
    AddSource(references[LAST_FRAME], LAST_FRAME, -1, *frame);
  }
  const auto is_later = [frame](RefFrame name) {
    return RelativeDistance(*frame, frame->order_hints[name],
                            frame->order_hint) > 0;
  };
  int ref_stamp = kMfmvStackSize - 2;
  for (const RefFrame name : {BWDREF_FRAME, ALTREF2_FRAME, ALTREF_FRAME}) {
    if (name == ALTREF_FRAME && ref_stamp < 0) break;
    if (is_later(name) && AddSource(references[name], name, 1, *frame)) {
      --ref_stamp;
    }
  }
  if (ref_stamp >= 0) {
    AddSource(references[LAST2_FRAME], LAST2_FRAME, -1, *frame);
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
