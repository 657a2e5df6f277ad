// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to shaders/quality: bindings, how a picture is cut
// into tiles, push constants. Writer: kernels/gpu/quality.cc.
#ifndef PERDIX_KERNELS_SHARED_QUALITY_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_QUALITY_DISPATCH_H_

#include "kernels/shared/dispatch.h"
#include "kernels/shared/quality.h"
#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix {
#endif

// ---- bindings ----

// The target is the decoded picture, the reference what it is compared with.
// In place of buffers that a decoder's shaders have:
#define PERDIX_BINDING_LOGS PERDIX_BINDING_RECORDS  // of VIF
// Planes that the step before has written. In the first step, which reads none:
#define PERDIX_BINDING_PLANES_IN PERDIX_BINDING_COEFFICIENTS
#define PERDIX_BINDING_PREVIOUS PERDIX_BINDING_COEFFICIENTS  // reference before
// Planes for the next step. In the last step, which writes none:
#define PERDIX_BINDING_PLANES_OUT PERDIX_BINDING_FRAME_TABLES
#define PERDIX_BINDING_SUMS PERDIX_BINDING_FRAME_TABLES  // QualitySums

// ---- workgroups ----

#define PERDIX_QUALITY_LANES 192  // of every program but sse and reduce

// Lanes are columns of a tile, in so many groups one below the other.
#define PERDIX_QUALITY_COLUMNS 64
#define PERDIX_QUALITY_GROUPS (PERDIX_QUALITY_LANES / PERDIX_QUALITY_COLUMNS)

// motion_blur.comp: two columns on each side are only read.
#define PERDIX_MOTION_COLUMNS (PERDIX_QUALITY_COLUMNS - 4)
#define PERDIX_MOTION_GROUP_ROWS 8
#define PERDIX_MOTION_ROWS (PERDIX_QUALITY_GROUPS * PERDIX_MOTION_GROUP_ROWS)

// vif_down.comp: columns and rows that a workgroup writes, with a filter of so
// many taps.
#define PERDIX_VIF_DOWN_COLUMNS(taps) \
  ((PERDIX_QUALITY_COLUMNS + 2 - (taps)) / 2)
#define PERDIX_VIF_DOWN_GROUP_ROWS 4
#define PERDIX_VIF_DOWN_ROWS \
  (PERDIX_QUALITY_GROUPS * PERDIX_VIF_DOWN_GROUP_ROWS)

// vif_stat.comp: four samples for each lane.
#define PERDIX_VIF_TILE_WIDTH 64
#define PERDIX_VIF_TILE_HEIGHT 12

// adm_dwt.comp: samples of a band that a workgroup makes. Each takes two
// columns and rows, and two more at the borders.
#define PERDIX_ADM_TILE_COLUMNS ((PERDIX_QUALITY_COLUMNS - 2) / 2)
#define PERDIX_ADM_GROUP_ROWS 4
#define PERDIX_ADM_TILE_ROWS (PERDIX_QUALITY_GROUPS * PERDIX_ADM_GROUP_ROWS)
// Words of a sample that it leaves for adm_mask.comp, at scale 0 and at others.
#define PERDIX_ADM_WORDS_0 9
#define PERDIX_ADM_WORDS 13

// ---- push constants ----

// Luma of a picture, in words of its buffer.
struct QualityPlane {
  uint offset;
  uint stride;
};

// motion_blur.comp.
struct MotionBlurConstants {
  QualityPlane reference;
  QualityPlane previous;
  uint width;
  uint height;
  uint bit_depth;
  uint first_partial;
};

// vif_down.comp, vif_stat.comp. Of a scale above 0 the samples of both pictures
// are a plane, a word each, row after row.
struct VifConstants {
  QualityPlane reference;  // scale 0
  QualityPlane decoded;
  uint bit_depth;
  uint samples;  // words before those of other scales
  uint width;    // of the scale that is read
  uint height;
  uint next_samples;   // vif_down: words before what it makes
  uint first_partial;  // vif_stat
  uint gain_limit;     // vif_stat
};

// adm_dwt.comp, adm_mask.comp. Approximations are planes, row after row: of
// scale 0 a word for both pictures, of others the reference's and then the
// decoded picture's.
struct AdmConstants {
  QualityPlane reference;  // adm_dwt, scale 0
  QualityPlane decoded;
  uint bit_depth;
  uint from;  // adm_dwt: words before the approximation that is read
  uint from_width;
  uint from_height;
  uint to;      // adm_dwt: words before the approximation that is made
  uint planes;  // words before what adm_dwt leaves for adm_mask
  uint width;   // of a band
  uint height;
  uint gain_limit;
  uint reach_left;  // samples that masks need
  uint reach_top;
  uint reach_right;
  uint reach_bottom;
  uint left;  // samples that are compared
  uint top;
  uint right;
  uint cube_shift;  // as quality::AdmScale; at scale 0 before kAdmCubeShift
  uint row_shift;
  uint den_cube_shift;
  uint den_row_shift;
  uint first_partial;
};

// ---- specialisation constants ----

#define PERDIX_CONSTANT_SSE_PLANE 1  // sse.comp: 0 luma, 1 chroma

#ifdef __cplusplus
static_assert(sizeof(MotionBlurConstants) == 32);
static_assert(sizeof(VifConstants) == 44);
static_assert(sizeof(AdmConstants) == 100);
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_QUALITY_DISPATCH_H_
