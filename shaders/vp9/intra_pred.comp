// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction (VP9 8.5.1) and the block's residual, which
// inverse_transform.comp has left in the residual planes.
//
// Reads: records (IntraBlock), residual, the target left of and above the
// block. Writes: the target.
// Work item: one IntraBlock by BLOCK_LANES lanes, of which a workgroup has one
// block or more; chroma: U and V. Records dispatch.first on; a wave's number is
// padded to whole workgroups by records without a block. Order: one dispatch for
// each wave; the blocks of a wave are independent, their neighbours are in
// earlier waves.
//
// In three steps: the border is loaded; of it a line of samples is made, so
// that every row of the block is a piece of the line (DC_PRED and H_PRED need
// none); the rows are copied and the residual is added. Every branch
// but the last is the same for all lanes of a block.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define MAX_SIZE 32

#include "shaders/vp9/frame.glsl"

layout(constant_id = PERDIX_CONSTANT_BLOCK_LANES) const uint BLOCK_LANES = 16;
layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 16;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

const uint BLOCKS = LANES / BLOCK_LANES;  // of a workgroup
// Whether a subgroup is known to have no lanes of two blocks, and whether it has
// all of one.
const bool IS_OF_ONE_BLOCK =
    SUBGROUP_SIZE != 0 && (BLOCKS == 1 || SUBGROUP_SIZE <= BLOCK_LANES);
const bool IS_A_BLOCK = BLOCKS > 1 && SUBGROUP_SIZE == BLOCK_LANES;

layout(push_constant) uniform Constants { IntraConstants dispatch; };

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

// Four pixels of a row; of luma they are in the first half.
#if SAMPLE_BITS == 8
#define Quad uvec2
#else
#define Quad uvec4
#endif
#define LUMA_QUAD_LOG2 (1 + SAMPLE_BYTES)  // bytes of the target
#define CHROMA_QUAD_LOG2 (2 + SAMPLE_BYTES)

// ---- the block ----

struct Block {
  bool chroma;
  int size_log2;
  int size;  // pixels
  uint mode;
  uint have;
  // Last column, and row in the upper half, of the block that is decoded. One
  // word, because registers are short.
  uint last;
  // The first pixel and the distance of rows, in quads.
  uint origin;
  uint stride;
  uint residuals;  // RESIDUAL_0 and RESIDUAL_1: which there are
  uint residual;   // of the block's corner, in fours
};

#define RESIDUAL_0 1u
#define RESIDUAL_1 2u

Block BlockOf(uvec4 record) {
  Block block;
  block.chroma = IntraPlane(record.y) != 0;
  block.size_log2 = 2 + int(IntraSize(record.y));
  block.size = 1 << block.size_log2;
  block.mode = IntraMode(record.y);
  block.have = IntraHave(record.y);
  const uvec2 position =
      uvec2(PositionX4(record.x), PositionY4(record.x)) * 4;
  const uint ss_x = block.chroma ? frame.subsampling_x : 0;
  const uint ss_y = block.chroma ? frame.subsampling_y : 0;
  const ivec2 area = ivec2(frame.decoded_width >> ss_x,
                           frame.decoded_height >> ss_y);
  const ivec2 last = min(area - ivec2(position), ivec2(2 * block.size)) - 1;
  block.last = uint(last.x) | uint(min(last.y, block.size - 1)) << 16;
  const uint x = PositionX4(record.x);
  block.stride = block.chroma ? frame.target.chroma_stride >> CHROMA_QUAD_LOG2
                              : frame.target.luma_stride >> LUMA_QUAD_LOG2;
  block.origin =
      (block.chroma ? frame.target.chroma_offset >> CHROMA_QUAD_LOG2
                    : frame.target.luma_offset >> LUMA_QUAD_LOG2) +
      position.y * block.stride + x;
  block.residuals = (record.z != PERDIX_NONE ? RESIDUAL_0 : 0) |
                    (record.w != PERDIX_NONE ? RESIDUAL_1 : 0);
  block.residual = block.chroma
                       ? (frame.residual.u_offset >> 2) +
                             position.y * (frame.residual.chroma_stride >> 2)
                       : position.y * (frame.residual.luma_stride >> 2);
  block.residual += x;
  return block;
}

bool HasLeft(Block block) {
  return (block.have & PERDIX_INTRA_HAVE_LEFT) != 0;
}
bool HasAbove(Block block) {
  return (block.have & PERDIX_INTRA_HAVE_ABOVE) != 0;
}
// Every pixel of a row is the same.
bool HasEvenRows(Block block) {
  return block.mode == DC_PRED || block.mode == H_PRED;
}

// ---- lanes ----

// The same for all lanes of a block.
uint Uniform(uint value) {
  return IS_OF_ONE_BLOCK ? subgroupBroadcastFirst(value) : value;
}

// In the order of subgroups where blocks share a workgroup.
uint LaneOfWorkgroup() {
  return BLOCKS > 1 && SUBGROUP_SIZE != 0
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}
// A lane's number in its block, and the block's in the workgroup.
uint Lane() {
  return IS_A_BLOCK   ? gl_SubgroupInvocationID
         : BLOCKS > 1 ? LaneOfWorkgroup() % BLOCK_LANES
                      : LaneOfWorkgroup();
}
uint BlockNumber() {
  return IS_A_BLOCK   ? Uniform(gl_SubgroupID)
         : BLOCKS > 1 ? Uniform(LaneOfWorkgroup() / BLOCK_LANES)
                      : 0;
}

// What the lanes of a block have written to shared memory is read by the others.
// Where a block is a subgroup it waits for no other one: subgroups of up to 16
// lanes run in lockstep, so that the order of instructions is enough.
// subgroupBarrier() must not stand here, see loop_filter.comp.
void EndPart() {
  if (IS_A_BLOCK) {
    subgroupMemoryBarrierShared();
  } else {
    barrier();
  }
}

const bool SUM_WAITS = SUBGROUP_SIZE < BLOCK_LANES;  // all lanes must come there
shared uint sums[SUM_WAITS ? LANES : 1];

uint SumOfLanes(uint value) {
  const uint together = clamp(SUBGROUP_SIZE, 1, BLOCK_LANES);
  [[unroll]] for (uint lane = 1; lane < together; lane *= 2) {
    value += subgroupShuffleXor(value, lane);
  }
  if (SUM_WAITS) {
    const uint first = BlockNumber() * BLOCK_LANES;
    sums[first + Lane()] = value;
    barrier();
    value = 0;
    for (uint i = 0; i < BLOCK_LANES; i += together) value += sums[first + i];
  }
  return value;
}

// A pixel as in the target, in the low bits: a sample, or U and V.
#if SAMPLE_BITS == 8
uint Pixel(uint pair) { return (pair | (pair >> 8)) & 0xffffu; }
#else
uint Pixel(uint pair) { return pair; }
#endif

// ---- border (VP9 8.5.1.1) ----

// The samples around the block from below left to above right, of chroma as
// pairs (U, V): border[CORNER] is above left, border[CORNER - 1 - i] left of
// row i, border[CORNER + 1 + j] above column j.
// More than that is written and read, so that no lane must ask, but not used.
const uint BORDER_SIZE = MAX_SIZE + 1 + 3 * MAX_SIZE + BLOCK_LANES;
shared uint border[BLOCKS * BORDER_SIZE];
#define CORNER (MAX_SIZE + 1 + int(BlockNumber() * BORDER_SIZE))

#define BASE (1u << (SAMPLE_BITS - 1))
uint Both(Block block) { return block.chroma ? BOTH : 1; }
uint Samples(Block block) { return SAMPLE_MAX * Both(block); }

// The pixel at column x, row y of the block; both may be negative.
uint FetchPixel(Block block, int x, int y) {
  const int row = int(block.origin) + y * int(block.stride);
#if SAMPLE_BITS == 8
  const uint at = uint(block.chroma ? 8 * row + 2 * x : 4 * row + x);
  const uint shifted = target_words[at >> 2] >> (8 * (at & 3));
  return block.chroma ? (shifted & 0xff) | ((shifted & 0xff00) << 8)
                      : shifted & 0xff;
#else
  const uint at = uint(4 * row + x);
  const uint word = target_words[block.chroma ? at : at >> 1];
  return block.chroma ? word : (word >> (16 * (at & 1))) & 0xffffu;
#endif
}

// Returns the lane's part of the sum of what there is left and above.
uint LoadBorder(Block block) {
  const bool left = HasLeft(block);
  const bool above = HasAbove(block);
  // Right of the decoded area, and of what is decoded above, the last column
  // repeats; below the area the last row.
  const bool above_right = (block.have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
  const int last_column =
      min(above_right ? 2 * block.size - 1 : block.size - 1,
          int(block.last & 0xffffu));
  const int last_row = int(block.last >> 16);
  const bool beyond = block.mode == D45_PRED || block.mode == D63_PRED;
  const int end = beyond ? 2 * block.size : block.size;
  const uint both = block.chroma ? BOTH : 1;
  uint sum = 0;
  for (int first = -block.size; first <= end; first += int(BLOCK_LANES)) {
    const int k = first + int(Lane());
    // A corner counts as left where there is something above alone.
    const bool is_left = k < 0 || (k == 0 && above && !left);
    const bool present = is_left ? left : above;
    const int x = k > 0 ? min(k - 1, last_column) : -1;
    const int y = k < 0 ? min(-1 - k, last_row) : -1;
    const uint fetched =
        FetchPixel(block, present ? x : 0, present ? y : 0);
    if (present && k != 0 && k <= end) sum += fetched;
    border[CORNER + k] =
        present ? fetched : (is_left ? BASE + 1 : BASE - 1) * BOTH;
  }
  return sum;
}

// DC_PRED becomes H_PRED: puts the mean of what there is left of every row.
// sum: all lanes' parts.
void PutDcLeft(Block block, uint sum) {
  const bool left = HasLeft(block);
  const bool above = HasAbove(block);
  // The count is a power of two.
  const int log2_count = block.size_log2 + (left && above ? 1 : 0);
  const uint mean =
      (sum + (1 << log2_count >> 1) * BOTH) >> log2_count & SAMPLE_MAX * BOTH;
  const uint dc = left || above ? mean : BASE * BOTH;
  // Up to MAX_SIZE rows; where there are fewer, nobody reads the rest.
  [[unroll]] for (uint first = 0; first < MAX_SIZE; first += BLOCK_LANES) {
    const uint row = first + Lane();
    if (BLOCK_LANES <= MAX_SIZE || row < MAX_SIZE) {
      border[CORNER - 1 - int(row)] = dc;
    }
  }
}

// ---- the line (VP9 8.5.1.2) ----

// Pixels as in the target: of chroma U and V in turns. Rows with odd numbers of
// D63_PRED and D117_PRED have a line of their own behind the other.
const uint LINE_SIZE =
    3 * MAX_SIZE * SAMPLE_BYTES / 2 + BLOCK_LANES;  // words
shared uint line[BLOCKS * LINE_SIZE];

// Where the rows begin in the line: row 0 at first, row 1 odd behind it, and two
// rows on step behind either.
struct Rows {
  int first;
  int odd;
  int step;
};

int OddLine(int size) { return 3 * size >> 1; }

Rows RowsOf(const uint mode, int size) {
  Rows rows = Rows(0, 0, 0);  // V_PRED, TM_PRED
  if (mode == D45_PRED) rows = Rows(0, 1, 2);
  if (mode == D63_PRED) rows = Rows(0, OddLine(size), 1);
  if (mode == D135_PRED) rows = Rows(size, -1, -2);
  if (mode == D117_PRED) rows = Rows(size >> 1, OddLine(size), -1);
  if (mode == D153_PRED) rows = Rows(2 * size, -2, -4);
  if (mode == D207_PRED) rows = Rows(0, 2, 4);
  return rows;
}

// The specification's recursions along a direction, followed to the border:
// Round2 of 4 of border[x] + 2 * border[y] + border[z]. Three samples next to
// each other; if z is x, the mean of two.
ivec3 Sources(const uint mode, Block block, int at) {
  const bool odd_row = (mode == D63_PRED || mode == D117_PRED) &&
                       at >= OddLine(block.size);
  if (odd_row) at -= OddLine(block.size);
  bool three = true;
  int from = CORNER + 1 + at;
  if (mode == D45_PRED) {
    // The last one is not a mean; behind it the border repeats it.
    if (at >= 2 * block.size - 2) ++from;
  } else if (mode == D63_PRED) {
    three = odd_row;
  } else if (mode == D135_PRED) {
    from -= block.size + 2;
  } else if (mode == D117_PRED) {
    // Where the row has left the border above, every second sample of the left.
    const int column = at - (block.size >> 1);
    three = odd_row || column < 0;
    from = CORNER + column + min(column, 0) - (odd_row ? 1 : 0);
  } else if (mode == D153_PRED) {
    const int column = at - 2 * block.size;
    three = column > 1 || (column & 1) != 0;
    from = column > 1 ? CORNER - 2 + column : CORNER - 1 + (column >> 1);
  } else if (mode == D207_PRED) {
    three = (at & 1) != 0;
    from = at >> 1;
  }
  ivec3 sources = ivec3(from, from + 1, three ? from + 2 : from);
  if (mode == V_PRED) sources = ivec3(from);
  if (mode == D207_PRED) {
    // Downwards; below the last row, that row again.
    sources = CORNER - 1 - min(sources, ivec3(block.size - 1));
  }
  return sources;
}

#define LUMA_BITS (8 * int(SAMPLE_BYTES))  // of a pixel
#define CHROMA_BITS (16 * int(SAMPLE_BYTES))
int WordPixelsLog2(Block block) {
  return block.chroma ? 2 - int(SAMPLE_BYTES) : 3 - int(SAMPLE_BYTES);
}

Rows MakeLineOf(const uint mode, Block block) {
  const int samples = mode == V_PRED ? block.size : 3 * block.size;
  const int word_log2 = WordPixelsLog2(block);
  const int bits = block.chroma ? CHROMA_BITS : LUMA_BITS;
  for (int first = 0; first << word_log2 < samples; first += int(BLOCK_LANES)) {
    const int word = first + int(Lane());
    uint value = 0;
    for (int k = 0; k < 1 << word_log2; ++k) {
      const ivec3 from =
          Sources(mode, block, min((word << word_log2) + k, samples - 1));
      const uint sum = border[from.x] + 2 * border[from.y] + border[from.z];
      // Luma's upper field: samples that are not used may be anything.
      const uint pair = ((sum + 2 * BOTH) >> 2) & Samples(block);
      value |= Pixel(pair) << (k * bits);
    }
    line[BlockNumber() * LINE_SIZE + word] = value;
  }
  return RowsOf(mode, block.size);
}

// A copy for each mode: what is common to them does not fit V3D's registers.
Rows MakeLine(Block block) {
  Rows rows;
  if (block.mode == D45_PRED) {
    rows = MakeLineOf(D45_PRED, block);
  } else if (block.mode == D63_PRED) {
    rows = MakeLineOf(D63_PRED, block);
  } else if (block.mode == D135_PRED) {
    rows = MakeLineOf(D135_PRED, block);
  } else if (block.mode == D117_PRED) {
    rows = MakeLineOf(D117_PRED, block);
  } else if (block.mode == D153_PRED) {
    rows = MakeLineOf(D153_PRED, block);
  } else if (block.mode == D207_PRED) {
    rows = MakeLineOf(D207_PRED, block);
  } else {
    rows = MakeLineOf(V_PRED, block);
  }
  return rows;
}

// ---- quads ----

// What begins in the middle of a word.
uint Funnel(uint low, uint high, int shift) {
  return (low >> shift) | ((high << 1) << (31 - shift));
}

// Four values of a row as inverse_transform.comp leaves them (ResidualLayout).
// offset: from Y or U, in fours.
uvec2 ResidualAt(Block block, uint offset, int i, int j) {
  const uint stride = block.chroma ? frame.residual.chroma_stride
                                   : frame.residual.luma_stride;
  return residual[block.residual + uint(i) * (stride >> 2) + uint(j >> 2) +
                  offset];
}

uint FromUToV() {
  return (frame.residual.v_offset - frame.residual.u_offset) >> 2;
}

// Where a quad begins in the line, in pixels.
int InLine(Rows rows, int i, int j) {
  return rows.first + (i & 1) * rows.odd + (i >> 1) * rows.step + j;
}

// Repeat: a sample of luma, or a pair (U, V), four times.
// CopyLine: from InLine on.
// AddChange: to each pixel, <change> being a sample's or a pair's with a bias of
// SAMPLE_RANGE.
// AddResidual: of row i, from column j on, as far as there is one.
#if SAMPLE_BITS == 8
Quad Repeat(Block block, uint sample_or_pair) {
  return Quad(Pixel(sample_or_pair & Samples(block)) *
              (block.chroma ? 0x00010001u : 0x01010101u));
}

Quad CopyLine(Block block, int at) {
  const uint word =
      BlockNumber() * LINE_SIZE + (block.chroma ? at >> 1 : at >> 2);
  const int shift = block.chroma ? 16 * (at & 1) : 8 * (at & 3);
  const uint next = line[word + 1];
  Quad words = Quad(Funnel(line[word], next, shift), 0);
  if (block.chroma) words.y = Funnel(next, line[word + 2], shift);
  return words;
}

uint AddClamped(uint word, uint even, uint odd) {
  return Join(ClampPair(Even(word) + even), ClampPair(Odd(word) + odd));
}

Quad AddChange(Block block, Quad words, uint change) {
  const uint u = (change & 0xffff) * BOTH;
  const uint v = block.chroma ? (change >> 16) * BOTH : u;
  words.x = AddClamped(words.x, u, v);
  if (block.chroma) words.y = AddClamped(words.y, u, v);
  return words;
}

// Columns j and j + 1, or j + 2 and j + 3.
uint Near(uvec2 values) { return (values.x & 0xffffu) | (values.y << 16); }
uint Far(uvec2 values) { return (values.x >> 16) | (values.y & 0xffff0000u); }

uint AddToEven(uint word, uint values) {
  return Join(ClampPair(Even(word) + values), Odd(word));
}
uint AddToOdd(uint word, uint values) {
  return Join(Even(word), ClampPair(Odd(word) + values));
}

// U and V one after the other, because registers are short.
Quad AddResidual(Block block, Quad words, int i, int j) {
  if (!block.chroma) {
    const uvec2 r = ResidualAt(block, 0, i, j);
    words.x = AddClamped(words.x, r.x, r.y);
  } else {
    if ((block.residuals & RESIDUAL_0) != 0) {
      const uvec2 u = ResidualAt(block, 0, i, j);
      words = Quad(AddToEven(words.x, Near(u)), AddToEven(words.y, Far(u)));
    }
    if ((block.residuals & RESIDUAL_1) != 0) {
      const uvec2 v = ResidualAt(block, FromUToV(), i, j);
      words = Quad(AddToOdd(words.x, Near(v)), AddToOdd(words.y, Far(v)));
    }
  }
  return words;
}
#else
Quad Repeat(Block block, uint sample_or_pair) {
  const uint pixel = sample_or_pair & Samples(block);
  return Quad(block.chroma ? pixel : pixel * BOTH);
}

Quad CopyLine(Block block, int at) {
  const uint word = BlockNumber() * LINE_SIZE + (block.chroma ? at : at >> 1);
  const int shift = block.chroma ? 0 : 16 * (at & 1);
  const uint next = line[word + 1];
  const uint last = line[word + 2];
  return Quad(Funnel(line[word], next, shift), Funnel(next, last, shift), last,
              line[word + 3]);
}

Quad AddClamped(Block block, Quad words, Quad values) {
  words.x = ClampPair(words.x + values.x);
  words.y = ClampPair(words.y + values.y);
  if (block.chroma) {
    words.z = ClampPair(words.z + values.z);
    words.w = ClampPair(words.w + values.w);
  }
  return words;
}

Quad AddChange(Block block, Quad words, uint change) {
  return AddClamped(block, words,
                    Quad(block.chroma ? change : (change & 0xffff) * BOTH));
}

Quad AddResidual(Block block, Quad words, int i, int j) {
  const uvec2 none = uvec2(SAMPLE_RANGE * BOTH);
  uvec2 y_or_u = none;
  if ((block.residuals & RESIDUAL_0) != 0) y_or_u = ResidualAt(block, 0, i, j);
  Quad values = Quad(y_or_u, none);
  if (block.chroma) {
    uvec2 v = none;
    if ((block.residuals & RESIDUAL_1) != 0) {
      v = ResidualAt(block, FromUToV(), i, j);
    }
    const uvec2 even = (y_or_u & 0xffffu) | (v << 16);
    const uvec2 odd = (y_or_u >> 16) | (v & 0xffff0000u);
    values = Quad(even.x, odd.x, even.y, odd.y);
  }
  return AddClamped(block, words, values);
}
#endif

Quad Predict(Block block, Rows rows, int i, int j) {
  Quad words;
  if (HasEvenRows(block)) {
    words = Repeat(block, border[CORNER - 1 - i]);
  } else {
    words = CopyLine(block, InLine(rows, i, j));
    if (block.mode == TM_PRED) {
      const uint biased = border[CORNER - 1 - i] + SAMPLE_RANGE * BOTH;
      words = AddChange(block, words, biased - border[CORNER]);
    }
  }
  return words;
}

// ---- the block's rows ----

void WriteRows(Block block, Rows rows) {
  const int quads_log2 = block.size_log2 - 2;  // in a row
  const int quads = block.size << quads_log2;
  for (int first = 0; first < quads; first += int(BLOCK_LANES)) {
    const int quad = first + int(Lane());
    const int row = quad >> quads_log2;
    const int i = min(row, block.size - 1);
    const int j = (quad & (block.size - 1) >> 2) * 4;
    Quad words = Predict(block, rows, i, j);
    if (block.residuals != 0) words = AddResidual(block, words, i, j);
    const uint at = block.origin + uint(i) * block.stride + uint(j >> 2);
    // Both fields of last - (j, row) are positive.
    const uint here = uint(j) | uint(row) << 16;
    const bool is_block =
        IS_A_BLOCK || BLOCKS == 1 || block.mode != PERDIX_INTRA_NO_BLOCK;
    if (((block.last - here) & 0x80008000u) == 0 && is_block) {
#if SAMPLE_BITS == 8
      if (block.chroma) {
        target[at] = words;
      } else {
        target_words[at] = words.x;
      }
#else
      target[block.chroma ? 2 * at : at] = words.xy;
      if (block.chroma) target[2 * at + 1] = words.zw;
#endif
    }
  }
}

void main() {
  const uint index = Uniform(gl_WorkGroupID.x) * BLOCKS + BlockNumber();
  const uvec4 record = records[dispatch.first + index];
  if (IS_A_BLOCK && IntraMode(record.y) == PERDIX_INTRA_NO_BLOCK) return;
  const Block block = BlockOf(record);
  uint sum = LoadBorder(block);
  if (BLOCKS > 1 && SUM_WAITS) sum = SumOfLanes(sum);
  Rows rows = Rows(0, 0, 0);
  EndPart();
  if (block.mode == DC_PRED) {
    PutDcLeft(block, BLOCKS > 1 && SUM_WAITS ? sum : SumOfLanes(sum));
  } else if (block.mode != H_PRED) {
    rows = MakeLine(block);
  }
  EndPart();
  WriteRows(block, rows);
}
