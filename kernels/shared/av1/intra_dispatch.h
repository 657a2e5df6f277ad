// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to AV1's shader of intra prediction besides the
// work lists: its items, push constants and specialisation constants. Writer:
// kernels/gpu/av1/intra_items.cc and intra_pred.cc. Reader:
// shaders/av1/intra_pred.comp.
#ifndef PERDIX_KERNELS_SHARED_AV1_INTRA_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_AV1_INTRA_DISPATCH_H_

#include "kernels/shared/dispatch.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

// An IntraBlock, with what is easier found out on the CPU.
struct IntraItem {
  uint position;  // IntraBlock's
  uint shape;     // IntraBlock's
  // By program: PLAIN has PackIntraPlain, DIRECTIONAL has PackDirection, FILTER
  // has the mode, a palette its place in the coefficients, 32-bit words.
  uint detail;
  uint flags;  // PERDIX_INTRA_ITEM_*
};

#define PERDIX_INTRA_ITEM_RESIDUAL0 1u  // Y or U has a residual
#define PERDIX_INTRA_ITEM_RESIDUAL1 2u  // V has one
// What is read of the surroundings, or in their place (7.11.2): AboveRow,
// LeftCol, and AboveRow[ -1 ].
#define PERDIX_INTRA_ITEM_ABOVE 4u
#define PERDIX_INTRA_ITEM_LEFT 8u
#define PERDIX_INTRA_ITEM_CORNER 16u

// mode: PredictMode, which may also be that of an inter-intra block. mask: its
// weights in the tables, 32-bit words.
PERDIX_SHARED_FUNCTION uint PackIntraPlain(uint mode, uint mask) {
  return mode | (mask << 4);
}
PERDIX_SHARED_FUNCTION uint IntraPlainMode(uint detail) { return detail & 15u; }
PERDIX_SHARED_FUNCTION uint IntraPlainMask(uint detail) { return detail >> 4; }

// from: PERDIX_DIRECTION_*. dx, dy: of 7.11.2.4. above, left: of either edge
// PackDirectionEdge. corner: 1 where it is filtered.
#define PERDIX_DIRECTION_ABOVE 0u  // pAngle below 90
#define PERDIX_DIRECTION_BOTH 1u
#define PERDIX_DIRECTION_LEFT 2u  // above 180
PERDIX_SHARED_FUNCTION uint PackDirection(uint from, uint dx, uint dy,
                                          uint above, uint left, uint corner) {
  return from | (dx << 2) | (dy << 12) | (above << 22) | (left << 25) |
         (corner << 28);
}
// strength: of the filter (7.11.2.9), 0..3; upsample: 1 where it is.
PERDIX_SHARED_FUNCTION uint PackDirectionEdge(uint strength, uint upsample) {
  return strength | (upsample << 2);
}
PERDIX_SHARED_FUNCTION uint DirectionFrom(uint detail) { return detail & 3u; }
PERDIX_SHARED_FUNCTION uint DirectionDx(uint detail) {
  return (detail >> 2) & 1023u;
}
PERDIX_SHARED_FUNCTION uint DirectionDy(uint detail) {
  return (detail >> 12) & 1023u;
}
// side: 0 above, 1 left.
PERDIX_SHARED_FUNCTION uint DirectionStrength(uint detail, uint side) {
  return (detail >> (22u + 3u * side)) & 3u;
}
PERDIX_SHARED_FUNCTION uint DirectionUpsamples(uint detail, uint side) {
  return (detail >> (24u + 3u * side)) & 1u;
}
PERDIX_SHARED_FUNCTION uint DirectionCorner(uint detail) {
  return detail >> 28;
}

// The tables, 32-bit words of PERDIX_BINDING_FRAME_TABLES: bytes of
// kSmoothWeights, those of kFilterIntraTaps, then masks of inter-intra blocks,
// a byte a pixel.
#define PERDIX_INTRA_TAPS_WORD 32u
#define PERDIX_INTRA_TABLES_WORDS 104u  // without masks; a multiple of 4

// Luma right of and below the decoded area, which chroma from luma reads
// (7.11.5): in the scratch memory so many columns and rows of it. Blocks that
// are larger have no chroma from luma.
#define PERDIX_INTRA_OVERHANG 32

// intra_pred.comp: items of a program in a plane. Words are 32-bit ones.
struct IntraConstants {
  uint first;   // item
  uint end;     // the item behind the last one
  uint offset;  // words of the target, where the plane begins
  uint stride;  // words of the target from line to line
  uint width;   // decoded pixels of the plane
  uint height;
  uint residual0;  // words of the scratch memory: Y or U
  uint residual1;  // V
  uint residual_stride;
  uint luma_offset;  // words of the target
  uint luma_stride;
  uint beside;  // words of the scratch memory: luma right of the decoded area,
                // PERDIX_INTRA_OVERHANG samples a line
  uint below;   // and below it, lines as wide as the decoded area
  uint tables;  // words of the frame's tables
};

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

// Which records: PERDIX_INTRA_PROGRAM_*, plus PERDIX_INTRA_CHROMA.
#define PERDIX_CONSTANT_INTRA_PROGRAM 1
// PREDICT of DC, V, H, smooth and Paeth; INTER.
#define PERDIX_INTRA_PROGRAM_PLAIN 0
#define PERDIX_INTRA_PROGRAM_DIRECTIONAL 1  // PREDICT of the other modes
#define PERDIX_INTRA_PROGRAM_FILTER 2
#define PERDIX_INTRA_PROGRAM_CFL 3
#define PERDIX_INTRA_PROGRAM_PAINT 4  // PALETTE, RESIDUAL
#define PERDIX_INTRA_CHROMA 5
#define PERDIX_INTRA_PROGRAMS 10
#define PERDIX_CONSTANT_INTRA_BLOCK_LANES 2  // lanes of a block

#ifdef __cplusplus
static_assert(sizeof(IntraItem) == 16);
static_assert(sizeof(IntraConstants) <= 128);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_INTRA_DISPATCH_H_
