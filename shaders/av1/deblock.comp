// SPDX-License-Identifier: BSD-2-Clause
// The deblocking filter across edges of one size and direction (AV1 7.14.6).
//
// Reads: records (edges), the target up to 7 samples around an edge. Writes:
// the target up to 6 samples around it, in whole words.
// Work item: two lines across an edge by a lane, as the fields of pairs; edges
// dispatch.first on. Order: any; two edges that share words of the target are
// not in one dispatch.
//
// The lines of a lane: of vertical edges two rows of luma, or U and V of a row
// of chroma; of horizontal edges two samples of each row that lie in one word.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "kernels/shared/av1/dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_DEBLOCK_PLANE) const uint PLANE = 0;
layout(constant_id = PERDIX_CONSTANT_DEBLOCK_EDGES) const uint EDGES = 3;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { DeblockConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uvec2 target[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetWords {
  uint target_words[];
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  DeblockEdge records[];
};

const uint SIZE = EDGES & PERDIX_DEBLOCK_SIZE;
const bool HORIZONTAL = (EDGES & PERDIX_DEBLOCK_HORIZONTAL) != 0;
const bool WIDE_8 = SIZE == 2 && PLANE == 0;
const bool WIDE_6 = SIZE == 2 && PLANE != 0;
const bool WIDE_16 = SIZE == 3;

// Samples on a side that the filter reads, and that it may change.
const uint READ = WIDE_16 ? 7 : WIDE_8 ? 4 : WIDE_6 ? 3 : 2;
const uint CHANGED = WIDE_16 ? 6 : WIDE_8 ? 3 : 2;

const uint LANES_LOG2 = 1 + PLANE;  // of an edge
// Whether two lanes exchange parts of what they load.
const bool SHARED = HORIZONTAL && SUBGROUP_SIZE != 0;

#define SIGNS 0x80008000u
#define SAMPLES (SAMPLE_MAX * BOTH)
#define FLAT (SAMPLE_STEP * BOTH)

// Samples across the edge, of two lines: P7..P0 are px[0..7], Q0..Q7 are
// px[8..15].
uint px[16];

#define P(i) px[7 - (i)]
#define Q(i) px[8 + (i)]

// ---- limits (7.14.4), in both fields ----

struct Limits {
  uint limit;
  uint blimit2;  // 2 * blimit + 1
  uint thresh;
  uint filtered;  // the top bit, where a level is not 0
};

// strengths: PackEdgeStrengths.
Limits LimitsOf(uint strengths) {
  const uint levels = strengths & (63 * BOTH);
  const uint limits = (strengths >> 8) & (63 * BOTH);
  return Limits(SAMPLE_STEP * limits,
                SAMPLE_STEP * (4 * levels + 2 * limits + 8 * BOTH) +
                    BOTH,
                SAMPLE_STEP * ((levels >> 4) & (3 * BOTH)),
                levels + (SIGNS - BOTH));
}

// ---- masks (7.14.6.2) ----
// A test leaves its answer in the top bit of each field.

uint Within(uint limit, uint difference) {
  return (limit + SIGNS - difference) & (limit + SIGNS + difference);
}

// SAMPLE_MAX where the test holds; no other bits may be set.
uint SamplesWhere(uint tests) {
  const uint bits = tests >> 15;
  return (bits << SAMPLE_BITS) - bits;
}
// 2.0 where the test holds, in half floats.
#define TWOS 0x40004000u
uint TwoWhere(uint tests) { return (tests & SIGNS) >> 1; }

// ---- the narrow filter (7.14.6.3) ----
// In floats: a field of a pair is then an operand as it is, two clamped fields
// become a pair in one instruction, and multiplying by a mask is work for V3D's
// second unit, as `and` is not. 1024 + v is a half float whose low bits are v.
// Q0 has one more, so that three times a difference has a bias of 3.
#define Q0_BIAS 0x64016401u

struct Line {
  float p1;  // samples have a bias of 1024
  float p0;
  float q0;  // 1025
  float q1;
};

// Above the error of what is scaled to be clamped, below an eighth.
#define EXACT (1.0 / 64)

// To -1..1 and 0..1 is free on V3D, to other bounds is not.
float ClampSigned(float value) { return clamp(value, -1.0, 1.0); }

// clamp(unbiased, 0, SAMPLE_MAX) with the bias of Line. What is not exact is
// far less than the quarter, which goes when the half float is made.
float Sample(float unbiased) {
  return clamp(unbiased * (1.0 / SAMPLE_MAX), 0.0, 1.0) * float(SAMPLE_MAX) +
         1024.25;
}
float ClampSample(float biased, const float bias) {
  return clamp(biased, bias, bias + SAMPLE_MAX);
}

// high_variance, low_variance, mask: 2 where they hold, else 0.
//
// Clamping to other bounds than -128..127, of 10 bits -512..511, is exact, as
// fractions go when the eighths are taken: outer to -127.5..127.5; change, with
// its bias of 3, to -126.5..126.5, so that neither 4 nor 3 more than it is
// above 127, and below -124 all become the same. Where mask does not hold,
// change is -3 with it, and both filters are 0.
#define OUTER_BOUND (SAMPLE_MAX / 2.0)
#define CHANGE_BOUND (OUTER_BOUND - 1.0)
Line NarrowFilter(Line line, float high_variance, float low_variance,
                  float mask) {
  const float outer =
      ClampSigned((line.p1 - line.q1) * (1.0 / OUTER_BOUND)) * high_variance;
  const float change = ClampSigned(outer * (0.5 * OUTER_BOUND / CHANGE_BOUND) +
                                   (line.q0 - line.p0) * (3.0 / CHANGE_BOUND));
  const float eighth = change * mask * (CHANGE_BOUND / 16);
  const float filter1 = floor(eighth + (0.125 + EXACT));
  const float filter2 = floor(eighth + (EXACT - 1024));
  const float outside = floor(filter1 * low_variance * 0.25 + 0.5);
  return Line(ClampSample(line.p1 + outside, 1024),
              Sample(line.p0 + filter2),
              ClampSample(line.q0 - filter1, 1025),
              ClampSample(line.q1 - outside, 1024));
}

void NarrowFilters(uint low_variance, uint mask) {
  const vec2 p1 = unpackHalf2x16(P(1) + HALF_BIAS);
  const vec2 p0 = unpackHalf2x16(P(0) + HALF_BIAS);
  const vec2 q0 = unpackHalf2x16(Q(0) + Q0_BIAS);
  const vec2 q1 = unpackHalf2x16(Q(1) + HALF_BIAS);
  const uint lows = TwoWhere(low_variance);
  const vec2 low = unpackHalf2x16(lows);
  const vec2 high = unpackHalf2x16(TWOS - lows);
  const vec2 changed = unpackHalf2x16(TwoWhere(mask));
  const Line a = NarrowFilter(Line(p1.x, p0.x, q0.x, q1.x), high.x, low.x,
                              changed.x);
  const Line b = NarrowFilter(Line(p1.y, p0.y, q0.y, q1.y), high.y, low.y,
                              changed.y);
  P(1) = packHalf2x16(vec2(a.p1, b.p1)) - HALF_BIAS;
  P(0) = packHalf2x16(vec2(a.p0, b.p0)) - HALF_BIAS;
  Q(0) = packHalf2x16(vec2(a.q0, b.q0)) - Q0_BIAS;
  Q(1) = packHalf2x16(vec2(a.q1, b.q1)) - HALF_BIAS;
}

// ---- the wide filter (7.14.6.4), where mask is SAMPLE_MAX ----
// The mask also leaves out the bits that a shift moves from field to field.

// 3 samples on both sides become means of the 7 around them and once more
// themselves.
void WideFilter8(uint mask) {
  uint s[8];
  [[unroll]] for (int i = 0; i < 8; ++i) s[i] = px[4 + i];
  uint around = s[0] * 3 + s[1] + s[2] + s[3] + s[4] + 4 * BOTH;
  [[unroll]] for (int i = 1; i < 7; ++i) {
    px[4 + i] = (((around + s[i]) >> 3) & mask) + (s[i] & (SAMPLES - mask));
    around += s[min(i + 4, 7)] - s[max(i - 3, 0)];
  }
}

// 2 samples on both sides: of the 5 around and once more the 3 around.
void WideFilter6(uint mask) {
  uint s[6];
  [[unroll]] for (int i = 0; i < 6; ++i) s[i] = px[5 + i];
  uint around = s[0] * 2 + s[1] + s[2] + s[3] + 4 * BOTH;
  [[unroll]] for (int i = 1; i < 5; ++i) {
    const uint sum = around + s[i - 1] + s[i] + s[i + 1];
    px[5 + i] = ((sum >> 3) & mask) + (s[i] & (SAMPLES - mask));
    around += s[min(i + 3, 5)] - s[max(i - 2, 0)];
  }
}

// 6 samples on both sides: of the 13 around and once more the 3 around.
void WideFilter16(uint mask) {
  uint s[14];
  [[unroll]] for (int i = 0; i < 14; ++i) s[i] = px[1 + i];
  uint around = s[0] * 6 + 8 * BOTH;
  [[unroll]] for (int i = 1; i < 8; ++i) around += s[i];
  [[unroll]] for (int i = 1; i < 13; ++i) {
    const uint sum = around + s[i - 1] + s[i] + s[i + 1];
    px[1 + i] = ((sum >> 4) & mask) + (s[i] & (SAMPLES - mask));
    around += s[min(i + 7, 13)] - s[max(i - 6, 0)];
  }
}

// ---- a pair of lines (7.14.6.1) ----

// Whether to do what is done under a mask: lanes that exchange values agree.
bool Any(bool lane) {
  return SHARED ? subgroupBallot(lane) != uvec4(0) : lane;
}

uint IsFlat(const int first, const int last) {
  uint is_flat = SIGNS;
  [[unroll]] for (int i = first; i <= last; ++i) {
    is_flat &= Within(FLAT, P(i) - P(0)) & Within(FLAT, Q(i) - Q(0));
  }
  return is_flat;
}

// wide: where a wide filter takes the place of the narrow one.
void WideFilters(uint wide) {
  const uint mask = SamplesWhere(wide);
  if (WIDE_6) {
    WideFilter6(mask);
  } else if (WIDE_8) {
    WideFilter8(mask);
  } else {
    const uint mask16 = SamplesWhere(wide & IsFlat(4, 6));
    WideFilter16(mask16);
    WideFilter8(mask ^ mask16);
  }
}

void FilterLines(uint strengths) {
  const Limits limits = LimitsOf(strengths);
  const uint p1p0 = P(1) - P(0);
  const uint q1q0 = Q(1) - Q(0);
  // |a| * 2 + |b| / 2 <= blimit, which is |a| * 4 + |b| <= 2 * blimit + 1.
  const uint a4 = (P(0) - Q(0)) * 4;
  const uint b = P(1) - Q(1);
  uint mask = Within(limits.blimit2, a4 + b) & Within(limits.blimit2, a4 - b);
  if (PLANE != 0) mask &= limits.filtered;
  mask &= Within(limits.limit, p1p0) & Within(limits.limit, q1q0);
  if (READ >= 3) {
    mask &= Within(limits.limit, P(2) - P(1));
    mask &= Within(limits.limit, Q(2) - Q(1));
  }
  if (READ >= 4) {
    mask &= Within(limits.limit, P(3) - P(2));
    mask &= Within(limits.limit, Q(3) - Q(2));
  }
  const uint low_variance =
      Within(limits.thresh, p1p0) & Within(limits.thresh, q1q0);
  uint wide = 0;
  if (WIDE_6) wide = mask & IsFlat(1, 2);
  if (WIDE_8 || WIDE_16) wide = mask & IsFlat(1, 3);
  NarrowFilters(low_variance, mask - wide);
  if (SIZE > 1 && Any(wide != 0)) WideFilters(wide);
}

// ---- vertical edges: words of a row ----

// The lower, or the upper, fields of both; each is the other's inverse.
uint LowFields(uint a, uint b) { return (a & 0xffffu) | (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) | (b & 0xffff0000u); }

// Words on a side of an edge that have samples of it, at most; and whether word
// k from the edge on has any of the first <count> samples on its side.
#if SAMPLE_BITS == 8
#define SIDE_WORDS 2
#else
#define SIDE_WORDS 4
#endif
const uint WORD_PIXELS = WORD_SAMPLES >> PLANE;
bool HasSamples(const int k, const uint count) {
  return uint(k < 0 ? -1 - k : k) * WORD_PIXELS < count;
}

// Word k of two rows of luma becomes pairs, and back.
void SeparateLuma(const int k, uvec2 rows) {
  const uint low = LowFields(rows.x, rows.y);
  const uint high = HighFields(rows.x, rows.y);
#if SAMPLE_BITS == 8
  px[8 + 4 * k] = Even(low);
  px[9 + 4 * k] = Odd(low);
  px[10 + 4 * k] = Even(high);
  px[11 + 4 * k] = Odd(high);
#else
  px[8 + 2 * k] = low;
  px[9 + 2 * k] = high;
#endif
}

uvec2 JoinedLuma(const int k) {
#if SAMPLE_BITS == 8
  const uint low = Join(px[8 + 4 * k], px[9 + 4 * k]);
  const uint high = Join(px[10 + 4 * k], px[11 + 4 * k]);
#else
  const uint low = px[8 + 2 * k];
  const uint high = px[9 + 2 * k];
#endif
  return uvec2(LowFields(low, high), HighFields(low, high));
}

// Word k of a row of chroma becomes pairs of U and V, and back.
void SeparateChroma(const int k, uint word) {
#if SAMPLE_BITS == 8
  px[8 + 2 * k] = (word & 0xffu) | ((word & 0xff00u) << 8);
  px[9 + 2 * k] = ((word >> 16) & 0xffu) | ((word >> 8) & 0xff0000u);
#else
  px[8 + k] = word;
#endif
}

uint JoinedChroma(const int k) {
#if SAMPLE_BITS == 8
  const uint first = px[8 + 2 * k];
  const uint second = px[9 + 2 * k];
  return (first & 0xffu) | ((first >> 8) & 0xff00u) |
         ((second & 0xffu) << 16) | ((second << 8) & 0xff000000u);
#else
  return px[8 + k];
#endif
}

// Words are loaded and stored two at once, but where one on each side has all
// samples that are read.
const bool PAIRED = READ > WORD_PIXELS;

// Below, at: the first word behind the edge, or the first two.

void FilterWords(DeblockEdge edge, uint at) {
  [[unroll]] for (int k = -1; k < 1; ++k) {
    if (PLANE == 0) {
      SeparateLuma(k, uvec2(target_words[at + k],
                            target_words[at + dispatch.stride + k]));
    } else {
      SeparateChroma(k, target_words[at + k]);
    }
  }
  FilterLines(edge.strengths);
  [[unroll]] for (int k = -1; k < 1; ++k) {
    if (PLANE == 0) {
      const uvec2 rows = JoinedLuma(k);
      target_words[at + k] = rows.x;
      target_words[at + dispatch.stride + k] = rows.y;
    } else {
      target_words[at + k] = JoinedChroma(k);
    }
  }
}

// Two words from word 2 * k on.
void LoadPair(const int k, uint at) {
  const uvec2 upper = target[at];
  if (PLANE == 0) {
    const uvec2 lower = target[at + dispatch.stride / 2];
    SeparateLuma(2 * k, uvec2(upper.x, lower.x));
    SeparateLuma(2 * k + 1, uvec2(upper.y, lower.y));
  } else {
    SeparateChroma(2 * k, upper.x);
    SeparateChroma(2 * k + 1, upper.y);
  }
}

void StorePair(const int k, uint at) {
  if (PLANE == 0) {
    const uvec2 first = JoinedLuma(2 * k);
    const uvec2 second = JoinedLuma(2 * k + 1);
    target[at] = uvec2(first.x, second.x);
    target[at + dispatch.stride / 2] = uvec2(first.y, second.y);
  } else {
    target[at] = uvec2(JoinedChroma(2 * k), JoinedChroma(2 * k + 1));
  }
}

// The word of two, from word 2 * k on, that is next to the edge.
int NearWord(const int k) { return k < 0 ? 2 * k + 1 : 2 * k; }

void FilterPairs(DeblockEdge edge, uint at) {
  [[unroll]] for (int k = -SIDE_WORDS / 2; k < SIDE_WORDS / 2; ++k) {
    if (HasSamples(NearWord(k), READ)) LoadPair(k, at + k);
  }
  FilterLines(edge.strengths);
  [[unroll]] for (int k = -SIDE_WORDS / 2; k < SIDE_WORDS / 2; ++k) {
    if (HasSamples(NearWord(k), CHANGED)) StorePair(k, at + k);
  }
}

void FilterVertical(DeblockEdge edge, uint lane) {
  const uint row = EdgeY4(edge.position) * 4 + (PLANE == 0 ? lane * 2 : lane);
  const uint word = EdgeX4(edge.position) * 4 / WORD_PIXELS;
  if (PAIRED) {
    FilterPairs(edge, dispatch.offset / 2 + row * (dispatch.stride / 2) +
                          word / 2);
  } else {
    FilterWords(edge, dispatch.offset + row * dispatch.stride + word);
  }
}

// ---- horizontal edges: columns ----
// Two lanes have a column of what is loaded and stored at once, and of each row
// a pair: of 8 bits a word, of which the first lane filters samples 0 and 2 and
// the second 1 and 3; of 10 bits two words. Part 0 or 1: which lane's.

// How far row i is from the edge, on its side; and whether row i or i + 1 is
// among the first <count>.
uint DistanceOf(const int i) { return uint(i < 0 ? -1 - i : i); }
bool HasRows(const int i, const uint count) {
  return DistanceOf(i < 0 ? i + 1 : i) < count;
}

#if SAMPLE_BITS == 8
#define COLUMN_WORDS 1
#define COLUMNS target_words

uint StrengthsOf(DeblockEdge edge, uint part) {
  const uint strength =
      part == 0 ? edge.strengths & 0xffffu : edge.strengths >> 16;
  return strength * BOTH;
}

// The lanes' words of two rows become each lane's pairs of both, and back.
uint Exchange(uint word, uint part) {
  const uint shift = part != 0 ? 0 : 8;
  const uint give = (word >> shift) & SAMPLES;
  const uint given = subgroupShuffleXor(give, 1);
  return word + ((given - give) << shift);
}

void SeparateRows(const int i, uint row, uint part) {
  const uint pairs = Exchange(row, part);
  px[8 + i] = Even(pairs);
  px[9 + i] = Odd(pairs);
}
uint JoinedRows(const int i, uint part) {
  return Exchange(Join(px[8 + i], px[9 + i]), part);
}
#else
#define COLUMN_WORDS 2
#define COLUMNS target

uint StrengthsOf(DeblockEdge edge, uint part) { return edge.strengths; }

void SeparateRows(const int i, uvec2 row, uint part) {
  const uint given = subgroupShuffleXor(part != 0 ? row.x : row.y, 1);
  px[8 + i] = part != 0 ? given : row.x;
  px[9 + i] = part != 0 ? row.y : given;
}
uvec2 JoinedRows(const int i, uint part) {
  const uint given =
      subgroupShuffleXor(part != 0 ? px[8 + i] : px[9 + i], 1);
  return part != 0 ? uvec2(given, px[9 + i]) : uvec2(px[8 + i], given);
}
#endif

// A lane loads and stores every second row.
void FilterShared(DeblockEdge edge, uint at, uint part) {
  const uint stride = dispatch.stride / COLUMN_WORDS;
  at += part * stride;
  [[unroll]] for (int i = -8; i < 8; i += 2) {
    if (HasRows(i, READ)) SeparateRows(i, COLUMNS[at + i * stride], part);
  }
  FilterLines(StrengthsOf(edge, part));
  [[unroll]] for (int i = -8; i < 8; i += 2) {
    if (HasRows(i, CHANGED)) COLUMNS[at + i * stride] = JoinedRows(i, part);
  }
}

// Without subgroup operations. shift: of the pair in a word.
void FilterAlone(uint strengths, uint at, uint shift) {
  [[unroll]] for (int i = -7; i < 7; ++i) {
    if (DistanceOf(i) < READ) {
      px[8 + i] = (target_words[at + i * dispatch.stride] >> shift) & SAMPLES;
    }
  }
  FilterLines(strengths);
  [[unroll]] for (int i = -7; i < 7; ++i) {
    if (DistanceOf(i) < CHANGED) {
      const uint others =
          target_words[at + i * dispatch.stride] & ~(SAMPLES << shift);
      target_words[at + i * dispatch.stride] = others | (px[8 + i] << shift);
    }
  }
}

void FilterHorizontal(DeblockEdge edge, uint lane) {
  const uint part = lane & 1;
  const uint at = dispatch.offset +
                  EdgeY4(edge.position) * 4 * dispatch.stride +
                  EdgeX4(edge.position) * 4 / WORD_PIXELS +
                  (lane >> 1) * COLUMN_WORDS;
  if (SHARED) {
    FilterShared(edge, at / COLUMN_WORDS, part);
  } else if (COLUMN_WORDS == 2) {
    FilterAlone(edge.strengths, at + part, 0);
  } else if (part == 0) {
    // Both lanes' parts, which are in the same words.
    for (uint i = 0; i < 2; ++i) FilterAlone(StrengthsOf(edge, i), at, i * 8);
  }
}

void main() {
  const uint lane =
      gl_WorkGroupID.x * gl_WorkGroupSize.x +
      (SHARED ? gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID
              : gl_LocalInvocationIndex);
  const uint record = dispatch.first + (lane >> LANES_LOG2);
  if (record >= dispatch.end) return;
  const uint edge_lane = lane & ((1 << LANES_LOG2) - 1);
  if (HORIZONTAL) {
    FilterHorizontal(records[record], edge_lane);
  } else {
    FilterVertical(records[record], edge_lane);
  }
}
