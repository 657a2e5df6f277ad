// SPDX-License-Identifier: BSD-2-Clause
// Motion field estimation (7.9).
#include "codec/av1/motion_field.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

// Four 8x8 blocks side by side, GCC's own vectors (symbol_lanes.h says why).
typedef int32_t Lanes4 __attribute__((vector_size(16)));
constexpr int kLanes = 4;

// From 1/8 samples times 1 << 14 to whole 8x8 blocks: rounded to 1/8 samples, a
// half away from 0, then towards 0 (7.9.3, 7.9.4).
Lanes4 WholeBlocks(Lanes4 distance) {
  const Lanes4 sign = distance >> 31;
  const Lanes4 blocks = (((distance ^ sign) - sign) + (1 << 13)) >> (14 + 6);
  return (blocks ^ sign) - sign;
}

// Where vectors of a row of 8x8 blocks may lead to: rows below <row_end>,
// columns from <first> to <last>.
struct Window {
  int row_end, first, last;
};

// For four blocks from x8, y8 on: at which cell of the field, whose rows have
// <cols> cells, their vectors cross this frame; <spare> for those that do not.
Lanes4 CellsOf(const MotionFieldMv* blocks, int to_current, int x8, int y8,
               const Window& window, int cols, int spare) {
  static_assert(std::endian::native == std::endian::little);
  static_assert(sizeof(MotionFieldMv) == 2 * sizeof(int32_t));
  Lanes4 low, high;
  std::memcpy(&low, blocks, sizeof(low));
  std::memcpy(&high, blocks + 2, sizeof(high));
  const Lanes4 mv = __builtin_shufflevector(low, high, 0, 2, 4, 6);
  const Lanes4 scale = __builtin_shufflevector(low, high, 1, 3, 5, 7);
  const Lanes4 factor = scale * to_current;
  const Lanes4 row = y8 + WholeBlocks((mv << 16 >> 16) * factor);
  const Lanes4 col = x8 + Lanes4{0, 1, 2, 3} + WholeBlocks((mv >> 16) * factor);
  const Lanes4 counts = (scale != 0) & (row >= 0) & (row < window.row_end) &
                        (col >= window.first) & (col < window.last);
  return ((row * cols + col) & counts) | (spare & ~counts);
}

// Of a row of 8x8 blocks, to rows of <strip>. Where a vector leads nobody can
// foresee: so there is no branch, and those that do not count are stored in the
// spare row.
void ProjectRow(const MotionSource& source, int y8, Range strip, Range cols8,
                FrameState& frame) {
  const int cols = frame.mi_cols >> 1;
  const int end = std::min(int(cols8.end) + kMaxOffsetWidth8, cols);
  const MotionFieldMv* const from =
      source.picture->mvs.data() + size_t(y8) * size_t(cols);
  MotionFieldMv* const to = frame.motion_field.Row(int(strip.begin));
  const int spare = int(frame.motion_field.SpareRow() + cols8.begin - to);
  Window window = {int(strip.end - strip.begin), 0, 0};
  for (int x8 = std::max(int(cols8.begin) - kMaxOffsetWidth8, 0); x8 < end;
       x8 += kLanes) {
    const int group = x8 & ~(kGroup8 - 1);
    window.first = std::max(group - kMaxOffsetWidth8, int(cols8.begin));
    window.last = std::min(group + kGroup8 + kMaxOffsetWidth8, int(cols8.end));
    const MotionFieldMv* blocks = from + x8;
    const int count = std::min(end - x8, kLanes);
    MotionFieldMv last[kLanes] = {};
    if (count < kLanes) blocks = std::copy_n(blocks, count, last) - count;
    const Lanes4 cells = CellsOf(blocks, source.to_current, x8,
                                 y8 - int(strip.begin), window, cols, spare);
    for (int i = 0; i < kLanes; ++i) to[cells[i]] = blocks[i];
  }
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
