// SPDX-License-Identifier: BSD-2-Clause
// Sums of luma (kernels/metrics/luma.cc): absolute differences, samples, and how
// many are dark.
//
// Reads: the target, and the frame to compare it with (bound as reference; where
// there is none, the target). Writes: partials of three results.
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
const uint ONES = SAMPLE_BYTES == 2 ? 0x00010001u : 0x01010101u;
const uint SIGNS = ONES << (SAMPLE_BITS - 1);

// The values of the samples of a word.
uint Values(uint word) {
  return SAMPLE_BYTES == 2
             ? (word >> metrics.shift) & (ONES * (0xffffu >> metrics.shift))
             : word;
}

// a - b of every sample of a word, modulo its range.
uint Subtract(uint a, uint b) {
  // The top bits stand in for borrows, and are put right afterwards.
  return ((a | SIGNS) - (b & ~SIGNS)) ^ (~(a ^ b) & SIGNS);
}

// 1 in every sample of a word where a < b; difference: Subtract(a, b).
uint Less(uint a, uint b, uint difference) {
  const uint differ = a ^ b;
  return (((b & differ) | (difference & ~differ)) & SIGNS) >>
         (SAMPLE_BITS - 1);
}

// |a - b| of every sample of a word.
uint Differences(uint a, uint b) {
  const uint difference = Subtract(a, b);
  const uint less = Less(a, b, difference);
  const uint negative = (less << SAMPLE_BITS) - less;  // whole samples
  return (difference ^ negative) + less;
}

// 1 in every sample of a word that is at or below the level.
uint Dark(uint samples, uint level) {
  return Less(level, samples, Subtract(level, samples)) ^ ONES;
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

uint SumOfPair(uint pair) { return (pair & 0xffff) + (pair >> 16); }

// A sum that fits a word as a result is made of it (kernels/shared/metrics.h).
uvec2 Split(uint sum) {
  const uint low = (1u << PERDIX_LUMA_LOW_BITS) - 1;
  return uvec2(sum & low, sum >> PERDIX_LUMA_LOW_BITS);
}

void main() {
  const PlaneRegion region = metrics.planes[0];
  const PlaneRegion previous = metrics.planes[1];
  const TilePart part = PartOf(region, gl_WorkGroupID.xy);
  const int left = int(region.row_bytes) - int(part.x);
  const uvec4 shown = uvec4(BytesBefore(left), BytesBefore(left - 4),
                            BytesBefore(left - 8), BytesBefore(left - 12));
  const uint level = metrics.dark_level * ONES;
  uint at = FirstOf(region, part);
  uint previous_at = FirstOf(previous, part);
  uint difference = 0;
  uint total = 0;
  uint dark = 0;  // a count in each sample's bits
  for (uint i = 0; i < part.rows; ++i) {
    const uvec4 a = target[at];
    const uvec4 b = reference[previous_at];
    uint differences = 0;
    uint samples = 0;
    [[unroll]] for (uint word = 0; word < 4; ++word) {
      const uint now = Values(a[word]);
      differences +=
          PairSum(Differences(now, Values(b[word])) & shown[word]);
      samples += PairSum(now & shown[word]);
      // 4 words of at most 32 rows fit 8 bits.
      dark += Dark(now, level) & shown[word];
    }
    // 4 samples of 12 bits, or 8 of 8 bits, fit a field.
    difference += SumOfPair(differences);
    total += SumOfPair(samples);
    at += ROWS_AT_ONCE * (region.stride >> 4);
    previous_at += ROWS_AT_ONCE * (previous.stride >> 4);
  }
  // A tile's sums are below 2^32.
  const uvec2 sums = WorkgroupSum(uvec2(difference, total));
  const uint darks = WorkgroupSum(uvec2(SumOfPair(PairSum(dark)), 0)).x;
  StorePartial(0, Split(sums.x));
  StorePartial(1, Split(sums.y));
  StorePartial(2, Split(darks));
}
