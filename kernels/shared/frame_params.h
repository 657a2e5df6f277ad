// SPDX-License-Identifier: BSD-2-Clause
// What every kernel of a frame needs to know about the frame. Written once by
// the header parser, read-only afterwards.
#ifndef PERDIX_KERNELS_SHARED_FRAME_PARAMS_H_
#define PERDIX_KERNELS_SHARED_FRAME_PARAMS_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix {
#endif

#define PERDIX_VP9_REFS 3  // LAST, GOLDEN, ALTREF

// A reference frame as seen from the current one (VP9 8.5.2.3).
struct ReferenceParams {
  uint width;    // luma samples
  uint height;   // luma samples
  uint x_scale;  // 14 fractional bits; 1 << 14 when not scaled
  uint y_scale;
  uint x_step;  // 1/16 sample per output sample; 16 when not scaled
  uint y_step;
  uint valid;  // 0: no block of the frame may refer to it
  uint padding0;
};

struct FrameParams {
  uint width;    // luma samples
  uint height;   // luma samples
  uint mi_cols;  // 8x8 luma blocks, rounded up
  uint mi_rows;
  uint sb_cols;  // 64x64 luma superblocks, rounded up
  uint sb_rows;
  uint bit_depth;  // 8, 10 or 12
  uint subsampling_x;
  uint subsampling_y;
  uint lossless;               // 1: Walsh-Hadamard 4x4 instead of DCT
  uint loop_filter_level;      // 0..63; 0: no loop filter in this frame
  uint loop_filter_sharpness;  // 0..7
  ReferenceParams references[PERDIX_VP9_REFS];
};

#ifdef __cplusplus
static_assert(sizeof(FrameParams) == 48 + 32 * PERDIX_VP9_REFS);
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_FRAME_PARAMS_H_
