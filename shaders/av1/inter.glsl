// SPDX-License-Identifier: BSD-2-Clause
// What the shaders of AV1's inter prediction have in common. They are compiled
// for each plane: PLANE is 0 for luma, 1 for chroma, whose pixels are U and V.
//
// All arithmetic is in floating point, and exact: a sample n is the half float
// 1024 + n, whose bits are 0x6400 + n; filters have eighths of their taps, which
// add up to 16; so what a horizontal filter gives has a bias of 16384, as have
// halves of compound predictions. No sum needs more than 24 bits.
#extension GL_EXT_control_flow_attributes : require

#include "kernels/shared/av1/inter_dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;
layout(push_constant) uniform Constants { PredictConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetWords {
  uint target_words[];
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer RecordWords {
  uint record_words[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Scratch {
  uint scratch[];
};

#define COMPONENTS (PLANE + 1u)  // of a pixel
#define PIXEL_BYTES (COMPONENTS * SAMPLE_BYTES)
#define PIXELS (4u / PIXEL_BYTES)  // of a word

const uint UNITS = LANES / PERDIX_PREDICT_UNIT_WORDS;  // of a workgroup

// The samples of a word in order. In 16 bits each they take PAIRS.
#if SAMPLE_BITS == 8
#define FLOATS vec4
#define PAIRS uvec2
#else
#define FLOATS vec2
#define PAIRS uint
#endif
#define PAIR_WORDS (WORD_SAMPLES / 2u)

// Samples with their bias.
FLOATS FloatsOf(uint word) {
#if SAMPLE_BITS == 8
  return vec4(unpackHalf2x16(EvenHalves(word)), unpackHalf2x16(OddHalves(word)))
      .xzyw;
#else
  return unpackHalf2x16(Halves(word));
#endif
}

// And back; they are whole numbers.
uint WordOf(FLOATS samples) {
#if SAMPLE_BITS == 8
  return JoinHalves(packHalf2x16(samples.xz), packHalf2x16(samples.yw));
#else
  return packHalf2x16(samples) - HALF_BIAS;
#endif
}

// Clip1 of samples with their bias.
FLOATS Clip(FLOATS samples) {
  return clamp(samples, 1024.0, 1024.0 + float(SAMPLE_MAX));
}

// Whole numbers from 0 to 65535.
vec2 PairOf(uint word) { return vec2(word & 0xffffu, word >> 16); }
uint PairWord(vec2 pair) { return uint(pair.x) | (uint(pair.y) << 16); }
FLOATS FloatsOfPairs(PAIRS pairs) {
#if SAMPLE_BITS == 8
  return vec4(PairOf(pairs.x), PairOf(pairs.y));
#else
  return PairOf(pairs);
#endif
}
PAIRS PairsOf(FLOATS values) {
#if SAMPLE_BITS == 8
  return uvec2(PairWord(values.xy), PairWord(values.zw));
#else
  return PairWord(values);
#endif
}


// Half of a compound prediction in the scratch memory.
PAIRS LoadPairs(uint at) {
#if SAMPLE_BITS == 8
  return uvec2(scratch[at], scratch[at + 1]);
#else
  return scratch[at];
#endif
}
void StorePairs(uint at, PAIRS pairs) {
  scratch[at] = pairs.x;
#if SAMPLE_BITS == 8
  scratch[at + 1] = pairs.y;
#endif
}

// at: byte of the records.
uint RecordByte(uint at) {
  return (record_words[at >> 2] >> (8 * (at & 3))) & 0xffu;
}

// A lane's word of a unit.
struct Lane {
  uint element;  // where the unit's record begins
  uint part;     // the word
  uint shape;
  uint lines;  // 0 if it has none
};

// elements: of a record, whose shape is in the word so many.
Lane FindLane(uint elements, uint shape_word) {
  const uint unit = dispatch.first + gl_WorkGroupID.x * UNITS +
                    gl_LocalInvocationIndex / PERDIX_PREDICT_UNIT_WORDS;
  Lane lane;
  lane.part = gl_LocalInvocationIndex % PERDIX_PREDICT_UNIT_WORDS;
  lane.element =
      dispatch.records + min(unit, dispatch.end - 1) * elements;
  lane.shape = record_words[4 * lane.element + shape_word];
  const bool is_there =
      unit < dispatch.end && lane.part < UnitWords(lane.shape);
  lane.lines = is_there ? UnitLines(lane.shape) : 0;
  return lane;
}
