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

void TransposeShared(uint lane) {
  const uint own = lane * TILE_LINE;
  const uint column = lane & (TX_SIZE - 1);
  const uint block = (lane - column) * TILE_LINE;
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
    TransposeShared(lane);
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

int RoundOutput(int value) {
  return TRANSFORM == PERDIX_TRANSFORM_WHT
             ? value
             : (value + (1 << (OUTPUT_SHIFT - 1))) >> OUTPUT_SHIFT;
}

int ResidualOfDc(uint offset) {
#if TX_LOG2 == 2
  const int dc = Low(coefficients[offset >> 2].x);
#else
  const int dc = Low(coefficients[offset >> 3].x);
#endif
  return RoundOutput(Round14(Round14(dc * Cos64(16)) * Cos64(16)));
}

// The row's residual into t.
void ComputeResidual(uvec4 record, uint lane) {
  if (TRANSFORM == PERDIX_TRANSFORM_DC) {
    const int value = ResidualOfDc(record.z);
    [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) t[i] = value;
  } else {
    const uint tx_type = TransformType(record.y);
    LoadRow(record.y, record.z, lane & (TX_SIZE - 1));
    Transform(tx_type, ADST_ROWS, WHT_ROW_SHIFT);
    Transpose(lane);
    Transform(tx_type, ADST_COLUMNS, 0);
    [[unroll]] for (uint i = 0; i < TX_SIZE; ++i) t[i] = RoundOutput(t[i]);
    Transpose(lane);
  }
}

// ---- output ----

// Two samples of a word plus two values of the residual.
uint AddPair(uint samples, int first, int second) {
  const uint low = uint(clamp(first, -256, 256) + 256);
  const uint high = uint(clamp(second, -256, 256) + 256);
  return ClampPair(samples + (low | (high << 16)));
}

// A row of luma: eight samples an access.
void AddLuma(uint x, uint y) {
  const uint at =
      frame.target.luma_offset + y * frame.target.luma_stride + x;
  const uint width = frame.params.mi_cols * 8;
#if TX_LOG2 == 2
  if (x < width) {
    const uint word = target_words[at >> 2];
    target_words[at >> 2] =
        Join(AddPair(Even(word), t[0], t[2]), AddPair(Odd(word), t[1], t[3]));
  }
#else
  [[unroll]] for (uint i = 0; i < TX_SIZE; i += 8) {
    if (x + i < width) {
      uvec2 words = target[(at + i) >> 3];
      words.x = Join(AddPair(Even(words.x), t[i], t[i + 2]),
                     AddPair(Odd(words.x), t[i + 1], t[i + 3]));
      words.y = Join(AddPair(Even(words.y), t[i + 4], t[i + 6]),
                     AddPair(Odd(words.y), t[i + 5], t[i + 7]));
      target[(at + i) >> 3] = words;
    }
  }
#endif
}

uint AddToComponent(uint word, bool is_v, int first, int second) {
  const uint u = Even(word);
  const uint v = Odd(word);
  const uint sum = AddPair(is_v ? v : u, first, second);
  return is_v ? Join(u, sum) : Join(sum, v);
}

// A row of U or V: every other sample of eight.
void AddChroma(uint x, uint y, bool is_v) {
  const uint at =
      frame.target.chroma_offset + y * frame.target.chroma_stride + 2 * x;
  const uint width = frame.params.mi_cols * 8 >> frame.params.subsampling_x;
  [[unroll]] for (uint i = 0; i < TX_SIZE; i += 4) {
    if (x + i < width) {
      uvec2 words = target[(at + 2 * i) >> 3];
      words.x = AddToComponent(words.x, is_v, t[i], t[i + 1]);
      words.y = AddToComponent(words.y, is_v, t[i + 2], t[i + 3]);
      target[(at + 2 * i) >> 3] = words;
    }
  }
}

uint PackResidual(int low, int high) {
  return (uint(clamp(low, -32768, 32767)) & 0xffffu) |
         (uint(clamp(high, -32768, 32767)) << 16);
}

// A row of the component's residual plane, padded: nothing sticks out.
void StoreResidual(uint x, uint y, uint component) {
  const uint stride = component == 0 ? frame.residual.luma_stride
                                     : frame.residual.chroma_stride;
  const uint offset = component == 0   ? 0
                      : component == 1 ? frame.residual.u_offset
                                       : frame.residual.v_offset;
  const uint at = offset + y * stride + x;
  if (x < stride) {  // not padding of the list
    [[unroll]] for (uint i = 0; i < TX_SIZE; i += 4) {
      residual[(at + i) >> 2] =
          uvec2(PackResidual(t[i], t[i + 1]), PackResidual(t[i + 2], t[i + 3]));
    }
  }
}

void main() {
  const uint lane = Lane();
  const uint block = gl_WorkGroupID.x * BLOCKS + (lane >> TX_LOG2);
  const uvec4 record = records[dispatch.first + block];
  ComputeResidual(record, lane);
  const uint x = PositionX4(record.x) * 4;
  const uint y = PositionY4(record.x) * 4 + (lane & (TX_SIZE - 1));
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
