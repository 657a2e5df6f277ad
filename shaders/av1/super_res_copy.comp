// SPDX-License-Identifier: BSD-2-Clause
// Brings what super-resolution has made into the target.
//
// Reads: results (scratch), the target beside the picture. Writes: the target.
// Work item: 16 bytes of a line; a workgroup has 16 of them side by side, in as
// many lines as its lanes allow. Order: any, after the dispatches that upscale:
// they read the target as it was.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/av1/super_res_dispatch.h"
#include "shaders/common.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { SuperResCopyConstants plane; };

layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uvec4 target[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) readonly buffer Results {
  uvec4 results[];
};

// All bits of a word's bytes below count.
uint MaskOf(int count) {
  return count >= 4 ? ~0u : count <= 0 ? 0u : (1u << (8 * count)) - 1;
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint column = gl_WorkGroupID.x * PERDIX_UPSCALE_COLUMNS +
                      lane % PERDIX_UPSCALE_COLUMNS;
  const uint line = gl_WorkGroupID.y * (LANES / PERDIX_UPSCALE_COLUMNS) +
                    lane / PERDIX_UPSCALE_COLUMNS;
  const int left = int(plane.bytes) - int(16 * column);
  if (left <= 0 || line >= plane.lines) return;
  const uint to = plane.to + line * plane.to_stride + column;
  uvec4 words = results[plane.from + line * plane.from_stride + column];
  if (left < 16) {
    // What lies beyond the picture stays as it is.
    const uvec4 old = target[to];
    [[unroll]] for (int i = 0; i < 4; ++i) {
      words[i] = old[i] ^ ((old[i] ^ words[i]) & MaskOf(left - 4 * i));
    }
  }
  target[to] = words;
}
