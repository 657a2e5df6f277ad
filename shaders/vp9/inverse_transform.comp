// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms (VP9 8.7) of one transform size, TX_LOG2 = 2..5, and what
// becomes of the residual: added to the target (inter blocks, VP9 8.6.2) or
// stored for intra_pred.comp.
//
// Reads: records (TransformBlock), coefficients, the target. Writes: the target
// or the residual planes.
// Work item: one TransformBlock by TX_SIZE lanes: a lane transforms a row, then
// a column, then adds a row. Records dispatch.first on; their number is padded
// to whole workgroups by blocks outside of the frame. Order: any, after the
// prediction; U and V of a block in different dispatches, for they share words.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define TX_SIZE (1 << TX_LOG2)
#define LANES 64
#define BLOCKS (LANES / TX_SIZE)  // of a workgroup

#include "shaders/common.glsl"
#include "shaders/vp9/transform_1d.glsl"

layout(local_size_x = LANES) in;

layout(constant_id = PERDIX_CONSTANT_TRANSFORM) const uint TRANSFORM =
    PERDIX_TRANSFORM_ANY;
layout(constant_id = PERDIX_CONSTANT_OUTPUT) const uint OUTPUT =
    PERDIX_OUTPUT_LUMA;

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // TransformBlock: position, shape, coefficients, eob
};
layout(std430, binding = PERDIX_BINDING_COEFFICIENTS) readonly buffer
    Coefficients {
#if TX_LOG2 == 2
  uvec2 coefficients[];
#else
  uvec4 coefficients[];
#endif
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

// ---- coefficients to t ----

int Low(uint word) { return int(word << 16) >> 16; }
int High(uint word) { return int(word) >> 16; }

// The row's coefficients; what is not stored is zero. Offset: 16-bit units.
void LoadRow(uint shape, uint offset, uint row) {
#if TX_LOG2 == 2
  const uvec2 words = coefficients[(offset >> 2) + row];
  t = int[](Low(words.x), High(words.x), Low(words.y), High(words.y));
#else
  const uint stored_log2 = min(TransformStoredLog2(shape) + 2, TX_LOG2);
  const uint stored = row < (1 << stored_log2) ? 1 << stored_log2 : 0;
  const uint first = stored != 0 ? offset + (row << stored_log2) : offset;
  [[unroll]] for (uint k = 0; k < TX_SIZE; k += 8) {
    uvec4 words = uvec4(0);
    if (k == 0 || k < stored) words = coefficients[(first + k) >> 3];
    if (k == 0) {
      // Rows of four lie two to a load; of rows that are not stored, nothing.
      if (stored == 4) words.xy = (row & 1) != 0 ? words.zw : words.xy;
      if (stored <= 4) words.zw = uvec2(0);
      if (stored == 0) words.xy = uvec2(0);
    }
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      t[k + 2 * i] = Low(words[i]);
      t[k + 2 * i + 1] = High(words[i]);
    }
  }
#endif
}

// ---- lanes of a block exchange t: rows become columns ----

// A lane's number in its workgroup, in the order of subgroups where they are
// used.
uint Lane() {
  return SUBGROUP_SIZE >= TX_SIZE
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}

// One word more a line, so that a column's words lie in different banks.
#define TILE_LINE (TX_SIZE + 1)
shared int tile[LANES * TILE_LINE];

// Afterwards the lane has element column of every lane of its block.
void TransposeShared(uint lane, uint column) {
  const uint own = lane * TILE_LINE;
  const uint block = (lane & ~(TX_SIZE - 1)) * TILE_LINE;
  barrier();  // the last readers of the tile
  [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) tile[own + i] = t[i];
  barrier();
  [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) {
    t[i] = tile[block + i * TILE_LINE + column];
  }
}

// Bit by bit of the lane number: lanes that differ in it exchange the values
// that belong to the other.
void TransposeShuffle(uint lane) {
  [[unroll]] for (uint b = 0; b < TX_LOG2; ++b) {
    const uint bit = 1 << b;
    const bool upper = (lane & bit) != 0;
    [[unroll]] for (uint pair = 0; pair < TX_SIZE / 2; ++pair) {
      const uint i = (pair & (bit - 1)) | ((pair & ~(bit - 1)) << 1);
      const int theirs = subgroupShuffleXor(upper ? t[i] : t[i + bit], bit);
      t[i] = upper ? theirs : t[i];
      t[i + bit] = upper ? t[i + bit] : theirs;
    }
  }
}

void Transpose(uint lane) {
  if (SUBGROUP_SIZE >= TX_SIZE) {
    TransposeShuffle(lane);
  } else {
    TransposeShared(lane, lane & (TX_SIZE - 1));
  }
}

// ---- two dimensions (VP9 8.7.2) ----

#define ADST_COLUMNS 1u
#define ADST_ROWS 2u
#define WHT_ROW_SHIFT 2
#define OUTPUT_SHIFT (TX_LOG2 < 4 ? TX_LOG2 + 2 : 6)

void Transform(uint tx_type, uint adst, int wht_shift) {
#if TX_LOG2 == 2
  if (TRANSFORM == PERDIX_TRANSFORM_WHT) {
    InverseWht(wht_shift);
  } else
#endif
  if (TRANSFORM == PERDIX_TRANSFORM_ANY && (tx_type & adst) != 0) {
    InverseAdst();
  } else {
    InverseDct();
  }
}

// Rounded, with a bias of 256 and clamped to 0..512: enough to move a sample
// from one end of its range to the other.
int RoundOutput(int value) {
  const int rounded =
      TRANSFORM == PERDIX_TRANSFORM_WHT
          ? value + 256
          : (value + (1 << (OUTPUT_SHIFT - 1)) + (256 << OUTPUT_SHIFT)) >>
                OUTPUT_SHIFT;
  return clamp(rounded, 0, 512);
}

// A row of the residual as RoundOutput leaves it: columns 4 * q and 4 * q + 2
// are the fields of pairs[2 * q], 4 * q + 1 and 4 * q + 3 of pairs[2 * q + 1].
uint pairs[TX_SIZE / 2];

uint Pair(int low, int high) { return uint(low) | uint(high << 16); }

// The row that a lane has after TransposePairs: its two lowest bits exchanged.
uint OutputRow(uint lane) {
  const uint row = lane & (TX_SIZE - 1);
  return (row & ~3) | ((row & 1) << 1) | ((row >> 1) & 1);
}

// A column in each lane, in t, becomes a row in each lane, in pairs. First
// lanes that are two columns apart make pairs of theirs, of an even row in the
// one and an odd row in the other.
void TransposePairs(uint lane) {
  const uint own_field = (lane & 2) != 0 ? 0xffff0000u : 0x0000ffffu;
  [[unroll]] for (uint k = 0; k < TX_SIZE / 2; ++k) {
    const uint own = Pair(t[2 * k], t[2 * k + 1]);
    const uint theirs = subgroupShuffleXor(Pair(t[2 * k + 1], t[2 * k]), 2);
    pairs[k] = theirs ^ ((own ^ theirs) & own_field);
  }
  [[unroll]] for (uint b = 0; b < TX_LOG2 - 1; ++b) {
    const uint bit = 1 << b;
    const uint lane_bit = b == 0 ? 1 : 2 << b;
    const bool upper = (lane & lane_bit) != 0;
    [[unroll]] for (uint pair = 0; pair < TX_SIZE / 4; ++pair) {
      const uint i = (pair & (bit - 1)) | ((pair & ~(bit - 1)) << 1);
      const uint theirs =
          subgroupShuffleXor(upper ? pairs[i] : pairs[i + bit], lane_bit);
      pairs[i] = upper ? theirs : pairs[i];
      pairs[i + bit] = upper ? pairs[i + bit] : theirs;
    }
  }
}

int ResidualOfDc(uint offset) {
#if TX_LOG2 == 2
  const int dc = Low(coefficients[offset >> 2].x);
#else
  const int dc = Low(coefficients[offset >> 3].x);
#endif
  return RoundOutput(Round14(Round14(dc * Cos64(16)) * Cos64(16)));
}

// The residual of the lane's OutputRow into pairs.
void ComputeResidual(uvec4 record, uint lane) {
  if (TRANSFORM == PERDIX_TRANSFORM_DC) {
    const int value = ResidualOfDc(record.z);
    [[unroll]] for (uint i = 0; i < TX_SIZE / 2; ++i) {
      pairs[i] = Pair(value, value);
    }
  } else {
    const uint tx_type = TransformType(record.y);
    LoadRow(record.y, record.z, lane & (TX_SIZE - 1));
    Transform(tx_type, ADST_ROWS, WHT_ROW_SHIFT);
    Transpose(lane);
    Transform(tx_type, ADST_COLUMNS, 0);
    [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) t[i] = RoundOutput(t[i]);
    if (SUBGROUP_SIZE >= TX_SIZE) {
      TransposePairs(lane);
    } else {
      // Every row is wanted in OutputRow's lane.
      TransposeShared(lane, OutputRow(lane));
      [[unroll]] for (uint i = 0; i < TX_SIZE; i += 4) {
        pairs[i / 2] = Pair(t[i], t[i + 2]);
        pairs[i / 2 + 1] = Pair(t[i + 1], t[i + 3]);
      }
    }
  }
}

// ---- output ----

// The lower, or the upper, fields of both.
uint LowFields(uint a, uint b) { return (a & 0xffffu) | (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) | (b & 0xffff0000u); }

// Four samples plus four values of the residual.
uint AddFour(uint word, uint even, uint odd) {
  return Join(ClampPair(Even(word) + even), ClampPair(Odd(word) + odd));
}

// Where a row begins, in accesses of 8 bytes: the compiler must see that an
// address is a multiple of its access, or it splits it.
uint RowStart(uint offset, uint stride, uint y) {
  return (offset >> 3) + y * (stride >> 3);
}

// A row of luma: eight samples an access.
void AddLuma(uint x, uint y) {
  const uint width = frame.params.mi_cols * 8;
#if TX_LOG2 == 2
  const uint at =
      (frame.target.luma_offset + y * frame.target.luma_stride + x) >> 2;
  if (x < width) {
    target_words[at] = AddFour(target_words[at], pairs[0], pairs[1]);
  }
#else
  const uint at =
      RowStart(frame.target.luma_offset, frame.target.luma_stride, y) +
      (x >> 3);
  [[unroll]] for (uint i = 0; i < TX_SIZE / 8; ++i) {
    if (x + 8 * i < width) {
      const uint k = 4 * i;
      const uvec2 words = target[at + i];
      target[at + i] = uvec2(AddFour(words.x, pairs[k], pairs[k + 1]),
                             AddFour(words.y, pairs[k + 2], pairs[k + 3]));
    }
  }
#endif
}

// Two pixels' U or V, in the even or odd samples of the word.
uint AddToComponent(uint word, bool is_v, uint residual_pair) {
  const uint u = Even(word);
  const uint v = Odd(word);
  const uint sum = ClampPair((is_v ? v : u) + residual_pair);
  return is_v ? Join(u, sum) : Join(sum, v);
}

// A row of U or V: every other sample of eight.
void AddChroma(uint x, uint y, bool is_v) {
  const uint width = frame.params.mi_cols * 8 >> frame.params.subsampling_x;
  const uint at =
      RowStart(frame.target.chroma_offset, frame.target.chroma_stride, y) +
      (x >> 2);
  [[unroll]] for (uint i = 0; i < TX_SIZE / 4; ++i) {
    if (x + 4 * i < width) {
      const uint even = pairs[2 * i];
      const uint odd = pairs[2 * i + 1];
      const uvec2 words = target[at + i];
      target[at + i] =
          uvec2(AddToComponent(words.x, is_v, LowFields(even, odd)),
                AddToComponent(words.y, is_v, HighFields(even, odd)));
    }
  }
}

// A row of the component's residual plane, padded: nothing sticks out.
void StoreResidual(uint x, uint y, uint component) {
  const uint stride = component == 0 ? frame.residual.luma_stride
                                     : frame.residual.chroma_stride;
  const uint offset = component == 0   ? 0
                      : component == 1 ? frame.residual.u_offset
                                       : frame.residual.v_offset;
  const uint at = (offset >> 2) + y * (stride >> 2) + (x >> 2);
  if (x < stride) {  // not padding of the list
    [[unroll]] for (uint i = 0; i < TX_SIZE / 4; ++i) {
      residual[at + i] = uvec2(pairs[2 * i], pairs[2 * i + 1]);
    }
  }
}

void main() {
  const uint lane = Lane();
  const uint block = gl_WorkGroupID.x * BLOCKS + (lane >> TX_LOG2);
  const uvec4 record = records[dispatch.first + block];
  ComputeResidual(record, lane);
  const uint x = PositionX4(record.x) * 4;
  const uint y = PositionY4(record.x) * 4 + OutputRow(lane);
  const uint component = TransformComponent(record.y);
  if (OUTPUT == PERDIX_OUTPUT_LUMA) {
    if (y < frame.params.mi_rows * 8) AddLuma(x, y);
  } else if (OUTPUT == PERDIX_OUTPUT_CHROMA) {
    if (y < frame.params.mi_rows * 8 >> frame.params.subsampling_y) {
      AddChroma(x, y, component == 2);
    }
  } else {
    StoreResidual(x, y, component);
  }
}
