// SPDX-License-Identifier: BSD-2-Clause
// Second level of the reduction: partial sums to results.
//
// Reads: partials. Writes: some of results.
// Work item: a result, a workgroup each. Order: after the dispatch that wrote
// the partials.
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
  uvec2 results[];
};

void main() {
  const uint result = gl_WorkGroupID.x;
  const uint first = reduce.first_partial + result * reduce.partials;
  uvec2 sum = uvec2(0);
  for (uint i = Lane(); i < reduce.partials; i += LANES) {
    sum = Add(sum, partials[first + i]);
  }
  sum = WorkgroupSum(sum);
  if (Lane() == 0) results[reduce.result + result] = sum;
}
