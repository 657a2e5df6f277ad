// SPDX-License-Identifier: BSD-2-Clause
// Row transforms of blocks that are 1 << LENGTH_LOG2 wide, LENGTH_LOG2 = 2..6
// (AV1 7.13.3, steps 1 to 5), with flips of columns.
//
// Reads: items, blocks, coefficients: 16 bits each where SAMPLE_BITS is 8, else
// 32. Writes: values of blocks (scratch); where rows are 64, what it keeps
// meanwhile (scratch).
// Work item: four stored rows of a block, one a lane, items dispatch.first on;
// their number is padded to whole workgroups. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/residual.glsl"

#define LIMIT_BITS (SAMPLE_BITS + 8)
#define CLAMPS_SUMS (LIMIT_BITS == 16)
#include "shaders/av1/transform_1d.glsl"

layout(std430, binding = PERDIX_BINDING_COEFFICIENTS)
    readonly buffer Coefficients {
  uvec4 coefficients[];
};
#if LENGTH_LOG2 == 2
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Values {
  uvec2 values[];
};
#else
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Values {
  uvec4 values[];
};
#endif

// ---- coefficients ----

uint StoredLog2(uint shape) {
  return LENGTH_LOG2 == 2 ? 2 : min(TransformStoredWidth(shape) + 2, 5);
}

// Eight coefficients of a row, from column k on; what is not stored is zero.
#if SAMPLE_BITS == 8
uvec4 LoadEight(uvec4 block, uint row, uint k) {
  const uint stored_log2 = StoredLog2(block.y);
  // Masks cost less than branches.
  const uint mask = k < (1 << stored_log2) ? 0xffffffffu : 0;
  const uint at = (block.z + (row << stored_log2)) >> 3;
  uvec4 words = coefficients[at + ((k >> 3) & mask)] & mask;
  // Rows of four share accesses of eight.
  if (k == 0 && stored_log2 == 2) {
    words = uvec4((row & 1) != 0 ? words.zw : words.xy, 0, 0);
  }
  return words;
}

int Low(uint word) { return int(word << 16) >> 16; }
int High(uint word) { return int(word) >> 16; }

#if LENGTH_LOG2 == 2
void LoadRow(uvec4 block, uint row) {
  const uvec4 words = LoadEight(block, row, 0);
  v = int[](Low(words.x), High(words.x), Low(words.y), High(words.y));
}
#elif LENGTH_LOG2 < 6
void LoadRow(uvec4 block, uint row) {
  [[unroll]] for (uint k = 0; k < LENGTH; k += 8) {
    const uvec4 words = LoadEight(block, row, k);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      v[k + 2 * i] = Low(words[i]);
      v[k + 2 * i + 1] = High(words[i]);
    }
  }
}
#else
void LoadHalf(uvec4 block, uint row, uint odd) {
  [[unroll]] for (uint k = 0; k < 32; k += 8) {
    const uvec4 words = LoadEight(block, row, k);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      v[k / 2 + i] = odd != 0 ? High(words[i]) : Low(words[i]);
    }
  }
}
#endif
#else
// Four of them.
ivec4 LoadFour(uvec4 block, uint row, uint k) {
  const uint stored_log2 = StoredLog2(block.y);
  const uint mask = k < (1 << stored_log2) ? 0xffffffffu : 0;
  const uint at = (block.z >> 3) + (row << stored_log2 >> 2);
  return ivec4(coefficients[at + ((k >> 2) & mask)] & mask);
}

#if LENGTH_LOG2 < 6
void LoadRow(uvec4 block, uint row) {
  [[unroll]] for (uint k = 0; k < LENGTH; k += 4) {
    const ivec4 four = LoadFour(block, row, k);
    [[unroll]] for (uint i = 0; i < 4; ++i) v[k + i] = four[i];
  }
}
#else
void LoadHalf(uvec4 block, uint row, uint odd) {
  [[unroll]] for (uint k = 0; k < 32; k += 4) {
    const ivec4 four = LoadFour(block, row, k);
    v[k / 2] = odd != 0 ? four.y : four.x;
    v[k / 2 + 1] = odd != 0 ? four.w : four.z;
  }
}
#endif
#endif

void ScaleRectangle() {
  [[unroll]] for (uint i = 0; i < INPUTS; ++i) {
    v[i] = Round12(v[i] * RECTANGLE_SCALE);
  }
}

// ---- values ----

#if LENGTH_LOG2 == 2
#define ROW_SHIFTS ROW_SHIFTS_4
#elif LENGTH_LOG2 == 3
#define ROW_SHIFTS ROW_SHIFTS_8
#elif LENGTH_LOG2 == 4
#define ROW_SHIFTS ROW_SHIFTS_16
#elif LENGTH_LOG2 == 5
#define ROW_SHIFTS ROW_SHIFTS_32
#else
#define ROW_SHIFTS ROW_SHIFTS_64
#endif

// What the row's results are rounded with.
int bias;
uint shift;

int Rounded(int value) {
  const int rounded = (value + bias) >> shift;
  return CLAMPS ? FitBits(rounded, 16) : rounded;
}

uint Pair(int left, int right) {
  return (uint(Rounded(left)) & 0xffffu) | (uint(Rounded(right)) << 16);
}

uint Mirror(uint pair) { return pair >> 16 | pair << 16; }

// Types whose columns are flipped, left to right.
#define FLIPS_COLUMNS ((1u << 5) | (1u << 6) | (1u << 7) | (1u << 15))

bool IsFlipped(uint shape) {
  return KIND == PERDIX_RESIDUAL_ADST &&
         ((FLIPS_COLUMNS >> TransformType(shape)) & 1u) != 0;
}

// first: the row's first access.
#if LENGTH_LOG2 == 2
void StoreRow(uint first, bool flipped) {
  const uvec2 pairs = uvec2(Pair(t[0], t[1]), Pair(t[2], t[3]));
  values[first] =
      flipped ? uvec2(Mirror(pairs.y), Mirror(pairs.x)) : pairs;
}
#elif LENGTH_LOG2 < 6
void StoreRow(uint first, bool flipped) {
  [[unroll]] for (uint i = 0; i < LENGTH / 8; ++i) {
    const uint k = 8 * i;
    const uvec4 pairs =
        uvec4(Pair(t[k], t[k + 1]), Pair(t[k + 2], t[k + 3]),
              Pair(t[k + 4], t[k + 5]), Pair(t[k + 6], t[k + 7]));
    if (KIND == PERDIX_RESIDUAL_ADST) {
      values[first + (flipped ? LENGTH / 8 - 1 - i : i)] =
          flipped ? uvec4(Mirror(pairs.w), Mirror(pairs.z), Mirror(pairs.y),
                          Mirror(pairs.x))
                  : pairs;
    } else {
      values[first + i] = pairs;
    }
  }
}
#else
// The even half is kept behind the block's values, 32 bits each: 8 accesses a
// row.
uint KeptPlace(uvec4 block, uint row) {
  const uint rows = 4 << TransformStoredHeight(block.y);
  return (block.w + ResidualValueWords(LENGTH, rows)) / 4 + row * 8;
}

void EvenHalf(uvec4 block, uint row) {
  LoadHalf(block, row, 0);
  if (IsRectangle(block.y)) ScaleRectangle();
  TransformEven();
  const uint kept = KeptPlace(block, row);
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const uint k = 4 * i;
    values[kept + i] = uvec4(t[k], t[k + 1], t[k + 2], t[k + 3]);
  }
}

void OddHalf(uvec4 block, uint row) {
  LoadHalf(block, row, 1);
  if (IsRectangle(block.y)) ScaleRectangle();
  TransformOdd();
}

// Values 8i to 8i + 7, and those as far from the end. first: of the row.
void StoreEights(uint first, uint kept, int i) {
  const ivec4 a = ivec4(values[kept + 2 * i]);
  const ivec4 b = ivec4(values[kept + 2 * i + 1]);
  const int k = 8 * i;
  values[first + i] =
      uvec4(Pair(JoinFirst(a.x, k), JoinFirst(a.y, k + 1)),
            Pair(JoinFirst(a.z, k + 2), JoinFirst(a.w, k + 3)),
            Pair(JoinFirst(b.x, k + 4), JoinFirst(b.y, k + 5)),
            Pair(JoinFirst(b.z, k + 6), JoinFirst(b.w, k + 7)));
  values[first + 7 - i] =
      uvec4(Pair(JoinLast(b.w, k + 7), JoinLast(b.z, k + 6)),
            Pair(JoinLast(b.y, k + 5), JoinLast(b.x, k + 4)),
            Pair(JoinLast(a.w, k + 3), JoinLast(a.z, k + 2)),
            Pair(JoinLast(a.y, k + 1), JoinLast(a.x, k)));
}
#endif

void main() {
  const uint lane = gl_GlobalInvocationID.x;
  const uint item = items[dispatch.first + lane / PERDIX_RESIDUAL_ROW_LANES];
  const uvec4 block = BlockOf(item);
  const uint row = ResidualItemPart(item) * PERDIX_RESIDUAL_ROW_LANES +
                   lane % PERDIX_RESIDUAL_ROW_LANES;
  shift = RowShift(ROW_SHIFTS, block.y);
  bias = (1 << shift) >> 1;
#if LENGTH_LOG2 == 6
  APART(EvenHalf(block, row));
  OddHalf(block, row);
  const uint kept = KeptPlace(block, row);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    StoreEights(block.w / 4 + row * 8, kept, i);
  }
#else
  LoadRow(block, row);
  if (IsRectangle(block.y)) ScaleRectangle();
  Transform(2);
#if LENGTH_LOG2 == 2
  StoreRow(block.w / 2 + row, IsFlipped(block.y));
#else
  StoreRow(block.w / 4 + row * (LENGTH / 8), IsFlipped(block.y));
#endif
#endif
}
