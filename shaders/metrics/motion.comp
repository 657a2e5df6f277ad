// SPDX-License-Identifier: BSD-2-Clause
// Sum of absolute differences of luma (kernels/metrics/motion.cc).
//
// Reads: the target, the previous frame (bound as reference). Writes: partials.
// Work item: a tile of luma. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/metrics/tile.glsl"

layout(constant_id = PERDIX_CONSTANT_SAMPLE_BYTES) const uint SAMPLE_BYTES = 1;

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uvec4 target[];
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uvec4 reference[];
};

const uint SAMPLE_BITS = 8 * SAMPLE_BYTES;
const uint SIGNS = SAMPLE_BYTES == 2 ? 0x80008000u : 0x80808080u;

// |a - b| of every sample of a word.
uint Differences(uint a, uint b) {
  const uint differ = a ^ b;
  // The top bits stand in for borrows, and are put right afterwards.
  const uint difference = ((a | SIGNS) - (b & ~SIGNS)) ^ (~differ & SIGNS);
  const uint less = (((b & differ) | (difference & ~differ)) & SIGNS) >>
                    (SAMPLE_BITS - 1);
  const uint negative = (less << SAMPLE_BITS) - less;  // whole samples
  return (difference ^ negative) + less;
}

// The sums of the samples of a word, a pair of them.
uint PairSum(uint samples) {
  const uint even = samples & 0x00ff00ffu;
  return SAMPLE_BYTES == 2 ? samples : even + ((samples >> 8) & 0x00ff00ffu);
}

// The bytes of a word before <end> (of any sign).
uint BytesBefore(int end) {
  return end >= 4 ? ~0u : (1u << (8 * max(end, 0))) - 1;
}

void main() {
  const PlaneRegion region = metrics.planes[0];
  const PlaneRegion previous = metrics.planes[1];
  const TilePart part = PartOf(region, gl_WorkGroupID.xy);
  const int left = int(region.row_bytes) - int(part.x);
  const uvec4 shown = uvec4(BytesBefore(left), BytesBefore(left - 4),
                            BytesBefore(left - 8), BytesBefore(left - 12));
  uint at = FirstOf(region, part);
  uint previous_at = FirstOf(previous, part);
  uint sum = 0;
  for (uint i = 0; i < part.rows; ++i) {
    const uvec4 a = target[at];
    const uvec4 b = reference[previous_at];
    uint pair = 0;
    [[unroll]] for (uint word = 0; word < 4; ++word) {
      pair += PairSum(Differences(a[word], b[word]) & shown[word]);
    }
    // 4 differences of 12 bits, or 8 of 8 bits, fit a field.
    sum += (pair & 0xffff) + (pair >> 16);
    at += ROWS_AT_ONCE * (region.stride >> 4);
    previous_at += ROWS_AT_ONCE * (previous.stride >> 4);
  }
  // A tile's sum is below 2^32.
  const uint total = WorkgroupSum(uvec2(sum, 0)).x;
  const uint low = (1u << PERDIX_MOTION_LOW_BITS) - 1;
  StorePartial(0, uvec2(total & low, total >> PERDIX_MOTION_LOW_BITS));
}
