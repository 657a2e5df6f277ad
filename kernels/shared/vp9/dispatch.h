// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to VP9's shaders besides the work lists: uniforms,
// push constants, specialisation constants, and the record made for the GPU
// alone. Writer: kernels/gpu/vp9. Readers: shaders/vp9.
#ifndef PERDIX_KERNELS_SHARED_VP9_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_VP9_DISPATCH_H_

#include "kernels/shared/dispatch.h"
#include "kernels/shared/vp9/work_lists.h"

#ifdef __cplusplus
namespace perdix::vp9 {
#endif

// PERDIX_BINDING_RECORDS holds TransformBlock, IntraBlock and InterUnit,
// PERDIX_BINDING_TABLES the SubpelTable.
#define PERDIX_BINDING_RESIDUAL PERDIX_BINDING_SCRATCH    // see ResidualLayout
#define PERDIX_BINDING_EDGES PERDIX_BINDING_FRAME_TABLES  // loop filter words

// ---- uniforms (std140: every member is 16-byte aligned by its size) ----

// The residual of intra blocks: three planes of 16-bit values (Y, U, V), each
// padded to whole superblocks. A value is clamped to what moves a sample from
// one end of its range to the other, and has a bias of 1 << bit depth. A word
// has two columns: of every four 0 and 2, then 1 and 3 at 8 bits, as words of
// samples have pairs (shaders/samples.glsl); above that 0 and 1, then 2 and 3.
struct ResidualLayout {
  uint luma_stride;    // values; also the padded width
  uint chroma_stride;  // values
  uint u_offset;       // values
  uint v_offset;       // values
};

struct FrameUniforms {
  uint decoded_width;  // luma samples, DecodedSize
  uint decoded_height;
  uint subsampling_x;
  uint subsampling_y;
  PlaneOffsets target;
  ResidualLayout residual;
};

// ---- push constants ----

// inter_pred.comp: the planes of the reference and of the target that the
// dispatch is about.
struct InterConstants {
  uint first;  // record
  // 0, which the compiler cannot know: adding it makes a value anew that would
  // stay in a register otherwise (V3D has few). Shaders for devices with many
  // registers do not read it.
  uint zero;
  uint x_step;  // ReferenceScale
  uint y_step;
  uint source_offset;  // bytes
  uint source_stride;  // bytes
  int source_last_x;   // the frame's last pixel
  int source_last_y;
  uint target_stride;  // bytes
  uint source_shift;   // PictureView::shift; read where samples have 10 bits
};

// inverse_transform.comp: the plane of the target that the dispatch adds to;
// unused where it stores the residual.
struct TransformConstants {
  uint first;   // record
  uint offset;  // bytes
  uint width;   // pixels that are decoded
  uint stride;  // bytes
  uint height;
};

// intra_pred.comp
struct IntraConstants {
  uint first;  // record
};

// What the loop filter's lanes add to their places. All of it is here, and not
// in FrameUniforms or to be computed, because a push constant is an operand: it
// takes no register over a loop, and nothing waits for it.
struct LoopFilterPlane {
  uint offset;     // words of the target, as are the rows
  uint row;        // from row to row
  uint row_pairs;  // from row to row, in pairs of words
  uint rows2;      // over two rows
  uint rows4;
  uint rows8;
  uint cell_pairs;   // from a cell to the next one in its row, pairs of words
  uint edges_right;  // from an edge word to that of the cell to the right
  uint edges_below;  // and to that of the cell below
};

// loop_filter.comp, loop_filter_lines.comp
struct LoopFilterConstants {
  uint first;  // superblock row: that of workgroup 0, or its first one
  uint step;   // of the wavefront
  // VP9 8.8.1: limit = clamp(level >> shift, 1, highest).
  uint limit_shift;
  uint limit_highest;  // in both halves
  uint mi_cols;        // Params
  uint mi_rows;
  uint chroma_step_y;  // 1 << subsampling_y
  LoopFilterPlane luma;
  LoopFilterPlane chroma;
};

// ---- inter prediction on the GPU ----

// A unit has so much of a target line: 8 luma samples of 8 bits, or 4 of 10.
#define PERDIX_INTER_UNIT_BYTES 8
#define PERDIX_INTER_UNIT_ROWS 8
#define PERDIX_INTER_TALL_ROWS 16

// A part of an InterBlock in one plane, predicted by two lanes, or four if it
// is tall. Made from the records in kernels/gpu/vp9/inter_units.cc, where
// motion vectors are clamped and scaled once for a block, not once for a lane.
struct InterUnit {
  uint target;  // its first byte in the target buffer, multiple of 4
  int x;        // reference position of its first pixel, 1/16 pixel
  int y;
  uint shape;  // PackInterUnitShape
};

// words: 1 or 2 words of a target line; rows: 0 (nothing at all), 4
// or 8; of tall ones 0 or 16.
PERDIX_SHARED_FUNCTION uint PackInterUnitShape(uint kind, uint words,
                                               uint rows) {
  return kind | (words << 2) | (rows << 4);
}
PERDIX_SHARED_FUNCTION uint InterUnitFilter(uint shape) { return shape & 3u; }
PERDIX_SHARED_FUNCTION uint InterUnitWords(uint shape) {
  return (shape >> 2) & 3u;
}
PERDIX_SHARED_FUNCTION uint InterUnitRows(uint shape) { return shape >> 4; }

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

// inverse_transform.comp: rows of a block that one lane transforms.
#define PERDIX_TRANSFORM_LANE_ROWS(log2) ((log2) == 2 ? 4 : (log2) == 3 ? 2 : 1)
#define PERDIX_CONSTANT_TRANSFORM 1
#define PERDIX_TRANSFORM_DCT 0        // every block is DCT_DCT
#define PERDIX_TRANSFORM_WHT 1        // lossless
#define PERDIX_TRANSFORM_DC 2         // every block is DCT_DCT with eob 1
#define PERDIX_TRANSFORM_DCT_WHOLE 3  // DCT_DCT, every coefficient is stored
// 4..6: every block has tx_type 1..3, PackTransformShape.
#define PERDIX_TRANSFORM_ADST 4
// Any tx_type; sums of products need more than 32 bits (10-bit samples only).
#define PERDIX_TRANSFORM_EXACT 7
#define PERDIX_TRANSFORM_KINDS 8
#define PERDIX_CONSTANT_OUTPUT 2
#define PERDIX_OUTPUT_LUMA 0      // added to the luma plane
#define PERDIX_OUTPUT_CHROMA 1    // added to U or V, as the record says
#define PERDIX_OUTPUT_RESIDUAL 2  // stored in the residual planes
#define PERDIX_OUTPUT_KINDS 3

// inter_pred.comp
#define PERDIX_CONSTANT_PLANE 1  // PlaneIndex, plus PERDIX_INTER_AVERAGE
#define PERDIX_INTER_AVERAGE 2   // if it is the second prediction of a compound
#define PERDIX_CONSTANT_KIND 2
#define PERDIX_INTER_SCALED 0      // any unit, from a reference of any size
#define PERDIX_INTER_CLAMPED 1     // any unit, from a reference not scaled
#define PERDIX_INTER_BOTH 2        // not scaled, source inside the reference
#define PERDIX_INTER_HORIZONTAL 3  // as BOTH, without a vertical fraction
#define PERDIX_INTER_VERTICAL 4    // as BOTH, without a horizontal fraction
#define PERDIX_INTER_COPY 5        // as BOTH, without a fraction
// PERDIX_INTER_BOTH in tall units: of 23 rows filtered horizontally come 16,
// not 8 of 15.
#define PERDIX_INTER_BOTH_TALL 6
#define PERDIX_INTER_KINDS 7

// loop_filter.comp: the widest edges (1..3, see PackEdges), plus
// PERDIX_EDGES_INNER if there are those inside of cells. Edges are left out to
// count what they cost: only PERDIX_EDGES_ALL does everything.
#define PERDIX_CONSTANT_EDGES 1
#define PERDIX_EDGES_INNER 4
#define PERDIX_EDGES_ALL 7
// intra_pred.comp: lanes of a block. A workgroup has one block or more.
#define PERDIX_CONSTANT_BLOCK_LANES 2
// In place of a mode: a record that pads a list.
#define PERDIX_INTRA_NO_BLOCK 15

// Both programs of the loop filter: lanes of a superblock row. A workgroup has
// one or more.
#define PERDIX_CONSTANT_ROW_LANES 2

#ifdef __cplusplus
static_assert(sizeof(ResidualLayout) == 16);
static_assert(sizeof(FrameUniforms) == 48);
static_assert(sizeof(InterUnit) == 16);
}  // namespace perdix::vp9
#endif

#endif  // PERDIX_KERNELS_SHARED_VP9_DISPATCH_H_
