// SPDX-License-Identifier: BSD-2-Clause
// Final shift (kernels/final_shift.cc): samples of 16 bits, which have their
// value in the low bits, get it into the upper ones.
//
// Reads and writes: the target, one plane of it. Work item: 8 samples of a row;
// a workgroup has 16 of them side by side, in as many rows as its lanes allow.
// Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/common.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { FinalShiftConstants plane; };

layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uvec4 target[];
};

#define ITEM_SAMPLES 8

// Values are below 1 << (16 - shift): none moves into the other field of a word.
void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint item = gl_WorkGroupID.x * PERDIX_SHIFT_COLUMNS +
                    lane % PERDIX_SHIFT_COLUMNS;
  const uint row = gl_WorkGroupID.y * (LANES / PERDIX_SHIFT_COLUMNS) +
                   lane / PERDIX_SHIFT_COLUMNS;
  if (row >= plane.rows || item * ITEM_SAMPLES >= plane.samples) return;
  const uint at = plane.offset + row * plane.stride + item;
  const uvec4 words = target[at];
  uvec4 shifted = words << plane.shift;
  const uint left = plane.samples - item * ITEM_SAMPLES;
  if (left < ITEM_SAMPLES) {
    // Samples beyond the picture's stay as they are.
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      const uint mask = left > 2 * i + 1 ? ~0u : left > 2 * i ? 0xffffu : 0;
      shifted[i] = words[i] ^ ((words[i] ^ shifted[i]) & mask);
    }
  }
  target[at] = shifted;
}
