// SPDX-License-Identifier: BSD-2-Clause
// How the lanes of a workgroup share a tile of a plane: 16 lanes side by side,
// 16 bytes each, on as many rows at once as there are lanes for. Includes what
// the metrics and quality/sse.comp need.
#define COLUMN_BYTES 16
#define COLUMNS (PERDIX_METRICS_TILE_BYTES / COLUMN_BYTES)
#define ROWS_AT_ONCE (LANES / COLUMNS)

#include "kernels/shared/metrics.h"
#include "shaders/common.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

#include "shaders/reduce.glsl"

layout(push_constant) uniform Constants { MetricsConstants metrics; };

layout(std430, binding = PERDIX_BINDING_PARTIALS) writeonly buffer Partials {
  uvec2 partials[];
};

// A lane's part of a tile: <rows> rows from <row> on, ROWS_AT_ONCE apart.
struct TilePart {
  uint x;     // first byte of the row
  uint row;   // of the region
  uint rows;  // may be 0
};

TilePart PartOf(PlaneRegion region, uvec2 tile) {
  const uint lane = gl_LocalInvocationIndex;
  TilePart part;
  part.x = (tile.x * COLUMNS + lane % COLUMNS) * COLUMN_BYTES;
  const uint first = tile.y * PERDIX_METRICS_TILE_ROWS;
  const uint end = min(first + PERDIX_METRICS_TILE_ROWS, region.rows);
  part.row = first + lane / COLUMNS;
  part.rows = part.x < region.row_bytes && part.row < end
                  ? (end - part.row + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE
                  : 0;
  return part;
}

// Index of the part's first 16 bytes. A sum of multiples, so that the compiler
// sees an aligned access.
uint FirstOf(PlaneRegion region, TilePart part) {
  return (region.offset >> 4) + part.row * (region.stride >> 4) +
         (part.x >> 4);
}

// One of the results' sums, of the workgroup, known to lane 0. Partials of a
// result lie side by side.
void StorePartial(uint result, uvec2 sum) {
  if (Lane() == 0) {
    const uvec2 groups = gl_NumWorkGroups.xy;
    partials[metrics.first_partial + result * groups.x * groups.y +
             gl_WorkGroupID.y * groups.x + gl_WorkGroupID.x] = sum;
  }
}
