// SPDX-License-Identifier: BSD-2-Clause
// VP9's records between entropy decoding and pixels. Writer: codec/vp9/tile.cc
// and residual.cc, one set of lists per tile column. Readers: the kernels, C++
// and GLSL alike. Every record is one 16-byte load; fields are packed and
// unpacked only by the functions here.
//
// Positions and sizes are in luma samples' 4x4 units for inter blocks (chroma
// derives its own by the subsampling) and in 4x4 units of the record's own
// plane for transform and intra blocks.
#ifndef PERDIX_KERNELS_SHARED_VP9_WORK_LISTS_H_
#define PERDIX_KERNELS_SHARED_VP9_WORK_LISTS_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix::vp9 {
#endif

#define PERDIX_NONE 0xffffffffu

PERDIX_SHARED_FUNCTION uint PackPosition(uint x4, uint y4) {
  return x4 | (y4 << 16);
}
PERDIX_SHARED_FUNCTION uint PositionX4(uint position) {
  return position & 0xffffu;
}
PERDIX_SHARED_FUNCTION uint PositionY4(uint position) { return position >> 16; }

// ---- inter prediction (VP9 8.5.2) ----

#define PERDIX_PLANES_LUMA 1u    // predict the luma plane
#define PERDIX_PLANES_CHROMA 2u  // predict the chroma plane
#define PERDIX_REF_NONE 3u       // second reference of a single prediction

// kind: interp_filter in the order of V4L2_VP9_INTERP_FILTER_*: 0 EIGHTTAP
// (regular), 1 EIGHTTAP_SMOOTH, 2 EIGHTTAP_SHARP, 3 BILINEAR.
struct InterBlock {
  uint position;  // luma 4x4 units
  uint shape;     // PackInterShape
  uint mv0;       // 1/8 luma sample: row in the low 16 bits, column above
  uint mv1;       // of the second reference
};

// width4, height4: luma 4x4 units, 1..16. refs: 0 LAST, 1 GOLDEN, 2 ALTREF.
// sub8x8: 1 for a record of a block below 8x8: its motion vectors are clamped
// as those of the whole 8x8 block (8.5.2.3). Chroma of such a block comes in
// records of its own, whose size divided by the subsampling is 4x4.
PERDIX_SHARED_FUNCTION uint PackInterShape(uint width4, uint height4,
                                           uint planes, uint kind, uint ref0,
                                           uint ref1, uint sub8x8) {
  return (width4 - 1u) | ((height4 - 1u) << 4) | (planes << 8) | (kind << 10) |
         (ref0 << 12) | (ref1 << 14) | (sub8x8 << 16);
}
PERDIX_SHARED_FUNCTION uint InterWidth4(uint shape) {
  return (shape & 15u) + 1u;
}
PERDIX_SHARED_FUNCTION uint InterHeight4(uint shape) {
  return ((shape >> 4) & 15u) + 1u;
}
PERDIX_SHARED_FUNCTION uint InterPlanes(uint shape) {
  return (shape >> 8) & 3u;
}
PERDIX_SHARED_FUNCTION uint InterFilter(uint shape) {
  return (shape >> 10) & 3u;
}
PERDIX_SHARED_FUNCTION uint InterRef0(uint shape) { return (shape >> 12) & 3u; }
PERDIX_SHARED_FUNCTION uint InterRef1(uint shape) { return (shape >> 14) & 3u; }

PERDIX_SHARED_FUNCTION uint InterSub8x8(uint shape) {
  return (shape >> 16) & 1u;
}

PERDIX_SHARED_FUNCTION uint PackMv(int row, int col) {
  return (uint(row) & 0xffffu) | (uint(col) << 16);
}
PERDIX_SHARED_FUNCTION int MvRow(uint mv) { return int(mv << 16) >> 16; }
PERDIX_SHARED_FUNCTION int MvCol(uint mv) { return int(mv) >> 16; }

// ---- residual (VP9 8.6, 8.7) ----

// Dequantised coefficients of one transform block. Stored: the top-left
// square of 4 << stored_log2 columns and rows, raster order, which holds all
// that are not zero; the rest is zero. 16-bit at bit depth 8, else 32-bit.
struct TransformBlock {
  uint position;  // 4x4 units of its plane
  uint shape;     // PackTransformShape
  uint
      coefficients;  // offset in the coefficient list, 16-bit units, mult. of 8
  uint eob;          // 1..1024, in scan order
};

// component: 0 Y, 1 U, 2 V. tx_size: 0..3 for 4, 8, 16, 32. tx_type: 0 DCT_DCT,
// 1 ADST_DCT (columns ADST, rows DCT), 2 DCT_ADST, 3 ADST_ADST (VP9 8.7.2).
PERDIX_SHARED_FUNCTION uint PackTransformShape(uint component, uint tx_size,
                                               uint tx_type, uint stored_log2) {
  return component | (tx_size << 2) | (tx_type << 4) | (stored_log2 << 6);
}
PERDIX_SHARED_FUNCTION uint TransformComponent(uint shape) {
  return shape & 3u;
}
PERDIX_SHARED_FUNCTION uint TransformSize(uint shape) {
  return (shape >> 2) & 3u;
}
PERDIX_SHARED_FUNCTION uint TransformType(uint shape) {
  return (shape >> 4) & 3u;
}
// Columns and rows stored: 4 << this.
PERDIX_SHARED_FUNCTION uint TransformStoredLog2(uint shape) {
  return (shape >> 6) & 3u;
}

// ---- intra prediction (VP9 8.5.1) ----

// One transform block's prediction and then its residual. A chroma record
// predicts U and V together. Records of a superblock are in decoding order and
// must be worked off in it.
struct IntraBlock {
  uint position;   // 4x4 units of its plane
  uint shape;      // PackIntraShape
  uint residual0;  // index of the transform block of Y or U, or PERDIX_NONE
  uint residual1;  // of V, or PERDIX_NONE
};

#define PERDIX_INTRA_HAVE_LEFT 1u
#define PERDIX_INTRA_HAVE_ABOVE 2u
// Only for 4x4 transform blocks: the four samples above right are decoded.
#define PERDIX_INTRA_HAVE_ABOVE_RIGHT 4u

// plane: PlaneIndex. mode: 0 DC, 1 V, 2 H, 3 D45, 4 D135, 5 D117, 6 D153,
// 7 D207, 8 D63, 9 TM (the order of intra_mode in VP9 9.3).
PERDIX_SHARED_FUNCTION uint PackIntraShape(uint plane, uint tx_size, uint mode,
                                           uint have) {
  return plane | (tx_size << 1) | (mode << 3) | (have << 7);
}
PERDIX_SHARED_FUNCTION uint IntraPlane(uint shape) { return shape & 1u; }
PERDIX_SHARED_FUNCTION uint IntraSize(uint shape) { return (shape >> 1) & 3u; }
PERDIX_SHARED_FUNCTION uint IntraMode(uint shape) { return (shape >> 3) & 15u; }
PERDIX_SHARED_FUNCTION uint IntraHave(uint shape) { return (shape >> 7) & 7u; }

// ---- loop filter (VP9 8.8) ----

// One word for each 8x8 luma block of the frame, raster order, mi_cols a row:
// the level and, for each plane, what to filter. An edge's width is 0 none,
// 1 four samples, 2 eight, 3 sixteen (VP9 8.8.2). Edges on the frame border are
// already left out. With subsampled chroma only the words at even columns
// (rows) carry chroma edges: they stand for 8x8 chroma samples.
#define PERDIX_EDGE_LUMA_SHIFT 6u
#define PERDIX_EDGE_CHROMA_SHIFT 12u

// left, above: widths of the edges on the cell's border; inner_left,
// inner_above: 1 if the edge at its 4th column (row) is filtered, four samples
// wide.
PERDIX_SHARED_FUNCTION uint PackEdges(uint left, uint above, uint inner_left,
                                      uint inner_above) {
  return left | (above << 2) | (inner_left << 4) | (inner_above << 5);
}
PERDIX_SHARED_FUNCTION uint EdgeLevel(uint cell) { return cell & 63u; }
// shift: PERDIX_EDGE_LUMA_SHIFT or PERDIX_EDGE_CHROMA_SHIFT.
PERDIX_SHARED_FUNCTION uint EdgeLeft(uint cell, uint shift) {
  return (cell >> shift) & 3u;
}
PERDIX_SHARED_FUNCTION uint EdgeAbove(uint cell, uint shift) {
  return (cell >> (shift + 2u)) & 3u;
}
PERDIX_SHARED_FUNCTION uint EdgeInnerLeft(uint cell, uint shift) {
  return (cell >> (shift + 4u)) & 1u;
}
PERDIX_SHARED_FUNCTION uint EdgeInnerAbove(uint cell, uint shift) {
  return (cell >> (shift + 5u)) & 1u;
}

#ifdef __cplusplus
static_assert(sizeof(InterBlock) == 16);
static_assert(sizeof(TransformBlock) == 16);
static_assert(sizeof(IntraBlock) == 16);
}  // namespace perdix::vp9
#endif

#endif  // PERDIX_KERNELS_SHARED_VP9_WORK_LISTS_H_
