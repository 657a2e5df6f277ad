// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8): per superblock and plane all vertical edges, then all
// horizontal ones, in the order of the frame's raster scan.
//
// Reads: edges, the target. Writes: the target.
// Work item: a run of dispatch.run superblocks in a row, in one plane
// (gl_WorkGroupID.y). Order: one dispatch for each step; the runs with
// row + run index == dispatch.step are independent.
//
// Why that is exact, in fewer steps than superblock after superblock: the
// vertical edges V(r, c) touch only lines of row r, up to 8 columns left of the
// superblock; the horizontal edges H(r, c) touch only columns of c, up to 8
// lines above it. So H(r, c) must follow V(r, c), V(r - 1, c + 1) and
// H(r - 1, c), and V(r, c + 1) must follow H(r, c): no more. A work item does
// H(r, c) and then V(r, c + 1) (and V(r, 0) first of all), which leaves
// (r, c) after (r - 1, c): cols + rows - 1 steps.
//
// Two lines across an edge are filtered at once, as the fields of pairs.
#version 450
#extension GL_GOOGLE_include_directive : require

#define LANES 32

#include "shaders/common.glsl"

layout(local_size_x = LANES) in;

layout(constant_id = PERDIX_CONSTANT_MAX_WIDTH) const uint MAX_WIDTH = 3;

layout(std430, binding = PERDIX_BINDING_EDGES) readonly buffer Edges {
  uint edges[];
};
// Coherent: the passes of a work item read what other lanes have written.
layout(std430, binding = PERDIX_BINDING_TARGET) coherent buffer Target {
  uvec2 target[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) coherent buffer TargetWords {
  uint target_words[];
};

#define WIDTH_NONE 0u
#define WIDTH_4 1u
#define WIDTH_8 2u
#define WIDTH_16 3u

#define CELL 8u      // pixels
#define CELLS 8u     // 8x8 luma cells of a superblock, in each direction
#define SIGNS 0x80008000u
#define BOTH 0x00010001u

// ---- limits (VP9 8.8.1), in both fields ----

struct Limits {
  uint limit;
  uint blimit;
  uint thresh;
};

Limits LimitsOf(uint level) {
  const uint sharpness = frame.params.loop_filter_sharpness;
  const uint shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const uint highest = sharpness > 0 ? 9 - sharpness : 63;
  const uint limit = clamp(level >> shift, 1, highest);
  return Limits(limit * BOTH, (2 * (level + 2) + limit) * BOTH,
                (level >> 4) * BOTH);
}

// ---- masks (VP9 8.8.3) ----
// A test leaves its answer in the top bit of each field.

uint Within(uint limit, uint difference) {
  return (limit + SIGNS - difference) & (limit + SIGNS + difference);
}

// Top bits to whole fields.
uint Fields(uint tests) {
  const uint bits = (tests & SIGNS) >> 15;
  return (bits << 16) - bits;
}

// |a| * 2 + |b| / 2 <= blimit. |b| / 2 is the larger of b / 2 and -b / 2, both
// rounded down; fields are kept positive by a bias of 512 before the division.
uint WithinBlimit(uint blimit, uint a, uint b) {
  const uint biased = b + 512 * BOTH;
  const uint half_b = (biased >> 1) & 0x7fff7fffu;                 // 256 + b/2
  const uint half_minus_b = 512 * BOTH - (((biased + BOTH) >> 1) & 0x7fff7fffu);
  const uint twice_a = a + a;
  const uint rest = blimit + SIGNS + 256 * BOTH - half_b;
  const uint rest_minus = blimit + SIGNS + 256 * BOTH - half_minus_b;
  return (rest - twice_a) & (rest + twice_a) & (rest_minus - twice_a) &
         (rest_minus + twice_a);
}

// ---- filters of one edge ----

// Pixels across the edge: P7..P0 are px[0..7], Q0..Q7 are px[8..15].
uint px[16];

#define P(i) px[at - 1 - (i)]
#define Q(i) px[at + (i)]

struct Line {
  int p1;
  int p0;
  int q0;
  int q1;
};

// VP9 8.8.4 for one field; changes nothing where mask is 0.
Line NarrowFilter(Line line, int high_variance, int mask) {
  const int outer = clamp(line.p1 - line.q1, -128, 127) & high_variance;
  const int change =
      clamp(outer + 3 * (line.q0 - line.p0), -128, 127) & mask;
  const int filter1 = min(change + 4, 127) >> 3;
  const int filter2 = min(change + 3, 127) >> 3;
  const int outside = ((filter1 + 1) >> 1) & ~high_variance;
  return Line(clamp(line.p1 + outside, 0, 255),
              clamp(line.p0 + filter2, 0, 255),
              clamp(line.q0 - filter1, 0, 255),
              clamp(line.q1 - outside, 0, 255));
}

void NarrowFilters(const uint at, uint high_variance, uint mask) {
  const Line low = NarrowFilter(
      Line(int(P(1) & 0xffff), int(P(0) & 0xffff), int(Q(0) & 0xffff),
           int(Q(1) & 0xffff)),
      int(high_variance << 16) >> 16, int(mask << 16) >> 16);
  const Line high = NarrowFilter(Line(int(P(1) >> 16), int(P(0) >> 16),
                                      int(Q(0) >> 16), int(Q(1) >> 16)),
                                 int(high_variance) >> 16, int(mask) >> 16);
  P(1) = uint(low.p1 | (high.p1 << 16));
  P(0) = uint(low.p0 | (high.p0 << 16));
  Q(0) = uint(low.q0 | (high.q0 << 16));
  Q(1) = uint(low.q1 | (high.q1 << 16));
}

// VP9 8.8.5: n samples on both sides become means of 2n + 2, where mask is set.
void WideFilter8(uint mask) {
  uint s[8];
  [[unroll]] for (int i = 0; i < 8; ++i) s[i] = px[4 + i];
  uint around = s[0] * 3 + s[1] + s[2] + s[3] + s[4] + 4 * BOTH;
  [[unroll]] for (int i = 1; i < 7; ++i) {
    const uint mean = ((around + s[i]) >> 3) & 0x1fff1fffu;
    around += s[min(i + 4, 7)] - s[max(i - 3, 0)];
    px[4 + i] ^= (px[4 + i] ^ mean) & mask;
  }
}

void WideFilter16(uint mask) {
  uint s[16] = px;
  uint around = s[0] * 7 + 8 * BOTH;
  [[unroll]] for (int i = 1; i < 9; ++i) around += s[i];
  [[unroll]] for (int i = 1; i < 15; ++i) {
    const uint mean = ((around + s[i]) >> 4) & 0x0fff0fffu;
    around += s[min(i + 8, 15)] - s[max(i - 7, 0)];
    px[i] ^= (px[i] ^ mean) & mask;
  }
}

// VP9 8.8.2. at: index of Q0, a constant; only at 8 filters wider than four.
void FilterEdge(const uint at, uint width, Limits limits) {
  const uint p1p0 = P(1) - P(0);
  const uint q1q0 = Q(1) - Q(0);
  uint within = WithinBlimit(limits.blimit, P(0) - Q(0), P(1) - Q(1));
  within &= Within(limits.limit, P(3) - P(2)) & Within(limits.limit, P(2) - P(1));
  within &= Within(limits.limit, Q(3) - Q(2)) & Within(limits.limit, Q(2) - Q(1));
  within &= Within(limits.limit, p1p0) & Within(limits.limit, q1q0);
  const uint mask = Fields(within);
  if (mask != 0) {
    const uint high_variance =
        ~Fields(Within(limits.thresh, p1p0) & Within(limits.thresh, q1q0));
    uint flat8 = 0;
    if (at == 8 && MAX_WIDTH >= WIDTH_8 && width >= WIDTH_8) {
      uint tests = Within(BOTH, p1p0) & Within(BOTH, q1q0);
      [[unroll]] for (int i = 2; i < 4; ++i) {
        tests &= Within(BOTH, P(i) - P(0)) & Within(BOTH, Q(i) - Q(0));
      }
      flat8 = Fields(tests) & mask;
    }
    if (flat8 != mask) NarrowFilters(at, high_variance, mask & ~flat8);
    if (at == 8 && MAX_WIDTH >= WIDTH_8 && flat8 != 0) {
      uint flat16 = 0;
      if (MAX_WIDTH >= WIDTH_16 && width >= WIDTH_16) {
        uint tests = SIGNS;
        [[unroll]] for (int i = 4; i < 8; ++i) {
          tests &= Within(BOTH, P(i) - P(0)) & Within(BOTH, Q(i) - Q(0));
        }
        flat16 = Fields(tests) & flat8;
      }
      if (flat16 != flat8) WideFilter8(flat8 & ~flat16);
      if (MAX_WIDTH >= WIDTH_16 && flat16 != 0) WideFilter16(flat16);
    }
  }
}

// A cell's edge in front of it and the one in its middle.
void FilterCell(uint level, uint border, uint inner) {
  if (level != 0) {
    const Limits limits = LimitsOf(level);
    if (border != WIDTH_NONE) FilterEdge(8, border, limits);
    if (inner != 0) FilterEdge(12, WIDTH_4, limits);
  }
}

// ---- the plane ----

struct PlaneGeometry {
  uint offset;  // bytes
  uint stride;  // bytes
  uint subsampling_x;
  uint subsampling_y;
  uint edge_shift;
  uint pixel_bytes;
};

PlaneGeometry GeometryOf(bool chroma) {
  PlaneGeometry plane;
  plane.offset = chroma ? frame.target.chroma_offset : frame.target.luma_offset;
  plane.stride = chroma ? frame.target.chroma_stride : frame.target.luma_stride;
  plane.subsampling_x = chroma ? frame.params.subsampling_x : 0;
  plane.subsampling_y = chroma ? frame.params.subsampling_y : 0;
  plane.edge_shift =
      chroma ? PERDIX_EDGE_CHROMA_SHIFT : PERDIX_EDGE_LUMA_SHIFT;
  plane.pixel_bytes = chroma ? 2 : 1;
  return plane;
}

// The lower, or the upper, fields of both; each is the other's inverse.
uint LowFields(uint a, uint b) { return (a & 0xffffu) | (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) | (b & 0xffff0000u); }

// ---- vertical edges: a lane walks along lines ----
// Luma: two lines, the fields of its pairs. Chroma: one, U and V.

// Four pixels of pairs from two words, and back.
void Unpack(const uint first, uint a, uint b, bool chroma) {
  if (chroma) {
    px[first] = LowFields(Even(a), Odd(a));
    px[first + 1] = HighFields(Even(a), Odd(a));
    px[first + 2] = LowFields(Even(b), Odd(b));
    px[first + 3] = HighFields(Even(b), Odd(b));
  } else {
    px[first] = LowFields(Even(a), Even(b));
    px[first + 1] = LowFields(Odd(a), Odd(b));
    px[first + 2] = HighFields(Even(a), Even(b));
    px[first + 3] = HighFields(Odd(a), Odd(b));
  }
}

uvec2 Pack(const uint first, bool chroma) {
  uvec2 words;
  if (chroma) {
    words.x = Join(LowFields(px[first], px[first + 1]),
                   HighFields(px[first], px[first + 1]));
    words.y = Join(LowFields(px[first + 2], px[first + 3]),
                   HighFields(px[first + 2], px[first + 3]));
  } else {
    words.x = Join(LowFields(px[first], px[first + 2]),
                   LowFields(px[first + 1], px[first + 3]));
    words.y = Join(HighFields(px[first], px[first + 2]),
                   HighFields(px[first + 1], px[first + 3]));
  }
  return words;
}

// Eight pixels; at: byte of the first. half_cell: only four, of chroma.
void LoadPixels(const uint first, uint at, uint stride, bool chroma,
                bool half_cell) {
  const uvec2 a = target[at >> 3];
  uvec2 b = uvec2(0);
  if (!half_cell) b = target[(chroma ? at + 8 : at + stride) >> 3];
  Unpack(first, a.x, chroma ? a.y : b.x, chroma);
  Unpack(first + 4, chroma ? b.x : a.y, b.y, chroma);
}

void StorePixels(const uint first, uint at, uint stride, bool chroma,
                 bool half_cell) {
  const uvec2 near = Pack(first, chroma);
  const uvec2 far = Pack(first + 4, chroma);
  target[at >> 3] = chroma ? near : uvec2(near.x, far.x);
  if (!half_cell) {
    target[(chroma ? at + 8 : at + stride) >> 3] =
        chroma ? far : uvec2(near.y, far.y);
  }
}

// line: of the superblock; x, in cells, from first_col on.
void FilterLines(PlaneGeometry plane, bool chroma, uint mi_row, uint mi_col,
                 uint y) {
  const uint step = 1 << plane.subsampling_x;
  const uint end = min(mi_col + CELLS, frame.params.mi_cols);
  const uint cell_bytes = CELL * plane.pixel_bytes;
  uint at = plane.offset + y * plane.stride +
            (mi_col >> plane.subsampling_x) * cell_bytes;
  [[unroll]] for (uint i = 0; i < 16; ++i) px[i] = 0;
  if (mi_col > 0) LoadPixels(0, at - cell_bytes, plane.stride, chroma, false);
  bool half_cell = false;
  for (uint col = mi_col; col < end; col += step) {
    const uint cell = edges[mi_row * frame.params.mi_cols + col];
    half_cell = col + step > frame.params.mi_cols;
    LoadPixels(8, at, plane.stride, chroma, half_cell);
    FilterCell(EdgeLevel(cell), EdgeLeft(cell, plane.edge_shift),
               EdgeInnerLeft(cell, plane.edge_shift));
    if (col > 0) StorePixels(0, at - cell_bytes, plane.stride, chroma, false);
    [[unroll]] for (uint i = 0; i < 8; ++i) px[i] = px[8 + i];
    at += cell_bytes;
  }
  StorePixels(0, at - cell_bytes, plane.stride, chroma, half_cell);
}

void FilterVerticalEdges(bool chroma, uint sb_row, uint sb_col) {
  const PlaneGeometry plane = GeometryOf(chroma);
  const uint lines = chroma ? 1 : 2;  // of a lane
  const uint first = sb_row * 64 >> plane.subsampling_y;
  const uint end = min(first + (64 >> plane.subsampling_y),
                       frame.params.mi_rows * 8 >> plane.subsampling_y);
  for (uint y = first + gl_LocalInvocationIndex * lines; y < end;
       y += LANES * lines) {
    FilterLines(plane, chroma, (y / CELL) << plane.subsampling_y,
                sb_col * CELLS, y);
  }
}

// ---- horizontal edges: a lane walks down a column of words ----

// Rows above and below the edge, as px.
uint words[16];

void LoadRows(const uint first, uint at, uint stride, uint count) {
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    if (i < 4 || count == CELL) {
      words[first + i] = target_words[(at + i * stride) >> 2];
    }
  }
}

void StoreRows(const uint first, uint at, uint stride, uint count) {
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    if (i < 4 || count == CELL) {
      target_words[(at + i * stride) >> 2] = words[first + i];
    }
  }
}

// x: the word's byte in the line.
void FilterColumn(PlaneGeometry plane, uint mi_row, uint mi_col, uint x) {
  const uint step = 1 << plane.subsampling_y;
  const uint end = min(mi_row + CELLS, frame.params.mi_rows);
  const uint cell_bytes = CELL * plane.stride;
  uint at = plane.offset + x + (mi_row >> plane.subsampling_y) * cell_bytes;
  [[unroll]] for (uint i = 0; i < 16; ++i) words[i] = 0;
  if (mi_row > 0) LoadRows(0, at - cell_bytes, plane.stride, CELL);
  uint rows = CELL;
  for (uint row = mi_row; row < end; row += step) {
    const uint cell = edges[row * frame.params.mi_cols + mi_col];
    rows = row + step > frame.params.mi_rows ? CELL / 2 : CELL;
    LoadRows(8, at, plane.stride, rows);
    for (uint odd = 0; odd < 16; odd += 8) {
      [[unroll]] for (uint i = 0; i < 16; ++i) px[i] = Even(words[i] >> odd);
      FilterCell(EdgeLevel(cell), EdgeAbove(cell, plane.edge_shift),
                 EdgeInnerAbove(cell, plane.edge_shift));
      [[unroll]] for (uint i = 0; i < 16; ++i) {
        words[i] = (words[i] & (0xff00ff00u >> odd)) | (px[i] << odd);
      }
    }
    if (row > 0) StoreRows(0, at - cell_bytes, plane.stride, CELL);
    [[unroll]] for (uint i = 0; i < 8; ++i) words[i] = words[8 + i];
    at += cell_bytes;
  }
  StoreRows(0, at - cell_bytes, plane.stride, rows);
}

void FilterHorizontalEdges(bool chroma, uint sb_row, uint sb_col) {
  const PlaneGeometry plane = GeometryOf(chroma);
  const uint pixel_bytes = plane.pixel_bytes;
  const uint first = (sb_col * 64 >> plane.subsampling_x) * pixel_bytes;
  const uint end =
      min(first + (64 >> plane.subsampling_x) * pixel_bytes,
          (frame.params.mi_cols * 8 >> plane.subsampling_x) * pixel_bytes);
  for (uint x = first + gl_LocalInvocationIndex * 4; x < end; x += LANES * 4) {
    FilterColumn(plane, sb_row * CELLS,
                 (x / (CELL * pixel_bytes)) << plane.subsampling_x, x);
  }
}

// The lanes' writes are read by other lanes in the next pass.
void EndPass() {
  memoryBarrierBuffer();
  barrier();
}

void main() {
  const bool chroma = gl_WorkGroupID.y != 0;
  const uint sb_row = dispatch.first + gl_WorkGroupID.x;
  const uint begin = (dispatch.step - sb_row) * dispatch.run;
  const uint end = min(begin + dispatch.run, frame.params.sb_cols);
  if (begin == 0) {
    FilterVerticalEdges(chroma, sb_row, 0);
    EndPass();
  }
  for (uint sb_col = begin; sb_col < end; ++sb_col) {
    FilterHorizontalEdges(chroma, sb_row, sb_col);
    EndPass();
    if (sb_col + 1 < frame.params.sb_cols) {
      FilterVerticalEdges(chroma, sb_row, sb_col + 1);
      EndPass();
    }
  }
}
