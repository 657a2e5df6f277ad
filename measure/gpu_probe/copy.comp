// SPDX-License-Identifier: BSD-2-Clause
// Copies 4 x 16 bytes in each lane and iteration; the 16 bytes of neighbours lie
// beside each other.
//
// Reads: reference. Writes: target. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) writeonly buffer Target {
  uvec4 target[];
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uvec4 source[];
};

void main() {
  const uint lanes = gl_WorkGroupSize.x;
  uint index =
      gl_WorkGroupID.x * lanes * 4 * probe.iterations + gl_LocalInvocationIndex;
  for (uint i = 0; i < probe.iterations; ++i, index += 4 * lanes) {
    const uvec4 a = source[index];
    const uvec4 b = source[index + lanes];
    const uvec4 c = source[index + 2 * lanes];
    const uvec4 d = source[index + 3 * lanes];
    target[index] = a;
    target[index + lanes] = b;
    target[index + 2 * lanes] = c;
    target[index + 3 * lanes] = d;
  }
}
