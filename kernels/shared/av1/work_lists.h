// SPDX-License-Identifier: BSD-2-Clause
// AV1's records between entropy decoding and pixels. Writers: codec/av1, one
// set of lists per tile column. Readers: the kernels, C++ and GLSL alike. Every
// record is one 16-byte load; fields are packed and unpacked only by the
// functions here.
//
// Positions and sizes are in luma samples for inter blocks (chroma derives its
// own by the subsampling) and in samples of the record's own plane for
// transform and intra blocks; a size is a power of two.
#ifndef PERDIX_KERNELS_SHARED_AV1_WORK_LISTS_H_
#define PERDIX_KERNELS_SHARED_AV1_WORK_LISTS_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

#define PERDIX_NO_RESIDUAL 0xffffffffu

// In 4x4 units; of inter blocks those of luma, else of the plane.
PERDIX_SHARED_FUNCTION uint PackPosition(uint x4, uint y4) {
  return x4 | (y4 << 16);
}
PERDIX_SHARED_FUNCTION uint PositionX4(uint position) {
  return position & 0xffffu;
}
PERDIX_SHARED_FUNCTION uint PositionY4(uint position) { return position >> 16; }

PERDIX_SHARED_FUNCTION uint PackMv(int row, int col) {
  return (uint(row) & 0xffffu) | (uint(col) << 16);
}
PERDIX_SHARED_FUNCTION int MvRow(uint mv) { return int(mv << 16) >> 16; }
PERDIX_SHARED_FUNCTION int MvCol(uint mv) { return int(mv) >> 16; }

// ---- inter prediction (7.11.3) ----

#define PERDIX_PLANES_LUMA 1u    // predict the luma plane
#define PERDIX_PLANES_CHROMA 2u  // predict U and V

// InterBlock's kind. Up to WARP_GLOBAL with one reference. Warps are of planes
// in which the block is at least 8 samples wide and high; in others it is
// predicted by its vectors (7.11.3.1).
#define PERDIX_INTER_SINGLE 0u
#define PERDIX_INTER_WARP_LOCAL 1u   // arena: the matrix; no mv1
#define PERDIX_INTER_WARP_GLOBAL 2u  // of ref0's gm_params
// Overlapped block motion compensation (7.11.3.10): the neighbour's prediction
// of the overlapping region, blended over what is there. The region lies at the
// block's upper (left) edge; follows the block's own record.
#define PERDIX_INTER_OBMC_ABOVE 3u
#define PERDIX_INTER_OBMC_LEFT 4u
// Compound. Each prediction by ref0's or ref1's global warp, where the flag
// PERDIX_INTER_GLOBAL0 or 1 is set.
#define PERDIX_INTER_AVERAGE 5u   // 7.11.3.2 by rounding alone
#define PERDIX_INTER_DISTANCE 6u  // 7.11.3.15 distance weights
#define PERDIX_INTER_WEDGE 7u     // 7.11.3.11, wedge index and sign
#define PERDIX_INTER_DIFFWTD 8u   // 7.11.3.12, mask type in the sign's bit

struct InterBlock {
  uint position;  // PackPosition, luma 4x4 units
  uint shape;     // PackInterShape
  uint mv0;       // 1/8 luma sample: row in the low 16 bits, column above
  // The second reference's vector; for WARP_LOCAL the offset of its WarpMatrix
  // in the arena.
  uint mv1;
};

// width_log2, height_log2: of luma samples, 2..7. planes: PERDIX_PLANES_*.
// ref0, ref1: 0..6 for LAST_FRAME..ALTREF_FRAME. filter_x, filter_y: 0
// EIGHTTAP, 1 EIGHTTAP_SMOOTH, 2 EIGHTTAP_SHARP, 3 BILINEAR: interp_filter[1]
// and [0]. wedge: wedge_index. sign: wedge_sign of WEDGE, mask_type of DIFFWTD.
// Chroma of blocks of which several share a 4x4 of it comes in records of its
// own (5.11.33, sub8x8 inter): width_log2 is 2 then, and 1 << (2 - subsampling)
// samples of chroma are predicted.
PERDIX_SHARED_FUNCTION uint PackInterShape(uint width_log2, uint height_log2,
                                           uint planes, uint kind, uint ref0,
                                           uint ref1, uint filter_x,
                                           uint filter_y, uint wedge,
                                           uint sign) {
  return width_log2 | (height_log2 << 3) | (planes << 6) | (kind << 8) |
         (ref0 << 12) | (ref1 << 15) | (filter_x << 18) | (filter_y << 20) |
         (wedge << 22) | (sign << 26);
}
#define PERDIX_INTER_GLOBAL0 (1u << 27)  // or'ed into shape
#define PERDIX_INTER_GLOBAL1 (1u << 28)
PERDIX_SHARED_FUNCTION uint InterWidthLog2(uint shape) { return shape & 7u; }
PERDIX_SHARED_FUNCTION uint InterHeightLog2(uint shape) {
  return (shape >> 3) & 7u;
}
PERDIX_SHARED_FUNCTION uint InterPlanes(uint shape) {
  return (shape >> 6) & 3u;
}
PERDIX_SHARED_FUNCTION uint InterKind(uint shape) { return (shape >> 8) & 15u; }
PERDIX_SHARED_FUNCTION uint InterRef0(uint shape) { return (shape >> 12) & 7u; }
PERDIX_SHARED_FUNCTION uint InterRef1(uint shape) { return (shape >> 15) & 7u; }
PERDIX_SHARED_FUNCTION uint InterFilterX(uint shape) {
  return (shape >> 18) & 3u;
}
PERDIX_SHARED_FUNCTION uint InterFilterY(uint shape) {
  return (shape >> 20) & 3u;
}
PERDIX_SHARED_FUNCTION uint InterWedge(uint shape) {
  return (shape >> 22) & 15u;
}
PERDIX_SHARED_FUNCTION uint InterSign(uint shape) { return (shape >> 26) & 1u; }
PERDIX_SHARED_FUNCTION bool InterIsCompound(uint shape) {
  return InterKind(shape) >= PERDIX_INTER_AVERAGE;
}

// A warp (7.11.3.5): warpParams[0..5], then alpha, beta, gamma, delta of
// 7.11.3.6. In the arena it takes PERDIX_WARP_UNITS 16-bit units.
struct WarpMatrix {
  int params[6];
  int alpha_beta;   // alpha in the low 16 bits, beta above
  int gamma_delta;  // gamma in the low 16 bits, delta above
};
#define PERDIX_WARP_UNITS 16u

// ---- residual (7.12.3, 7.13) ----

// Dequantised coefficients of one transform block. Stored: its upper left
// 4 << stored width log2 columns and 4 << stored height log2 rows, at most
// 32x32, in raster order, which hold all that are not zero; the rest is zero.
// 16-bit at bit depth 8, else 32-bit.
struct TransformBlock {
  uint position;      // PackPosition, 4x4 units of its plane
  uint shape;         // PackTransformShape
  uint coefficients;  // offset in the arena, 16-bit units, multiple of 8
  uint eob;           // 1..1024, in scan order
};

// component: 0 Y, 1 U, 2 V. width_log2, height_log2: of samples, 2..6. type:
// 0..15 as in the table of 6.10.19 (DCT_DCT .. H_FLIPADST), or
// PERDIX_TRANSFORM_WHT where the block is lossless. stored_width,
// stored_height: columns and rows stored are 4 << this, 0..3.
#define PERDIX_TRANSFORM_WHT 16u
PERDIX_SHARED_FUNCTION uint PackTransformShape(uint component, uint width_log2,
                                               uint height_log2, uint type,
                                               uint stored_width,
                                               uint stored_height) {
  return component | (width_log2 << 2) | (height_log2 << 5) | (type << 8) |
         (stored_width << 13) | (stored_height << 15);
}
PERDIX_SHARED_FUNCTION uint TransformComponent(uint shape) {
  return shape & 3u;
}
PERDIX_SHARED_FUNCTION uint TransformWidthLog2(uint shape) {
  return (shape >> 2) & 7u;
}
PERDIX_SHARED_FUNCTION uint TransformHeightLog2(uint shape) {
  return (shape >> 5) & 7u;
}
PERDIX_SHARED_FUNCTION uint TransformType(uint shape) {
  return (shape >> 8) & 31u;
}
PERDIX_SHARED_FUNCTION uint TransformStoredWidth(uint shape) {
  return (shape >> 13) & 3u;
}
PERDIX_SHARED_FUNCTION uint TransformStoredHeight(uint shape) {
  return (shape >> 15) & 3u;
}

// ---- what must be done in decoding order (7.11.2, 7.11.4, 7.11.5) ----

// Intra prediction of a transform block and then its residual; and what else
// reads the current frame or is blended into it. A chroma record is of U and V
// together. Records of a superblock are in decoding order.
struct IntraBlock {
  uint position;  // PackPosition, 4x4 units of its plane
  uint shape;     // PackIntraShape
  // For most kinds: index of the transform block of Y or U, and of V, in the
  // list of these records' residual, or PERDIX_NO_RESIDUAL.
  uint residual0;
  uint residual1;
};

// IntraBlock's kind, and what payload and the last two words are then.
#define PERDIX_INTRA_PREDICT 0u  // PackPredict
#define PERDIX_INTRA_FILTER 1u   // recursive (7.11.2.3); filter_intra_mode
// DC prediction and the luma's part. The luma records of the block, and of
// those that share its 4x4 of chroma, come before. PackCfl.
#define PERDIX_INTRA_CFL 2u
#define PERDIX_INTRA_RESIDUAL 3u  // no prediction
// The kinds below have their residual in RESIDUAL records that follow.
// A plane of a block up to 64x64, as much of it as lies inside the frame:
// residual0 is the offset of its Palette in the arena.
#define PERDIX_INTRA_PALETTE 4u
// Copy from the current frame: residual0 is the mv (PackMv).
#define PERDIX_INTRA_COPY 5u
// A block whose inter prediction is in place: predicts with the mode and blends
// (7.11.3.13, .14). PackInterIntra.
#define PERDIX_INTRA_INTER 6u

#define PERDIX_INTRA_HAVE_LEFT 1u
#define PERDIX_INTRA_HAVE_ABOVE 2u

// plane: PlaneIndex. width_log2, height_log2: of samples of the plane, 1..7
// (1: COPY of chroma never needs it; PREDICT from 2 on, to 6). have: flags
// above: haveLeft, haveAbove of 7.11.2.
PERDIX_SHARED_FUNCTION uint PackIntraShape(uint kind, uint plane,
                                           uint width_log2, uint height_log2,
                                           uint have, uint payload) {
  return kind | (plane << 3) | (width_log2 << 4) | (height_log2 << 7) |
         (have << 10) | (payload << 12);
}
PERDIX_SHARED_FUNCTION uint IntraKind(uint shape) { return shape & 7u; }
PERDIX_SHARED_FUNCTION uint IntraPlane(uint shape) { return (shape >> 3) & 1u; }
PERDIX_SHARED_FUNCTION uint IntraWidthLog2(uint shape) {
  return (shape >> 4) & 7u;
}
PERDIX_SHARED_FUNCTION uint IntraHeightLog2(uint shape) {
  return (shape >> 7) & 7u;
}
PERDIX_SHARED_FUNCTION uint IntraHave(uint shape) { return (shape >> 10) & 3u; }
PERDIX_SHARED_FUNCTION uint IntraPayload(uint shape) { return shape >> 12; }

// PREDICT. mode: 0..12, DC_PRED .. PAETH_PRED. angle: angle delta, -3..3 (of
// directional modes; pAngle is the mode's plus 3 times it). is_smooth: whether
// 7.11.2.8 (intra filter type) gives 1. above_right, below_left: 4x4 units of
// the plane to the right of the block above, and below it to the left, that are
// decoded and may be read (haveAboveRt, haveBelowLft of 7.11.2): 0, or the
// block's own width (height) in such units, whatever lies outside the frame:
// the kernel clamps to the frame's last column (row), as 7.11.2 does.
PERDIX_SHARED_FUNCTION uint PackPredict(uint mode, int angle, uint is_smooth,
                                        uint above_right, uint below_left) {
  return mode | (uint(angle + 3) << 4) | (is_smooth << 7) | (above_right << 8) |
         (below_left << 13);
}
PERDIX_SHARED_FUNCTION uint PredictMode(uint payload) { return payload & 15u; }
PERDIX_SHARED_FUNCTION int PredictAngle(uint payload) {
  return int((payload >> 4) & 7u) - 3;
}
PERDIX_SHARED_FUNCTION uint PredictSmooth(uint payload) {
  return (payload >> 7) & 1u;
}
PERDIX_SHARED_FUNCTION uint PredictAboveRight(uint payload) {
  return (payload >> 8) & 31u;
}
PERDIX_SHARED_FUNCTION uint PredictBelowLeft(uint payload) {
  return (payload >> 13) & 31u;
}

// CFL. alpha_u, alpha_v: CflAlphaU, CflAlphaV, -16..16. luma_width4,
// luma_height4: 4x4 luma units, 1..8, from the left upper corner of the chroma
// block (times the subsampling) to MaxLumaW and MaxLumaH of 7.11.5: what lies
// beyond repeats. They may exceed the decoded area of the target by what the
// last luma transform block sticks out of it: these samples count, so whoever
// reconstructs luma keeps them.
PERDIX_SHARED_FUNCTION uint PackCfl(int alpha_u, int alpha_v, uint luma_width4,
                                    uint luma_height4) {
  return uint(alpha_u + 16) | (uint(alpha_v + 16) << 6) |
         ((luma_width4 - 1u) << 12) | ((luma_height4 - 1u) << 15);
}
PERDIX_SHARED_FUNCTION int CflAlphaU(uint payload) {
  return int(payload & 63u) - 16;
}
PERDIX_SHARED_FUNCTION int CflAlphaV(uint payload) {
  return int((payload >> 6) & 63u) - 16;
}
PERDIX_SHARED_FUNCTION uint CflLumaWidth4(uint payload) {
  return ((payload >> 12) & 7u) + 1u;
}
PERDIX_SHARED_FUNCTION uint CflLumaHeight4(uint payload) {
  return ((payload >> 15) & 7u) + 1u;
}

// INTER. mode: interintra_mode, 0 II_DC, 1 II_V, 2 II_H, 3 II_SMOOTH. wedge: 0,
// or 1 + wedge_index where wedge_interintra is set (wedge_sign is 0 then).
PERDIX_SHARED_FUNCTION uint PackInterIntra(uint mode, uint wedge) {
  return mode | (wedge << 2);
}
PERDIX_SHARED_FUNCTION uint InterIntraMode(uint payload) {
  return payload & 3u;
}
PERDIX_SHARED_FUNCTION uint InterIntraWedge(uint payload) {
  return (payload >> 2) & 31u;
}

// A palette in the arena, 16-bit units: 8 colours of Y or U, for chroma 8 of V,
// then the ColorMap: bytes 0..7, as many a row as the block is wide, as many
// rows as it is high (in samples of the plane), extended to the block's edges
// (5.11.49).
#define PERDIX_PALETTE_COLOURS 8u

// ---- loop filter (7.14) ----

// Luma: one 16-bit word for each 4x4 of the frame, raster order, mi_cols a row.
// The size of the filter at its left (upper) edge: 0 none, 1: 4, 2: 8, 3: 16
// (7.14.3, sizes min'ed with the neighbour's and with 16), and the level
// of 7.14.4 there, which is the neighbour's where this one's is 0; size 0 where
// both are. Edges on the frame's border are 0. Within a block that 7.14.2 does
// not filter they are 0, too.
PERDIX_SHARED_FUNCTION uint PackLumaEdges(uint left, uint above,
                                          uint left_level, uint above_level) {
  return left | (above << 2) | (left_level << 4) | (above_level << 10);
}
PERDIX_SHARED_FUNCTION uint LeftEdge(uint edges) { return edges & 3u; }
PERDIX_SHARED_FUNCTION uint AboveEdge(uint edges) { return (edges >> 2) & 3u; }
PERDIX_SHARED_FUNCTION uint LumaLeftLevel(uint edges) {
  return (edges >> 4) & 63u;
}
PERDIX_SHARED_FUNCTION uint LumaAboveLevel(uint edges) {
  return (edges >> 10) & 63u;
}

// Chroma: one 32-bit word for each 4x4 samples of a chroma plane, raster order,
// ChromaEdgeCols a row. Sizes: 0 none, 1: 4, 2: 6 (the sizes 8 and 16). Levels
// as above, of U and V; a component whose level is 0 is not filtered.
PERDIX_SHARED_FUNCTION uint PackChromaEdges(uint left, uint above, uint u_left,
                                            uint u_above, uint v_left,
                                            uint v_above) {
  return left | (above << 2) | (u_left << 4) | (u_above << 10) |
         (v_left << 16) | (v_above << 22);
}
// component: 0 U, 1 V.
PERDIX_SHARED_FUNCTION uint ChromaLeftLevel(uint edges, uint component) {
  return (edges >> (4u + 12u * component)) & 63u;
}
PERDIX_SHARED_FUNCTION uint ChromaAboveLevel(uint edges, uint component) {
  return (edges >> (10u + 12u * component)) & 63u;
}
PERDIX_SHARED_FUNCTION uint ChromaEdgeCols(uint mi_cols, uint subsampling_x) {
  return (mi_cols + subsampling_x) >> subsampling_x;
}

// ---- CDEF (7.15) ----

#define PERDIX_NO_CDEF 0xffffffffu

// The CDEF index of a 64x64 of luma, in raster order, (mi_cols + 15) / 16 a
// row.
struct CdefBlock {
  uint index;  // cdef_idx, 0..7; PERDIX_NO_CDEF for -1
  uint padding0;
  // Bit 8 * row + column of an 8x8 is set where it is filtered: not all of it
  // is skipped (is_skip of 7.15). Rows 0..3 in the first word.
  uint filtered0;
  uint filtered1;
};

// ---- loop restoration (7.17) ----

// The filter of a unit of a plane; units of Y, then U, then V, each in raster
// order, unit_cols of RestorationPlane a row.
struct RestorationUnit {
  uint type;  // 0 none, 1 Wiener, 2 self-guided (FrameRestorationType's values
              // after the mapping of V4L2_AV1_FRAME_RESTORE_*: here this order)
  // Wiener: LrWiener[pass 0 (vertical)][0..2] as signed bytes from the lowest
  // on. Self-guided: lr_sgr_set.
  uint vertical;
  uint horizontal;  // LrWiener[pass 1 (horizontal)][0..2], packed the same way
  uint weights;     // LrSgrXqd[0] in the low 16 bits, [1] above, signed
};

#ifdef __cplusplus
static_assert(sizeof(InterBlock) == 16);
static_assert(sizeof(WarpMatrix) == 2 * PERDIX_WARP_UNITS);
static_assert(sizeof(TransformBlock) == 16);
static_assert(sizeof(IntraBlock) == 16);
static_assert(sizeof(CdefBlock) == 16);
static_assert(sizeof(RestorationUnit) == 16);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_WORK_LISTS_H_
