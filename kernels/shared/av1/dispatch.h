// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to AV1's shaders besides the work lists: uniforms,
// push constants, specialisation constants, and the record made for the GPU
// alone. Writer: kernels/gpu/av1. Readers: shaders/av1.
#ifndef PERDIX_KERNELS_SHARED_AV1_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_AV1_DISPATCH_H_

#include "kernels/shared/dispatch.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

// ---- uniforms (std140: every member is 16-byte aligned by its size) ----

// What 7.15.1 takes from a cdef_idx for a plane; strengths are scaled to the
// bit depth.
struct CdefStrength {
  uint primary;  // as coded: luma's is yet to be adjusted
  float secondary;
  // 2 to the power of -dampingAdj of the secondary strength: a factor instead
  // of a shift.
  float secondary_scale;
  uint damping;  // of the plane
};

#define PERDIX_CDEF_INDICES 8

struct FrameUniforms {
  CdefStrength cdef[2 * PERDIX_CDEF_INDICES];  // luma's, then chroma's
};

// ---- deblocking on the GPU ----

// An edge of a 4x4 block of a plane, and how strongly it is filtered (7.14.4).
struct DeblockEdge {
  uint position;   // PackEdgePosition
  uint strengths;  // PackEdgeStrengths
};

// In units of 4 samples of the plane.
PERDIX_SHARED_FUNCTION uint PackEdgePosition(uint x4, uint y4) {
  return x4 | (y4 << 16);
}
PERDIX_SHARED_FUNCTION uint EdgeX4(uint position) { return position & 0xffffu; }
PERDIX_SHARED_FUNCTION uint EdgeY4(uint position) { return position >> 16; }

// limit: of 8 bits. 0: not filtered.
PERDIX_SHARED_FUNCTION uint PackEdgeStrength(uint level, uint limit) {
  return level | (limit << 8);
}
// Strengths of U and V; luma's is there twice.
PERDIX_SHARED_FUNCTION uint PackEdgeStrengths(uint u, uint v) {
  return u | (v << 16);
}

// ---- CDEF on the GPU ----

// A CDEF item: an 8x8 of luma, or the chroma that belongs to it. x8, y8: in
// units of 8 luma samples. index: cdef_idx.
PERDIX_SHARED_FUNCTION uint PackCdefItem(uint x8, uint y8, uint index) {
  return x8 | (y8 << 13) | (index << 26);
}
PERDIX_SHARED_FUNCTION uint CdefItemX8(uint item) { return item & 0x1fffu; }
PERDIX_SHARED_FUNCTION uint CdefItemY8(uint item) {
  return (item >> 13) & 0x1fffu;
}
PERDIX_SHARED_FUNCTION uint CdefItemIndex(uint item) { return item >> 26; }

// What the direction process finds of an 8x8 of luma (7.15.2). direction:
// yDir. weight: sixteenths of the primary strength that luma is filtered with,
// 0 or 4..16 (steps 4 and 5 of 7.15.1).
PERDIX_SHARED_FUNCTION uint PackCdefDirection(uint direction, uint weight) {
  return direction | (weight << 3);
}
PERDIX_SHARED_FUNCTION uint CdefDirectionOf(uint found) { return found & 7u; }
PERDIX_SHARED_FUNCTION uint CdefWeight(uint found) { return found >> 3; }

// The scratch memory has the directions, a word for each 8x8 of the frame in
// raster order, and then the filtered samples of each item, row by row.

// ---- loop restoration on the GPU ----

// A cell: 64 samples of a plane's line, so 64 pixels of luma or 32 of chroma,
// and some lines of a stripe. Its samples are worked on in groups: four pixels
// of a component side by side, in a word of 8 bits each or in two words.
#define PERDIX_RESTORATION_CELL 64

// Where a cell lies. column: of cells. component: 0, or 1 for V.
PERDIX_SHARED_FUNCTION uint PackRestorationPlace(uint column, uint stripe,
                                                 uint component) {
  return column | (stripe << 11) | (component << 22);
}
PERDIX_SHARED_FUNCTION uint RestorationColumn(uint place) {
  return place & 0x7ffu;
}
PERDIX_SHARED_FUNCTION uint RestorationStripe(uint place) {
  return (place >> 11) & 0x7ffu;
}
PERDIX_SHARED_FUNCTION uint RestorationComponent(uint place) {
  return place >> 22;
}
// first: line of the stripe, even.
PERDIX_SHARED_FUNCTION uint PackRestorationLines(uint first, uint count) {
  return first | (count << 8);
}
PERDIX_SHARED_FUNCTION uint RestorationFirstLine(uint lines) {
  return lines & 0xffu;
}
PERDIX_SHARED_FUNCTION uint RestorationLineCount(uint lines) {
  return lines >> 8;
}

// A cell of a component, and how it is filtered.
struct RestorationItem {
  uint place;
  uint lines;
  // Groups of the scratch memory, where its result begins, line by line. What
  // the first self-guided pass leaves for the second follows.
  uint results;
  // Wiener: RestorationUnit's vertical and horizontal. Self-guided:
  // PackSelfGuided of the strengths and of the weights.
  uint filter0;
  uint filter1;
};
// Strengths: s of 7.17.3; weights: w0 and w2 of 7.17.2. Of both passes.
PERDIX_SHARED_FUNCTION uint PackSelfGuided(int first, int second) {
  return (uint(first) & 0xffffu) | (uint(second) << 16);
}
PERDIX_SHARED_FUNCTION int SelfGuidedFirst(uint packed) {
  return int(packed << 16) >> 16;
}
PERDIX_SHARED_FUNCTION int SelfGuidedSecond(uint packed) {
  return int(packed) >> 16;
}

// A cell with results of a component or of two. results: as in
// RestorationItem, or PERDIX_NO_RESULTS where the component is not filtered.
struct RestorationCopy {
  uint place;
  uint lines;
  uint results0;  // of Y or U
  uint results1;  // of V
};
#define PERDIX_NO_RESULTS 0xffffffffu

// ---- push constants ----

// deblock.comp: a list of edges in a plane. Words are 32-bit ones.
struct DeblockConstants {
  uint first;   // record
  uint end;     // the record behind the last one
  uint offset;  // words of the target, where the plane begins
  uint stride;  // words of the target from line to line
};

// deblock_lines.comp: the lines of a plane that go to line buffers
// (kernels/av1/line_buffers.h), in units of 16 bytes.
struct DeblockLinesConstants {
  uint offset;      // of the target, where the plane begins
  uint stride;      // of the target from line to line
  uint width;       // of a line
  uint height;      // decoded lines of the plane
  uint first_line;  // of the plane, which is line 0 of slot 0
  uint slot_lines;  // of the plane from slot to slot
  uint saved;  // of the frame's tables, where line 0 of slot 0 is, of the plane
  uint saved_slot;    // of the frame's tables from slot to slot
  uint saved_stride;  // of the frame's tables from line to line
};
#define PERDIX_LINES_OF_SLOT 4

// cdef_direction.comp, cdef.comp, cdef_copy.comp: a list of items in a plane.
// Words are 32-bit ones.
struct CdefConstants {
  uint first;    // record
  uint end;      // the record behind the last one
  uint offset;   // words of the target, where the plane begins
  uint stride;   // words of the target from line to line
  uint cols8;    // 8x8 in a row of the frame
  uint results;  // words of the scratch memory, where those of record 0 would
                 // be: modulo 2^32
  uint width;    // decoded pixels of the plane
  uint height;
  uint zero;  // 0, which the compiler cannot know
};

// wiener.comp, self_guided.comp, restoration_copy.comp: a list of records in a
// plane. Words are 32-bit ones.
struct RestorationConstants {
  uint first;    // record, counted from the list's beginning
  uint end;      // the record behind the last one
  uint records;  // words of the records, where the list begins
  uint offset;   // words of the target, where the plane begins
  uint stride;   // words of the target from line to line
  uint width;    // shown pixels of the plane
  uint height;
  // Line buffers (kernels/av1/line_buffers.h), words of the frame's tables:
  uint saved;         // where line 0 of slot 0 is, of the plane
  uint saved_slot;    // from slot to slot
  uint saved_stride;  // from line to line
};

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

// deblock.comp
#define PERDIX_CONSTANT_DEBLOCK_PLANE 1  // PlaneIndex
// The size of the edges, as edge words have it (1, 2 or 3), and what is added
// to it for horizontal ones.
#define PERDIX_CONSTANT_DEBLOCK_EDGES 2
#define PERDIX_DEBLOCK_SIZE 3
#define PERDIX_DEBLOCK_HORIZONTAL 4

// cdef.comp, cdef_copy.comp
#define PERDIX_CONSTANT_CDEF_PLANE 1  // PlaneIndex
// cdef.comp: the taps that have a strength.
#define PERDIX_CONSTANT_CDEF_TAPS 2
#define PERDIX_CDEF_SECONDARY 0
#define PERDIX_CDEF_PRIMARY 1
#define PERDIX_CDEF_BOTH 2
#define PERDIX_CDEF_EDGE 3  // any, of a block at an edge of the picture
#define PERDIX_CDEF_KINDS 4

// wiener.comp, self_guided.comp, restoration_copy.comp
#define PERDIX_CONSTANT_RESTORATION_PLANE 1  // PlaneIndex
// self_guided.comp: its passes, which are also kinds of items.
#define PERDIX_CONSTANT_SELF_GUIDED_PASSES 2
#define PERDIX_RESTORATION_WIENER 0
#define PERDIX_SELF_GUIDED_FIRST 1   // radius 2
#define PERDIX_SELF_GUIDED_SECOND 2  // radius 1
#define PERDIX_SELF_GUIDED_BOTH 3
#define PERDIX_RESTORATION_KINDS 4

#ifdef __cplusplus
static_assert(sizeof(CdefStrength) == 16);
static_assert(sizeof(DeblockEdge) == 8);
static_assert(sizeof(FrameUniforms) == 256);
static_assert(sizeof(RestorationItem) == 20);
static_assert(sizeof(RestorationCopy) == 16);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_DISPATCH_H_
