// SPDX-License-Identifier: BSD-2-Clause
// Second level of the reduction: partial sums to one result.
//
// Reads: partials. Writes: one of results.
// Work item: the one workgroup. Order: after the dispatch that wrote the
// partials.
#version 450
#extension GL_GOOGLE_include_directive : require

#define LANES 256

#include "kernels/shared/metrics.h"
#include "shaders/common.glsl"
#include "shaders/reduce.glsl"

layout(local_size_x = LANES) in;

layout(push_constant) uniform Constants { ReduceConstants reduce; };

layout(std430, binding = PERDIX_BINDING_PARTIALS) readonly buffer Partials {
  uvec2 partials[];
};
layout(std430, binding = PERDIX_BINDING_RESULTS) writeonly buffer Results {
  MetricsResults results;
};

void main() {
  uvec2 sum = uvec2(0);
  for (uint i = Lane(); i < reduce.partials; i += LANES) {
    sum += partials[reduce.first_partial + i];
  }
  sum = WorkgroupSum(sum);
  if (Lane() == 0) results.sums[reduce.result] = MetricsSum(sum.x, sum.y);
}
