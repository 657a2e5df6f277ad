// SPDX-License-Identifier: BSD-2-Clause
// What both programs of the loop filter (VP9 8.8) share: the order of work. A
// program has its lanes' layout and FilterPass.
//
// Work item: a superblock row, in one plane (gl_WorkGroupID.y): of the
// superblock column c = dispatch.step - row the horizontal edges of c - 1, then
// the vertical edges of c. Order: a dispatch for each step.
//
// Why that is exact, in fewer steps than superblock after superblock: the
// vertical edges V(r, c) touch only lines of row r, up to 8 columns left of the
// superblock; the horizontal edges H(r, c) touch only columns of c, up to 8
// lines above it. So H(r, c) must follow V(r, c), V(r - 1, c + 1) and
// H(r - 1, c), and V(r, c + 1) must follow H(r, c): no more. (r, c) need only
// follow (r - 1, c): cols + rows steps.
#ifndef PERDIX_SHADERS_VP9_LOOP_FILTER_GLSL_
#define PERDIX_SHADERS_VP9_LOOP_FILTER_GLSL_

#include "shaders/common.glsl"

layout(std430, binding = PERDIX_BINDING_EDGES) readonly buffer Edges {
  uint edges[];
};
// Coherent: the passes of a work item read what other lanes have written.
layout(std430, binding = PERDIX_BINDING_TARGET) coherent buffer Target {
  uvec2 target[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) coherent buffer TargetWords {
  uint target_words[];
};

#define WIDTH_8 2u
#define WIDTH_16 3u

#define CELL 8u   // pixels
#define CELLS 8u  // 8x8 luma cells of a superblock, in each direction

uint Uniform(uint value) {
  return SUBGROUP_SIZE != 0 ? subgroupBroadcastFirst(value) : value;
}
// Whether to do what is done under a mask: if any lane has to.
bool Any(bool lane) {
  return SUBGROUP_SIZE == 0 || subgroupBallot(lane) != uvec4(0);
}

struct PlaneGeometry {
  uint offset;  // bytes
  uint stride;  // bytes
  uint subsampling_x;
  uint subsampling_y;
  uint edge_shift;
  uint pixel_bytes;
  bool chroma;
};

PlaneGeometry GeometryOf(bool chroma) {
  PlaneGeometry plane;
  plane.offset = chroma ? frame.target.chroma_offset : frame.target.luma_offset;
  plane.stride = chroma ? frame.target.chroma_stride : frame.target.luma_stride;
  plane.subsampling_x = chroma ? frame.params.subsampling_x : 0;
  plane.subsampling_y = chroma ? frame.params.subsampling_y : 0;
  plane.edge_shift =
      chroma ? PERDIX_EDGE_CHROMA_SHIFT : PERDIX_EDGE_LUMA_SHIFT;
  plane.pixel_bytes = chroma ? 2 : 1;
  plane.chroma = chroma;
  return plane;
}

// The part of a superblock that is decoded, in pixels of a plane.
struct Area {
  uvec2 first;
  uvec2 end;
};

Area AreaOf(PlaneGeometry plane, uvec2 sb) {
  const uvec2 subsampling = uvec2(plane.subsampling_x, plane.subsampling_y);
  const uvec2 mi_end = uvec2(frame.params.mi_cols, frame.params.mi_rows);
  const uvec2 first = sb * 64 >> subsampling;
  const uvec2 whole = first + (uvec2(64) >> subsampling);
  return Area(first, min(whole, mi_end * 8 >> subsampling));
}

// One pass: all vertical, or all horizontal, edges of a superblock.
void FilterPass(PlaneGeometry plane, bool horizontal, uvec2 sb);

// The lanes' writes are read by other lanes in the next pass.
void EndPass() {
  memoryBarrierBuffer();
  barrier();
}

void Filter(const bool chroma) {
  const PlaneGeometry plane = GeometryOf(chroma);
  const uint sb_row = dispatch.first + Uniform(gl_WorkGroupID.x);
  const uint sb_col = dispatch.step - sb_row;
  if (sb_col > 0) FilterPass(plane, true, uvec2(sb_col - 1, sb_row));
  EndPass();
  if (sb_col < frame.params.sb_cols) {
    FilterPass(plane, false, uvec2(sb_col, sb_row));
  }
}

// Two copies of everything, because registers are short: luma's constants are
// not chroma's.
void main() {
  if (Uniform(gl_WorkGroupID.y) == 0) {
    Filter(false);
  } else {
    Filter(true);
  }
}

#endif  // PERDIX_SHADERS_VP9_LOOP_FILTER_GLSL_
