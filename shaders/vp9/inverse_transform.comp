// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms (VP9 8.7) of one transform size, TX_LOG2 = 2..5, and what
// becomes of the residual: added to the target (inter blocks, VP9 8.6.2) or
// stored for intra_pred.comp. SAMPLE_BITS is 8, with coefficients of 16 bits, or
// 10, with coefficients of 32. EXACT: the program for PERDIX_TRANSFORM_EXACT,
// which is that kind alone.
//
// Reads: records (TransformBlock), coefficients, the target. Writes: the target
// or the residual planes.
// Work item: one TransformBlock by BLOCK_LANES lanes: a lane transforms
// LANE_ROWS rows, then as many columns, then outputs rows or parts of them.
// Records dispatch.first on; their number is padded to whole workgroups by
// blocks outside of the frame. Order: any, after the prediction; U and V of a
// block in different dispatches, for they share words.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define TX_SIZE (1 << TX_LOG2)
// The rows that registers hold: fewer lanes exchange less, and what a lane does
// once for its block counts for more rows.
#define LANE_ROWS PERDIX_TRANSFORM_LANE_ROWS(TX_LOG2)
#define BLOCK_LANES_LOG2 (TX_LOG2 == 2 ? 0 : TX_LOG2 == 3 ? 2 : TX_LOG2)
#define BLOCK_LANES (1 << BLOCK_LANES_LOG2)
#define BLOCKS (LANES / BLOCK_LANES)  // of a workgroup
#define VALUES (LANE_ROWS * TX_SIZE)  // of a lane

#include "shaders/vp9/frame.glsl"
#include "shaders/vp9/transform_1d.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { TransformConstants dispatch; };

#ifdef EXACT
const uint TRANSFORM = PERDIX_TRANSFORM_EXACT;
uint TX_TYPE;  // the lane's block's
#else
layout(constant_id = PERDIX_CONSTANT_TRANSFORM) const uint TRANSFORM =
    PERDIX_TRANSFORM_DCT;
const uint TX_TYPE = TRANSFORM >= PERDIX_TRANSFORM_ADST
                         ? TRANSFORM - PERDIX_TRANSFORM_ADST + 1
                         : 0;
#endif
layout(constant_id = PERDIX_CONSTANT_OUTPUT) const uint OUTPUT =
    PERDIX_OUTPUT_LUMA;

const bool WHOLE = TRANSFORM == PERDIX_TRANSFORM_DCT_WHOLE;

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // TransformBlock: position, shape, coefficients, eob
};
layout(std430, binding = PERDIX_BINDING_COEFFICIENTS)
    readonly buffer Coefficients {
  uvec4 coefficients[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uvec2 target[];
};
#if TX_LOG2 == 2 && SAMPLE_BITS == 8
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetWords {
  uint target_words[];
};
#endif
layout(std430, binding = PERDIX_BINDING_RESIDUAL) writeonly buffer Residual {
  uvec2 residual[];
};

// ---- coefficients to v ----

// A lane's rows of coefficients, later its columns of the residual: row k, from
// v[k * TX_SIZE] on.
int v[VALUES];

#if SAMPLE_BITS == 8
int Low(uint word) { return int(word << 16) >> 16; }
int High(uint word) { return int(word) >> 16; }

void SetFour(uint at, uvec2 words) {
  v[at] = Low(words.x);
  v[at + 1] = High(words.x);
  v[at + 2] = Low(words.y);
  v[at + 3] = High(words.y);
}

// The lane's rows; what is not stored is zero. Offset: 16-bit units, a multiple
// of 8, as rows and accesses have them.
void LoadRows(uint shape, uint offset, uint lane) {
  const uint first = offset >> 3;
#if TX_LOG2 == 2
  [[unroll]] for (uint i = 0; i < 2; ++i) {
    const uvec4 words = coefficients[first + i];
    SetFour(8 * i, words.xy);
    SetFour(8 * i + 4, words.zw);
  }
#elif TX_LOG2 == 3
  const bool whole = WHOLE || TransformStoredLog2(shape) != 0;
  // An access has two rows of four, those of a lane.
  const bool some = whole || lane < 2;
  const uint at = some ? (whole ? 2 * lane : lane) : 0;
  const uvec4 low = coefficients[first + at];
  const uvec4 high = coefficients[first + (whole ? at + 1 : 0)];
  SetFour(0, some ? low.xy : uvec2(0));
  SetFour(4, whole ? low.zw : uvec2(0));
  SetFour(8, whole ? high.xy : some ? low.zw : uvec2(0));
  SetFour(12, whole ? high.zw : uvec2(0));
#else
  const uint stored_log2 =
      WHOLE ? TX_LOG2 : min(TransformStoredLog2(shape) + 2, TX_LOG2);
  const uint stored = lane < (1 << stored_log2) ? 1 << stored_log2 : 0;
  const uint at = stored != 0 ? lane << stored_log2 : 0;
  [[unroll]] for (uint k = 0; k < TX_SIZE; k += 8) {
    uvec4 words = uvec4(0);
    if (k == 0 || k < stored) words = coefficients[first + ((at + k) >> 3)];
    if (k == 0) {
      if (stored == 4) words.xy = (lane & 1) != 0 ? words.zw : words.xy;
      if (stored <= 4) words.zw = uvec2(0);
      if (stored == 0) words.xy = uvec2(0);
    }
    SetFour(k, words.xy);
    SetFour(k + 4, words.zw);
  }
#endif
}
#else
// Four coefficients of a row, from column k on; what is not stored is zero.
// Offset: 16-bit units, a multiple of 8.
ivec4 LoadFour(uint shape, uint offset, uint row, uint k) {
  const bool whole = WHOLE || TX_LOG2 == 2;
  const uint stored_log2 =
      whole ? TX_LOG2 : min(TransformStoredLog2(shape) + 2, TX_LOG2);
  // Masks cost less than branches.
  const uint mask = whole || max(row, k) < (1 << stored_log2) ? 0xffffffffu : 0;
  const uint at = ((row << stored_log2) + k) >> 2;
  return ivec4(coefficients[(offset >> 3) + (at & mask)] & mask);
}

void LoadRows(uint shape, uint offset, uint lane) {
  [[unroll]] for (uint i = 0; i < VALUES; i += 4) {
    const ivec4 four = LoadFour(
        shape, offset, LANE_ROWS * lane + i / TX_SIZE, i & (TX_SIZE - 1));
    [[unroll]] for (uint k = 0; k < 4; ++k) v[i + k] = four[k];
  }
}
#endif

// ---- lanes of a block exchange v: rows become columns ----

// A lane's number in its workgroup, in the order of subgroups where they are
// used.
uint Lane() {
  return SUBGROUP_SIZE >= BLOCK_LANES
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}

// Columns whose samples are the fields of a pair, the i-th of a row: PAIR_COLUMN
// and PAIR_COLUMN + PAIR_STEP.
#if SAMPLE_BITS == 8
#define PAIR_COLUMN(i) (4 * ((i) >> 1) + ((i)&1))
#define PAIR_STEP 2
#else
#define PAIR_COLUMN(i) (2 * (i))
#define PAIR_STEP 1
#endif

// The k-th row and column of a lane of the block. Where a lane has more than one
// column, k and k + LANE_ROWS / 2 make a pair.
#define ROW(lane, k) (LANE_ROWS * (lane) + (k))
#if TX_LOG2 <= 3
#define COLUMN(lane, k)                                           \
  (PAIR_COLUMN(LANE_ROWS / 2 * (lane) + (k) % (LANE_ROWS / 2)) + \
   PAIR_STEP * ((k) / (LANE_ROWS / 2)))
#else
#define COLUMN(lane, k) (LANE_ROWS * (lane) + (k))
#endif

// One word more a lane, so that a column's words lie in different banks. What
// shared memory is not taken caches the target and the coefficients.
#define TILE_LANE (VALUES + 1)
const uint MOST_SHUFFLED_LOG2 = WIDE ? 3 : 4;
const bool SHUFFLES =
    SUBGROUP_SIZE >= BLOCK_LANES && TX_LOG2 <= MOST_SHUFFLED_LOG2;
const uint TILE_LANES = SHUFFLES ? 1 : LANES;
shared int tile[TILE_LANES * TILE_LANE];

void TransposeShared(uint lane) {
  const uint block = lane & ~(BLOCK_LANES - 1);
  const uint own = lane - block;
  barrier();  // the last readers of the tile
  [[unroll]] for (uint i = 0; i < VALUES; ++i) {
    tile[lane * TILE_LANE + i] = v[i];
  }
  barrier();
  [[unroll]] for (uint i = 0; i < VALUES; ++i) {
    const uint row = i & (TX_SIZE - 1);
    v[i] = tile[(block + row / LANE_ROWS) * TILE_LANE +
                (row & (LANE_ROWS - 1)) * TX_SIZE + COLUMN(own, i / TX_SIZE)];
  }
}

// Inserts a zero into a number, before the bit.
#define SPREAD(number, bit) \
  (((number) & ((bit)-1)) | (((number) & ~((bit)-1)) << 1))

// Lanes that differ in a bit of their number exchange the values that belong to
// the other. A shuffle more costs less than the select of what to send.
void ExchangeValues(uint lane, uint bit) {
  const bool upper = (lane & bit) != 0;
  [[unroll]] for (uint p = 0; p < VALUES / 2; ++p) {
    const uint k = p % LANE_ROWS * TX_SIZE;
    const uint m = p / LANE_ROWS % LANE_ROWS;
    const uint j = SPREAD(p / (LANE_ROWS * LANE_ROWS), bit);
    const uint low = k + COLUMN(j, m);
    const uint high = k + COLUMN(j + bit, m);
    const int their_low = subgroupShuffleXor(v[low], bit);
    const int their_high = subgroupShuffleXor(v[high], bit);
    v[low] = upper ? their_high : v[low];
    v[high] = upper ? v[high] : their_low;
  }
}

void TransposeShuffle(uint lane) {
  if (BLOCK_LANES > 1) ExchangeValues(lane, 1);
  if (BLOCK_LANES > 2) ExchangeValues(lane, 2);
  if (BLOCK_LANES > 4) ExchangeValues(lane, 4);
  if (BLOCK_LANES > 8) ExchangeValues(lane, 8);
  const int from[VALUES] = v;
  [[unroll]] for (uint i = 0; i < VALUES; ++i) {
    const uint row = i % TX_SIZE;
    v[i] =
        from[row % LANE_ROWS * TX_SIZE + COLUMN(row / LANE_ROWS, i / TX_SIZE)];
  }
}

void Transpose(uint lane) {
  if (SHUFFLES || BLOCK_LANES == 1) {
    TransposeShuffle(lane);
  } else {
    TransposeShared(lane);
  }
}

// ---- two dimensions (VP9 8.7.2) ----

#define ADST_COLUMNS 1u
#define ADST_ROWS 2u
#define WHT_ROW_SHIFT 2
#define OUTPUT_SHIFT (TX_LOG2 < 4 ? TX_LOG2 + 2 : 6)
#define OUTPUT_BIAS (1 << (OUTPUT_SHIFT - 1))

void TransformRow(uint k, uint adst, int wht_shift) {
  [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) t[i] = v[k * TX_SIZE + i];
#if TX_LOG2 == 2
  if (TRANSFORM == PERDIX_TRANSFORM_WHT) {
    InverseWht(wht_shift);
  } else
#endif
  if ((TX_TYPE & adst) != 0) {
    InverseAdst();
    if (adst == ADST_COLUMNS) {
      [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) t[i] += OUTPUT_BIAS;
    }
  } else {
    InverseDct(adst == ADST_COLUMNS ? OUTPUT_BIAS : 0);
  }
  [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) v[k * TX_SIZE + i] = t[i];
}

// DO(k) for each row of a lane; a loop of loops would not be unrolled.
#if TX_LOG2 == 2
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3)
#elif TX_LOG2 == 3
#define EACH_ROW(DO) DO(0) DO(1)
#else
#define EACH_ROW(DO) DO(0)
#endif

void Transform(uint adst, int wht_shift) {
#define TRANSFORM_ROW(k) TransformRow(k, adst, wht_shift);
  EACH_ROW(TRANSFORM_ROW)
}

// Rounds a value to which OUTPUT_BIAS was added.
int RoundOutput(int value) {
  return TRANSFORM == PERDIX_TRANSFORM_WHT ? value : value >> OUTPUT_SHIFT;
}

// Two values of the residual. To be stored: with a bias and clamped, as
// ResidualLayout says. To be added: half floats, exact where samples do not
// become 0 or SAMPLE_MAX anyway.
uint Pair(int low, int high) {
  const int x = RoundOutput(low);
  const int y = RoundOutput(high);
  return OUTPUT == PERDIX_OUTPUT_RESIDUAL
             ? uint(clamp(x + SAMPLE_RANGE, 0, 2 * SAMPLE_RANGE)) |
                   uint(clamp(y + SAMPLE_RANGE, 0, 2 * SAMPLE_RANGE) << 16)
             : packHalf2x16(vec2(x, y));
}

// The rows of the residual that a lane adds or stores, as Pair makes them,
// PAIRS words each, in the order of PAIR_COLUMN.
#if TX_LOG2 == 5
#define OUTPUT_ROWS 4
#define OUTPUT_COLUMNS 8
#define PART_COLUMNS 4  // of chroma
#else
#define OUTPUT_ROWS LANE_ROWS
#define OUTPUT_COLUMNS TX_SIZE
#define PART_COLUMNS OUTPUT_COLUMNS
#endif
#define PAIRS (OUTPUT_COLUMNS / 2)
uint pairs[OUTPUT_ROWS * PAIRS];

#if TX_LOG2 <= 3
uint OutputRow(uint lane, uint k) { return ROW(lane & (BLOCK_LANES - 1), k); }

// Pairs of the lane's columns in the order of rows, at last rows of pairs.
uint w[VALUES / 2];

void ExchangePairs(uint lane, uint bit) {
  const bool upper = (lane & bit) != 0;
  [[unroll]] for (uint p = 0; p < VALUES / 4; ++p) {
    const uint low = ROW(SPREAD(p / LANE_ROWS, bit), p % LANE_ROWS);
    const uint high = low + ROW(bit, 0);
    const uint their_low = subgroupShuffleXor(w[low], bit);
    const uint their_high = subgroupShuffleXor(w[high], bit);
    w[low] = upper ? their_high : w[low];
    w[high] = upper ? w[high] : their_low;
  }
}

// Columns in each lane, in v, become rows in each lane, in pairs.
void TransposePairs(uint lane) {
  [[unroll]] for (uint i = 0; i < VALUES / 2; ++i) {
    const uint row = i % TX_SIZE;
    const uint odd = i / TX_SIZE;
    w[i] =
        Pair(v[odd * TX_SIZE + row], v[(odd + LANE_ROWS / 2) * TX_SIZE + row]);
  }
  if (BLOCK_LANES > 1) ExchangePairs(lane, 1);
  if (BLOCK_LANES > 2) ExchangePairs(lane, 2);
  [[unroll]] for (uint i = 0; i < VALUES / 2; ++i) {
    const uint k = i / PAIRS;
    const uint word = i % PAIRS;
    pairs[i] = BLOCK_LANES == 1 ? w[word * TX_SIZE + k] : w[ROW(word, k)];
  }
}

// The same through shared memory: the rows that the lane began with.
void TransposePairsShared(uint lane) {
  const uint block = lane & ~(BLOCK_LANES - 1);
  barrier();  // the last readers of the tile
  [[unroll]] for (uint i = 0; i < VALUES; ++i) {
    tile[block * TILE_LANE + COLUMN(lane - block, i / TX_SIZE) * TX_SIZE +
         i % TX_SIZE] = v[i];
  }
  barrier();
  [[unroll]] for (uint i = 0; i < VALUES / 2; ++i) {
    const uint column = PAIR_COLUMN(i % PAIRS);
    const uint at =
        block * TILE_LANE + column * TX_SIZE + ROW(lane - block, i / PAIRS);
    pairs[i] = Pair(tile[at], tile[at + PAIR_STEP * TX_SIZE]);
  }
}
#elif TX_LOG2 == 4
// The row that a lane has after TransposePairs. Its lowest bit is the lane's bit
// PAIR_STEP: at 8 bits the two lowest bits are exchanged.
uint OutputRow(uint lane, uint k) {
  const uint row = lane & (TX_SIZE - 1);
#if SAMPLE_BITS == 8
  return (row & ~3) | ((row & 1) << 1) | ((row >> 1) & 1);
#else
  return row;
#endif
}

// A column in each lane, in v, becomes a row in each lane, in pairs. First
// lanes whose columns make a pair do so, of an even row in the one and an odd
// row in the other.
void TransposePairs(uint lane) {
  const uint own_field = (lane & PAIR_STEP) != 0 ? 0xffff0000u : 0x0000ffffu;
  [[unroll]] for (uint k = 0; k < TX_SIZE / 2; ++k) {
    const uint own = Pair(v[2 * k], v[2 * k + 1]);
    const uint theirs =
        subgroupShuffleXor(Pair(v[2 * k + 1], v[2 * k]), PAIR_STEP);
    pairs[k] = theirs ^ ((own ^ theirs) & own_field);
  }
  [[unroll]] for (uint b = 0; b < TX_LOG2 - 1; ++b) {
    const uint bit = 1 << b;
    const uint lane_bit = b == 0 ? 3 - PAIR_STEP : 2 << b;
    const bool upper = (lane & lane_bit) != 0;
    [[unroll]] for (uint pair = 0; pair < TX_SIZE / 4; ++pair) {
      const uint i = SPREAD(pair, bit);
      const uint theirs =
          subgroupShuffleXor(upper ? pairs[i] : pairs[i + bit], lane_bit);
      pairs[i] = upper ? theirs : pairs[i];
      pairs[i + bit] = upper ? pairs[i + bit] : theirs;
    }
  }
}

void TransposePairsShared(uint lane) {
  const uint block = lane & ~(BLOCK_LANES - 1);
  barrier();  // the last readers of the tile
  [[unroll]] for (uint i = 0; i < VALUES; ++i) {
    tile[lane * TILE_LANE + i] = v[i];
  }
  barrier();
  [[unroll]] for (uint i = 0; i < PAIRS; ++i) {
    const uint at = (block + PAIR_COLUMN(i)) * TILE_LANE + OutputRow(lane, 0);
    pairs[i] = Pair(tile[at], tile[at + PAIR_STEP * TILE_LANE]);
  }
}
#endif

int ResidualOfDc(uint offset) {
#if SAMPLE_BITS == 8
  const int dc = Low(coefficients[offset >> 3].x);
  return Round14(Round14(dc * Cos64(16)) * Cos64(16)) + OUTPUT_BIAS;
#else
  const int dc = int(coefficients[offset >> 3].x);
  return Scale14(Scale14(dc, Cos64(16)), Cos64(16)) + OUTPUT_BIAS;
#endif
}

#if TX_LOG2 == 5
// A lane makes the even half of a DCT and then the odd one. Those of a row it
// joins; those of a column are joined by the lanes that add the residual.

// A block's columns, LINE words each: of every four rows 0, 2, 1 and 3, in
// whose place a lane puts two results of its column's even half and two of the
// odd one. WIDE: four words more than rows, so that the columns of a lane and of
// the next lie in different banks. Others have no memory to spare.
const uint LINE = WIDE ? 36 : 32;
shared int lines[(TRANSFORM == PERDIX_TRANSFORM_DC ? 1 : LANES) * LINE];

// The even coefficients of a row into t[0] on, the odd ones into t[16] on.
void LoadRow(uint shape, uint offset, uint row) {
#if SAMPLE_BITS == 8
  const uint stored_log2 = WHOLE ? 5 : TransformStoredLog2(shape) + 2;
  const uint stored = row < (1 << stored_log2) ? 1 << stored_log2 : 0;
  const uint first =
      (offset >> 3) + (stored != 0 ? row << stored_log2 >> 3 : 0);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    // Masks cost less than branches.
    const uint mask = 8 * k < stored ? 0xffffffffu : 0;
    uvec4 words = coefficients[first + (k & mask)] & mask;
    if (k == 0 && stored == 4) {
      words = uvec4((row & 1) != 0 ? words.zw : words.xy, 0, 0);
    }
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      t[4 * k + i] = Low(words[i]);
      t[16 + 4 * k + i] = High(words[i]);
    }
  }
#else
  [[unroll]] for (uint k = 0; k < TX_SIZE; k += 4) {
    const ivec4 four = LoadFour(shape, offset, row, k);
    [[unroll]] for (uint i = 0; i < 2; ++i) {
      t[k / 2 + i] = four[2 * i];
      t[16 + k / 2 + i] = four[2 * i + 1];
    }
  }
#endif
}

void TransformRow32(uvec4 record, uint lane) {
  const uint row = lane & (BLOCK_LANES - 1);
  LoadRow(record.y, record.z, row);
  InverseDct(0);
  InverseDctOdd();
  const uint place = (lane - row) * LINE + (row & ~3) + ((row & 1) << 1) +
                     ((row >> 1) & 1);
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    lines[place + i * LINE] = t[i] + t[31 - i];
    lines[place + (31 - i) * LINE] = t[i] - t[31 - i];
  }
}

// line: a lane's, in fours of words.
void LoadHalfLine(uint line, uint odd) {
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    t[16 * odd + i] = lines[4 * (line + i / 2) + 2 * odd + i % 2];
  }
}

void StoreHalfLine(uint line, uint odd) {
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    lines[4 * (line + i / 2) + 2 * odd + i % 2] = t[odd != 0 ? 31 - i : i];
  }
}

void TransformColumn32(uint lane) {
  const uint line = lane * (LINE / 4);
  LoadHalfLine(line, 0);
  InverseDct(OUTPUT_BIAS);
  StoreHalfLine(line, 0);
  LoadHalfLine(line, 1);
  InverseDctOdd();
  StoreHalfLine(line, 1);
}

// A lane adds 8 columns of rows 2 * n, 2 * n + 1, 30 - 2 * n, 31 - 2 * n.
uint OutputColumn(uint lane) { return 8 * (lane & 3); }
uint OutputRow(uint lane, uint k) {
  const uint row = (lane >> 2 & 7) * 2;
  return k < 2 ? row + k : 28 - row + k;
}

// The residual of columns 4 * part to 4 * part + 3.
void JoinColumns(uint lane, uint part) {
  if (TRANSFORM == PERDIX_TRANSFORM_DC) return;
  const uint first =
      ((lane & ~(BLOCK_LANES - 1)) + OutputColumn(lane)) * LINE +
      4 * (lane >> 2 & 7);
  [[unroll]] for (uint i = 2 * part; i < 2 * part + 2; ++i) {
    const uint at = first + PAIR_COLUMN(i) * LINE;
    const ivec2 even = ivec2(lines[at], lines[at + 1]);
    const ivec2 odd = ivec2(lines[at + 2], lines[at + 3]);
    const uint next = at + PAIR_STEP * LINE;
    const ivec2 next_even = ivec2(lines[next], lines[next + 1]);
    const ivec2 next_odd = ivec2(lines[next + 2], lines[next + 3]);
    const ivec2 sum = even + odd;
    const ivec2 difference = even - odd;
    const ivec2 next_sum = next_even + next_odd;
    const ivec2 next_difference = next_even - next_odd;
    pairs[i] = Pair(sum.x, next_sum.x);
    pairs[PAIRS + i] = Pair(sum.y, next_sum.y);
    pairs[2 * PAIRS + i] = Pair(difference.y, next_difference.y);
    pairs[3 * PAIRS + i] = Pair(difference.x, next_difference.x);
  }
}

void ComputeResidual(uvec4 record, uint lane) {
  if (TRANSFORM == PERDIX_TRANSFORM_DC) {
    const int value = ResidualOfDc(record.z);
    [[unroll]] for (uint i = 0; i < OUTPUT_ROWS * PAIRS; ++i) {
      pairs[i] = Pair(value, value);
    }
  } else {
    TransformRow32(record, lane);
    barrier();
    TransformColumn32(lane);
    barrier();
  }
}
#else
// The residual of the lane's rows, OutputRow and those that follow, into pairs.
void ComputeResidual(uvec4 record, uint lane) {
  if (TRANSFORM == PERDIX_TRANSFORM_DC) {
    const int value = ResidualOfDc(record.z);
    [[unroll]] for (uint i = 0; i < LANE_ROWS * PAIRS; ++i) {
      pairs[i] = Pair(value, value);
    }
  } else {
    LoadRows(record.y, record.z, lane & (BLOCK_LANES - 1));
#ifdef EXACT
    // Rows, then columns. Not unrolled: it would be twice as long, and of 16x16
    // V3D would spill registers.
    for (uint adst = ADST_ROWS; adst != 0; adst >>= 1) {
      Transform(adst, 0);
      if (adst == ADST_ROWS) Transpose(lane);
    }
#else
    Transform(ADST_ROWS, WHT_ROW_SHIFT);
    Transpose(lane);
    Transform(ADST_COLUMNS, 0);
#endif
    if (SUBGROUP_SIZE >= BLOCK_LANES || BLOCK_LANES == 1) {
      TransposePairs(lane);
    } else {
      TransposePairsShared(lane);
    }
  }
}

uint OutputColumn(uint lane) { return 0; }
#endif

// ---- output ----

// Two samples, as half floats, plus two values of the residual: 1024 + n each.
uint AddPair(uint halves, vec2 values) {
  return packHalf2x16(clamp(unpackHalf2x16(halves) + values, 1024.0,
                            1024.0 + float(SAMPLE_MAX)));
}

#if SAMPLE_BITS == 8
// Four samples plus two words of the residual, pairs[first] and the next.
uint AddFour(uint word, uint first) {
  return JoinHalves(
      AddPair(EvenHalves(word), unpackHalf2x16(pairs[first])),
      AddPair(OddHalves(word), unpackHalf2x16(pairs[first + 1])));
}

// Rows are added from x on, at: where x lies, in accesses of 8 bytes (4x4 of
// 8-bit luma: of 4); the compiler must see that an address is a multiple of its
// access, or it splits it. first: of the row's pairs.

// A row of luma: eight samples an access.
void AddLuma(uint x, uint at, uint first) {
#if TX_LOG2 == 2
  target_words[at] = AddFour(target_words[at], first);
#else
  [[unroll]] for (uint i = 0; i < OUTPUT_COLUMNS / 8; ++i) {
    if (i == 0 || x + 8 * i < dispatch.width) {
      const uvec2 words = target[at + i];
      target[at + i] = uvec2(AddFour(words.x, first + 4 * i),
                             AddFour(words.y, first + 4 * i + 2));
    }
  }
#endif
}

// Two pixels' U (shift 0) or V (8).
uint AddToComponent(uint word, uint shift, vec2 values) {
  const uint halves = EvenHalves(word >> shift);
  return word + ((AddPair(halves, values) - halves) << shift);
}

// A row of U or V: every other sample of eight. shift: of the component.
#define SHIFT_OF_V 8
void AddChroma(uint x, uint at, uint first, uint shift) {
  [[unroll]] for (uint i = 0; i < PART_COLUMNS / 4; ++i) {
    if (i == 0 || x + 4 * i < dispatch.width) {
      const vec2 even = unpackHalf2x16(pairs[first + 2 * i]);
      const vec2 odd = unpackHalf2x16(pairs[first + 2 * i + 1]);
      const uvec2 words = target[at + i];
      target[at + i] =
          uvec2(AddToComponent(words.x, shift, vec2(even.x, odd.x)),
                AddToComponent(words.y, shift, vec2(even.y, odd.y)));
    }
  }
}
#else
uint AddToWord(uint word, uint pair) {
  return AddPair(Halves(word), unpackHalf2x16(pair)) - HALF_BIAS;
}

// A row of luma: four samples an access.
void AddLuma(uint x, uint at, uint first) {
  [[unroll]] for (uint i = 0; i < OUTPUT_COLUMNS / 4; ++i) {
    if (i == 0 || x + 4 * i < dispatch.width) {
      const uvec2 words = target[at + i];
      target[at + i] = uvec2(AddToWord(words.x, pairs[first + 2 * i]),
                             AddToWord(words.y, pairs[first + 2 * i + 1]));
    }
  }
}

// Two pixels' U (shift 0) or V (16), a word each.
uvec2 AddToComponent(uvec2 words, uint shift, vec2 values) {
  const uint halves =
      Halves(((words.x >> shift) & 0xffffu) | (words.y >> shift << 16));
  const uint changed = halves ^ AddPair(halves, values);
  return words ^ (uvec2(changed & 0xffffu, changed >> 16) << shift);
}

// A row of U or V: every other sample of four. shift: of the component.
#define SHIFT_OF_V 16
void AddChroma(uint x, uint at, uint first, uint shift) {
  [[unroll]] for (uint i = 0; i < PART_COLUMNS / 2; ++i) {
    if (i < 2 || x + 2 * i < dispatch.width) {
      target[at + i] = AddToComponent(target[at + i], shift,
                                      unpackHalf2x16(pairs[first + i]));
    }
  }
}
#endif

// DO(k) for each group of a lane's rows that lie below each other; DO(k, i) for
// each row of such a group. The frame ends between groups, since it ends
// between blocks of 4x4.
#if TX_LOG2 == 5
#define EACH_GROUP(DO) DO(0) DO(2)
#define EACH_ROW_OF_GROUP(DO, k) DO(k, 0) DO(k, 1)
#else
#define EACH_GROUP(DO) DO(0)
#if TX_LOG2 == 2
#define EACH_ROW_OF_GROUP(DO, k) DO(k, 0) DO(k, 1) DO(k, 2) DO(k, 3)
#elif TX_LOG2 == 3
#define EACH_ROW_OF_GROUP(DO, k) DO(k, 0) DO(k, 1)
#else
#define EACH_ROW_OF_GROUP(DO, k) DO(k, 0)
#endif
#endif

// Rows of the component's residual plane, padded: nothing sticks out.
void StoreRows(uvec4 record, uint lane, uint x, uint y) {
  const uint component = TransformComponent(record.y);
  const uint stride = component == 0 ? frame.residual.luma_stride
                                     : frame.residual.chroma_stride;
  const uint offset = component == 0   ? 0
                      : component == 1 ? frame.residual.u_offset
                                       : frame.residual.v_offset;
  const uint line = stride >> 2;
  const uint left = (offset >> 2) + (x >> 2);
#define STORE_ROW(k, i)                                      \
  [[unroll]] for (uint n = 0; n < OUTPUT_COLUMNS / 4; ++n) { \
    const uint first = (k + i) * PAIRS + 2 * n;              \
    residual[at + i * line + n] =                            \
        uvec2(pairs[first], pairs[first + 1]);               \
  }
#define STORE_GROUP(k)                                      \
  {                                                         \
    const uint at = left + (y + OutputRow(lane, k)) * line; \
    EACH_ROW_OF_GROUP(STORE_ROW, k)                         \
  }
  if (x < stride) {  // not padding of the list
    EACH_GROUP(STORE_GROUP)
  }
}

// part: of the lane's columns, where it has them in parts.
void AddRows(uvec4 record, uint lane, uint x, uint y, uint part) {
  const bool luma = OUTPUT == PERDIX_OUTPUT_LUMA;
#if SAMPLE_BITS == 8
  const uint access_log2 = TX_LOG2 == 2 && luma ? 2 : 3;
  const uint left = (dispatch.offset >> access_log2) +
                    (luma ? x >> access_log2 : x >> (access_log2 - 1));
#else
  const uint access_log2 = 3;
  const uint left = (dispatch.offset >> 3) + (luma ? x >> 2 : x >> 1);
#endif
  const uint line = dispatch.stride >> access_log2;
  const uint shift = TransformComponent(record.y) == 2 ? SHIFT_OF_V : 0;
#define ADD_ROW(k, i)                                               \
  if (luma) {                                                       \
    AddLuma(x, at + i * line, (k + i) * PAIRS);                     \
  } else {                                                          \
    AddChroma(x, at + i * line, (k + i) * PAIRS + 2 * part, shift); \
  }
  // A block begins inside of the frame or is padding.
#define ADD_GROUP(k)                                  \
  {                                                   \
    const uint row = y + OutputRow(lane, k);          \
    const uint at = left + row * line;                \
    if (row < dispatch.height &&                      \
        (TX_LOG2 < 5 || x < dispatch.width)) {        \
      EACH_ROW_OF_GROUP(ADD_ROW, k)                   \
    }                                                 \
  }
  EACH_GROUP(ADD_GROUP)
}

void Output(uvec4 record, uint lane, uint part) {
  const uint x =
      PositionX4(record.x) * 4 + OutputColumn(lane) + PART_COLUMNS * part;
  const uint y = PositionY4(record.x) * 4;
  if (OUTPUT == PERDIX_OUTPUT_RESIDUAL) {
    StoreRows(record, lane, x, y);
  } else {
    AddRows(record, lane, x, y, part);
  }
}

void main() {
  const uint lane = Lane();
  const uint block = gl_WorkGroupID.x * BLOCKS + lane / BLOCK_LANES;
  const uvec4 record = records[dispatch.first + block];
#ifdef EXACT
  TX_TYPE = TransformType(record.y);
#endif
  ComputeResidual(record, lane);
#if TX_LOG2 == 5
  // Chroma's parts one after the other: eight registers less.
  JoinColumns(lane, 0);
  if (OUTPUT == PERDIX_OUTPUT_CHROMA) {
    Output(record, lane, 0);
    JoinColumns(lane, 1);
    Output(record, lane, 1);
  } else {
    JoinColumns(lane, 1);
    Output(record, lane, 0);
  }
#else
  Output(record, lane, 0);
#endif
}
