// SPDX-License-Identifier: BSD-2-Clause
// Film grain synthesis (AV1 7.18.3.5), of one plane: adds noise to what is shown.
//
// Reads: records (PackGrainNumbers), templates of grain and scaling functions
// (the frame's tables), the target, bound as the reference. Reads, beside the
// picture, and writes: the display, bound as the target.
// Work item: four samples of a line, of luma or of two chroma pairs; a workgroup
// has 16 of them side by side, in as many lines as its lanes allow. Order: any.
//
// All values are whole and below 2^24: floats are exact.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/av1/film_grain_dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_GRAIN_PLANE) const uint PLANE = 0;
layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { FilmGrainConstants plane; };

#if SAMPLE_BITS == 8
#define ITEM uint
#else
#define ITEM uvec2
#endif
const uint ITEM_WORDS = SAMPLE_BYTES;
const uint ITEM_SAMPLES = 4;

layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer From {
  ITEM from[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer Display {
  ITEM display[];
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uint records[];
};
layout(std430, binding = PERDIX_BINDING_FRAME_TABLES) readonly buffer Tables {
  uint tables[];
};

// A block, in items across and in lines.
const uint BLOCK_ITEMS = 8;
const uint BLOCK_LINES = 32 >> PLANE;
// Its first lines, and its first samples, overlap with the block above and with
// the one to the left: two, of chroma one of each component.
const uint OVERLAP_LINES = 2 >> PLANE;
// 32nds of the older block's grain and of the newer one's.
const vec2 OLDER = PLANE == 0 ? vec2(27, 17) : vec2(23);
const vec2 NEWER = PLANE == 0 ? vec2(17, 27) : vec2(22);

// ---- samples ----

uvec4 SamplesOf(ITEM item) {
#if SAMPLE_BITS == 8
  return uvec4(item, item >> 8, item >> 16, item >> 24) & 0xffu;
#else
  return uvec4(item.x, item.x >> 16, item.y, item.y >> 16) & uint(SAMPLE_MAX);
#endif
}

ITEM ItemOf(uvec4 samples) {
#if SAMPLE_BITS == 8
  return samples.x | (samples.y << 8) | (samples.z << 16) | (samples.w << 24);
#else
  return uvec2(samples.x | (samples.y << 16), samples.z | (samples.w << 16));
#endif
}

// All bits of samples below count.
ITEM MaskOf(uint count) {
#if SAMPLE_BITS == 8
  return (1u << (8 * count)) - 1;
#else
  return uvec2(count > 1 ? ~0u : 0xffffu, count > 2 ? 0xffffu : 0);
#endif
}

// ---- noise ----

vec2 HalvesOf(uint word) { return vec2(int(word << 16) >> 16, int(word) >> 16); }

// Four samples of a line of a block's grain, from <item> on.
vec4 GrainOf(uint number, uint line, uint item) {
  const uint x = number >> 4;
  const uint y = number & 15u;
  const uint at =
      plane.grain +
      (PLANE == 0 ? (9 + 2 * y + line) * (PERDIX_LUMA_GRAIN_COLUMNS / 2) + 5 +
                        x + 2 * item
                  : (6 + y + line) * PERDIX_CHROMA_GRAIN_COLUMNS + 6 + x +
                        2 * item);
  return vec4(HalvesOf(tables[at]), HalvesOf(tables[at + 1]));
}

float Blend(float older, float newer, float older_weight, float newer_weight) {
  return clamp(
      floor((older * older_weight + newer * newer_weight) * (1.0 / 32) + 0.5),
      plane.grain_min, plane.grain_max);
}

// noiseStripe of the block with number here, right of the one with number left.
vec4 StripeNoise(uint here, uint left, uint line, uint item, bool overlaps) {
  vec4 noise = GrainOf(here, line, item);
  if (overlaps) {
    const vec4 older = GrainOf(left, line, BLOCK_ITEMS);
    noise.x = Blend(older.x, noise.x, OLDER.x, NEWER.x);
    noise.y = Blend(older.y, noise.y, OLDER.y, NEWER.y);
  }
  return noise;
}

// noiseImage.
vec4 NoiseAt(uint column, uint row) {
  const uint block = column / BLOCK_ITEMS;
  const uint item = column % BLOCK_ITEMS;
  const uint line = row % BLOCK_LINES;
  const uint numbers =
      records[plane.records + row / BLOCK_LINES * plane.blocks + block];
  const bool left = plane.overlap != 0 && block != 0 && item == 0;
  vec4 noise = StripeNoise(numbers & 0xffu, (numbers >> 8) & 0xffu, line, item,
                           left);
  if (plane.overlap != 0 && line < OVERLAP_LINES && row >= BLOCK_LINES) {
    const vec4 older = StripeNoise((numbers >> 16) & 0xffu, numbers >> 24,
                                   line + BLOCK_LINES, item, left);
    const float older_weight = line == 0 ? OLDER.x : OLDER.y;
    const float newer_weight = line == 0 ? NEWER.x : NEWER.y;
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      noise[i] = Blend(older[i], noise[i], older_weight, newer_weight);
    }
  }
  return noise;
}

// ---- scaling ----

// A value of U and one of V for the samples of two pairs.
vec4 OfComponents(float first, float second) {
  return vec4(first, second, first, second);
}

// Where samples are in their scaling functions.
vec4 PlacesOf(vec4 samples, uint column, uint row) {
  if (PLANE == 0) return samples;
  vec4 luma = vec4(SamplesOf(from[(plane.luma + 2 * row * plane.luma_stride) /
                                      ITEM_WORDS +
                                  column]));
  // An odd width's last pair has one sample of luma.
  const uint left = plane.luma_width - ITEM_SAMPLES * column;
  if (left < 2) luma.y = luma.x;
  if (left < 4) luma.w = luma.z;
  const vec2 average = floor((luma.xz + luma.yw + 1) * 0.5);
  const GrainComponent u = plane.components[0];
  const GrainComponent v = plane.components[1];
  const vec4 combined =
      average.xxyy * OfComponents(u.luma_mult, v.luma_mult) +
      samples * OfComponents(u.mult, v.mult);
  return clamp(
      floor(combined * (1.0 / 64)) + OfComponents(u.offset, v.offset), 0.0,
      float(SAMPLE_MAX));
}

// component: 0 Y or U, 1 V.
float ScalingOf(float place, uint component) {
  const uint at = (component << SAMPLE_BITS) + uint(place);
  return float((tables[plane.scaling + at / 4] >> (at % 4 * 8)) & 0xffu);
}

void AddNoise(uint column, uint row) {
  const uint left = plane.samples - ITEM_SAMPLES * column;
  const vec4 samples = vec4(SamplesOf(
      from[(plane.from + row * plane.from_stride) / ITEM_WORDS + column]));
  const vec4 places = PlacesOf(samples, column, row);
  const vec4 noise = NoiseAt(column, row);
  uvec4 noisy;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uint of = PLANE == 0 ? 0 : i % 2;
    const GrainComponent component = plane.components[of];
    const float scaled = ScalingOf(places[i], of) * noise[i];
    noisy[i] = uint(clamp(samples[i] + floor(scaled * component.factor + 0.5),
                          component.lowest, component.highest));
  }
  const uint at = (plane.to + row * plane.to_stride) / ITEM_WORDS + column;
  ITEM item = ItemOf(noisy) << plane.shift;
  if (left < ITEM_SAMPLES) {
    // Samples beyond the picture's stay as they are.
    const ITEM old = display[at];
    item = old ^ ((old ^ item) & MaskOf(left));
  }
  display[at] = item;
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint column = gl_WorkGroupID.x * PERDIX_GRAIN_COLUMNS +
                      lane % PERDIX_GRAIN_COLUMNS;
  const uint row = gl_WorkGroupID.y * (LANES / PERDIX_GRAIN_COLUMNS) +
                   lane / PERDIX_GRAIN_COLUMNS;
  if (row >= plane.lines || ITEM_SAMPLES * column >= plane.samples) return;
  AddNoise(column, row);
}
