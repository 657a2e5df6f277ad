// SPDX-License-Identifier: BSD-2-Clause
// What AV1's kernels need to know about a frame, beside FrameParams. Writer:
// codec/av1/frame_setup.cc. FrameParams::width is FrameWidth, before
// superresolution; the target's view is UpscaledWidth wide.
#ifndef PERDIX_KERNELS_SHARED_AV1_PARAMS_H_
#define PERDIX_KERNELS_SHARED_AV1_PARAMS_H_

#include "kernels/shared/av1/work_lists.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

#define PERDIX_AV1_REFS 7  // LAST_FRAME .. ALTREF_FRAME

// A reference frame as seen from the current one (7.11.3.3).
struct ReferenceScale {
  uint x_scale;  // 14 fractional bits; 1 << 14 when not scaled
  uint y_scale;
  uint x_step;  // 1/1024 sample per output sample; 1024 when not scaled
  uint y_step;
  uint distance;  // of 7.11.3.15: the clamped dist[], 0..31
  uint warps;     // 1: its gm_params are more than a translation and valid, so
                  // that blocks may be warped by them (7.11.3.1's globalValid
                  // and gm_type)
  uint padding0;
  uint padding1;
  WarpMatrix global;  // gm_params and their shear (7.11.3.6)
};

struct RestorationPlane {
  uint type;       // FrameRestorationType is not NONE: 1
  uint unit_size;  // samples of the plane: LoopRestorationSize
  uint unit_cols;  // unitCols of 7.17
  uint unit_rows;
  uint first;  // index of its first RestorationUnit
  uint padding0;
  uint padding1;
  uint padding2;
};

struct Params {
  uint mi_cols;  // MiCols: 4x4 luma units, even
  uint mi_rows;
  uint upscaled_width;  // luma samples
  uint superres_denom;  // 8 when not used, else 9..16
  uint monochrome;
  uint filters_intra_edges;  // enable_intra_edge_filter
  uint order_hint_bits;
  // loop_filter_level[0..3]: luma vertical, luma horizontal, U, V. Planes and
  // directions with none: 7.14.1.
  uint loop_filter_level[4];
  uint loop_filter_sharpness;
  uint cdef_damping;  // CdefDamping, 3..6
  uint cdef_bits;     // cdef_bits
  uint allow_intrabc;
  uint cdef_on;             // the pass is run
  uint cdef_y_strength[8];  // by cdef_idx: PackCdefStrength
  uint cdef_uv_strength[8];
  RestorationPlane restoration[3];
  ReferenceScale references[PERDIX_AV1_REFS];
};

PERDIX_SHARED_FUNCTION uint PackCdefStrength(uint primary, uint secondary) {
  return primary | (secondary << 4);
}
PERDIX_SHARED_FUNCTION uint CdefPrimary(uint strength) {
  return strength & 15u;
}
PERDIX_SHARED_FUNCTION uint CdefSecondary(uint strength) {
  return strength >> 4;
}

#ifdef __cplusplus
static_assert(sizeof(ReferenceScale) == 64);
static_assert(sizeof(Params) == 4 * 16 + 64 + 3 * 32 + 64 * PERDIX_AV1_REFS);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_PARAMS_H_
