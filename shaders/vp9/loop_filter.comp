// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8): per superblock and plane all vertical edges, then all
// horizontal ones, in the order of the frame's raster scan.
//
// Reads: edges, the target. Writes: the target.
// Work item: a superblock row, in one plane (gl_WorkGroupID.y): of the
// superblock column c = dispatch.step - row the horizontal edges of c - 1, then
// the vertical edges of c. Order: a dispatch for each step.
//
// Why that is exact, in fewer steps than superblock after superblock: the
// vertical edges V(r, c) touch only lines of row r, up to 8 columns left of the
// superblock; the horizontal edges H(r, c) touch only columns of c, up to 8
// lines above it. So H(r, c) must follow V(r, c), V(r - 1, c + 1) and
// H(r - 1, c), and V(r, c + 1) must follow H(r, c): no more. (r, c) need only
// follow (r - 1, c): cols + rows steps.
//
// Two lines across an edge are filtered at once, as the fields of pairs.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "shaders/common.glsl"

// 32 lanes are enough for a superblock; chroma of full size needs 64.
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(constant_id = PERDIX_CONSTANT_MAX_WIDTH) const uint MAX_WIDTH = 3;
layout(constant_id = PERDIX_CONSTANT_INNER) const uint INNER = 1;

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
uint out_px[8];  // what is stored

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

// ---- the plane ----

struct PlaneGeometry {
  uint offset;  // bytes
  uint stride;  // bytes
  uint subsampling_x;
  uint subsampling_y;
  uint edge_shift;
  uint pixel_bytes;
  bool chroma;
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
  plane.chroma = chroma;
  return plane;
}

// The lower, or the upper, fields of both; each is the other's inverse.
uint LowFields(uint a, uint b) { return (a & 0xffffu) | (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) | (b & 0xffff0000u); }

// ---- eight pixels of two lines, across vertical edges ----
// Luma: two rows. Chroma: U and V of one.

// Four pixels of chroma, U and V alternating, to a word of U and one of V; and
// back.
uvec2 Separate(uvec2 w) {
  const uint u0 = Even(w.x);
  const uint u1 = Even(w.y);
  const uint v0 = Odd(w.x);
  const uint v1 = Odd(w.y);
  return uvec2(Join(LowFields(u0, u1), HighFields(u0, u1)),
               Join(LowFields(v0, v1), HighFields(v0, v1)));
}
uvec2 Interleave(uvec2 w) {
  const uint u0 = LowFields(Even(w.x), Odd(w.x));
  const uint u1 = HighFields(Even(w.x), Odd(w.x));
  const uint v0 = LowFields(Even(w.y), Odd(w.y));
  const uint v1 = HighFields(Even(w.y), Odd(w.y));
  return uvec2(Join(u0, v0), Join(u1, v1));
}

// half_cell: only four pixels, of chroma.
// at: in accesses of 8 bytes, so that the compiler sees the alignment.
void LoadRow(uint at, PlaneGeometry plane, bool half_cell) {
  const uint second = plane.chroma ? 1 : plane.stride >> 3;
  uvec2 a = target[at];
  uvec2 b = a;
  if (!half_cell) b = target[at + second];
  if (plane.chroma) {
    const uvec2 near = Separate(a);
    const uvec2 far = Separate(b);
    a = uvec2(near.x, far.x);
    b = uvec2(near.y, far.y);
  }
  px[8] = LowFields(Even(a.x), Even(b.x));
  px[9] = LowFields(Odd(a.x), Odd(b.x));
  px[10] = HighFields(Even(a.x), Even(b.x));
  px[11] = HighFields(Odd(a.x), Odd(b.x));
  px[12] = LowFields(Even(a.y), Even(b.y));
  px[13] = LowFields(Odd(a.y), Odd(b.y));
  px[14] = HighFields(Even(a.y), Even(b.y));
  px[15] = HighFields(Odd(a.y), Odd(b.y));
}

void StoreRow(uint at, PlaneGeometry plane, bool half_cell) {
  const uint second = plane.chroma ? 1 : plane.stride >> 3;
  uvec2 a = uvec2(Join(LowFields(out_px[0], out_px[2]), LowFields(out_px[1], out_px[3])),
                  Join(LowFields(out_px[4], out_px[6]), LowFields(out_px[5], out_px[7])));
  uvec2 b = uvec2(Join(HighFields(out_px[0], out_px[2]), HighFields(out_px[1], out_px[3])),
                  Join(HighFields(out_px[4], out_px[6]), HighFields(out_px[5], out_px[7])));
  if (plane.chroma) {
    const uvec2 near = Interleave(uvec2(a.x, b.x));
    const uvec2 far = Interleave(uvec2(a.y, b.y));
    a = near;
    b = far;
  }
  target[at] = a;
  if (!half_cell) target[at + second] = b;
}

// ---- eight rows of two samples, across horizontal edges ----
// Two lanes share a column of words: the first filters samples 0 and 2 of each,
// the second 1 and 3. Each fetches, and stores, four of the eight rows.

// at: in words.
void LoadColumn(uint at, uint stride, bool odd, bool half_cell) {
  const bool present = !(odd && half_cell);
  uint line = odd ? at + stride : at;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    uint word = 0;
    if (present) word = target_words[line];
    line += stride >> 2;
    const uint given = subgroupShuffleXor(odd ? Even(word) : Odd(word), 1);
    px[8 + i] = odd ? given : Even(word);
    px[12 + i] = odd ? Odd(word) : given;
  }
}

void StoreColumn(uint at, uint stride, bool odd, bool half_cell) {
  const bool present = !(odd && half_cell);
  uint line = odd ? at + stride : at;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    const uint given = subgroupShuffleXor(odd ? out_px[i] : out_px[4 + i], 1);
    const uint word = odd ? Join(given, out_px[4 + i]) : Join(out_px[i], given);
    if (present) target_words[line] = word;
    line += stride >> 2;
  }
}

// ---- a lane's walk over the superblock, across its edges ----

struct Walk {
  bool horizontal;  // edges, so that the walk goes down
  bool odd;         // the second lane of a column
  uint at;          // the superblock's first pixel, as Load has it
  uint cell;        // of the first edge word
};

void FilterCell(uint cell, uint shift, bool horizontal) {
  const uint border =
      horizontal ? EdgeAbove(cell, shift) : EdgeLeft(cell, shift);
  const uint inner =
      horizontal ? EdgeInnerAbove(cell, shift) : EdgeInnerLeft(cell, shift);
  if (EdgeLevel(cell) != 0) {
    const Limits limits = LimitsOf(EdgeLevel(cell));
    if (border != WIDTH_NONE) FilterEdge(8, border, limits);
    if (INNER != 0 && inner != 0) FilterEdge(12, WIDTH_4, limits);
  }
}

void Load(PlaneGeometry plane, Walk walk, uint at, bool half_cell) {
  if (walk.horizontal) {
    LoadColumn(at, plane.stride, walk.odd, half_cell);
  } else {
    LoadRow(at, plane, half_cell);
  }
}

void Store(PlaneGeometry plane, Walk walk, uint at, bool half_cell) {
  if (walk.horizontal) {
    StoreColumn(at, plane.stride, walk.odd, half_cell);
  } else {
    StoreRow(at, plane, half_cell);
  }
}

// Cells of 8 pixels, the first half of px being the one before. mi: the first,
// in 8x8 luma blocks.
void FilterWalk(PlaneGeometry plane, Walk walk, uint mi, uint mi_end) {
  const uint end = min(mi + CELLS, mi_end);
  const uint step =
      1 << (walk.horizontal ? plane.subsampling_y : plane.subsampling_x);
  const uint cell_size =
      walk.horizontal ? CELL / 4 * plane.stride : plane.pixel_bytes;
  const uint cell_step =
      walk.horizontal ? step * frame.params.mi_cols : step;
  uint at = walk.at;
  uint cell = walk.cell;
  bool half_cell = false;
  [[unroll]] for (uint k = 8; k < 16; ++k) px[k] = 0;
  if (mi > 0) Load(plane, walk, at - cell_size, false);
  for (uint i = mi; i < end; i += step) {
    [[unroll]] for (uint k = 0; k < 8; ++k) px[k] = px[8 + k];
    half_cell = plane.chroma && i + step > mi_end;
    Load(plane, walk, at, half_cell);
    FilterCell(edges[cell], plane.edge_shift, walk.horizontal);
    if (i > 0) {
      [[unroll]] for (uint k = 0; k < 8; ++k) out_px[k] = px[k];
      Store(plane, walk, at - cell_size, false);
    }
    at += cell_size;
    cell += cell_step;
  }
  [[unroll]] for (uint k = 0; k < 8; ++k) out_px[k] = px[8 + k];
  Store(plane, walk, at - cell_size, half_cell);
}

// One pass: all vertical, or all horizontal, edges of a superblock.
void FilterPass(PlaneGeometry plane, bool horizontal, uvec2 sb) {
  const uint lane =
      gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uvec2 subsampling = uvec2(plane.subsampling_x, plane.subsampling_y);
  const uvec2 mi_end = uvec2(frame.params.mi_cols, frame.params.mi_rows);
  const uvec2 mi = sb * CELLS;
  const uvec2 first = sb * 64 >> subsampling;  // pixel
  const uvec2 end = min(first + (uvec2(64) >> subsampling), mi_end * 8 >> subsampling);
  // Lines of a lane: rows of the plane, or bytes of two lanes' words.
  const uint lines =
      horizontal ? 4 / plane.pixel_bytes : 2 / plane.pixel_bytes;
  const uint number = horizontal ? lane >> 1 : lane;
  const uint begin_line = horizontal ? first.x : first.y;
  const uint end_line = horizontal ? end.x : end.y;
  const uint line = begin_line + number * lines;
  if (line < end_line) {
    const uvec2 pixel =
        horizontal ? uvec2(line, first.y) : uvec2(first.x, line);
    const uvec2 cell = (pixel / CELL) << subsampling;
    const Walk walk =
        Walk(horizontal, (lane & 1) != 0,
             horizontal ? (plane.offset >> 2) + pixel.y * (plane.stride >> 2) +
                              (pixel.x * plane.pixel_bytes >> 2)
                        : (plane.offset >> 3) + pixel.y * (plane.stride >> 3) +
                              (pixel.x * plane.pixel_bytes >> 3),
             cell.y * frame.params.mi_cols + cell.x);
    FilterWalk(plane, walk, horizontal ? mi.y : mi.x,
               horizontal ? mi_end.y : mi_end.x);
  }
}

// The lanes' writes are read by other lanes in the next pass.
void EndPass() {
  memoryBarrierBuffer();
  barrier();
}

void Filter(const bool chroma) {
  const PlaneGeometry plane = GeometryOf(chroma);
  const uint sb_row = dispatch.first + gl_WorkGroupID.x;
  const uint sb_col = dispatch.step - sb_row;
  if (sb_col > 0) FilterPass(plane, true, uvec2(sb_col - 1, sb_row));
  EndPass();
  if (sb_col < frame.params.sb_cols) {
    FilterPass(plane, false, uvec2(sb_col, sb_row));
  }
}

// Two copies of everything, because registers are short: luma's constants are
// not chroma's.
void main() {
  if (gl_WorkGroupID.y == 0) {
    Filter(false);
  } else {
    Filter(true);
  }
}
