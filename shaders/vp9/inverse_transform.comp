// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms (VP9 8.7) of one transform size, TX_LOG2 = 2..5, and what
// becomes of the residual: added to the target (inter blocks, VP9 8.6.2) or
// stored for intra_pred.comp.
//
// Reads: records (TransformBlock), coefficients, the target. Writes: the target
// or the residual planes.
// Work item: one TransformBlock by BLOCK_LANES lanes: a lane transforms
// LANE_ROWS rows, then as many columns, then adds rows. Records dispatch.first
// on; their number is padded to whole workgroups by blocks outside of the
// frame. Order: any, after the prediction; U and V of a block in different
// dispatches, for they share words.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define TX_SIZE (1 << TX_LOG2)
#define LANES 64
// As many as registers hold: fewer lanes exchange less, and what a lane does
// once for its block counts for more rows.
#define LANE_ROWS PERDIX_TRANSFORM_LANE_ROWS(TX_LOG2)
#define BLOCK_LANES_LOG2 (TX_LOG2 == 2 ? 0 : TX_LOG2 == 3 ? 2 : TX_LOG2)
#define BLOCK_LANES (1 << BLOCK_LANES_LOG2)
#define BLOCKS (LANES / BLOCK_LANES)  // of a workgroup
#define VALUES (LANE_ROWS * TX_SIZE)  // of a lane

// TransformRow32 loads coefficients twice: the compiler must not keep them.
#if TX_LOG2 == 5
#define COEFFICIENT_ACCESS coherent
#else
#define COEFFICIENT_ACCESS readonly
#endif

#include "shaders/common.glsl"
#include "shaders/vp9/transform_1d.glsl"

layout(local_size_x = LANES) in;

layout(constant_id = PERDIX_CONSTANT_TRANSFORM) const uint TRANSFORM =
    PERDIX_TRANSFORM_ANY;
layout(constant_id = PERDIX_CONSTANT_OUTPUT) const uint OUTPUT =
    PERDIX_OUTPUT_LUMA;

const bool WHOLE = TRANSFORM == PERDIX_TRANSFORM_DCT_WHOLE;
const bool ONE_ADST = TRANSFORM >= PERDIX_TRANSFORM_ADST;
const bool HAS_ADST = TRANSFORM == PERDIX_TRANSFORM_ANY || ONE_ADST;

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // TransformBlock: position, shape, coefficients, eob
};
layout(std430, binding = PERDIX_BINDING_COEFFICIENTS)
    COEFFICIENT_ACCESS buffer Coefficients {
  uvec4 coefficients[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uvec2 target[];
};
#if TX_LOG2 == 2
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetWords {
  uint target_words[];
};
#endif
layout(std430, binding = PERDIX_BINDING_RESIDUAL) writeonly buffer Residual {
  uvec2 residual[];
};

// ---- coefficients to v ----

int Low(uint word) { return int(word << 16) >> 16; }
int High(uint word) { return int(word) >> 16; }

// A lane's rows of coefficients, later its columns of the residual: row k, from
// v[k * TX_SIZE] on.
int v[VALUES];

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
  // Of rows of four an access has two, those of a lane.
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

// ---- lanes of a block exchange v: rows become columns ----

// A lane's number in its workgroup, in the order of subgroups where they are
// used.
uint Lane() {
  return SUBGROUP_SIZE >= BLOCK_LANES
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}

// The k-th row and column of a lane of the block. Columns two apart make the
// pairs of Even and Odd.
#define ROW(lane, k) (LANE_ROWS * (lane) + (k))
#if TX_LOG2 == 3
#define COLUMN(lane, k) (4 * ((lane) >> 1) + ((lane)&1) + 2 * (k))
#else
#define COLUMN(lane, k) (LANE_ROWS * (lane) + (k))
#endif

// One word more a lane, so that a column's words lie in different banks.
#define TILE_LANE (VALUES + 1)
shared int tile[LANES * TILE_LANE];

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
  // The 16 values of a lane and all that shuffles need would not fit the
  // registers of four threads.
  if ((SUBGROUP_SIZE >= BLOCK_LANES && TX_LOG2 < 4) || BLOCK_LANES == 1) {
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

void TransformRow(uint k, uint tx_type, uint adst, int wht_shift) {
  [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) t[i] = v[k * TX_SIZE + i];
#if TX_LOG2 == 2
  if (TRANSFORM == PERDIX_TRANSFORM_WHT) {
    InverseWht(wht_shift);
  } else
#endif
  if (HAS_ADST && (tx_type & adst) != 0) {
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

void Transform(uint tx_type, uint adst, int wht_shift) {
#define TRANSFORM_ROW(k) TransformRow(k, tx_type, adst, wht_shift);
  EACH_ROW(TRANSFORM_ROW)
}

// Of a value to which OUTPUT_BIAS was added.
int RoundOutput(int value) {
  return TRANSFORM == PERDIX_TRANSFORM_WHT ? value : value >> OUTPUT_SHIFT;
}

// Two values of the residual. To be stored: with a bias of 256 and clamped to
// 0..512, enough to move a sample from one end of its range to the other. To be
// added: half floats, exact where samples do not become 0 or 255 anyway.
uint Pair(int low, int high) {
  if (OUTPUT == PERDIX_OUTPUT_RESIDUAL) {
    return uint(clamp(RoundOutput(low) + 256, 0, 512)) |
           uint(clamp(RoundOutput(high) + 256, 0, 512) << 16);
  }
  return packHalf2x16(vec2(RoundOutput(low), RoundOutput(high)));
}

// Rows of the residual as Pair makes it, PAIRS words each: columns 4 * q
// and 4 * q + 2 are the fields of word 2 * q, 4 * q + 1 and 4 * q + 3 of word
// 2 * q + 1.
#define PAIRS (TX_SIZE / 2)
uint pairs[LANE_ROWS * PAIRS];

#if TX_LOG2 <= 3
uint OutputRow(uint lane) { return ROW(lane & (BLOCK_LANES - 1), 0); }

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
    const uint column = i % PAIRS / 2 * 4 + i % 2;
    const uint at =
        block * TILE_LANE + column * TX_SIZE + ROW(lane - block, i / PAIRS);
    pairs[i] = Pair(tile[at], tile[at + 2 * TX_SIZE]);
  }
}
#else
// The row that a lane has after TransposePairs: its two lowest bits exchanged.
uint OutputRow(uint lane) {
  const uint row = lane & (TX_SIZE - 1);
  return (row & ~3) | ((row & 1) << 1) | ((row >> 1) & 1);
}

// A column in each lane, in v, becomes a row in each lane, in pairs. First
// lanes that are two columns apart make pairs of theirs, of an even row in the
// one and an odd row in the other.
void TransposePairs(uint lane) {
  const uint own_field = (lane & 2) != 0 ? 0xffff0000u : 0x0000ffffu;
  [[unroll]] for (uint k = 0; k < TX_SIZE / 2; ++k) {
    const uint own = Pair(v[2 * k], v[2 * k + 1]);
    const uint theirs = subgroupShuffleXor(Pair(v[2 * k + 1], v[2 * k]), 2);
    pairs[k] = theirs ^ ((own ^ theirs) & own_field);
  }
  [[unroll]] for (uint b = 0; b < TX_LOG2 - 1; ++b) {
    const uint bit = 1 << b;
    const uint lane_bit = b == 0 ? 1 : 2 << b;
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
    const uint column = i / 2 * 4 + i % 2;
    const uint at = (block + column) * TILE_LANE + OutputRow(lane);
    pairs[i] = Pair(tile[at], tile[at + 2 * TILE_LANE]);
  }
}
#endif

int ResidualOfDc(uint offset) {
  const int dc = Low(coefficients[offset >> 3].x);
  return Round14(Round14(dc * Cos64(16)) * Cos64(16)) + OUTPUT_BIAS;
}

#if TX_LOG2 == 5
// A lane cannot hold 32 values: it makes the even half of a DCT, leaves it in
// the tile, makes the odd half and joins them there.

// The even or odd coefficients of a row into t[at] on; the lines of the tile
// are rows.
void LoadHalf(uint shape, uint offset, uint row, uint odd) {
  const uint stored_log2 = WHOLE ? 5 : TransformStoredLog2(shape) + 2;
  const uint stored = row < (1 << stored_log2) ? 1 << stored_log2 : 0;
  const uint first =
      (offset >> 3) + (stored != 0 ? row << stored_log2 >> 3 : 0);
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    uvec4 words = uvec4(0);
    if (k == 0 || 8 * k < stored) words = coefficients[first + k];
    if (k == 0) {
      if (stored == 4) words.xy = (row & 1) != 0 ? words.zw : words.xy;
      if (stored <= 4) words.zw = uvec2(0);
      if (stored == 0) words.xy = uvec2(0);
    }
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      t[16 * odd + 4 * k + i] = odd != 0 ? High(words[i]) : Low(words[i]);
    }
  }
}

void TransformRow32(uint line, uvec4 record, uint row) {
  LoadHalf(record.y, record.z, row, 0);
  InverseDct(0);
  [[unroll]] for (uint i = 0; i < 16; ++i) tile[line + i] = t[i];
  memoryBarrierBuffer();  // the coefficients are not kept, but loaded again
  LoadHalf(record.y, record.z, row, 1);
  InverseDctOdd();
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    const int even = tile[line + i];
    tile[line + i] = even + t[31 - i];
    tile[line + 31 - i] = even - t[31 - i];
  }
}

// In place: a result of the even half waits in the even one of the two rows
// that it becomes part of, which is no longer an input.
void TransformColumn32(uint top) {
  [[unroll]] for (uint i = 0; i < 16; ++i) t[i] = tile[top + 2 * i * TILE_LANE];
  InverseDct(OUTPUT_BIAS);
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    tile[top + (i % 2 == 0 ? i : 31 - i) * TILE_LANE] = t[i];
  }
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    t[16 + i] = tile[top + (2 * i + 1) * TILE_LANE];
  }
  InverseDctOdd();
  [[unroll]] for (uint i = 0; i < 16; ++i) {
    const int even = tile[top + (i % 2 == 0 ? i : 31 - i) * TILE_LANE];
    tile[top + i * TILE_LANE] = even + t[31 - i];
    tile[top + (31 - i) * TILE_LANE] = even - t[31 - i];
  }
}

void ComputeResidual(uvec4 record, uint lane) {
  if (TRANSFORM == PERDIX_TRANSFORM_DC) {
    const int value = ResidualOfDc(record.z);
    [[unroll]] for (uint i = 0; i < PAIRS; ++i) pairs[i] = Pair(value, value);
  } else {
    const uint column = lane & (BLOCK_LANES - 1);
    const uint block = (lane - column) * TILE_LANE;
    TransformRow32(lane * TILE_LANE, record, column);
    barrier();
    TransformColumn32(block + column);
    barrier();
    const uint line = block + OutputRow(lane) * TILE_LANE;
    [[unroll]] for (uint i = 0; i < PAIRS; ++i) {
      const uint at = line + i / 2 * 4 + i % 2;
      pairs[i] = Pair(tile[at], tile[at + 2]);
    }
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
    const uint tx_type = ONE_ADST ? TRANSFORM - PERDIX_TRANSFORM_ADST + 1
                                  : TransformType(record.y);
    LoadRows(record.y, record.z, lane & (BLOCK_LANES - 1));
    Transform(tx_type, ADST_ROWS, WHT_ROW_SHIFT);
    Transpose(lane);
    Transform(tx_type, ADST_COLUMNS, 0);
    if (SUBGROUP_SIZE >= BLOCK_LANES || BLOCK_LANES == 1) {
      TransposePairs(lane);
    } else {
      TransposePairsShared(lane);
    }
  }
}
#endif

// ---- output ----

// The lower, or the upper, fields of both.
uint LowFields(uint a, uint b) { return (a & 0xffffu) | (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) | (b & 0xffff0000u); }

// Two samples, as half floats, plus two values of the residual: 1024 + n each.
uint AddPair(uint halves, uint residual_pair) {
  return packHalf2x16(clamp(
      unpackHalf2x16(halves) + unpackHalf2x16(residual_pair), 1024.0, 1279.0));
}

uint AddFour(uint word, uint even, uint odd) {
  return JoinHalves(AddPair(EvenHalves(word), even),
                    AddPair(OddHalves(word), odd));
}

// Where a row begins, in accesses of 8 bytes: the compiler must see that an
// address is a multiple of its access, or it splits it.
uint RowStart(uint offset, uint stride, uint y) {
  return (offset >> 3) + y * (stride >> 3);
}

// A row of luma, its pairs from first on: eight samples an access.
void AddLuma(uint x, uint y, uint first) {
  const uint width = frame.params.mi_cols * 8;
#if TX_LOG2 == 2
  const uint at =
      (frame.target.luma_offset + y * frame.target.luma_stride + x) >> 2;
  target_words[at] = AddFour(target_words[at], pairs[first], pairs[first + 1]);
#else
  const uint at =
      RowStart(frame.target.luma_offset, frame.target.luma_stride, y) +
      (x >> 3);
  [[unroll]] for (uint i = 0; i < TX_SIZE / 8; ++i) {
    if (i == 0 || x + 8 * i < width) {
      const uint k = first + 4 * i;
      const uvec2 words = target[at + i];
      target[at + i] = uvec2(AddFour(words.x, pairs[k], pairs[k + 1]),
                             AddFour(words.y, pairs[k + 2], pairs[k + 3]));
    }
  }
#endif
}

// Two pixels' U or V, in the even or odd samples of the word.
uint AddToComponent(uint word, bool is_v, uint residual_pair) {
  const uint u = EvenHalves(word);
  const uint v_halves = OddHalves(word);
  const uint sum = AddPair(is_v ? v_halves : u, residual_pair);
  return JoinHalves(is_v ? u : sum, is_v ? sum : v_halves);
}

// A row of U or V: every other sample of eight.
void AddChroma(uint x, uint y, uint first, bool is_v) {
  const uint width = frame.params.mi_cols * 8 >> frame.params.subsampling_x;
  const uint at =
      RowStart(frame.target.chroma_offset, frame.target.chroma_stride, y) +
      (x >> 2);
  [[unroll]] for (uint i = 0; i < TX_SIZE / 4; ++i) {
    if (i == 0 || x + 4 * i < width) {
      const uint even = pairs[first + 2 * i];
      const uint odd = pairs[first + 2 * i + 1];
      const uvec2 words = target[at + i];
      target[at + i] =
          uvec2(AddToComponent(words.x, is_v, LowFields(even, odd)),
                AddToComponent(words.y, is_v, HighFields(even, odd)));
    }
  }
}

// A row of the component's residual plane, padded: nothing sticks out.
void StoreResidual(uint x, uint y, uint first, uint component) {
  const uint stride = component == 0 ? frame.residual.luma_stride
                                     : frame.residual.chroma_stride;
  const uint offset = component == 0   ? 0
                      : component == 1 ? frame.residual.u_offset
                                       : frame.residual.v_offset;
  const uint at = (offset >> 2) + y * (stride >> 2) + (x >> 2);
  if (x < stride) {  // not padding of the list
    [[unroll]] for (uint i = 0; i < TX_SIZE / 4; ++i) {
      residual[at + i] = uvec2(pairs[first + 2 * i], pairs[first + 2 * i + 1]);
    }
  }
}

void StoreRows(uvec4 record, uint x, uint y) {
  const uint component = TransformComponent(record.y);
#define STORE_ROW(k) StoreResidual(x, y + k, k * PAIRS, component);
  EACH_ROW(STORE_ROW)
}

void AddRows(uvec4 record, uint x, uint y) {
  const bool luma = OUTPUT == PERDIX_OUTPUT_LUMA;
  // A block begins inside of the frame or is padding, and the frame ends
  // between blocks of 4x4: a lane's rows are all inside or none.
  const bool inside =
      y < frame.params.mi_rows * 8 >> (luma ? 0 : frame.params.subsampling_y);
  const bool is_v = TransformComponent(record.y) == 2;
#define ADD_LUMA(k) AddLuma(x, y + k, k * PAIRS);
#define ADD_CHROMA(k) AddChroma(x, y + k, k * PAIRS, is_v);
  if (inside && luma) {
    EACH_ROW(ADD_LUMA)
  }
  if (inside && !luma) {
    EACH_ROW(ADD_CHROMA)
  }
}

void main() {
  const uint lane = Lane();
  const uint block = gl_WorkGroupID.x * BLOCKS + lane / BLOCK_LANES;
  const uvec4 record = records[dispatch.first + block];
  ComputeResidual(record, lane);
  const uint x = PositionX4(record.x) * 4;
  const uint y = PositionY4(record.x) * 4 + OutputRow(lane);
  if (OUTPUT == PERDIX_OUTPUT_RESIDUAL) {
    StoreRows(record, x, y);
  } else {
    AddRows(record, x, y);
  }
}
