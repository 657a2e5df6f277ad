// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to the shaders of AV1's inverse transforms
// (residual_rows.comp, residual_columns.comp, residual_dc.comp) besides the
// work lists, and where intra prediction finds what they leave for it. Writer:
// kernels/gpu/av1. Readers: shaders/av1.
#ifndef PERDIX_KERNELS_SHARED_AV1_RESIDUAL_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_AV1_RESIDUAL_DISPATCH_H_

#include "kernels/shared/dispatch.h"
#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

// ---- records ----

// A TransformBlock, and where its values are between rows and columns.
struct ResidualBlock {
  uint position;      // as in TransformBlock, as is the shape
  uint shape;         // PackTransformShape
  uint coefficients;  // in the coefficient buffer, 16-bit units
  uint values;        // words of the scratch memory, a multiple of 4
};

// The values of a block, 16 bits each: stored rows as wide as the block, two
// columns to a word. Behind them is as much memory as 16 bits for each of the
// block's samples need, where it is 64 wide or 32 or more high. Row transforms
// of 64 keep one half of a row there, 32 words for each. Then column transforms
// of 32 and 64 have their results there as lanes pack them, a word for two rows
// of a column: those of four columns are next to each other, and behind them
// those of the next two rows.
PERDIX_SHARED_FUNCTION uint ResidualValueWords(uint width, uint stored_rows) {
  return stored_rows * width / 2u;
}
#define PERDIX_RESIDUAL_TALL_LOG2 5  // the least height of such blocks

// A part of a block. block: counted from ResidualConstants::blocks. part: of
// rows, four stored rows of the block; of columns, four columns; of DC, four
// columns (low 4 bits) of 16 rows.
PERDIX_SHARED_FUNCTION uint PackResidualItem(uint block, uint part) {
  return part | (block << 6);
}
PERDIX_SHARED_FUNCTION uint ResidualItemBlock(uint item) { return item >> 6; }
PERDIX_SHARED_FUNCTION uint ResidualItemPart(uint item) { return item & 63u; }

// Lanes of an item of rows. Other items have one.
#define PERDIX_RESIDUAL_ROW_LANES 4
#define PERDIX_RESIDUAL_DC_ROWS 16

// ---- the residual of intra blocks ----

// Three planes of 16-bit values (Y, U, V) at the beginning of the scratch
// memory, each padded to whole superblocks, so that all of a block is there,
// also what sticks out of the frame. A value is clamped to what moves a sample
// from one end of its range to the other, and has a bias of 1 << bit depth. Two
// columns that follow each other share a word, the left one in the low bits.
// Where no block is nothing is written.
struct ResidualLayout {
  uint luma_stride;    // values; also the padded width
  uint chroma_stride;  // values
  uint u_offset;       // values
  uint v_offset;       // values
};

// ---- push constants ----

// All three shaders. The plane of the target is that which is added to; not
// read where the residual is left in planes. Words are 32-bit ones.
struct ResidualConstants {
  uint first;   // item
  uint blocks;  // record of block 0, in units of ResidualBlock
  uint offset;  // words of the target, where the plane begins
  uint stride;  // words of the target from line to line
  uint height;  // decoded pixels of the plane
  uint zero;    // 0, which the compiler cannot know
  ResidualLayout planes;
};

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

// residual_rows.comp, residual_columns.comp: the transform, and whether its
// values are clamped: those of small coefficients need not be.
#define PERDIX_CONSTANT_RESIDUAL_KIND 1
#define PERDIX_RESIDUAL_DCT 0
#define PERDIX_RESIDUAL_ADST 1
#define PERDIX_RESIDUAL_IDENTITY 2
#define PERDIX_RESIDUAL_WHT 3
#define PERDIX_RESIDUAL_KIND 3
#define PERDIX_RESIDUAL_CLAMPS 4
// residual_columns.comp, residual_dc.comp
#define PERDIX_CONSTANT_RESIDUAL_OUTPUT 2
#define PERDIX_RESIDUAL_TO_LUMA 0    // added to the luma plane
#define PERDIX_RESIDUAL_TO_CHROMA 1  // added to U or V, as the block says
#define PERDIX_RESIDUAL_TO_PLANES 2  // left in the planes of ResidualLayout

#ifdef __cplusplus
static_assert(sizeof(ResidualBlock) == 16);
static_assert(sizeof(ResidualLayout) == 16);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_RESIDUAL_DISPATCH_H_
