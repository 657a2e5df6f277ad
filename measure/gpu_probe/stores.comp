// SPDX-License-Identifier: BSD-2-Clause
// Stores of WORD, 1, 2 or 4 words of 32 bits, that nobody waits for.
//
// Reads: nothing. Writes: target. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) writeonly buffer Target {
  WORD words[];
};

void main() {
  uint index = gl_LocalInvocationIndex;
  for (uint i = 0; i < probe.iterations; ++i) {
    TIMES_16(words[index & probe.mask] = WORD(probe.never);
             index += gl_WorkGroupSize.x;)
  }
}
