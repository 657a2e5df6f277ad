// SPDX-License-Identifier: BSD-2-Clause
// Two-level reduction. First level: a shader has LANES (a power of two),
// adds up its part of the input in each lane, and leaves one sum for its
// workgroup among the partials. Second level: reduce.comp, after a barrier,
// adds up the partials. Sums are pairs of words modulo 2^32, so the order does
// not matter.
//
// No subgroup arithmetic: V3D has none. With shuffles 16 lanes take 4 steps and
// no memory; without subgroups everything goes through shared memory.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

shared uvec2 lane_sums[LANES];  // only those of a subgroup's first lane

uint Lane() {
  return SUBGROUP_SIZE > 1
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}

// The sum of all lanes' values, in lane 0. All lanes must come here, once.
uvec2 WorkgroupSum(uvec2 value) {
  const uint width = clamp(SUBGROUP_SIZE, 1, LANES);
  for (uint distance = 1; distance < width; distance *= 2) {
    value.x += subgroupShuffleXor(value.x, distance);
    value.y += subgroupShuffleXor(value.y, distance);
  }
  const uint lane = Lane();
  if (lane % width == 0) lane_sums[lane / width] = value;
  for (uint sums = LANES / width / 2; sums > 0; sums /= 2) {
    barrier();  // the upper half has been written
    if (lane < sums) {
      value = lane_sums[lane] + lane_sums[lane + sums];
      lane_sums[lane] = value;
    }
  }
  return value;
}
