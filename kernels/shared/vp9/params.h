// SPDX-License-Identifier: BSD-2-Clause
// What VP9's kernels need to know about a frame, beside FrameParams. Writer:
// codec/vp9/frame_state.cc.
#ifndef PERDIX_KERNELS_SHARED_VP9_PARAMS_H_
#define PERDIX_KERNELS_SHARED_VP9_PARAMS_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix::vp9 {
#endif

#define PERDIX_VP9_REFS 3  // LAST, GOLDEN, ALTREF

// A reference frame as seen from the current one (VP9 8.5.2.3).
struct ReferenceScale {
  uint x_scale;  // 14 fractional bits; 1 << 14 when not scaled
  uint y_scale;
  uint x_step;  // 1/16 sample per output sample; 16 when not scaled
  uint y_step;
};

struct Params {
  uint mi_cols;  // 8x8 luma blocks, rounded up
  uint mi_rows;
  uint lossless;               // 1: Walsh-Hadamard 4x4 instead of DCT
  uint loop_filter_level;      // 0..63; 0: no loop filter in this frame
  uint loop_filter_sharpness;  // 0..7
  uint padding0;
  uint padding1;
  uint padding2;
  ReferenceScale references[PERDIX_VP9_REFS];
};

#ifdef __cplusplus
static_assert(sizeof(Params) == 32 + 16 * PERDIX_VP9_REFS);
}  // namespace perdix::vp9
#endif

#endif  // PERDIX_KERNELS_SHARED_VP9_PARAMS_H_
