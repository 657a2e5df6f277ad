// SPDX-License-Identifier: BSD-2-Clause
// What both programs of the loop filter (VP9 8.8) share: the order of work. A
// program has its lanes' layout and FilterPass.
//
// Work item: a superblock row by ROW_LANES lanes, in one plane
// (gl_WorkGroupID.y): of the superblock column c = dispatch.step - row the
// horizontal edges of c - 1, then the vertical edges of c. A workgroup has ROWS
// rows, some of them maybe after the last one. Order: a dispatch for each step.
//
// Why that is exact, in fewer steps than superblock after superblock: the
// vertical edges V(r, c) touch only lines of row r, up to 8 columns left of the
// superblock; the horizontal edges H(r, c) touch only columns of c, up to 8
// lines above it. So H(r, c) must follow V(r, c), V(r - 1, c + 1) and
// H(r - 1, c), and V(r, c + 1) must follow H(r, c): no more. (r, c) need only
// follow (r - 1, c): cols + rows steps.
#ifndef PERDIX_SHADERS_VP9_LOOP_FILTER_GLSL_
#define PERDIX_SHADERS_VP9_LOOP_FILTER_GLSL_

#include "kernels/shared/vp9/dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 32;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;
layout(constant_id = PERDIX_CONSTANT_ROW_LANES) const uint ROW_LANES = 32;
const uint ROWS = LANES / ROW_LANES;

layout(push_constant) uniform Constants { LoopFilterConstants dispatch; };

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

// Whether a subgroup is known to have no lanes of two rows.
const bool IS_OF_ONE_ROW =
    SUBGROUP_SIZE != 0 && (ROWS == 1 || SUBGROUP_SIZE <= ROW_LANES);
// The same for all lanes of a row.
uint Uniform(uint value) {
  return IS_OF_ONE_ROW ? subgroupBroadcastFirst(value) : value;
}
// Whether to do what is done under a mask: if any lane has to.
bool Any(bool lane) {
  return SUBGROUP_SIZE == 0 || subgroupBallot(lane) != uvec4(0);
}

struct PlaneGeometry {
  LoopFilterPlane words;
  uint step_x;  // 1 << subsampling
  uint step_y;
  uint edge_shift;
  uint pixel_samples;
  uint pixel_bytes;
  bool chroma;
};

PlaneGeometry GeometryOf(bool chroma) {
  PlaneGeometry plane;
  if (chroma) {
    plane.words = dispatch.chroma;
  } else {
    plane.words = dispatch.luma;
  }
  plane.step_x = plane.words.edges_right;
  plane.step_y = chroma ? dispatch.chroma_step_y : 1;
  plane.edge_shift =
      chroma ? PERDIX_EDGE_CHROMA_SHIFT : PERDIX_EDGE_LUMA_SHIFT;
  plane.pixel_samples = chroma ? 2 : 1;
  plane.pixel_bytes = chroma ? 2 * SAMPLE_BYTES : SAMPLE_BYTES;
  plane.chroma = chroma;
  return plane;
}

uvec2 SubsamplingOf(PlaneGeometry plane) {
  return plane.chroma ? uvec2(plane.step_x, plane.step_y) >> 1 : uvec2(0);
}

// The part of a superblock that is decoded, in pixels of a plane.
struct Area {
  uvec2 first;
  uvec2 end;
};

Area AreaOf(uvec2 subsampling, uvec2 sb) {
  const uvec2 mi_end = uvec2(dispatch.mi_cols, dispatch.mi_rows);
  const uvec2 first = sb * 64 >> subsampling;
  const uvec2 whole = first + (uvec2(64) >> subsampling);
  return Area(first, min(whole, mi_end * 8 >> subsampling));
}

// The lanes' writes are read by other lanes in the next pass.
void EndPass() {
  memoryBarrierBuffer();
  barrier();
}

// Whether the frame has the superblock; its column may be less than 0.
bool IsInFrame(uvec2 sb) {
  return CELLS * sb.x < dispatch.mi_cols &&
         (ROWS == 1 || CELLS * sb.y < dispatch.mi_rows);
}

// One pass: all vertical, or all horizontal, edges of a superblock (column, row).
// lane: of the row's.
void FilterPass(PlaneGeometry plane, bool horizontal, uvec2 sb, uint lane);

void Filter(const bool chroma, uvec2 sb, uint lane) {
  const PlaneGeometry plane = GeometryOf(chroma);
  const uvec2 left = uvec2(sb.x - 1, sb.y);
  if (IsInFrame(left)) FilterPass(plane, true, left, lane);
  EndPass();
  if (IsInFrame(sb)) FilterPass(plane, false, sb, lane);
}

// Two copies of everything: luma's constants are not chroma's.
void main() {
  const uint lane =
      gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uint row = dispatch.first + Uniform(gl_WorkGroupID.x * ROWS +
                                            (ROWS == 1 ? 0 : lane / ROW_LANES));
  const uvec2 sb = uvec2(dispatch.step - row, row);
  const uint row_lane = ROWS == 1 ? lane : lane % ROW_LANES;
  if (Uniform(gl_WorkGroupID.y) == 0) {
    Filter(false, sb, row_lane);
  } else {
    Filter(true, sb, row_lane);
  }
}

#endif  // PERDIX_SHADERS_VP9_LOOP_FILTER_GLSL_
