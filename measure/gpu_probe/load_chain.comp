// SPDX-License-Identifier: BSD-2-Clause
// A chain of loads: each gives the index of the next. The 16 lanes of a subgroup
// stay in one line of 64 bytes.
//
// Reads: reference. Writes: nothing. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) writeonly buffer Target {
  uint target[];
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uint next[];
};

void main() {
  uint x = gl_LocalInvocationIndex;
  for (uint i = 0; i < probe.iterations; ++i) {
    TIMES_8(x = next[x];)
  }
  if (x == probe.never) target[0] = x;
}
