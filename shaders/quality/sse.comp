// SPDX-License-Identifier: BSD-2-Clause
// Squared errors of a plane (kernels/quality/sse.cc): of luma a sum, of chroma
// one of U and one of V.
//
// Reads: the target, the reference. Writes: partials.
// Work item: a tile. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#define SUM_64

#include "kernels/shared/quality_dispatch.h"
#include "shaders/metrics/tile.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_SSE_PLANE) const uint PLANE = 0;

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uvec4 target[];
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uvec4 reference[];
};

// The bytes of a word before <end> (of any sign).
uint BytesBefore(int end) {
  return end >= 4 ? ~0u : (1u << (8 * max(end, 0))) - 1;
}

uint Squared(uint a, uint b) {
  const int difference = int(a) - int(b);
  return uint(difference * difference);
}

// Squared differences of a word's even and odd samples.
uvec2 Errors(uint a, uint b) {
#if SAMPLE_BITS == 8
  return uvec2(
      Squared(a & 0xff, b & 0xff) + Squared(a >> 16 & 0xff, b >> 16 & 0xff),
      Squared(a >> 8 & 0xff, b >> 8 & 0xff) + Squared(a >> 24, b >> 24));
#else
  return uvec2(Squared(a & 0xffff, b & 0xffff), Squared(a >> 16, b >> 16));
#endif
}

void main() {
  const PlaneRegion decoded = metrics.planes[0];
  const PlaneRegion original = metrics.planes[1];
  const TilePart part = PartOf(decoded, gl_WorkGroupID.xy);
  const int left = int(decoded.row_bytes) - int(part.x);
  uint decoded_at = FirstOf(decoded, part);
  uint original_at = FirstOf(original, part);
  // Each fits a word: 64 of 24 bits at most.
  uvec2 errors = uvec2(0);
  for (uint i = 0; i < part.rows; ++i) {
    const uvec4 a = target[decoded_at];
    const uvec4 b = reference[original_at];
    [[unroll]] for (int word = 0; word < 4; ++word) {
      const uint shown = BytesBefore(left - 4 * word);
      errors += Errors(a[word] & shown, b[word] & shown);
    }
    decoded_at += ROWS_AT_ONCE * (decoded.stride >> 4);
    original_at += ROWS_AT_ONCE * (original.stride >> 4);
  }
  const uvec2 even = uvec2(errors.x, 0);
  const uvec2 odd = uvec2(errors.y, 0);
  if (PLANE == 0) {
    StorePartial(0, WorkgroupSum(Add(even, odd)));
  } else {
    StorePartial(0, WorkgroupSum(even));
    StorePartial(1, WorkgroupSum(odd));
  }
}
