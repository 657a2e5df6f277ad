// SPDX-License-Identifier: BSD-2-Clause
// CDEF's direction process (AV1 7.15.2): how each 8x8 of luma runs, and how
// much of the primary strength it gets.
//
// Reads: records (CDEF items), the target. Writes: directions (scratch).
// Work item: an 8x8 by a lane, records dispatch.first on. Order: any, before
// anything filters the target.
//
// Samples are added up along the lines of each direction in 16-bit fields, two
// to a word. They are taken as they are, not less 128 as there: it changes the
// cost of all directions by the same. A cost is below 64 * 840 * 255 * 255,
// which 32 bits hold.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/cdef.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  LINE target[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) writeonly buffer Directions {
  uint directions[];
};

// Samples 0, 2, 4, 6 and 1, 3, 5, 7 of a line; or sums of such.
struct Row {
  uvec2 even;
  uvec2 odd;
};

Row Plus(Row a, Row b) { return Row(a.even + b.even, a.odd + b.odd); }

// The line's upper 8 bits.
Row RowAt(uint at) {
#if SAMPLE_BITS == 8
  const uvec2 words = target[at];
  return Row(words & 0x00ff00ffu, (words >> 8) & 0x00ff00ffu);
#else
  const uvec4 words = (target[at] >> 2) & 0x00ff00ffu;
  return Row((words.xz & 0xffffu) | (words.yw << 16),
             (words.xz >> 16) | (words.yw & 0xffff0000u));
#endif
}

// Sums of up to 12 fields.
#define FIELDS uint[6]
const FIELDS NONE = FIELDS(0, 0, 0, 0, 0, 0);

uint Field(FIELDS fields, uint i) {
  return (i & 1) == 0 ? fields[i / 2] & 0xffffu : fields[i / 2] >> 16;
}

// Adds four fields to those from <first> on.
void AddFields(uvec2 added, uint first, inout FIELDS fields) {
  const uint i = first / 2;
  if ((first & 1) == 0) {
    fields[i] += added.x;
    fields[i + 1] += added.y;
  } else {
    fields[i] += added.x << 16;
    fields[i + 1] += (added.x >> 16) + (added.y << 16);
    fields[i + 2] += added.y >> 16;
  }
}

// Sums along lines that get one sample of each column: even and odd lines.
struct Sums {
  FIELDS even;
  FIELDS odd;
};

// Adds a row's samples to the lines from <first> on.
void AddRow(Row row, uint first, inout Sums sums) {
  if ((first & 1) == 0) {
    AddFields(row.even, first / 2, sums.even);
    AddFields(row.odd, first / 2, sums.odd);
  } else {
    AddFields(row.even, first / 2, sums.odd);
    AddFields(row.odd, first / 2 + 1, sums.even);
  }
}

uint SumOf(Sums sums, uint line) {
  return (line & 1) == 0 ? Field(sums.even, line / 2)
                         : Field(sums.odd, line / 2);
}

uint Square(uint sum) { return sum * sum; }

// Lines have 1, 2, .. 8, .. 2, 1 samples.
uint DiagonalCost(Sums sums) {
  uint cost = Square(SumOf(sums, 7)) * 105;
  [[unroll]] for (uint i = 0; i < 7; ++i) {
    cost += (Square(SumOf(sums, i)) + Square(SumOf(sums, 14 - i))) *
            (840 / (i + 1));
  }
  return cost;
}

// Lines have 2, 4, 6, 8, 8, 8, 8, 8, 6, 4, 2 samples.
uint ObliqueCost(uint sums[11]) {
  uint cost = 0;
  [[unroll]] for (uint i = 3; i < 8; ++i) cost += Square(sums[i]);
  cost *= 105;
  [[unroll]] for (uint i = 0; i < 3; ++i) {
    cost += (Square(sums[i]) + Square(sums[10 - i])) * (420 / (i + 1));
  }
  return cost;
}

// Lines of two samples of a row each.
uint FlatCost(FIELDS fields) {
  uint sums[11];
  [[unroll]] for (uint i = 0; i < 11; ++i) sums[i] = Field(fields, i);
  return ObliqueCost(sums);
}

// Lines of one sample of a row each.
uint SteepCost(Sums lines) {
  uint sums[11];
  [[unroll]] for (uint i = 0; i < 11; ++i) sums[i] = SumOf(lines, i);
  return ObliqueCost(sums);
}

uint SumOfFields(uint fields) { return (fields & 0xffffu) + (fields >> 16); }

uint SquaresOfFields(uint fields) {
  return Square(fields & 0xffffu) + Square(fields >> 16);
}

// The costs of directions 0 and 4, whose lines are the diagonals; of 2, the
// rows; and of 6, the columns.
void FindStraightCosts(uint at, uint stride, inout uint[8] cost) {
  Sums down = Sums(NONE, NONE);  // rows in their order, and back
  Sums up = down;
  Row columns = Row(uvec2(0), uvec2(0));
  uint squares = 0;
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const Row row = RowAt(at + i * stride);
    AddRow(row, i, down);
    AddRow(row, 7 - i, up);
    columns = Plus(columns, row);
    const uvec2 pairs = row.even + row.odd;
    squares += Square(SumOfFields(pairs.x + pairs.y));
  }
  cost[0] = DiagonalCost(down);
  cost[4] = DiagonalCost(up);
  cost[2] = squares * 105;
  cost[6] = (SquaresOfFields(columns.even.x) + SquaresOfFields(columns.even.y) +
             SquaresOfFields(columns.odd.x) + SquaresOfFields(columns.odd.y)) *
            105;
}

// The costs of directions 1 and 3, whose lines get two samples of a row each;
// and of 5 and 7, whose lines get two of a column.
void FindObliqueCosts(uint at, uint stride, inout uint[8] cost) {
  FIELDS flat_down = NONE;  // rows in their order, and back
  FIELDS flat_up = NONE;
  Sums steep_down = Sums(NONE, NONE);
  Sums steep_up = steep_down;
  Row two;  // of the last two rows
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const Row row = RowAt(at + i * stride);
    AddFields(row.even + row.odd, i, flat_down);
    AddFields(row.even + row.odd, 7 - i, flat_up);
    if ((i & 1) == 0) {
      two = row;
    } else {
      two = Plus(two, row);
      AddRow(two, i / 2, steep_down);
      AddRow(two, 3 - i / 2, steep_up);
    }
  }
  cost[1] = FlatCost(flat_down);
  cost[3] = FlatCost(flat_up);
  cost[5] = SteepCost(steep_up);
  cost[7] = SteepCost(steep_down);
}

void FindDirection(uint item) {
  const uint x8 = CdefItemX8(item);
  const uint y8 = CdefItemY8(item);

  const uint at =
      (dispatch.offset + y8 * 8 * dispatch.stride) / LINE_WORDS + x8;
  const uint stride = dispatch.stride / LINE_WORDS;

  // The block is read twice, because V3D has not the registers for all sums at
  // once.
  uint cost[8];
  FindStraightCosts(at, stride, cost);
  FindObliqueCosts(at + dispatch.zero, stride, cost);
  uint best = 0;
  uint most = cost[0];
  uint across = cost[4];
  [[unroll]] for (uint i = 1; i < 8; ++i) {
    if (cost[i] > most) {
      best = i;
      most = cost[i];
      across = cost[(i + 4) & 7];
    }
  }
  const uint variance = (most - across) >> 10;
  const uint weight =
      variance == 0 ? 0 : 4 + uint(min(max(findMSB(variance >> 6), 0), 12));
  directions[y8 * dispatch.cols8 + x8] = PackCdefDirection(best, weight);
}

void main() {
  const uint record = dispatch.first + gl_GlobalInvocationID.x;
  if (record < dispatch.end) FindDirection(records[record]);
}
