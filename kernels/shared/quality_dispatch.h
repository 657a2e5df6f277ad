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
// Partial sums lie at the beginning of the scratch memory. In place of buffers
// that a decoder's shaders have:
#define PERDIX_BINDING_LOGS PERDIX_BINDING_RECORDS           // of VIF
#define PERDIX_BINDING_PREVIOUS PERDIX_BINDING_COEFFICIENTS  // reference before
#define PERDIX_BINDING_SUMS PERDIX_BINDING_FRAME_TABLES      // QualitySums

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
// lie in the scratch memory, a word each, row after row.
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

// ---- specialisation constants ----

#define PERDIX_CONSTANT_SSE_PLANE 1  // sse.comp: 0 luma, 1 chroma

#ifdef __cplusplus
static_assert(sizeof(MotionBlurConstants) == 32);
static_assert(sizeof(VifConstants) == 44);
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_QUALITY_DISPATCH_H_
