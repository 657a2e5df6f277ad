// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction (VP9 8.5.1) and the block's residual, which
// inverse_transform.comp has left in the residual planes.
//
// Reads: records (IntraBlock), residual, the target left of and above the
// block. Writes: the target.
// Work item: one IntraBlock by a workgroup; chroma: U and V. Records
// dispatch.first on. Order: one dispatch for each wave; the blocks of a wave
// are independent, their neighbours are in earlier waves.
//
// In three steps: the border is loaded; of it a line of samples is made, so
// that every row of the block is a piece of the line (DC_PRED and H_PRED need
// none); the rows are copied and the residual is added. All branches but one
// are the same for the whole workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define LANES 16
#define MAX_SIZE 32

#include "shaders/common.glsl"

layout(local_size_x = LANES) in;

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // IntraBlock: position, shape, residual0, residual1
};
layout(std430, binding = PERDIX_BINDING_RESIDUAL) readonly buffer Residual {
  uvec2 residual[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uint target_words[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetPairs {
  uvec2 target[];
};

#define DC_PRED 0u
#define V_PRED 1u
#define H_PRED 2u
#define D45_PRED 3u
#define D135_PRED 4u
#define D117_PRED 5u
#define D153_PRED 6u
#define D207_PRED 7u
#define D63_PRED 8u
#define TM_PRED 9u

// ---- the block ----

struct Block {
  bool chroma;
  int size_log2;
  int size;  // pixels
  uint mode;
  uint have;
  uvec2 position;     // pixels of the plane
  int columns_left;   // of the decoded area, from the block's corner
  int rows_left;
  uint origin;  // byte of the first pixel
  uint stride;  // bytes
};

Block BlockOf(uvec4 record) {
  Block block;
  block.chroma = IntraPlane(record.y) != 0;
  block.size_log2 = 2 + int(IntraSize(record.y));
  block.size = 1 << block.size_log2;
  block.mode = IntraMode(record.y);
  block.have = IntraHave(record.y);
  block.position = uvec2(PositionX4(record.x), PositionY4(record.x)) * 4;
  const uint ss_x = block.chroma ? frame.params.subsampling_x : 0;
  const uint ss_y = block.chroma ? frame.params.subsampling_y : 0;
  const ivec2 area = ivec2(frame.params.mi_cols * 8 >> ss_x,
                           frame.params.mi_rows * 8 >> ss_y);
  block.columns_left = area.x - int(block.position.x);
  block.rows_left = area.y - int(block.position.y);
  block.stride =
      block.chroma ? frame.target.chroma_stride : frame.target.luma_stride;
  block.origin =
      (block.chroma ? frame.target.chroma_offset : frame.target.luma_offset) +
      block.position.y * block.stride +
      block.position.x * (block.chroma ? 2 : 1);
  return block;
}

bool HasLeft(Block block) {
  return (block.have & PERDIX_INTRA_HAVE_LEFT) != 0;
}
bool HasAbove(Block block) {
  return (block.have & PERDIX_INTRA_HAVE_ABOVE) != 0;
}

// ---- lanes ----

uint Uniform(uint value) {
  return SUBGROUP_SIZE != 0 ? subgroupBroadcastFirst(value) : value;
}

shared uint sums[LANES];

uint SumOfLanes(uint value) {
  if (SUBGROUP_SIZE >= LANES) {
    [[unroll]] for (uint lane = 1; lane < LANES; lane *= 2) {
      value += subgroupShuffleXor(value, lane);
    }
    return value;
  }
  sums[gl_LocalInvocationIndex] = value;
  barrier();
  value = 0;
  for (uint i = 0; i < LANES; ++i) value += sums[i];
  return value;
}

// The low bytes of both fields, next to each other.
uint Bytes(uint pair) { return (pair | (pair >> 8)) & 0xffffu; }

// ---- border (VP9 8.5.1.1) ----

// The samples around the block from below left to above right, of chroma as
// pairs (U, V): border[CORNER] is above left, border[CORNER - 1 - i] left of
// row i, border[CORNER + 1 + j] above column j.
// More than that is written and read, but not used, so that no lane must ask.
#define CORNER (MAX_SIZE + 1)
shared uint border[CORNER + 3 * MAX_SIZE + 3];

#define BASE 128u
#define BOTH 0x00010001u
uint Both(Block block) { return block.chroma ? BOTH : 1; }

// The pixel at column x, row y of the block; both may be negative.
uint FetchPixel(Block block, int x, int y) {
  const uint at = block.origin + uint(y * int(block.stride) +
                                      (block.chroma ? 2 * x : x));
  const uint shifted = target_words[at >> 2] >> (8 * (at & 3));
  return block.chroma ? (shifted & 0xff) | ((shifted & 0xff00) << 8)
                      : shifted & 0xff;
}

// Returns the lane's part of the sum of what there is left and above.
uint LoadBorder(Block block) {
  const bool left = HasLeft(block);
  const bool above = HasAbove(block);
  // Right of the decoded area, and of what is decoded above, the last column
  // repeats; below the area the last row.
  const bool above_right = (block.have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
  const int last_column =
      min(above_right ? 2 * block.size : block.size, block.columns_left) - 1;
  const int last_row = block.rows_left - 1;
  const bool beyond = block.mode == D45_PRED || block.mode == D63_PRED;
  const int end = beyond ? 2 * block.size : block.size;
  const uint both = block.chroma ? BOTH : 1;
  uint sum = 0;
  for (int first = -block.size; first <= end; first += LANES) {
    const int k = first + int(gl_LocalInvocationIndex);
    // A corner counts as left where there is something above alone.
    const bool is_left = k < 0 || (k == 0 && above && !left);
    const bool present = is_left ? left : above;
    const int x = k > 0 ? min(k - 1, last_column) : -1;
    const int y = k < 0 ? min(-1 - k, last_row) : -1;
    const uint fetched =
        FetchPixel(block, present ? x : 0, present ? y : 0);
    if (present && k != 0 && k <= block.size) sum += fetched;
    border[CORNER + k] =
        present ? fetched : (is_left ? BASE + 1 : BASE - 1) * Both(block);
  }
  return sum;
}

// ---- the line (VP9 8.5.1.2) ----

// Samples as in the target: bytes, of chroma U and V in turns. Rows with odd
// numbers of D63_PRED and D117_PRED have a line of their own behind the other.
shared uint line[3 * MAX_SIZE / 2 + 2];  // words

bool HasOddLine(Block block) {
  return block.mode == D63_PRED || block.mode == D117_PRED;
}

int OddLine(Block block) { return 3 * block.size >> 1; }

// Where row i begins in the line.
int RowInLine(Block block, int i) {
  int at = 0;  // V_PRED, TM_PRED
  if (block.mode == D45_PRED) at = i;
  if (block.mode == D63_PRED) at = i >> 1;
  if (block.mode == D135_PRED) at = block.size - i;
  if (block.mode == D117_PRED) at = (block.size >> 1) - (i >> 1);
  if (block.mode == D153_PRED) at = 2 * (block.size - i);
  if (block.mode == D207_PRED) at = 2 * i;
  return HasOddLine(block) && (i & 1) != 0 ? at + OddLine(block) : at;
}

// A sample of the line is (border[x] + 2 * border[y] + border[z] + 2) >> 2.
ivec3 Average3(int at) { return ivec3(at, at + 1, at + 2); }
ivec3 Average2(int at) { return ivec3(at + 1, at, at + 1); }
ivec3 Copy(int at) { return ivec3(at); }

// The specification's recursions along a direction, followed to the border.
ivec3 Sources(Block block, int at) {
  const bool odd_row = HasOddLine(block) && at >= OddLine(block);
  if (odd_row) at -= OddLine(block);
  ivec3 sources = Copy(CORNER + 1 + at);  // V_PRED, TM_PRED
  if (block.mode == D45_PRED) {
    sources = at < 2 * block.size - 2 ? Average3(CORNER + 1 + at)
                                      : Copy(CORNER + 2 * block.size);
  } else if (block.mode == D63_PRED) {
    sources = odd_row ? Average3(CORNER + 1 + at) : Average2(CORNER + 1 + at);
  } else if (block.mode == D135_PRED) {
    sources = Average3(CORNER - 1 + at - block.size);
  } else if (block.mode == D117_PRED) {
    // Rows i and i + 1 begin at the same place.
    const int column = at - (block.size >> 1);
    const int from = odd_row ? CORNER - 1 : CORNER;
    sources = column < 0 ? Average3(from + 2 * column)
              : odd_row  ? Average3(from + column)
                         : Average2(from + column);
  } else if (block.mode == D153_PRED) {
    const int column = at - 2 * block.size;
    sources = column > 1          ? Average3(CORNER - 2 + column)
              : (column & 1) != 0 ? Average3(CORNER - 1 + (column >> 1))
                                  : Average2(CORNER - 1 + (column >> 1));
  } else if (block.mode == D207_PRED) {
    // Downwards; below the last row, that row again.
    sources = (at & 1) != 0 ? Average3(at >> 1) : Average2(at >> 1);
    sources = CORNER - 1 - min(sources, ivec3(block.size - 1));
  }
  return sources;
}

void MakeLine(Block block) {
  const bool copy = block.mode == V_PRED || block.mode == TM_PRED;
  const int samples = copy ? block.size : 3 * block.size;
  const int word_log2 = block.chroma ? 1 : 2;  // samples
  const int bits = block.chroma ? 16 : 8;      // of a sample
  for (int first = 0; first << word_log2 < samples; first += LANES) {
    const int word = first + int(gl_LocalInvocationIndex);
    uint value = 0;
    for (int k = 0; k < 1 << word_log2; ++k) {
      const ivec3 from =
          Sources(block, min((word << word_log2) + k, samples - 1));
      const uint sum = border[from.x] + 2 * border[from.y] + border[from.z];
      // Luma's upper field: samples that are not used may be anything.
      const uint pair = ((sum + 2 * BOTH) >> 2) & (255 * Both(block));
      value |= Bytes(pair) << (k * bits);
    }
    line[word] = value;
  }
}

// ---- four pixels of a row, in one word; of chroma in two ----

// A sample of luma, or a pair (U, V), four times.
uvec2 Repeat(Block block, uint sample_or_pair) {
  return uvec2(Bytes(sample_or_pair) *
               (block.chroma ? 0x00010001u : 0x01010101u));
}

// What begins in the middle of a word.
uint Funnel(uint low, uint high, int shift) {
  return (low >> shift) | ((high << 1) << (31 - shift));
}

uvec2 CopyLine(Block block, int i, int j) {
  const int at = RowInLine(block, i) + j;
  const int word = block.chroma ? at >> 1 : at >> 2;
  const int shift = block.chroma ? 16 * (at & 1) : 8 * (at & 3);
  const uint next = line[word + 1];
  uvec2 words = uvec2(Funnel(line[word], next, shift), 0);
  if (block.chroma) words.y = Funnel(next, line[word + 2], shift);
  return words;
}

uint AddClamped(uint word, uint even, uint odd) {
  return Join(ClampPair(Even(word) + even), ClampPair(Odd(word) + odd));
}

uvec2 Predict(Block block, uvec2 dc, int i, int j) {
  uvec2 words = dc;
  if (block.mode == H_PRED) {
    words = Repeat(block, border[CORNER - 1 - i]);
  } else if (block.mode != DC_PRED) {
    words = CopyLine(block, i, j);
    if (block.mode == TM_PRED) {
      const uint change =
          border[CORNER - 1 - i] + 256 * BOTH - border[CORNER];
      const uint u = (change & 0xffff) * BOTH;
      const uint v = block.chroma ? (change >> 16) * BOTH : u;
      words.x = AddClamped(words.x, u, v);
      if (block.chroma) words.y = AddClamped(words.y, u, v);
    }
  }
  return words;
}

// The mean of what there is. sum: the lane's part.
uvec2 PredictDc(Block block, uint sum) {
  sum = SumOfLanes(sum);
  const bool left = HasLeft(block);
  const bool above = HasAbove(block);
  // The count is a power of two.
  const int log2_count = block.size_log2 + (left && above ? 1 : 0);
  const uint mean =
      (sum + (1 << log2_count >> 1) * BOTH) >> log2_count & 0x00ff00ffu;
  return Repeat(block, left || above ? mean : BASE * Both(block));
}

// ---- residual ----

// Four values of a row as inverse_transform.comp leaves them: columns j and
// j + 2, j + 1 and j + 3, with a bias of 256. offset: of the plane.
uvec2 ResidualAt(Block block, bool present, uint offset, int i, int j) {
  uvec2 values = uvec2(256 * BOTH);
  if (present) {
    const uint stride = block.chroma ? frame.residual.chroma_stride
                                     : frame.residual.luma_stride;
    values = residual[(offset + (block.position.y + i) * stride +
                       block.position.x + j) >> 2];
  }
  return values;
}

// Columns j and j + 1, or j + 2 and j + 3.
uint Near(uvec2 values) { return (values.x & 0xffffu) | (values.y << 16); }
uint Far(uvec2 values) { return (values.x >> 16) | (values.y & 0xffff0000u); }

uvec2 AddResidual(Block block, bvec2 present, uvec2 words, int i, int j) {
  if (!block.chroma) {
    const uvec2 r = ResidualAt(block, present.x, 0, i, j);
    words.x = AddClamped(words.x, r.x, r.y);
  } else {
    const uvec2 u =
        ResidualAt(block, present.x, frame.residual.u_offset, i, j);
    const uvec2 v =
        ResidualAt(block, present.y, frame.residual.v_offset, i, j);
    words = uvec2(AddClamped(words.x, Near(u), Near(v)),
                  AddClamped(words.y, Far(u), Far(v)));
  }
  return words;
}

// ---- the block's rows ----

void WriteRows(Block block, bvec2 present, uvec2 dc) {
  const int quads_log2 = block.size_log2 - 2;  // in a row
  const int quads = block.size << quads_log2;
  for (int first = 0; first < quads; first += LANES) {
    const int quad = first + int(gl_LocalInvocationIndex);
    const int i = min(quad >> quads_log2, block.size - 1);
    const int j = (quad & (block.size - 1) >> 2) * 4;
    uvec2 words = Predict(block, dc, i, j);
    if (any(present)) words = AddResidual(block, present, words, i, j);
    const uint at = uint(i) * block.stride + uint(j);
    if (quad < quads && i < block.rows_left && j < block.columns_left) {
      if (block.chroma) {
        target[(block.origin >> 3) + uint(i) * (block.stride >> 3) +
               uint(j >> 2)] = words;
      } else {
        target_words[(block.origin + at) >> 2] = words.x;
      }
    }
  }
}

void main() {
  const uvec4 record = records[dispatch.first + Uniform(gl_WorkGroupID.x)];
  const Block block = BlockOf(record);
  const bvec2 present =
      bvec2(record.z != PERDIX_NONE, record.w != PERDIX_NONE);
  const uint sum = LoadBorder(block);
  uvec2 dc = uvec2(0);
  if (block.mode == DC_PRED) dc = PredictDc(block, sum);
  barrier();
  if (block.mode != DC_PRED && block.mode != H_PRED) {
    MakeLine(block);
    barrier();
  }
  WriteRows(block, present, dc);
}
