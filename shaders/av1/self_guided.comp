// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration's self-guided filter (AV1 7.17.2, 7.17.3).
//
// Reads: records (RestorationItem), the target, line buffers. Writes: results
// (scratch), which restoration_copy.comp brings to the target.
// Work item: a group of each line of an item, by a lane; items dispatch.first
// on. Order: any.
//
// Where there are two passes a lane goes down its lines twice, and leaves what
// the first pass adds for the second: V3D has not the registers for both. For
// their sake A is held in pairs, and each pass has its boxes once in the code.
// Floats hold whole numbers below 2^24, so they are exact.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/restoration_filter.glsl"

layout(constant_id = PERDIX_CONSTANT_SELF_GUIDED_PASSES) const uint PASSES =
    PERDIX_SELF_GUIDED_BOTH;
const bool FIRST = (PASSES & PERDIX_SELF_GUIDED_FIRST) != 0;
const bool SECOND = (PASSES & PERDIX_SELF_GUIDED_SECOND) != 0;

// What the first pass gives: filtered less the samples, with four more bits, of
// a group: pairs of 16 bits.
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Differences {
  uvec2 differences[];
};

Row NoRow() { return Row(GROUP(0), GROUP(0), GROUP(0)); }

// ---- columns of a row: pixel -4 of the group is column 0 ----

#define ROW_COLUMNS 12

// Pairs of samples, or of sums of them.
struct Pairs {
  uvec2 before;
  uvec2 own;
  uvec2 after;
};

uvec2 PairsOf(GROUP group) {
#if SAMPLE_BITS == 8
  return uvec2(Even(group), Odd(group));
#else
  return group;
#endif
}
Pairs PairsOf(Row row) {
  return Pairs(PairsOf(row.before), PairsOf(row.own), PairsOf(row.after));
}
Pairs Plus(Pairs a, Pairs b) {
  return Pairs(a.before + b.before, a.own + b.own, a.after + b.after);
}

// Fields of two pairs in the order of the pixels.
uvec4 Fields(uvec2 pairs) {
  const uvec2 low = pairs & 0xffffu;
  const uvec2 high = pairs >> 16;
  return PLANE == 0 && SAMPLE_BITS == 8
             ? uvec4(low.x, low.y, high.x, high.y)
             : uvec4(low.x, high.x, low.y, high.y);
}

struct Columns {
  uint of[ROW_COLUMNS];
};

Columns ColumnsOf(Pairs pairs) {
  const uvec4 a = Fields(pairs.before);
  const uvec4 b = Fields(pairs.own);
  const uvec4 c = Fields(pairs.after);
  return Columns(uint[12](a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z,
                          c.w));
}

// Sums of rows.
struct Sums {
  Pairs samples;
  Columns squares;
};

Sums NoSums() {
  Sums sums;
  sums.samples = PairsOf(NoRow());
  [[unroll]] for (uint i = 0; i < ROW_COLUMNS; ++i) sums.squares.of[i] = 0;
  return sums;
}

void Add(Row row, inout Sums sums) {
  const Pairs pairs = PairsOf(row);
  sums.samples = Plus(sums.samples, pairs);
  const Columns samples = ColumnsOf(pairs);
  [[unroll]] for (uint i = 0; i < ROW_COLUMNS; ++i) {
    sums.squares.of[i] += samples.of[i] * samples.of[i];
  }
}

// ---- boxes ----

// A and B of 7.17.3, weighted, of the group's pixels; A in pairs of pixels side
// by side.
struct Boxes {
  uvec2 a;
  vec4 b;
};

// Sums of boxes around pixels -1 to 4: those around each pixel and beside it.
struct BoxRow {
  Boxes middle;
  Boxes sides;
};

Boxes NoBoxes() { return Boxes(uvec2(0), vec4(0)); }
Boxes Plus(Boxes a, Boxes b) { return Boxes(a.a + b.a, a.b + b.b); }
Boxes Times(uint factor, Boxes boxes) {
  return Boxes(factor * boxes.a, float(factor) * boxes.b);
}

// A box of <size> samples. one_over: 2^12 divided by the size.
void FindBox(uint sum, uint square, uint size, uint one_over, uint strength,
             out uint a2, out float b2) {
  const uint extra = SAMPLE_BITS - 8;
  const uint d = (sum + ((1u << extra) >> 1)) >> extra;
  const uint a = (square + ((1u << (2 * extra)) >> 1)) >> (2 * extra);
  const uint p = uint(max(int(a * size) - int(d * d), 0));
  const float z = float(min((p * strength + (1u << 19)) >> 20, 255u));
  // The quotient is at least 1 / 256 below the next whole number.
  const float quotient =
      floor((256 * z + floor(z * 0.5)) * (1.0 / (z + 1)) + 0.001);
  a2 = uint(z == 255 ? 256 : max(quotient, 1));
  b2 = float(((256 - a2) * sum * one_over + (1u << 11)) >> 12);
}

// rows: their sums.
BoxRow BoxRowOf(Sums rows, int radius, uint strength) {
  const Columns sums = ColumnsOf(rows.samples);
  const Columns squares = rows.squares;
  const uint size = radius == 1 ? 9 : 25;
  const uint one_over = radius == 1 ? 455 : 164;
  uvec3 a;
  float b[6];
  [[unroll]] for (int i = 0; i < 6; ++i) {
    uint sum = sums.of[i + 2] + sums.of[i + 3] + sums.of[i + 4];
    uint square = squares.of[i + 2] + squares.of[i + 3] + squares.of[i + 4];
    if (radius == 2) {
      sum += sums.of[i + 1] + sums.of[i + 5];
      square += squares.of[i + 1] + squares.of[i + 5];
    }
    uint a2;
    FindBox(sum, square, size, one_over, strength, a2, b[i]);
    a[i / 2] = i % 2 == 0 ? a2 : a[i / 2] | (a2 << 16);
  }
  return BoxRow(
      Boxes((a.xy >> 16) | (a.yz << 16), vec4(b[1], b[2], b[3], b[4])),
      Boxes(a.xy + a.yz,
            vec4(b[0], b[1], b[2], b[3]) + vec4(b[2], b[3], b[4], b[5])));
}

// The filtered samples less the samples themselves, with four more bits.
vec4 DifferenceOf(Boxes sum, float scale, vec4 samples) {
  const vec4 a = vec4(sum.a.x & 0xffffu, sum.a.x >> 16, sum.a.y & 0xffffu,
                      sum.a.y >> 16);
  return floor((a * samples + sum.b) * scale + 0.5) - 16 * samples;
}

vec4 SamplesOf(GROUP group) { return HalvesOf(group) - 1024; }

// ---- passes ----

uint DifferencesAt(uint line) {
  const uint behind =
      item.results + RestorationLineCount(item.lines) * RECORD_LANES;
  return behind * GROUP_WORDS / 2 + (result - item.results) +
         line * RECORD_LANES;
}

// sum: what the passes add to the samples, 11 more bits.
void PutSum(uint line, vec4 sum, vec4 samples) {
  const vec4 filtered = floor((sum + 2048 * samples) * (1.0 / 2048) + 0.5);
  Put(line, 1024 + clamp(filtered, 0.0, float(SAMPLE_MAX)));
}

void PutFirst(uint line, vec4 difference, vec4 samples) {
  if (SECOND) {
    const uvec4 bits = uvec4(ivec4(difference)) & 0xffffu;
    differences[DifferencesAt(line)] = bits.xz | (bits.yw << 16);
  } else {
    PutSum(line, SelfGuidedFirst(item.filter1) * difference, samples);
  }
}

// What the first pass adds.
vec4 FirstSum(uint line) {
  if (!FIRST) return vec4(0);
  const uvec2 bits = differences[DifferencesAt(line)];
  const ivec4 difference =
      ivec4(bits.x << 16, bits.x, bits.y << 16, bits.y) >> 16;
  return SelfGuidedFirst(item.filter1) * vec4(difference);
}

// Boxes of the five rows.
Boxes FirstBoxes(Row rows[5], uint strength) {
  Sums sums = NoSums();
  [[unroll]] for (uint i = 0; i < 5; ++i) Add(rows[i], sums);
  const BoxRow row = BoxRowOf(sums, 2, strength);
  return Plus(Times(6, row.middle), Times(5, row.sides));
}

// Boxes around odd lines alone; even lines lie between two of them.
void FilterFirst() {
  Row rows[5];
  [[unroll]] for (int i = 0; i < 5; ++i) rows[i] = NoRow();
  Boxes above = NoBoxes();
  // The first rounds only load what lies above the first boxes.
  int line = -6;
  int count;
  do {
    zero = uint(line + 6) >> 16;
    const int first = int(RestorationFirstLine(item.lines + zero));
    count = int(RestorationLineCount(item.lines + zero));
    rows[0] = rows[2];
    rows[1] = rows[3];
    rows[2] = rows[4];
    rows[3] = RowAt(first + line + 2);
    rows[4] = RowAt(first + line + 3);
    if (line >= -2) {
      const Boxes below =
          FirstBoxes(rows, uint(SelfGuidedFirst(item.filter0 + zero)));
      if (line >= 0) {
        const vec4 even = SamplesOf(rows[1].own);
        const vec4 odd = SamplesOf(rows[2].own);
        // Where the cell ends between them the even one replaces the odd one.
        PutFirst(uint(min(line + 1, count - 1)),
                 DifferenceOf(below, 1.0 / 256, odd), odd);
        PutFirst(uint(line), DifferenceOf(Plus(above, below), 1.0 / 512, even),
                 even);
      }
      above = below;
    }
    line += 2;
  } while (line < count);
}

// Boxes of the three rows.
BoxRow SecondBoxes(Row row0, Row row1, Row row2, uint strength) {
  Sums sums = NoSums();
  Add(row0, sums);
  Add(row1, sums);
  Add(row2, sums);
  return BoxRowOf(sums, 1, strength);
}

Boxes Outer(BoxRow row) {
  return Plus(Times(4, row.middle), Times(3, row.sides));
}
Boxes Middle(BoxRow row) { return Times(4, Plus(row.middle, row.sides)); }

void FilterSecond() {
  Row row1 = NoRow();
  Row row2 = NoRow();
  Row row3 = NoRow();
  // Complete but for the boxes around the next line, and for those around two.
  Boxes sum0 = NoBoxes();
  Boxes sum1 = NoBoxes();
  zero = 0;  // here V3D has registers enough
  const uint strength = uint(SelfGuidedSecond(item.filter0));
  const float weight = SelfGuidedSecond(item.filter1);
  const int first = int(RestorationFirstLine(item.lines));
  const int count = int(RestorationLineCount(item.lines));
  // The first rounds only load what lies above the first boxes.
  int line = -4;
  do {
    row1 = row2;
    row2 = row3;
    row3 = RowAt(first + line + 2);
    if (line >= -2) {
      const BoxRow boxes = SecondBoxes(row1, row2, row3, strength);
      if (line >= 0) {
        const vec4 samples = SamplesOf(row1.own);
        PutSum(uint(line),
               FirstSum(uint(line)) +
                   weight * DifferenceOf(Plus(sum0, Outer(boxes)), 1.0 / 512,
                                         samples),
               samples);
      }
      sum0 = Plus(sum1, Middle(boxes));
      sum1 = Outer(boxes);
    }
    ++line;
  } while (line < count);
}

void main() {
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> LANES_LOG2);
  const uint lane = gl_GlobalInvocationID.x & (RECORD_LANES - 1);
  if (record >= dispatch.end || !BeginLane(record, lane)) return;
  if (FIRST) FilterFirst();
  if (SECOND) FilterSecond();
}
