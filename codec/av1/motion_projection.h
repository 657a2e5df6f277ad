// SPDX-License-Identifier: BSD-2-Clause
// Where a reference frame's vectors cross the current frame (7.9.2).
#ifndef PERDIX_CODEC_AV1_MOTION_PROJECTION_H_
#define PERDIX_CODEC_AV1_MOTION_PROJECTION_H_

#include "codec/av1/frame_state.h"

namespace perdix::av1 {

inline constexpr int kGroup8 = 8;  // 8x8 units in 64 luma samples

// Puts the vectors that <source> has in row y8 into the frame's motion field,
// in rows of <strip>, 64 lines, and columns of the tile, cols8. All in 8x8
// units.
void ProjectRow(const MotionSource& source, int y8, Range strip, Range cols8,
                FrameState& frame);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_MOTION_PROJECTION_H_
