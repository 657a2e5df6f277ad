// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2.4): block interpolation from one reference. The
// second prediction of a compound is a dispatch of its own (AVERAGE).
//
// Reads: records (InterUnit), tables, the reference; with AVERAGE the target.
// Writes: the target.
// Work item: one InterUnit (8 bytes x 8 rows of a plane) by two lanes, or a tall
// one (16 rows) by four. Lanes share its rows if there is nothing to filter
// vertically, else its columns: a lane then writes one word of each of 8 rows.
// Records dispatch.first on; their number is padded to whole workgroups by units
// of 0 rows. Order: any; AVERAGE after the first prediction.
//
// Filters work in floating point, all of it exact: a sample n is the half float
// 1024 + n, whose bits are 0x6400 + n, so that a pair of samples becomes a pair
// of half floats by one addition; taps are half floats of 1/128, so that a filter's
// sum has the bias of 1024 too. Nothing is rounded before Round. ROUND_TO_EVEN:
// for devices that can promise how packHalf2x16 rounds.
//
// Samples of 10 bits may have their values in the upper bits of a reference
// (PictureView::shift). Windows and columns have them in the low bits, as the
// target does.
#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef ROUND_TO_EVEN
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"],
                     capabilities = [4467],  // RoundingModeRTE
                     4462, 16);  // RoundingModeRTE, of half floats
#endif

#include "kernels/shared/vp9/dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { InterConstants dispatch; };

layout(constant_id = PERDIX_CONSTANT_PLANE) const uint PLANE = 0;
const bool AVERAGE = (PLANE & PERDIX_INTER_AVERAGE) != 0;
const bool CHROMA = (PLANE & 1) != 0;
layout(constant_id = PERDIX_CONSTANT_KIND) const uint KIND =
    PERDIX_INTER_SCALED;

const uint UNIT_ROWS = KIND == PERDIX_INTER_BOTH_TALL ? PERDIX_INTER_TALL_ROWS
                                                      : PERDIX_INTER_UNIT_ROWS;
const uint UNIT_LANES = UNIT_ROWS / 4;
const uint UNITS = LANES / UNIT_LANES;  // of a workgroup
#define LANE_ROWS 4    // of a lane that has rows
#define COLUMN_ROWS 8  // of one that has a column

// Filter f at fraction n: its taps at 16 * f + n, two to a word.
layout(std140, binding = PERDIX_BINDING_TABLES) uniform Tables {
  uvec4 subpel_filters[4 * 16];
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // InterUnit: target, x, y, shape
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uint reference[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetWords {
  uint target_words[];
};
const uint PIXEL_BYTES = CHROMA ? 2 * SAMPLE_BYTES : SAMPLE_BYTES;
const bool CLAMPED = KIND == PERDIX_INTER_CLAMPED;

#define TAPS_BEFORE 3
// That the vertical filter needs, and one more: as many for each lane.
const uint FILTER_ROWS = UNIT_ROWS + 8;

uvec4 LoadTaps(uint shape, int position) {
  return subpel_filters[16 * InterUnitFilter(shape) + (uint(position) & 15)];
}

// ---- what scaled references need, since registers are few on V3D ----

// What a loop does not change the compiler keeps in registers, but not what is
// made from ANEW.
#define ZERO (WIDE ? 0 : dispatch.zero)
#define ANEW(value, counter) ((value) + int((counter)&ZERO))

// Ends a block of instructions by a store that never happens: the compiler
// orders instructions block by block, and in larger ones it gets more values at
// once than there are registers.
#define END_BLOCK() \
  if (ZERO != 0) target_words[0] = 0;

// ---- samples as half floats ----

// The samples of a word, with their bias: FLOATS in order, HALVES in the pairs
// that these are unpacked from.
#if SAMPLE_BITS == 8
#define FLOATS vec4
#define HALVES uvec2
HALVES HalvesOf(uint word) { return uvec2(EvenHalves(word), OddHalves(word)); }
FLOATS FloatsOf(HALVES halves) {
  return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y)).xzyw;
}
float SampleOf(uint word, uint i) {
  const vec2 two =
      unpackHalf2x16((i & 1) != 0 ? OddHalves(word) : EvenHalves(word));
  return (i & 2) != 0 ? two.y : two.x;
}
uint WordOf(FLOATS samples) {
  return JoinHalves(packHalf2x16(samples.xz), packHalf2x16(samples.yw));
}
#else
#define FLOATS vec2
#define HALVES uint
HALVES HalvesOf(uint word) { return Halves(word); }
FLOATS FloatsOf(HALVES halves) { return unpackHalf2x16(halves); }
float SampleOf(uint word, uint i) { return FloatsOf(HalvesOf(word))[i]; }
uint WordOf(FLOATS samples) { return packHalf2x16(samples) - HALF_BIAS; }
#endif

// Round2(sum, 7) of a filtered sample, clamped, still with its bias. Sums are
// multiples of 1/128; the factor moves those that are not clamped up by 1/512 to
// 1/256, and is itself rounded to 1/8192, so that a sum halfway between two
// integers goes up and no other is affected. Half floats from 1024 to 2047 are
// integers, so what is packed next is rounded then.
float Round(float sum) {
  const float result = clamp(sum * (1.0 + 1.0 / 524288.0), 1024.0,
                             1024.0 + float(SAMPLE_MAX));
#ifdef ROUND_TO_EVEN
  return KIND != PERDIX_INTER_SCALED ? result : roundEven(result);
#else
  return roundEven(result);
#endif
}

// Round2(a + b, 1) of each sample.
uint Average(uint a, uint b) {
  const uint without_top = SAMPLE_BITS == 8 ? 0x7f7f7f7fu : 0x7fff7fffu;
  return (a | b) - (((a ^ b) >> 1) & without_top);
}

// s0..s7: samples.
float Filter(uvec4 taps, float s0, float s1, float s2, float s3, float s4,
             float s5, float s6, float s7) {
  const vec2 t01 = unpackHalf2x16(taps.x);
  const vec2 t23 = unpackHalf2x16(taps.y);
  const vec2 t45 = unpackHalf2x16(taps.z);
  const vec2 t67 = unpackHalf2x16(taps.w);
  return Round(s0 * t01.x + s1 * t01.y + s2 * t23.x + s3 * t23.y + s4 * t45.x +
               s5 * t45.y + s6 * t67.x + s7 * t67.y);
}

// ---- source words ----

const uint UNIT_WORDS = PERDIX_INTER_UNIT_BYTES / 4;  // of a row
// That a filtered row of a unit is made of, from its first tap on.
const uint FILTER_WORDS = (PERDIX_INTER_UNIT_BYTES + 7 * PIXEL_BYTES + 3) / 4;

// Samples of a row of the reference, in order.
#define WINDOW_WORDS (SAMPLE_BITS == 8 ? 6 : 9)
struct Window {
  uint w[WINDOW_WORDS];
};

// A word in which a row of the source begins, and at which bit: of 10 bits that
// of the first value.
struct Place {
  uint word;
  uint bits;
};

// A pixel that is a word begins where a word does.
#if SAMPLE_BITS == 8
#define PIXEL_IS_WORD false
#define SOURCE_SHIFT 0
#else
#define PIXEL_IS_WORD CHROMA
#define SOURCE_SHIFT dispatch.source_shift
#endif

// at: of a sample, bytes. Where its value begins in its word.
uint BitsOf(uint at) { return 8 * (at & 3) + SOURCE_SHIFT; }

// x: pixel. Lines begin at multiples of 16 bytes, so the rows of a unit begin
// at the same bit.
Place PlaceOf(int x, int y) {
  const uint at = uint(x) * PIXEL_BYTES;
  return Place((dispatch.source_offset >> 2) +
                   uint(y) * (dispatch.source_stride >> 2) + (at >> 2),
               BitsOf(at));
}

// The word at the place: aligned ones, shifted. Words cost fewer instructions
// than the selects that pick a row out of accesses of 16 bytes.
uint Shifted(uint low, uint high, uint bits) {
#if SAMPLE_BITS == 8
  return (low >> bits) + ((high << 1) << (31 - bits));
#else
  const uint rest = PIXEL_IS_WORD ? 0 : (high << 1) << (31 - bits);
  return ((low >> bits) + rest) & (BOTH * SAMPLE_MAX);
#endif
}

// Whether a word is needed where so many are; of six, half the last one is.
bool Needed(uint word, uint words) {
  return word < words || (word == words && words != 6 && !PIXEL_IS_WORD);
}

Window ShiftWords(uint raw[WINDOW_WORDS + 1], uint bits) {
  Window window;
  [[unroll]] for (uint i = 0; i < WINDOW_WORDS; ++i) {
    window.w[i] = Shifted(raw[i], raw[i + 1], bits);
  }
  return window;
}

Window LoadInside(Place place, uint words) {
  uint raw[WINDOW_WORDS + 1];
  [[unroll]] for (uint i = 0; i <= WINDOW_WORDS; ++i) {
    raw[i] = Needed(i, words) ? reference[place.word + i] : 0;
  }
  return ShiftWords(raw, place.bits);
}

// Before which words of LoadClamped a block ends, a bit for each: no more than
// it takes. Of 10 bits none: with half the threads it takes less time, by the
// model of docs/raspberry-pi.md.
const uint CLAMPED_BLOCKS =
    KIND != PERDIX_INTER_SCALED || SAMPLE_BITS == 10 ? 0 : CHROMA ? 30 : 4;

const uint PIXEL_MASK = 0xffffffffu >> (32 - 8 * PIXEL_BYTES);
const uint PIXEL_IN_ALL = 0xffffffffu / PIXEL_MASK;  // of a word

// The same with rows and columns clamped to the frame: words outside of it, and
// the end of its last one, repeat its first or last pixel.
Window LoadClamped(int x, int y, uint words) {
  const int at = x * int(PIXEL_BYTES);
  const int last_byte = dispatch.source_last_x * int(PIXEL_BYTES);
  const int last = last_byte >> 2;
  const uint last_bits = 8 * (uint(last_byte) & 3);
  const uint last_mask = 0xffffffffu >> (32 - 8 * PIXEL_BYTES - last_bits);
  const uint line = (dispatch.source_offset >> 2) +
                    uint(clamp(y, 0, dispatch.source_last_y)) *
                        (dispatch.source_stride >> 2);
  uint raw[WINDOW_WORDS + 1];
  [[unroll]] for (uint i = 0; i <= WINDOW_WORDS; ++i) {
    raw[i] = 0;
    if (Needed(i, words)) {
      if ((CLAMPED_BLOCKS >> i & 1) != 0) END_BLOCK()
      const int word = (at >> 2) + int(i);
      raw[i] = reference[line + uint(clamp(word, 0, last))];
      if (!PIXEL_IS_WORD) {
        // All bits set if so.
        const int before = word >> 31;
        const int behind = (last - word) >> 31;
        const int not_last = (word - last) >> 31;
        const uint pixel = (raw[i] >> (last_bits & ~before)) & PIXEL_MASK;
        const uint outside = pixel * PIXEL_IN_ALL;
        const uint inside =
            (last_mask | uint(not_last)) & ~uint(before | behind);
        raw[i] = outside ^ ((outside ^ raw[i]) & inside);
      }
    }
  }
  return ShiftWords(raw, BitsOf(uint(at)));
}

// ---- horizontal filter of one row of a unit ----

float Sample(Window window, uint i) {
  return SampleOf(window.w[i / WORD_SAMPLES], i % WORD_SAMPLES);
}

// Sample i of the window and those of the next 7 pixels, filtered.
float FilterSample(Window window, uvec4 taps, uint i) {
  return CHROMA ? Filter(taps, Sample(window, i), Sample(window, i + 2),
                         Sample(window, i + 4), Sample(window, i + 6),
                         Sample(window, i + 8), Sample(window, i + 10),
                         Sample(window, i + 12), Sample(window, i + 14))
                : Filter(taps, Sample(window, i), Sample(window, i + 1),
                         Sample(window, i + 2), Sample(window, i + 3),
                         Sample(window, i + 4), Sample(window, i + 5),
                         Sample(window, i + 6), Sample(window, i + 7));
}

// The filtered row's word.
uint FilterWord(Window window, uvec4 taps, uint word) {
  FLOATS result;
  [[unroll]] for (uint i = 0; i < WORD_SAMPLES; ++i) {
    result[i] = FilterSample(window, taps, word * WORD_SAMPLES + i);
  }
  return WordOf(result);
}

// The window's first pixel, filtered; of luma twice.
vec2 FilterPixel(Window window, uvec4 taps) {
  return vec2(FilterSample(window, taps, 0),
              FilterSample(window, taps, CHROMA ? 1 : 0));
}

// x: of the first predicted pixel, whole pixels.
Window FilterWindow(int x, int y) {
  Window window;
  if (CLAMPED) {
    window = LoadClamped(x - TAPS_BEFORE, y, FILTER_WORDS);
  } else {
    window = LoadInside(PlaceOf(x - TAPS_BEFORE, y), FILTER_WORDS);
  }
  return window;
}

// ---- a lane's rows ----

void StoreWord(uint at, uint word) {
  if (AVERAGE) word = Average(target_words[at], word);
  target_words[at] = word;
}

// Units have 4 rows or 8: a lane has all of its rows, or none. On V3D words go
// out together, see FilterColumns.
void PredictRows(uvec4 record, uint part) {
  const ivec2 whole = ivec2(record.yz) >> 4;
  const uint first = part * LANE_ROWS;
  const uvec4 taps = LoadTaps(record.w, int(record.y));
  const uint words =
      first < InterUnitRows(record.w) ? InterUnitWords(record.w) : 0;
  const uint at = (record.x >> 2) + first * (dispatch.target_stride >> 2);
  const uint stride = dispatch.target_stride >> 2;
  const bool copy = KIND == PERDIX_INTER_COPY;
  const int left = whole.x - (copy ? 0 : TAPS_BEFORE);
  const uint fetched = copy ? UNIT_WORDS : FILTER_WORDS;
  uvec2 predicted[LANE_ROWS];
  // A loop of all that would not be unrolled.
#define PREDICT_ROW(i)                                                     \
  {                                                                        \
    const Window window =                                                  \
        LoadInside(PlaceOf(left, whole.y + int(first + i)), fetched);      \
    predicted[i].x = copy ? window.w[0] : FilterWord(window, taps, 0);     \
    if (WIDE && words > 0) StoreWord(at + i * stride, predicted[i].x);     \
    predicted[i].y = copy ? window.w[1] : FilterWord(window, taps, 1);     \
    if (WIDE && words > 1) StoreWord(at + i * stride + 1, predicted[i].y); \
  }
  PREDICT_ROW(0)
  PREDICT_ROW(1)
  PREDICT_ROW(2)
  PREDICT_ROW(3)
  if (!WIDE && words > 0) {
    [[unroll]] for (uint i = 0; i < LANE_ROWS; ++i) {
      StoreWord(at + i * stride, predicted[i].x);
    }
  }
  if (!WIDE && words > 1) {
    [[unroll]] for (uint i = 0; i < LANE_ROWS; ++i) {
      StoreWord(at + i * stride + 1, predicted[i].y);
    }
  }
}

// ---- a lane's columns: one word of every row ----

// What the horizontal filter made of the unit's FILTER_ROWS rows.
#define FILTERED_LINE 2
const uint FILTERED_UNIT = FILTER_ROWS * FILTERED_LINE;
const bool FILTERS_ROWS_FIRST = KIND == PERDIX_INTER_CLAMPED ||
                                KIND == PERDIX_INTER_BOTH ||
                                KIND == PERDIX_INTER_BOTH_TALL;
// What is not needed here caches the reference.
shared uint filtered[FILTERS_ROWS_FIRST ? UNITS * FILTERED_UNIT : 1];

void FilterRows(uvec4 record, uint unit, uint part) {
  const ivec2 whole = ivec2(record.yz) >> 4;
  const uvec4 taps = LoadTaps(record.w, int(record.y));
  for (uint i = 0; i < FILTER_ROWS / UNIT_LANES; ++i) {
    // The row after the last may be outside of the reference.
    const uint n = part * (FILTER_ROWS / UNIT_LANES) + i;
    const Window window = FilterWindow(
        whole.x, whole.y - TAPS_BEFORE + int(min(n, FILTER_ROWS - 2)));
    const uint at = unit * FILTERED_UNIT + n * FILTERED_LINE;
    // Nobody reads that row. To leave it out costs V3D more than to store it.
    const bool is_stored = !WIDE || n + 1 < FILTER_ROWS;
    const uint low = FilterWord(window, taps, 0);
    if (is_stored) filtered[at] = low;
    const uint high = FilterWord(window, taps, 1);
    if (is_stored) filtered[at + 1] = high;
  }
}

// The lane's word in a row of the source.
HALVES ColumnHalves(Place place, uint row) {
  uint word;
  if (KIND == PERDIX_INTER_VERTICAL) {
    place.word += row * (dispatch.source_stride >> 2);
    word =
        Shifted(reference[place.word], reference[place.word + 1], place.bits);
  } else {
    word = filtered[place.word + row * FILTERED_LINE];
  }
  return HalvesOf(word);
}

uint FilterColumn(uvec4 taps, HALVES r0, HALVES r1, HALVES r2, HALVES r3,
                  HALVES r4, HALVES r5, HALVES r6, HALVES r7) {
  FLOATS result;
  [[unroll]] for (uint i = 0; i < WORD_SAMPLES; ++i) {
    result[i] = Filter(taps, FloatsOf(r0)[i], FloatsOf(r1)[i], FloatsOf(r2)[i],
                       FloatsOf(r3)[i], FloatsOf(r4)[i], FloatsOf(r5)[i],
                       FloatsOf(r6)[i], FloatsOf(r7)[i]);
  }
  return WordOf(result);
}

// Rows go in one by one. On V3D words go out together: its compiler waits for
// stores at the end of each block of instructions.
void FilterColumns(uvec4 record, uint unit, uint part) {
  const uvec4 taps = LoadTaps(record.w, int(record.z));
  Place place = Place(unit * FILTERED_UNIT, 0);
  if (KIND == PERDIX_INTER_VERTICAL) {
    const ivec2 whole = ivec2(record.yz) >> 4;
    place = PlaceOf(whole.x, whole.y - TAPS_BEFORE);
  }
  const uint column = part % 2;
  const uint first = UNIT_LANES == 2 ? 0 : part / 2 * COLUMN_ROWS;
  const uint stride = dispatch.target_stride >> 2;
  place.word += column + first * FILTERED_LINE;
  uint target = (record.x >> 2) + column + first * stride;
  const uint rows =
      column < InterUnitWords(record.w) ? InterUnitRows(record.w) : 0;

  HALVES r0 = ColumnHalves(place, 0);
  HALVES r1 = ColumnHalves(place, 1);
  HALVES r2 = ColumnHalves(place, 2);
  HALVES r3 = ColumnHalves(place, 3);
  HALVES r4 = ColumnHalves(place, 4);
  HALVES r5 = ColumnHalves(place, 5);
  HALVES r6 = ColumnHalves(place, 6);
  HALVES r7;
  uint words[COLUMN_ROWS];
  // Row n is made of rows first to last; last replaces the one before first.
#define COLUMN_ROW(n, first, b, c, d, e, f, g, last)            \
  last = ColumnHalves(place, n + 7);                            \
  words[n] = FilterColumn(taps, first, b, c, d, e, f, g, last); \
  if (WIDE && rows > (n & 4)) StoreWord(target + (n & 3) * stride, words[n]);
  COLUMN_ROW(0, r0, r1, r2, r3, r4, r5, r6, r7)
  COLUMN_ROW(1, r1, r2, r3, r4, r5, r6, r7, r0)
  COLUMN_ROW(2, r2, r3, r4, r5, r6, r7, r0, r1)
  COLUMN_ROW(3, r3, r4, r5, r6, r7, r0, r1, r2)
  target += 4 * stride;
  COLUMN_ROW(4, r4, r5, r6, r7, r0, r1, r2, r3)
  COLUMN_ROW(5, r5, r6, r7, r0, r1, r2, r3, r4)
  COLUMN_ROW(6, r6, r7, r0, r1, r2, r3, r4, r5)
  COLUMN_ROW(7, r7, r0, r1, r2, r3, r4, r5, r6)
  if (!WIDE && rows > 0) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      StoreWord(target + i * stride - 4 * stride, words[i]);
    }
  }
  if (!WIDE && rows > 4) {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      StoreWord(target + i * stride, words[i + 4]);
    }
  }
}

// ---- scaled references ----

// Every pixel has its own fractions: each is filtered from 8 x 8 others. Rare,
// and slow.
uint PredictScaledPixel(uint shape, ivec2 position) {
  const ivec2 whole = (position >> 4) - TAPS_BEFORE;
  vec2 sum = vec2(0.0);
  for (uint k = 0; k < 8; ++k) {
    const Window window = LoadClamped(ANEW(whole.x, k), whole.y + int(k),
                                      2 * PIXEL_BYTES);
    // Taps are loaded again and again: registers are scarcer.
    const uvec4 y_taps = LoadTaps(shape, ANEW(position.y, k));
    const vec2 taps = unpackHalf2x16(y_taps[k >> 1]);
    const float tap = (k & 1) != 0 ? taps.y : taps.x;
    sum += FilterPixel(window, LoadTaps(shape, ANEW(position.x, k))) * tap;
  }
  FLOATS result = FLOATS(1024.0);
  result.xy = vec2(Round(sum.x), Round(sum.y));
  return WordOf(result) & PIXEL_MASK;
}

void PredictScaled(uvec4 record, uint part) {
  const uint rows =
      part < InterUnitWords(record.w) ? InterUnitRows(record.w) : 0;
  const uint pixels = 4 / PIXEL_BYTES;
  for (uint i = 0; i < COLUMN_ROWS; ++i) {
    uint word = 0;
    for (uint k = 0; k < pixels + ZERO; ++k) {  // not unrolled
      const uint pixel = part * pixels + k;
      const uint samples = PredictScaledPixel(
          record.w, ivec2(record.y + pixel * dispatch.x_step,
                          record.z + i * dispatch.y_step));
      word |= samples << (8 * PIXEL_BYTES * k);
    }
    const uint at = ((record.x + i * dispatch.target_stride) >> 2) + part;
    if (i < rows) StoreWord(at, word);
  }
}

void main() {
  const uint unit = gl_LocalInvocationIndex / UNIT_LANES;
  const uint part = gl_LocalInvocationIndex % UNIT_LANES;
  const uint index = dispatch.first + gl_WorkGroupID.x * UNITS + unit;
  const uvec4 record = records[index];
  if (KIND == PERDIX_INTER_SCALED) {
    PredictScaled(record, part);
  } else if (KIND == PERDIX_INTER_HORIZONTAL || KIND == PERDIX_INTER_COPY) {
    PredictRows(record, part);
  } else {
    if (FILTERS_ROWS_FIRST) {
      FilterRows(record, unit, part);
      barrier();
    }
    FilterColumns(record, unit, part);
  }
}
