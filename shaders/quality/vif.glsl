// SPDX-License-Identifier: BSD-2-Clause
// What vif_down.comp and vif_stat.comp share: the samples of both pictures at
// SCALE. Those of scale 0 are the pictures' own, of SAMPLE_BITS; those of others
// are a plane, the reference's in the lower half of a word, the decoded picture's
// in the upper one.
#include "shaders/quality/planes.glsl"

layout(push_constant) uniform Constants { VifConstants vif; };

#if SCALE == 0
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uint reference[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uint target[];
};

uint SamplesAt(Column column, uint row) {
  return SAMPLE(reference, vif.reference, column, row) |
         SAMPLE(target, vif.decoded, column, row) << 16;
}

#define MEAN_SHIFT vif.bit_depth
#else
layout(std430, binding = PERDIX_BINDING_PLANES_IN) readonly buffer PlanesIn {
  uint planes_in[];
};

Column ScaleColumn(uint x) { return Column(vif.samples + x, 0); }
#define ColumnOf ScaleColumn

#define SamplesAt(column, row) planes_in[column.word + (row) * vif.width]

#define MEAN_SHIFT 16
#endif

uvec2 Halves16(uint word) { return uvec2(word & 0xffff, word >> 16); }

uvec2 RoundShift(uvec2 sum, uint bits) {
  return sum + (1u << (bits - 1)) >> bits;
}
