// SPDX-License-Identifier: BSD-2-Clause
// Loads of WORD, 1, 2 or 4 words of 32 bits, that do not wait for each other.
//
// Reads: reference. Writes: nothing. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) writeonly buffer Target {
  uint target[];
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  WORD words[];
};

void main() {
  uint index = gl_LocalInvocationIndex;
  WORD sum = WORD(0);
  for (uint i = 0; i < probe.iterations; ++i) {
    TIMES_16(sum ^= words[index & probe.mask]; index += gl_WorkGroupSize.x;)
  }
  if (sum == WORD(probe.never)) target[0] = index;
}
