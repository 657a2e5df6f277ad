// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction (VP9 8.5.1) and the block's residual, which
// inverse_transform.comp has left in the residual planes.
//
// Reads: records (IntraBlock), residual, the target left of and above the
// block. Writes: the target.
// Work item: one IntraBlock by a workgroup; chroma: U and V. Records
// dispatch.first on. Order: one dispatch for each wave; the blocks of a wave
// are independent, their neighbours are in earlier waves.
#version 450
#extension GL_GOOGLE_include_directive : require

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

#define DC_PRED 0u
#define V_PRED 1u
#define H_PRED 2u
#define D45_PRED 3u
#define D135_PRED 4u
#define D117_PRED 5u
#define D153_PRED 6u
#define D207_PRED 7u
#define D63_PRED 8u

// ---- the block ----

struct Block {
  bool chroma;
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
  block.size = 4 << IntraSize(record.y);
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

// ---- edges (VP9 8.5.1.1) ----

// The samples around the block from below left to above right, of chroma as
// pairs (U, V): border[CORNER] is above left, border[CORNER - 1 - i] left of
// row i, border[CORNER + 1 + j] above column j.
#define CORNER MAX_SIZE
shared uint border[MAX_SIZE + 1 + 2 * MAX_SIZE];

// The pixel at column x, row y of the block; both may be negative.
uint FetchPixel(Block block, int x, int y) {
  const uint at = block.origin + uint(y * int(block.stride) +
                                      (block.chroma ? 2 * x : x));
  const uint shifted = target_words[at >> 2] >> (8 * (at & 3));
  return block.chroma ? (shifted & 0xff) | ((shifted & 0xff00) << 8)
                      : shifted & 0xff;
}

#define BASE 128u
#define BOTH 0x00010001u  // luma leaves the upper field alone

void LoadBorder(Block block) {
  const int lane = int(gl_LocalInvocationIndex);
  // Below the decoded area the last row repeats.
  for (int i = lane; i < block.size; i += LANES) {
    border[CORNER - 1 - i] =
        HasLeft(block) ? FetchPixel(block, -1, min(i, block.rows_left - 1))
                       : (BASE + 1) * BOTH;
  }
  // Right of it, and of what is decoded above, the last column repeats.
  const bool above_right = (block.have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
  const int last =
      min(above_right ? 2 * block.size : block.size, block.columns_left) - 1;
  for (int j = lane; j < 2 * block.size; j += LANES) {
    border[CORNER + 1 + j] = HasAbove(block)
                                 ? FetchPixel(block, min(j, last), -1)
                                 : (BASE - 1) * BOTH;
  }
  if (lane == 0) {
    border[CORNER] = !HasAbove(block)  ? (BASE - 1) * BOTH
                     : !HasLeft(block) ? (BASE + 1) * BOTH
                                       : FetchPixel(block, -1, -1);
  }
  barrier();
}

// ---- modes (VP9 8.5.1.2) ----

shared uint sums[LANES];

// The mean of what there is, in both fields.
uint PredictDc(Block block) {
  const bool left = HasLeft(block);
  const bool above = HasAbove(block);
  uint sum = 0;
  for (int i = int(gl_LocalInvocationIndex); i < block.size; i += LANES) {
    if (left) sum += border[CORNER - 1 - i];
    if (above) sum += border[CORNER + 1 + i];
  }
  sums[gl_LocalInvocationIndex] = sum;
  barrier();
  sum = 0;
  [[unroll]] for (uint i = 0; i < LANES; ++i) sum += sums[i];
  // The count is a power of two.
  const uint log2_count =
      findMSB(block.size) + (left && above ? 1 : 0);
  const uint half_count = (1 << log2_count) >> 1;
  const uint field = 0xffffu >> log2_count;
  const uint mean =
      ((sum + half_count * BOTH) >> log2_count) & (field * BOTH);
  return left || above ? mean : BASE * BOTH;
}

// Round2(a + b, 1) and Round2(a + 2 * b + c, 2) of samples next to each other:
// the first is border[at].
uint Average2(int at) {
  return ((border[at] + border[at + 1] + BOTH) >> 1) & 0x00ff00ffu;
}
uint Average3(int at) {
  return ((border[at] + 2 * border[at + 1] + border[at + 2] + 2 * BOTH) >> 2) &
         0x00ff00ffu;
}

// Pixel (i, j), row and column as in the specification, where its recursions
// along a direction lead: to the border. dc: of DC_PRED.
uint Predict(Block block, uint dc, int i, int j) {
  const int last = block.size - 1;
  uint pixel = dc;
  if (block.mode == V_PRED) {
    pixel = border[CORNER + 1 + j];
  } else if (block.mode == H_PRED) {
    pixel = border[CORNER - 1 - i];
  } else if (block.mode == D45_PRED) {
    const int k = i + j;
    pixel = k < 2 * last ? Average3(CORNER + 1 + k)
                         : border[CORNER + 2 * block.size];
  } else if (block.mode == D63_PRED) {
    const int at = CORNER + 1 + (i >> 1) + j;
    pixel = (i & 1) != 0 ? Average3(at) : Average2(at);
  } else if (block.mode == D135_PRED) {
    pixel = Average3(CORNER - 1 + j - i);
  } else if (block.mode == D117_PRED) {
    const int column = j - (i >> 1);
    if (column < 0) {
      pixel = Average3(CORNER - i + 2 * j);
    } else {
      pixel = (i & 1) != 0 ? Average3(CORNER - 1 + column)
                           : Average2(CORNER + column);
    }
  } else if (block.mode == D153_PRED) {
    const int row = i - (j >> 1);
    if (row < 0) {
      pixel = Average3(CORNER - 2 + j - 2 * i);
    } else {
      pixel = (j & 1) != 0 ? Average3(CORNER - 1 - row)
                           : Average2(CORNER - 1 - row);
    }
  } else if (block.mode == D207_PRED) {
    const int row = i + (j >> 1);
    // Below the last row, that row again.
    const uint a = border[CORNER - 1 - min(row, last)];
    const uint b = border[CORNER - 1 - min(row + 1, last)];
    const uint c = border[CORNER - 1 - min(row + 2, last)];
    pixel = (j & 1) != 0 ? (a + 2 * b + c + 2 * BOTH) >> 2
                         : (a + b + BOTH) >> 1;
    pixel &= 0x00ff00ffu;
  } else if (block.mode != DC_PRED) {  // TM_PRED
    pixel = ClampPair(border[CORNER - 1 - i] + border[CORNER + 1 + j] +
                      256 * BOTH - border[CORNER]);
  }
  return pixel;
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

// A value of u beside one of v.
uint LowFields(uint u, uint v) { return (u & 0xffffu) | (v << 16); }
uint HighFields(uint u, uint v) { return (u >> 16) | (v & 0xffff0000u); }

// ---- four pixels of a row ----

void WriteLuma(Block block, uint dc, bool present, int i, int j) {
  const uvec2 r = ResidualAt(block, present, 0, i, j);
  uint p[4];
  [[unroll]] for (int k = 0; k < 4; ++k) {
    p[k] = Predict(block, dc, i, j + k) & 0xff;
  }
  const uint even = ClampPair((p[0] | (p[2] << 16)) + r.x);
  const uint odd = ClampPair((p[1] | (p[3] << 16)) + r.y);
  target_words[(block.origin + uint(i) * block.stride + uint(j)) >> 2] =
      Join(even, odd);
}

void WriteChroma(Block block, uint dc, bvec2 present, int i, int j) {
  const uvec2 u = ResidualAt(block, present.x, frame.residual.u_offset, i, j);
  const uvec2 v = ResidualAt(block, present.y, frame.residual.v_offset, i, j);
  uint p[4];
  [[unroll]] for (int k = 0; k < 4; ++k) p[k] = Predict(block, dc, i, j + k);
  p[0] = ClampPair(p[0] + LowFields(u.x, v.x));
  p[1] = ClampPair(p[1] + LowFields(u.y, v.y));
  p[2] = ClampPair(p[2] + HighFields(u.x, v.x));
  p[3] = ClampPair(p[3] + HighFields(u.y, v.y));
  const uint at =
      (block.origin + uint(i) * block.stride + uint(2 * j)) >> 2;
  [[unroll]] for (int k = 0; k < 2; ++k) {
    const uint a = p[2 * k];
    const uint b = p[2 * k + 1];
    target_words[at + k] =
        ((a | (a >> 8)) & 0xffff) | ((b | (b >> 8)) << 16);
  }
}

void main() {
  const uvec4 record = records[dispatch.first + gl_WorkGroupID.x];
  const Block block = BlockOf(record);
  LoadBorder(block);
  uint dc = 0;
  if (block.mode == DC_PRED) dc = PredictDc(block);
  const bvec2 present =
      bvec2(record.z != PERDIX_NONE, record.w != PERDIX_NONE);
  const int quads_log2 = findMSB(block.size) - 2;  // in a row
  for (int quad = int(gl_LocalInvocationIndex);
       quad < block.size << quads_log2; quad += LANES) {
    const int i = quad >> quads_log2;
    const int j = (quad - (i << quads_log2)) * 4;
    if (i < block.rows_left && j < block.columns_left) {
      if (block.chroma) {
        WriteChroma(block, dc, present, i, j);
      } else {
        WriteLuma(block, dc, present.x, i, j);
      }
    }
  }
}
