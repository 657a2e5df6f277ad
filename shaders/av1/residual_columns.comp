// SPDX-License-Identifier: BSD-2-Clause
// Column transforms of blocks that are 1 << LENGTH_LOG2 high, LENGTH_LOG2 = 2..6
// (AV1 7.13.3, steps 6 on), and what becomes of the residual: added to the
// target (7.12.3) or left in planes for intra prediction.
//
// Reads: items, blocks, values of blocks (scratch), the target. Writes: the
// target or the residual planes (scratch); where columns are 32 and more, what
// it packs (scratch).
// Work item: four columns of a block by a lane, items dispatch.first on; their
// number is padded to whole workgroups by a block outside of the frame. Order:
// any, after the rows; V after U, for they share words.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/residual.glsl"

#define LIMIT_BITS 16
#define CLAMPS_SUMS true
#include "shaders/av1/transform_1d.glsl"

// One variable for all that is read and written: a lane reads what it wrote.
#define TALL (LENGTH_LOG2 >= PERDIX_RESIDUAL_TALL_LOG2)
#if TALL
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Scratch {
  uint scratch[];
};
void StoreFour(uint at, uvec2 pairs) {
  scratch[2 * at] = pairs.x;
  scratch[2 * at + 1] = pairs.y;
}
#else
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Scratch {
  uvec2 scratch[];
};
void StoreFour(uint at, uvec2 pairs) { scratch[at] = pairs; }
#endif

#include "shaders/av1/residual_output.glsl"

#define ROW_PAIRS (LENGTH / 2)

int RoundOutput(int value) {
  return KIND == PERDIX_RESIDUAL_WHT ? value : (value + 8) >> 4;
}

// Types whose rows are flipped, upside down.
#define FLIPS_ROWS ((1u << 4) | (1u << 6) | (1u << 8) | (1u << 14))

bool IsFlipped(uint shape) {
  return KIND == PERDIX_RESIDUAL_ADST &&
         ((FLIPS_ROWS >> TransformType(shape)) & 1u) != 0;
}

uint Item() { return items[dispatch.first + gl_GlobalInvocationID.x]; }

// Where the lane's columns are.
Place UnitPlace(uvec4 block, uint unit) {
  Place place = PlaceOf(block.y, PositionX4(block.x) + unit,
                        PositionY4(block.x) * 4);
  if (IsFlipped(block.y)) Flip(place, LENGTH);
  return place;
}

uint StoredRows(uint shape) {
  return LENGTH_LOG2 == 2 ? 4 : 4 << TransformStoredHeight(shape);
}

// Two rows of the column that was transformed.
uint PackOutput(int first, int second) {
  return PackRows(RoundOutput(first), RoundOutput(second));
}

#if TALL
// A column of a block: where its values are, and where its packed rows go.
struct Column {
  uint first;   // word of the scratch memory
  uint line_log2;  // words from row to row
  uint shift;   // 16 for the left column of a word, 0 for the right one
  uint rows;    // stored
  uint packed;  // word of the scratch memory; two rows on, it is 4 further
};

int LoadValue(Column column, uint row) {
  const uint mask = row < 4 || (row & ~3u) < column.rows ? 0xffffffffu : 0;
  const uint word = scratch[column.first + ((row & mask) << column.line_log2)];
  return int((word & mask) << column.shift) >> 16;
}

#if LENGTH_LOG2 == 5
void TransformColumn(Column column) {
  [[unroll]] for (uint i = 0; i < LENGTH; ++i) v[i] = LoadValue(column, i);
  Transform(0);
  [[unroll]] for (uint k = 0; k < ROW_PAIRS; ++k) {
    scratch[column.packed + 4 * k] = PackOutput(t[2 * k], t[2 * k + 1]);
  }
}
#else
// The even half is kept, two values to a word, in the place of the packed rows
// that come of the same values: 2k and 2k + 1.
void EvenHalf(Column column) {
  [[unroll]] for (uint i = 0; i < 16; ++i) v[i] = LoadValue(column, 2 * i);
  TransformEven();
  [[unroll]] for (uint k = 0; k < 16; ++k) {
    scratch[column.packed + 4 * k] =
        (uint(t[2 * k]) & 0xffffu) | (uint(t[2 * k + 1]) << 16);
  }
}

void OddHalf(Column column) {
  [[unroll]] for (uint i = 0; i < 16; ++i) v[i] = LoadValue(column, 2 * i + 1);
  TransformOdd();
}

void TransformColumn(Column column) {
  APART(EvenHalf(column));
  OddHalf(column);
  // Else V3D would hold sixteen places meanwhile.
  const uint packed = column.packed + dispatch.zero;
  [[unroll]] for (int k = 0; k < 16; ++k) {
    const uint kept = scratch[packed + 4 * k];
    const int first = int(kept << 16) >> 16;
    const int second = int(kept) >> 16;
    scratch[packed + 4 * k] =
        PackOutput(JoinFirst(first, 2 * k), JoinFirst(second, 2 * k + 1));
    scratch[packed + 4 * (31 - k)] =
        PackOutput(JoinLast(second, 2 * k + 1), JoinLast(first, 2 * k));
  }
}
#endif

// Where the packed rows of the lane's columns begin.
uint PackedPlace(uvec4 block, uint unit) {
  const uint width = 1u << TransformWidthLog2(block.y);
  return block.w + ResidualValueWords(width, StoredRows(block.y)) +
         unit * 4 * ROW_PAIRS;
}

Column ColumnOf(uint item, uint i) {
  const uvec4 block = BlockOf(item);
  const uint unit = ResidualItemPart(item);
  Column column;
  column.first = block.w + 2 * unit + i / 2;
  column.line_log2 = TransformWidthLog2(block.y) - 1;
  column.shift = 16 - 16 * (i & 1);
  column.rows = StoredRows(block.y);
  column.packed = PackedPlace(block, unit) + i;
  return column;
}

void OutputPair(Place place, uint packed, uint k) {
  const uint at = packed + 4 * k;
  OutputRows(place, k,
             uvec4(scratch[at], scratch[at + 1], scratch[at + 2],
                   scratch[at + 3]));
}

void OutputColumns(Place place, uint packed) {
  for (uint i = 0; i < LENGTH / 4; ++i) {
    if (IsInside(place, i)) {
      OutputPair(place, packed, 2 * i);
      OutputPair(place, packed, 2 * i + 1);
    }
  }
}

// The columns one after the other. Item and block are loaded anew for each, so
// that V3D need not hold them while it transforms.
void Run() {
  for (uint i = 0; i < 4; ++i) TransformColumn(ColumnOf(Item(), i));
  const uint item = Item();
  const uvec4 block = BlockOf(item);
  const uint unit = ResidualItemPart(item);
  OutputColumns(UnitPlace(block, unit), PackedPlace(block, unit));
}
#else
uvec2 loaded[LENGTH];          // two words of a row are four columns
uint results[4 * ROW_PAIRS];  // of a column after the other

void LoadColumns(uvec4 block, uint unit) {
  const uint line = 1u << (TransformWidthLog2(block.y) - 2);
  const uint first = (block.w >> 1) + unit;
  const uint stored = StoredRows(block.y);
  [[unroll]] for (uint i = 0; i < LENGTH; ++i) {
    const uint mask = i < 4 || (i & ~3u) < stored ? 0xffffffffu : 0;
    loaded[i] = scratch[first + (i & mask) * line] & mask;
  }
}

void TransformColumn(uint column) {
  [[unroll]] for (uint i = 0; i < LENGTH; ++i) {
    const int word = int(column < 2 ? loaded[i].x : loaded[i].y);
    v[i] = ((column & 1) != 0 ? word : word << 16) >> 16;
  }
  Transform(0);
  [[unroll]] for (int k = 0; k < ROW_PAIRS; ++k) {
    results[column * ROW_PAIRS + k] = PackOutput(t[2 * k], t[2 * k + 1]);
  }
}

void OutputPair(Place place, uint k) {
  OutputRows(place, k,
             uvec4(results[k], results[ROW_PAIRS + k],
                   results[2 * ROW_PAIRS + k], results[3 * ROW_PAIRS + k]));
}

void Run() {
  const uint item = Item();
  const uvec4 block = BlockOf(item);
  const uint unit = ResidualItemPart(item);
  LoadColumns(block, unit);
#if LENGTH_LOG2 == 4
  APART(TransformColumn(0));
  APART(TransformColumn(1));
  APART(TransformColumn(2));
  APART(TransformColumn(3));
#else
  TransformColumn(0);
  TransformColumn(1);
  TransformColumn(2);
  TransformColumn(3);
#endif
  const Place place = UnitPlace(block, unit);
  [[unroll]] for (uint i = 0; i < LENGTH / 4; ++i) {
    if (IsInside(place, i)) {
      OutputPair(place, 2 * i);
      OutputPair(place, 2 * i + 1);
    }
  }
}
#endif

void main() { Run(); }
