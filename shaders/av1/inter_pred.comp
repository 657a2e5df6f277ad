// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction from one reference (AV1 7.11.3.3 to 7.11.3.5), and its
// blending over what a block's own vector predicted (7.11.3.10).
//
// Reads: records (tables, PredictUnit, WarpUnit), references by their address;
// if units overlap, the target.
// Writes: the target, or a half of a compound prediction to the scratch memory.
// Work item: one unit by two lanes, each of which walks down a word of its
// lines. The last eight lines, filtered horizontally, are in registers. Order:
// any; units that overlap after those below them, above before left.
//
// Samples of 10 bits may have their values in the upper bits of a reference
// (PictureView::shift). Windows have them in the low bits, as the target does.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

#include "shaders/av1/inter.glsl"

// Compiled apart for what overlaps: it runs beside blends, which read the scratch
// memory, and has no store there that the validation layer could see.
#ifdef OVERLAP
const uint OUTPUT = PERDIX_PREDICT_OVERLAP;
#else
layout(constant_id = PERDIX_CONSTANT_PREDICT_OUTPUT) const uint OUTPUT =
    PERDIX_PREDICT_TO_TARGET;
#endif
layout(constant_id = PERDIX_CONSTANT_PREDICT_SOURCE) const uint SOURCE =
    PERDIX_PREDICT_BOTH;

const bool WARPED = SOURCE == PERDIX_PREDICT_WARP;
const bool ACROSS = SOURCE != PERDIX_PREDICT_VERTICAL &&
                    SOURCE != PERDIX_PREDICT_COPY;
const bool DOWN = SOURCE != PERDIX_PREDICT_HORIZONTAL &&
                  SOURCE != PERDIX_PREDICT_COPY;
const bool CLAMPED = SOURCE == PERDIX_PREDICT_EDGE || WARPED;

#define TAPS 8u
#define TAPS_BEFORE 3

// ---- the reference ----

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer
    Words {
  uint w[];
};

// The address is no Words: spirv-opt takes structs apart, and variables that it
// makes of pointers lack a decoration which they must have.
struct Source {
  uvec2 address;
  uint stride;  // words
  uint shift;
  ivec2 last;  // pixel
  ivec2 step;
};

Source LoadSource(uint ref) {
  const uint at = dispatch.tables + PERDIX_PREDICT_SOURCE_PLANES +
                  (2 * ref + PLANE) * PERDIX_PREDICT_SOURCE_ELEMENTS;
  const uvec4 place = records[at];
  Source source;
  source.address = place.xy;
  source.stride = place.z;
  source.shift = place.w;
  if (CLAMPED || SOURCE == PERDIX_PREDICT_SCALED) {
    const ivec4 size = ivec4(records[at + 1]);
    source.last = size.xy;
    source.step = size.zw;
  }
  return source;
}

// ---- windows: pixels of a line side by side, as words have them ----

#define WINDOW_PIXELS (PIXELS + TAPS - 1u)
#define WINDOW_WORDS ((WINDOW_PIXELS * PIXEL_BYTES + 3u) / 4u)
struct Window {
  uint w[WINDOW_WORDS];
};

#if SAMPLE_BITS == 8
#define WORD_MASK 0xffffffffu
#else
#define WORD_MASK (BOTH * SAMPLE_MAX)
#endif
#if PLANE == 0
#define PIXEL_MASK uint(SAMPLE_MAX)
#elif SAMPLE_BITS == 8
#define PIXEL_MASK 0xffffu
#else
#define PIXEL_MASK WORD_MASK
#endif

// The word that begins <bits> into the lower one of two.
uint Shifted(uint low, uint high, uint bits) {
  return ((low >> bits) | ((high << 1) << (31 - bits))) & WORD_MASK;
}

// That a window is made of: one more than it has, if a line of 8-bit luma begins
// inside of a word. Else its last word is half one, or it begins with a word.
#define LOADED_WORDS \
  (PLANE == 0 && SAMPLE_BITS == 8 ? WINDOW_WORDS + 1 : WINDOW_WORDS)

// All of it is in the reference. x: of the first pixel.
Window LoadInside(Source source, int x, int y) {
  const uint at = uint(x) * PIXEL_BYTES;
  const uint first = uint(y) * source.stride + (at >> 2);
  const uint bits = 8 * (at & 3) + (SAMPLE_BITS == 8 ? 0 : source.shift);
  uint raw[WINDOW_WORDS + 1];
  [[unroll]] for (uint i = 0; i <= WINDOW_WORDS; ++i) {
    raw[i] = i < LOADED_WORDS ? Words(source.address).w[first + i] : 0;
  }
  Window window;
  [[unroll]] for (uint i = 0; i < WINDOW_WORDS; ++i) {
#if PLANE == 1 && SAMPLE_BITS == 10
    window.w[i] = (raw[i] >> bits) & WORD_MASK;
#else
    window.w[i] = Shifted(raw[i], raw[i + 1], bits);
#endif
  }
  return window;
}

// The lane's word alone.
uint LoadWord(Source source, int x, int y) {
  const uint at = uint(x) * PIXEL_BYTES;
  const uint first = uint(y) * source.stride + (at >> 2);
  const uint bits = 8 * (at & 3) + (SAMPLE_BITS == 8 ? 0 : source.shift);
#if PLANE == 1 && SAMPLE_BITS == 10
  return (Words(source.address).w[first] >> bits) & WORD_MASK;
#else
  return Shifted(Words(source.address).w[first], Words(source.address).w[first + 1], bits);
#endif
}

// Coordinates are clamped to the reference. pixels: of the window.
Window LoadClamped(Source source, int x, int y, const uint pixels) {
  const uint line = uint(clamp(y, 0, source.last.y)) * source.stride;
  Window window;
  [[unroll]] for (uint i = 0; i < WINDOW_WORDS; ++i) window.w[i] = 0;
  [[unroll]] for (uint i = 0; i < pixels; ++i) {
    const uint at = uint(clamp(x + int(i), 0, source.last.x)) * PIXEL_BYTES;
    const uint bits = 8 * (at & 3) + (SAMPLE_BITS == 8 ? 0 : source.shift);
    const uint pixel =
        (Words(source.address).w[line + (at >> 2)] >> bits) & PIXEL_MASK;
    window.w[i * PIXEL_BYTES / 4] |= pixel << (8 * (i * PIXEL_BYTES & 3));
  }
  return window;
}

float SampleOf(Window window, uint i) {
#if SAMPLE_BITS == 8
  const uint word = window.w[i / 4];
  const vec2 two =
      unpackHalf2x16((i & 1) != 0 ? OddHalves(word) : EvenHalves(word));
  return (i & 2) != 0 ? two.y : two.x;
#else
  return unpackHalf2x16(Halves(window.w[i / 2]))[i & 1];
#endif
}

// ---- filters ----

uvec4 LoadTaps(uint set, uint position) {
  return records[dispatch.tables + PERDIX_PREDICT_FILTERS + 16 * set +
                 (position & 15)];
}
// position: 1/65536 sample.
uvec4 LoadWarpTaps(int position) {
  const int filter_index = clamp(((position + 512) >> 10) + 64, 0, 192);
  return records[dispatch.tables + PERDIX_PREDICT_WARP_FILTERS +
                 uint(filter_index)];
}

float Filter(uvec4 taps, float s0, float s1, float s2, float s3, float s4,
             float s5, float s6, float s7) {
  const vec2 t01 = unpackHalf2x16(taps.x);
  const vec2 t23 = unpackHalf2x16(taps.y);
  const vec2 t45 = unpackHalf2x16(taps.z);
  const vec2 t67 = unpackHalf2x16(taps.w);
  return s0 * t01.x + s1 * t01.y + s2 * t23.x + s3 * t23.y + s4 * t45.x +
         s5 * t45.y + s6 * t67.x + s7 * t67.y;
}

// Round2(sum, InterRound0). i: sample of the window that has the first tap.
float FilterAcross(Window window, uint i, uvec4 taps) {
  return floor(Filter(taps, SampleOf(window, i),
                      SampleOf(window, i + COMPONENTS),
                      SampleOf(window, i + 2 * COMPONENTS),
                      SampleOf(window, i + 3 * COMPONENTS),
                      SampleOf(window, i + 4 * COMPONENTS),
                      SampleOf(window, i + 5 * COMPONENTS),
                      SampleOf(window, i + 6 * COMPONENTS),
                      SampleOf(window, i + 7 * COMPONENTS)) +
               0.5);
}

// ---- what becomes of a prediction ----

struct Output {
  uint at;      // word of the line
  uint stride;  // words
  uint weight;  // of the first pixel, where it overlaps
};

Output OutputOf(Lane lane, uint target) {
  Output to;
  const bool is_scratch = OUTPUT == PERDIX_PREDICT_TO_SCRATCH;
  to.at = target + lane.part * (is_scratch ? PAIR_WORDS : 1);
  to.stride =
      is_scratch ? 1u << UnitStrideLog2(lane.shape) : dispatch.stride;
  to.weight = UnitMask(lane.shape) + lane.part * PIXELS * dispatch.weight_pixel;
  return to;
}

// Round2(64ths of both, 6), samples with their bias.
FLOATS Overlap(FLOATS current, FLOATS predicted, uint weight) {
  const uint at =
      16 * (dispatch.tables + PERDIX_PREDICT_WEIGHTS) + weight;
  FLOATS weights;
  [[unroll]] for (uint i = 0; i < WORD_SAMPLES; ++i) {
    weights[i] =
        float(RecordByte(at + i / COMPONENTS * dispatch.weight_pixel));
  }
  return floor((weights * (current - predicted) + 64.0 * predicted) *
                   (1.0 / 64.0) +
               0.5);
}

// A line's word, and on to the next line. values: <scale> makes them 16 times
// the samples that they predict.
void Emit(FLOATS values, float scale, inout Output to) {
  if (OUTPUT == PERDIX_PREDICT_TO_SCRATCH) {
    StorePairs(to.at, PairsOf(floor(values * scale + 0.5)));
  } else {
    FLOATS samples = Clip(floor(values * (scale / 16.0) + 0.5));
    if (OUTPUT == PERDIX_PREDICT_OVERLAP) {
      samples = Overlap(FloatsOf(target_words[to.at]), samples, to.weight);
    }
    target_words[to.at] = WordOf(samples);
  }
  to.at += to.stride;
  to.weight += dispatch.weight_line;
}

// ---- lines ----

// Where the lane's pixels begin in the reference, and how they are filtered.
struct Walk {
  int x;  // pixel of the first tap
  int y;
  uvec4 taps_x;
  uvec4 taps_y;
  // Warps: sx of the lane's first pixel in the first line of the source, sy in
  // the first line predicted, and what is added to them.
  int sx;
  int sy;
  int alpha, beta, gamma, delta;
};

// Line n of the source, filtered horizontally. It is whole, with a bias of
// 16384; without a filter the line's samples are the result.
FLOATS FilterLine(Source source, Walk walk, uint n) {
  Window window;
  if (CLAMPED) {
    window = LoadClamped(source, walk.x, walk.y + int(n), WINDOW_PIXELS);
  } else {
    window = LoadInside(source, walk.x, walk.y + int(n));
  }
  FLOATS result;
  uvec4 taps = walk.taps_x;
  [[unroll]] for (uint i = 0; i < WORD_SAMPLES; ++i) {
    if (WARPED && i % COMPONENTS == 0) {
      taps = LoadWarpTaps(walk.sx + walk.beta * int(n) +
                          walk.alpha * int(i / COMPONENTS));
    }
    result[i] = FilterAcross(window, i, taps);
  }
  return result;
}

// What is kept of a line until eight of them are filtered vertically: the line
// filtered horizontally, or the word itself.
PAIRS KeptLine(Source source, Walk walk, uint n) {
  if (ACROSS) return PairsOf(FilterLine(source, walk, n));
  PAIRS kept = PAIRS(0);
  kept.x = LoadWord(source, walk.x, walk.y + int(n));
  return kept;
}

FLOATS FloatsOfKept(PAIRS kept) {
  return ACROSS ? FloatsOfPairs(kept) : FloatsOf(kept.x);
}

void PredictDown(Source source, Walk walk, uint lines, Output to) {
  PAIRS r0, r1, r2, r3, r4, r5, r6, r7;
  r0 = r1 = r2 = r3 = r4 = r5 = r6 = r7 = PAIRS(0);
  const uint end = lines == 0 ? 0 : lines + TAPS - 1;
  int sy = walk.sy;
  for (uint n = 0; n < end; ++n) {
    r0 = r1;
    r1 = r2;
    r2 = r3;
    r3 = r4;
    r4 = r5;
    r5 = r6;
    r6 = r7;
    r7 = KeptLine(source, walk, n);
    if (n >= TAPS - 1) {
      FLOATS sums;
      uvec4 taps = walk.taps_y;
      [[unroll]] for (uint i = 0; i < WORD_SAMPLES; ++i) {
        if (WARPED && i % COMPONENTS == 0) {
          taps = LoadWarpTaps(sy + walk.gamma * int(i / COMPONENTS));
        }
        sums[i] = Filter(taps, FloatsOfKept(r0)[i], FloatsOfKept(r1)[i],
                         FloatsOfKept(r2)[i], FloatsOfKept(r3)[i],
                         FloatsOfKept(r4)[i], FloatsOfKept(r5)[i],
                         FloatsOfKept(r6)[i], FloatsOfKept(r7)[i]);
      }
      Emit(sums, ACROSS ? 1.0 / 16.0 : 1.0, to);
      sy += walk.delta;
    }
  }
}

void PredictAcross(Source source, Walk walk, uint lines, Output to) {
  for (uint n = 0; n < lines; ++n) {
    if (ACROSS) {
      Emit(FilterLine(source, walk, n), 1.0, to);
    } else if (OUTPUT == PERDIX_PREDICT_TO_TARGET) {
      target_words[to.at] = LoadWord(source, walk.x, walk.y + int(n));
      to.at += to.stride;
    } else {
      Emit(FloatsOf(LoadWord(source, walk.x, walk.y + int(n))), 16.0, to);
    }
  }
}

// ---- scaled references ----

// Each pixel has its own fractions: it is filtered from 8x8 others.
void PredictScaled(Source source, uvec4 record, Lane lane, Output to) {
  const ivec2 start =
      ivec2(record.yz) + ivec2(int(lane.part * PIXELS) * source.step.x, 0);
  for (uint n = 0; n < lane.lines; ++n) {
    const int y = start.y + int(n) * source.step.y;
    const uvec4 taps_y = LoadTaps(UnitSetY(lane.shape), uint(y >> 6));
    FLOATS sums = FLOATS(0.0);
    for (uint k = 0; k < TAPS; ++k) {
      const vec2 two = unpackHalf2x16(taps_y[k >> 1]);
      const float tap = (k & 1) != 0 ? two.y : two.x;
      [[unroll]] for (uint i = 0; i < PIXELS; ++i) {
        const int x = start.x + int(i) * source.step.x;
        const Window window =
            LoadClamped(source, (x >> 10) - TAPS_BEFORE,
                        (y >> 10) - TAPS_BEFORE + int(k), TAPS);
        const uvec4 taps = LoadTaps(UnitSetX(lane.shape), uint(x >> 6));
        [[unroll]] for (uint c = 0; c < COMPONENTS; ++c) {
          sums[i * COMPONENTS + c] += tap * FilterAcross(window, c, taps);
        }
      }
    }
    Emit(sums, 1.0 / 16.0, to);
  }
}

// ---- the lane ----

Walk WalkOf(uvec4 record, Lane lane) {
  const ivec2 whole = ivec2(record.yz) >> 4;
  Walk walk;
  walk.x = whole.x + int(lane.part * PIXELS) - (ACROSS ? TAPS_BEFORE : 0);
  walk.y = whole.y - (DOWN ? TAPS_BEFORE : 0);
  if (ACROSS) walk.taps_x = LoadTaps(UnitSetX(lane.shape), record.y);
  if (DOWN) walk.taps_y = LoadTaps(UnitSetY(lane.shape), record.z);
  walk.sx = walk.sy = 0;
  walk.alpha = walk.beta = walk.gamma = walk.delta = 0;
  return walk;
}

// 7.11.3.5. Line 0 of the source is i1 = -7, pixel 0 of the 8x8 i2 = -4.
Walk WarpWalkOf(uvec4 record, Lane lane) {
  const uvec4 more = records[lane.element + 1];
  const int column = int(more.w + lane.part * PIXELS);
  Walk walk;
  walk.x = int(record.y) + column;
  walk.y = int(record.z);
  walk.alpha = int(more.y << 16) >> 16;
  walk.beta = int(more.y) >> 16;
  walk.gamma = int(more.z << 16) >> 16;
  walk.delta = int(more.z) >> 16;
  walk.sx =
      int(more.x & 0xffffu) + walk.alpha * (column - 4) - walk.beta * 7;
  walk.sy = int(more.x >> 16) + walk.gamma * (column - 4) - walk.delta * 4;
  walk.taps_x = walk.taps_y = uvec4(0);
  return walk;
}

void main() {
  const Lane lane = FindLane(WARPED ? 2 : 1, 3);
  const uvec4 record = records[lane.element];
  const Source source = LoadSource(UnitRef(lane.shape));
  const Output to = OutputOf(lane, record.x);
  if (SOURCE == PERDIX_PREDICT_SCALED) {
    PredictScaled(source, record, lane, to);
  } else {
    Walk walk;
    if (WARPED) {
      walk = WarpWalkOf(record, lane);
    } else {
      walk = WalkOf(record, lane);
    }
    if (DOWN) {
      PredictDown(source, walk, lane.lines, to);
    } else {
      PredictAcross(source, walk, lane.lines, to);
    }
  }
}
