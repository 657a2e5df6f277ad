// SPDX-License-Identifier: BSD-2-Clause
// Motion field estimation (7.9).
#include "codec/av1/motion_field.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

namespace perdix::av1 {
namespace {

constexpr int kMfmvStackSize = 3;  // MFMV_STACK_SIZE

// MAX_OFFSET_WIDTH; MAX_OFFSET_HEIGHT is 0. 8x8 units.
constexpr int kMaxOffsetWidth8 = 8;
constexpr int kGroup8 = 8;  // 64 luma samples: how far a vector may lead

// One reference frame of which vectors are projected (7.9.2).
struct Source {
  const PictureData* picture;
  int to_current;  // refToCur * dstSign
  int sign;        // dstSign
  // refOffset by SavedRefFrames: frames that a vector spans; 0: not used.
  std::array<int, kTotalRefs> distances;
};

bool IsUsable(const FrameState& frame, const PictureData* picture) {
  const size_t blocks = size_t(frame.mi_rows >> 1) * size_t(frame.mi_cols >> 1);
  return picture != nullptr && picture->mi_rows == frame.mi_rows &&
         picture->mi_cols == frame.mi_cols &&
         picture->frame_type != V4L2_AV1_KEY_FRAME &&
         picture->frame_type != V4L2_AV1_INTRA_ONLY_FRAME &&
         picture->mvs.size() == blocks;
}

// 8x8 blocks begin..end - 1 of a row have the vector <field>, which leads to
// row <to>, <offset> blocks to the right.
void ProjectRun(int begin, int end, int offset, int cols, MotionFieldMv field,
                MotionFieldMv* to) {
  while (begin < end) {
    const int group = begin & ~(kGroup8 - 1);
    const int group_end = std::min(group + kGroup8, end);
    const int first = std::max(group - kMaxOffsetWidth8, 0) - offset;
    const int last =
        std::min(group + kGroup8 + kMaxOffsetWidth8, cols) - offset;
    const int x_end = std::min(group_end, last);
    for (int x8 = std::max(begin, first); x8 < x_end; ++x8) {
      to[x8 + offset] = field;
    }
    begin = group_end;
  }
}

// Of a row of 8x8 blocks. Neighbours often have the same vector: it is
// projected once.
void ProjectRow(const Source& source, int y8, FrameState& frame) {
  const int rows = frame.mi_rows >> 1, cols = frame.mi_cols >> 1;
  const int row_begin = y8 & ~(kGroup8 - 1);
  const int row_end = std::min(row_begin + kGroup8, rows);
  const SavedMv* from = source.picture->mvs.data() + size_t(y8) * size_t(cols);
  for (int begin = 0, end; begin < cols; begin = end) {
    const SavedMv saved = from[begin];
    end = begin + 1;
    while (end < cols && BitsOf(from[end]) == BitsOf(saved)) ++end;
    if (saved.ref_frame <= INTRA_FRAME) continue;
    const int distance = source.distances[size_t(saved.ref_frame)];
    if (distance == 0) continue;
    const Mv projected = ProjectMv(saved.mv, source.to_current, distance);
    // 7.9.4: whole 8x8 blocks, rounded towards 0
    const int to_y = y8 + source.sign * (projected.row / 64);
    if (to_y < row_begin || to_y >= row_end) continue;
    ProjectRun(begin, end, source.sign * (projected.col / 64), cols,
               {saved.mv, distance},
               frame.motion_field.data() + size_t(to_y) * size_t(cols));
  }
}

// 7.9.2. False: the reference frame has no vectors that can be used.
bool Project(FrameState& frame, const PictureData* picture, RefFrame name,
             int sign) {
  if (!IsUsable(frame, picture)) return false;
  const int hint = frame.order_hints[name];
  const int to_current = RelativeDistance(frame, hint, frame.order_hint);
  if (std::abs(to_current) > kMaxFrameDistance) return true;
  Source source = {picture, to_current * sign, sign, {}};
  for (size_t ref = LAST_FRAME; ref < kTotalRefs; ++ref) {
    const int distance =
        RelativeDistance(frame, hint, int(picture->order_hints[ref]));
    if (distance > 0 && distance <= kMaxFrameDistance) {
      source.distances[ref] = distance;
    }
  }
  for (int y8 = 0; y8 < frame.mi_rows >> 1; ++y8) ProjectRow(source, y8, frame);
  return true;
}

}  // namespace

void EstimateMotionField(FrameState& frame,
                         std::span<const PictureData* const> references) {
  frame.motion_field.assign(
      size_t(frame.mi_rows >> 1) * size_t(frame.mi_cols >> 1), {});
  const PictureData* last = references[LAST_FRAME];
  if (last != nullptr &&
      int(last->order_hints[ALTREF_FRAME]) != frame.order_hints[GOLDEN_FRAME]) {
    Project(frame, last, LAST_FRAME, -1);
  }
  const auto is_later = [&frame](RefFrame name) {
    return RelativeDistance(frame, frame.order_hints[name], frame.order_hint) >
           0;
  };
  int ref_stamp = kMfmvStackSize - 2;
  for (const RefFrame name : {BWDREF_FRAME, ALTREF2_FRAME, ALTREF_FRAME}) {
    if (name == ALTREF_FRAME && ref_stamp < 0) break;
    if (is_later(name) && Project(frame, references[name], name, 1)) {
      --ref_stamp;
    }
  }
  if (ref_stamp >= 0) {
    Project(frame, references[LAST2_FRAME], LAST2_FRAME, -1);
  }
}

}  // namespace perdix::av1
