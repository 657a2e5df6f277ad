// SPDX-License-Identifier: BSD-2-Clause
// Two-level reduction. First level: a shader has LANES, adds up its part of the
// input in each lane, and leaves sums for its workgroup among the partials.
// Second level: reduce.comp, after a barrier, adds up the partials. Sums are
// pairs of words modulo 2^32, or with SUM_64 defined one of 64 bits, its low
// word first; so the order does not matter. (A carry costs as many instructions
// as adding fields of 16 bits and joining them.)
//
// No subgroup arithmetic: V3D has none. With shuffles 16 lanes take 4 steps and
// no memory; without subgroups everything goes through shared memory. A shader
// that has none left defines LANE_SUM(i), LANES pairs of words of its own.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#ifndef LANE_SUM
shared uvec2 lane_sums[LANES];  // only those of a subgroup's first lane
#define LANE_SUM(i) lane_sums[i]
#endif

uint Lane() {
  return SUBGROUP_SIZE > 1
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}

uvec2 Add(uvec2 a, uvec2 b) {
#ifdef SUM_64
  const uint low = a.x + b.x;
  return uvec2(low, a.y + b.y + uint(low < a.x));
#else
  return a + b;
#endif
}

// The sum of all lanes' values, in lane 0. All lanes must come here.
uvec2 WorkgroupSum(uvec2 value) {
  const uint width = clamp(SUBGROUP_SIZE, 1, LANES);
  for (uint distance = 1; distance < width; distance *= 2) {
    value = Add(value, uvec2(subgroupShuffleXor(value.x, distance),
                             subgroupShuffleXor(value.y, distance)));
  }
  const uint lane = Lane();
  barrier();  // sums of a call before have been read
  if (lane % width == 0) LANE_SUM(lane / width) = value;
  for (uint sums = LANES / width; sums > 1; sums = (sums + 1) / 2) {
    barrier();  // the upper half has been written
    if (lane < sums / 2) {
      value = Add(LANE_SUM(lane), LANE_SUM(lane + (sums + 1) / 2));
      LANE_SUM(lane) = value;
    }
  }
  return value;
}
