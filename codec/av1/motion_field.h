// SPDX-License-Identifier: BSD-2-Clause
// The motion field (7.9): vectors that reference frames were coded with, at the
// places where they cross the current frame.
#ifndef PERDIX_CODEC_AV1_MOTION_FIELD_H_
#define PERDIX_CODEC_AV1_MOTION_FIELD_H_

#include <algorithm>
#include <memory>
#include <span>

#include "codec/av1/constants.h"
#include "codec/av1/frame_state.h"
#include "codec/av1/tables.h"

namespace perdix::av1 {

inline constexpr int kMaxFrameDistance = 31;  // MAX_FRAME_DISTANCE
inline constexpr int kRefMvsLimit = 4095;     // REFMVS_LIMIT
static_assert(kMaxFrameDistance < 1 << MotionFieldMv::kDistanceBits);
static_assert(kRefMvsLimit < 1 << (MotionFieldMv::kRowBits - 1));
static_assert(kRefMvsLimit < 1 << (MotionFieldMv::kColBits - 1));

// get_mv_projection (7.9.3). Components of mv: at most kRefMvsLimit in size;
// numerator: at most kMaxFrameDistance; scale: Div_Mult of the denominator.
inline Mv ProjectMv(Mv mv, int numerator, int scale) {
  const int factor = numerator * scale;
  const auto project = [factor](int component) {
    const int product = component * factor;  // below 2^31 by the limits
    // Round2Signed: a half goes away from 0.
    const int rounded = (product + (1 << 13) - (product < 0)) >> 14;
    return int16_t(std::clamp(rounded, -(1 << 14) + 1, (1 << 14) - 1));
  };
  return {project(mv.row), project(mv.col)};
}

// With which distance vectors of a frame to a reference of this order hint are
// stored: MotionFieldMv::distance. Below 0: none is stored, as of references
// that come later (7.19). 0: no frame can project them (7.9.2, refOffset).
// Both ask for the relative distance, in opposite directions: half the range of
// order hints apart it is negative in either.
int StoredDistance(const FrameState& frame, int ref_order_hint);

// For a frame that uses the motion field: which reference frames it is made of
// (7.9.1). references: what the reference pictures carry, indexed by reference
// name; null: none.
void FindMotionSources(
    std::span<const std::shared_ptr<const PictureData>> references,
    FrameState* frame);

// 7.9.2 of rows and columns of 8x8: a superblock row, or several, of a tile.
// Vectors stay in their 64 lines, so that no other rows are looked at.
//
// The specification keeps a vector for each reference that a block may have.
// All of them are projections of one stored vector over one distance, so these
// two are kept and MotionFieldMvs[ ref ] is ProjectMv(mv, distance from ref to
// the current frame, Div_Mult of that distance).
void EstimateMotionField(Range rows8, Range cols8, FrameState* frame);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_MOTION_FIELD_H_
