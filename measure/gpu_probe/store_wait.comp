// SPDX-License-Identifier: BSD-2-Clause
// Stores, each of which is waited for before the next.
//
// Reads: nothing. Writes: target. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) coherent buffer Target {
  uint target[];
};

void main() {
  uint index = gl_LocalInvocationIndex;
  for (uint i = 0; i < probe.iterations; ++i) {
    TIMES_8(target[index & probe.mask] = i; memoryBarrierBuffer();
            index += gl_WorkGroupSize.x;)
  }
}
