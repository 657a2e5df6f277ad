// SPDX-License-Identifier: BSD-2-Clause
// A chain of arithmetic: each instruction needs the result of the one before.
//
// Reads: nothing. Writes: nothing. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) writeonly buffer Target {
  uint target[];
};

void main() {
  uint x = gl_LocalInvocationIndex;
  for (uint i = 0; i < probe.iterations; ++i) {
    TIMES_64(x = (x ^ probe.mask) + probe.step;)
  }
  if (x == probe.never) target[0] = x;
}
