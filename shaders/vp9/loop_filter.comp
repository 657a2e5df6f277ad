// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8) for GPUs with few lanes and registers; the order of
// work is that of loop_filter.glsl.
//
// Reads: edges, the target. Writes: the target.
//
// A lane filters two lines across an edge at once, as the fields of pairs.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "shaders/vp9/loop_filter.glsl"

// 32 lanes are enough for a superblock; chroma of full size needs 64.
layout(constant_id = PERDIX_CONSTANT_EDGES) const uint EDGES = PERDIX_EDGES_ALL;
const uint MAX_WIDTH = EDGES & 3;
const bool INNER = (EDGES & PERDIX_EDGES_INNER) != 0;

#define SIGNS 0x80008000u
#define SAMPLES (SAMPLE_MAX * BOTH)
#define FLAT (SAMPLE_STEP * BOTH)
#define NEVER 0xfffeffffu  // -1: a limit that nothing is within

// ---- limits (VP9 8.8.1), in both fields ----

struct Limits {
  uint limit;
  uint blimit2;  // 2 * blimit + 1
  uint thresh;
};

Limits LimitsOf(uint level) {
  const uint levels = level + (level << 16);
  const uint limits = SAMPLE_STEP *
                      min(max((levels >> dispatch.limit_shift) & (63 * BOTH),
                              BOTH),
                          dispatch.limit_highest);
  return Limits(
      limits,
      4 * SAMPLE_STEP * levels + 2 * limits + (8 * SAMPLE_STEP + 1) * BOTH,
      SAMPLE_STEP * ((levels >> 4) & (3 * BOTH)));
}

// ---- uniform control flow ----
// On V3D a branch costs about 5 instructions where the compiler knows that the
// whole subgroup takes it, else 13 and copies of what the branch changes. So
// lanes with nothing to do go along under masks.


// ---- masks (VP9 8.8.3) ----
// A test leaves its answer in the top bit of each field.

uint Within(uint limit, uint difference) {
  return (limit + SIGNS - difference) & (limit + SIGNS + difference);
}

// SAMPLE_MAX where the test holds; no other bits may be set.
uint SamplesWhere(uint tests) {
  const uint bits = tests >> 15;
  return (bits << SAMPLE_BITS) - bits;
}
// 2.0 where the test holds, in half floats.
#define TWOS 0x40004000u
uint TwoWhere(uint tests) { return (tests & SIGNS) >> 1; }

// ---- filters of one edge ----

// Pixels across the edge: P7..P0 are px[0..7], Q0..Q7 are px[8..15].
uint px[16];

#define P(i) px[7 - (i)]
#define Q(i) px[8 + (i)]

// The narrow filter computes in floats: a field of a pair is then an operand as
// it is, two clamped fields become a pair in one instruction, and multiplying
// by a mask is work for V3D's second unit, as `and` is not. 1024 + v is a half
// float whose low bits are v.
// Q0 has one more, so that three times a difference has a bias of 3.
#define Q0_BIAS 0x64016401u

struct Line {
  float p1;  // samples have a bias of 1024
  float p0;
  float q0;  // 1025
  float q1;
};

// Above the error of what is scaled to be clamped, below an eighth.
#define EXACT (1.0 / 64)

// To -1..1 and 0..1 is free on V3D, to other bounds is not.
float ClampSigned(float value) { return clamp(value, -1.0, 1.0); }

// clamp(unbiased, 0, SAMPLE_MAX) with the bias of Line. What is not exact is far
// less than the quarter, which goes when the half float is made.
float Sample(float unbiased) {
  return clamp(unbiased * (1.0 / SAMPLE_MAX), 0.0, 1.0) * float(SAMPLE_MAX) +
         1024.25;
}
float ClampSample(float biased, const float bias) {
  return clamp(biased, bias, bias + SAMPLE_MAX);
}

// VP9 8.8.4. high_variance, low_variance, mask: 2 where they hold, else 0.
//
// Clamping to other bounds than -128..127, of 10 bits -512..511, is exact, as
// fractions go when the eighths are taken: outer to -127.5..127.5; change, with
// its bias of 3, to -126.5..126.5, so that neither 4 nor 3 more than it is above
// 127, and below -124 all become the same. Where mask does not hold, change is
// -3 with it, and both filters are 0.
#define OUTER_BOUND (SAMPLE_MAX / 2.0)
#define CHANGE_BOUND (OUTER_BOUND - 1.0)
Line NarrowFilter(Line line, float high_variance, float low_variance,
                  float mask) {
  const float outer =
      ClampSigned((line.p1 - line.q1) * (1.0 / OUTER_BOUND)) * high_variance;
  const float change = ClampSigned(outer * (0.5 * OUTER_BOUND / CHANGE_BOUND) +
                                   (line.q0 - line.p0) * (3.0 / CHANGE_BOUND));
  const float eighth = change * mask * (CHANGE_BOUND / 16);
  const float filter1 = floor(eighth + (0.125 + EXACT));
  const float filter2 = floor(eighth + (EXACT - 1024));
  const float outside = floor(filter1 * low_variance * 0.25 + 0.5);
  return Line(ClampSample(line.p1 + outside, 1024),
              Sample(line.p0 + filter2),
              ClampSample(line.q0 - filter1, 1025),
              ClampSample(line.q1 - outside, 1024));
}

void NarrowFilters(uint low_variance, uint mask) {
  const vec2 p1 = unpackHalf2x16(P(1) + HALF_BIAS);
  const vec2 p0 = unpackHalf2x16(P(0) + HALF_BIAS);
  const vec2 q0 = unpackHalf2x16(Q(0) + Q0_BIAS);
  const vec2 q1 = unpackHalf2x16(Q(1) + HALF_BIAS);
  const uint lows = TwoWhere(low_variance);
  const vec2 low = unpackHalf2x16(lows);
  const vec2 high = unpackHalf2x16(TWOS - lows);
  const vec2 changed = unpackHalf2x16(TwoWhere(mask));
  const Line a = NarrowFilter(Line(p1.x, p0.x, q0.x, q1.x), high.x, low.x,
                              changed.x);
  const Line b = NarrowFilter(Line(p1.y, p0.y, q0.y, q1.y), high.y, low.y,
                              changed.y);
  P(1) = packHalf2x16(vec2(a.p1, b.p1)) - HALF_BIAS;
  P(0) = packHalf2x16(vec2(a.p0, b.p0)) - HALF_BIAS;
  Q(0) = packHalf2x16(vec2(a.q0, b.q0)) - Q0_BIAS;
  Q(1) = packHalf2x16(vec2(a.q1, b.q1)) - HALF_BIAS;
}

// VP9 8.8.5: n samples on both sides become means of 2n + 2, where mask is
// SAMPLE_MAX. It also leaves out the bits that a shift moves from field to field.
void WideFilter8(uint mask) {
  const uint keep = SAMPLES - mask;
  uint s[8];
  [[unroll]] for (int i = 0; i < 8; ++i) s[i] = px[4 + i];
  uint around = s[0] * 3 + s[1] + s[2] + s[3] + s[4] + 4 * BOTH;
  [[unroll]] for (int i = 1; i < 7; ++i) {
    px[4 + i] = (((around + s[i]) >> 3) & mask) + (s[i] & keep);
    around += s[min(i + 4, 7)] - s[max(i - 3, 0)];
  }
}

// The lower, or the upper, fields of both; each is the other's inverse.
uint LowFields(uint a, uint b) { return (a & 0xffffu) + (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) + (b & 0xffff0000u); }

// ---- half a cell: four pixels of two lines ----
// Across vertical edges: two rows of luma, or U and V of a row of chroma.
// Across horizontal edges: two columns of samples. Of 10 bits these are a column
// of words. Of 8 bits two lanes share one: the first filters samples 0 and 2 of
// each, the second 1 and 3. The first has rows 0 and 2 of words, the second 1
// and 3.

#if SAMPLE_BITS == 8
// Merged: a pixel in the low bytes of each field, the next one in the high ones.
#define HalfCell uvec2

// Odd and Join, with sums where V3D has a second unit for them.
uint Odds(uint word) { return (word - Even(word)) >> 8; }
uint Merge(uint even, uint odd) { return even + (odd << 8); }

uint PairOf(HalfCell pixels, const int i) {
  return (i & 1) == 0 ? Even(pixels[i >> 1]) : Odds(pixels[i >> 1]);
}
HalfCell HalfCellOf(uint a, uint b, uint c, uint d) {
  return HalfCell(Merge(a, b), Merge(c, d));
}
#else
#define HalfCell uvec4  // a pair for each pixel

uint PairOf(HalfCell pixels, const int i) { return pixels[i]; }
HalfCell HalfCellOf(uint a, uint b, uint c, uint d) {
  return HalfCell(a, b, c, d);
}
#endif

void Separate(const int at, HalfCell pixels) {
  [[unroll]] for (int i = 0; i < 4; ++i) px[at + i] = PairOf(pixels, i);
}

HalfCell Joined(const int at) {
  return HalfCellOf(px[at], px[at + 1], px[at + 2], px[at + 3]);
}

// ---- an edge (VP9 8.8.2) ----

// P7..P4 and Q4..Q7: separated only where they are used.
HalfCell outer_p;
HalfCell outer_q;

uint FlatOuter(HalfCell p, HalfCell q) {
  uint flat16 = SIGNS;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    flat16 &= Within(FLAT, PairOf(p, i) - P(0));
    flat16 &= Within(FLAT, PairOf(q, i) - Q(0));
  }
  return flat16;
}

// Means, merged, of such sums; pixels where mask is 0.
HalfCell Select(HalfCell pixels, uint a, uint b, uint c, uint d, uint mask) {
  const HalfCell means = HalfCellOf((a >> 4) & SAMPLES, (b >> 4) & SAMPLES,
                                    (c >> 4) & SAMPLES, (d >> 4) & SAMPLES);
  return pixels ^ ((means ^ pixels) & HalfCellOf(mask, mask, mask, mask));
}

// VP9 8.8.5 with n = 7, where mask is set. Outer pixels stay merged.
void WideFilter16(inout HalfCell p, inout HalfCell q, uint mask) {
  uint s[16];
  [[unroll]] for (int i = 0; i < 4; ++i) {
    s[i] = PairOf(p, i);
    s[12 + i] = PairOf(q, i);
  }
  [[unroll]] for (int i = 4; i < 12; ++i) s[i] = px[i];
  uint around = 8 * BOTH + s[0] * 7;
  [[unroll]] for (int i = 1; i < 9; ++i) around += s[i];
  uint sums[16];
  sums[0] = s[0] << 4;
  sums[15] = s[15] << 4;
  [[unroll]] for (int i = 1; i < 15; ++i) {
    sums[i] = around + s[i];
    around += s[min(i + 8, 15)] - s[max(i - 7, 0)];
  }
  p = Select(p, sums[0], sums[1], sums[2], sums[3], mask);
  q = Select(q, sums[12], sums[13], sums[14], sums[15], mask);
  [[unroll]] for (int i = 4; i < 12; ++i) {
    px[i] ^= ((sums[i] >> 4) ^ px[i]) & mask;
  }
}

void FilterWide(uint flat8, uint width) {
  uint mask8 = SamplesWhere(flat8);
  if (MAX_WIDTH >= WIDTH_16) {
    uint flat16 = width >= WIDTH_16 ? flat8 : 0;
    if (Any(flat16 != 0)) {
      flat16 &= FlatOuter(outer_p, outer_q);
      const uint mask = SamplesWhere(flat16);
      mask8 ^= mask;
      WideFilter16(outer_p, outer_q, mask);
    }
  }
  WideFilter8(mask8);
}

void FilterEdge(const bool border, uint width, uint edge) {
  const Limits limits = LimitsOf(EdgeLevel(edge));
  const uint p1p0 = P(1) - P(0);
  const uint q1q0 = Q(1) - Q(0);
  // |a| * 2 + |b| / 2 <= blimit, which is |a| * 4 + |b| <= 2 * blimit + 1.
  const uint a4 = (P(0) - Q(0)) * 4;
  const uint b = P(1) - Q(1);
  const uint blimit2 =
      min(width, EdgeLevel(edge)) != 0 ? limits.blimit2 : NEVER;
  uint mask = Within(blimit2, a4 + b) & Within(blimit2, a4 - b);
  const uint limit = limits.limit;
  mask &= Within(limit, P(3) - P(2)) & Within(limit, P(2) - P(1));
  mask &= Within(limit, Q(3) - Q(2)) & Within(limit, Q(2) - Q(1));
  mask &= Within(limit, p1p0) & Within(limit, q1q0);
  const uint low_variance =
      Within(limits.thresh, p1p0) & Within(limits.thresh, q1q0);
  uint flat8 = 0;
  if (border && MAX_WIDTH >= WIDTH_8) {
    flat8 = width >= WIDTH_8 ? mask & SIGNS : 0;
    flat8 &= Within(FLAT, p1p0) & Within(FLAT, q1q0);
    [[unroll]] for (int i = 2; i < 4; ++i) {
      flat8 &= Within(FLAT, P(i) - P(0)) & Within(FLAT, Q(i) - Q(0));
    }
  }
  NarrowFilters(low_variance, mask - flat8);
  if (border && MAX_WIDTH >= WIDTH_8 && Any(flat8 != 0)) {
    FilterWide(flat8, width);
  }
}

// ---- cells: eight pixels, of two lines ----

struct Cell {
  HalfCell near;
  HalfCell far;
};

struct Direction {
  bool horizontal;  // edges
  bool chroma;
  // Where samples have 8 bits: the other one of two lanes that share a column,
  // and where in a word the pairs are that it needs.
  uint partner;
  uint give_shift;
};

// Below, at: in words across horizontal edges, else in accesses of 8 bytes, so
// that the compiler sees the alignment. half_cell: only the near half exists.
#if SAMPLE_BITS == 8
// Words of four pixels become merged pairs, and back.
HalfCell Turn(Direction direction, uvec2 words) {
  if (direction.horizontal) {
    [[unroll]] for (uint i = 0; i < 2; ++i) {
      const uint give = (words[i] >> direction.give_shift) & SAMPLES;
      const uint given = subgroupShuffle(give, direction.partner);
      words[i] += (given - give) << direction.give_shift;
    }
    return words;
  }
  if (direction.chroma) {
    return (words & 0xff0000ffu) + ((words & 0xff00u) << 8) +
           ((words >> 8) & 0xff00u);
  }
  return uvec2(LowFields(words.x, words.y), HighFields(words.x, words.y));
}

Cell Load(Direction direction, LoopFilterPlane words, uint at, bool half_cell) {
  Cell cell;
  if (direction.horizontal) {
    const uint far = half_cell ? at : at + words.rows4;
    cell.near = uvec2(target_words[at], target_words[at + words.rows2]);
    cell.far = uvec2(target_words[far], target_words[far + words.rows2]);
  } else if (direction.chroma) {
    cell.near = target[at];
    cell.far = target[half_cell ? at : at + 1];
  } else {
    const uvec2 upper = target[at];
    const uvec2 lower = target[at + words.row_pairs];
    cell.near = uvec2(upper.x, lower.x);
    cell.far = uvec2(upper.y, lower.y);
  }
  cell.near = Turn(direction, cell.near);
  cell.far = Turn(direction, cell.far);
  return cell;
}

void Store(Direction direction, LoopFilterPlane words, uint at, bool half_cell,
           Cell cell) {
  cell.near = Turn(direction, cell.near);
  cell.far = Turn(direction, cell.far);
  if (direction.horizontal) {
    target_words[at] = cell.near.x;
    target_words[at + words.rows2] = cell.near.y;
    if (!half_cell) {
      target_words[at + words.rows4] = cell.far.x;
      target_words[at + words.rows4 + words.rows2] = cell.far.y;
    }
  } else if (direction.chroma) {
    target[at] = cell.near;
    if (!half_cell) target[at + 1] = cell.far;
  } else {
    target[at] = uvec2(cell.near.x, cell.far.x);
    target[at + words.row_pairs] = uvec2(cell.near.y, cell.far.y);
  }
}
#else
// Four pixels of two rows become pairs, and back.
HalfCell Turn(HalfCell rows) {
  return HalfCell(LowFields(rows.x, rows.z), HighFields(rows.x, rows.z),
                  LowFields(rows.y, rows.w), HighFields(rows.y, rows.w));
}
HalfCell TurnBack(HalfCell pairs) {
  return HalfCell(LowFields(pairs.x, pairs.y), LowFields(pairs.z, pairs.w),
                  HighFields(pairs.x, pairs.y), HighFields(pairs.z, pairs.w));
}

HalfCell LoadHalf(Direction direction, LoopFilterPlane words, uint at) {
  if (direction.horizontal) {
    return HalfCell(target_words[at], target_words[at + words.row],
                    target_words[at + words.rows2],
                    target_words[at + words.rows2 + words.row]);
  }
  if (direction.chroma) return HalfCell(target[at], target[at + 1]);
  return Turn(HalfCell(target[at], target[at + words.row_pairs]));
}

void StoreHalf(Direction direction, LoopFilterPlane words, uint at,
               HalfCell pairs) {
  if (direction.horizontal) {
    target_words[at] = pairs.x;
    target_words[at + words.row] = pairs.y;
    target_words[at + words.rows2] = pairs.z;
    target_words[at + words.rows2 + words.row] = pairs.w;
    return;
  }
  const uvec4 stored = direction.chroma ? pairs : TurnBack(pairs);
  target[at] = stored.xy;
  target[at + (direction.chroma ? 1 : words.row_pairs)] = stored.zw;
}

// From the near to the far half.
uint HalfStep(Direction direction, LoopFilterPlane words) {
  return direction.horizontal ? words.rows4 : direction.chroma ? 2 : 1;
}

Cell Load(Direction direction, LoopFilterPlane words, uint at, bool half_cell) {
  const uint far = half_cell ? at : at + HalfStep(direction, words);
  return Cell(LoadHalf(direction, words, at), LoadHalf(direction, words, far));
}

void Store(Direction direction, LoopFilterPlane words, uint at, bool half_cell,
           Cell cell) {
  StoreHalf(direction, words, at, cell.near);
  if (!half_cell) {
    StoreHalf(direction, words, at + HalfStep(direction, words), cell.far);
  }
}
#endif

// ---- a lane's walk over the superblock, across its edges ----

// A lane without lines has loaded what another one of its subgroup, whose work
// it repeats, is about to store. Subgroups of up to 16 lanes, all that use this
// program (kernels/gpu/vp9/loop_filter.cc), run in lockstep, so that the order of
// instructions is enough. subgroupBarrier() must not stand here: Mesa 25's
// lavapipe makes it one of the workgroup, whose other subgroups may have left.
void EndLoads() { subgroupMemoryBarrierBuffer(); }

struct Walk {
  uint at;    // the superblock's first pixel, as Load has it
  uint cell;  // the first edge word's number
};

// mi: the first cell, in 8x8 luma blocks.
void FilterWalk(Direction direction, PlaneGeometry plane, Walk walk, uint mi) {
  const uint mi_end =
      direction.horizontal ? dispatch.mi_rows : dispatch.mi_cols;
  const uint step = direction.horizontal ? plane.step_y : plane.step_x;
  const uint cell_size =
      direction.horizontal ? plane.words.rows8 : plane.words.cell_pairs;
  const uint cell_step = direction.horizontal ? plane.words.edges_below
                                              : plane.words.edges_right;
  const uint width_shift = plane.edge_shift + (direction.horizontal ? 2 : 0);
  const uint inner_shift = plane.edge_shift + (direction.horizontal ? 5 : 4);
  uint at = walk.at;
  uint cell = walk.cell;
  uint edge = edges[cell];
  int left = int(min(mi + CELLS, mi_end) - mi);  // in mi, with this cell
  if (mi > 0) {
    // The cell before the superblock, whose edges are done.
    at -= cell_size;
    cell -= cell_step;
    edge = 0;
    left += int(step);
  }
  const Cell first =
      Load(direction, plane.words, at, plane.chroma && left < int(step));
  Separate(4, first.near);
  outer_q = first.far;
  EndLoads();
  for (;;) {
    Separate(8, outer_q);
    if (INNER) {
      const uint inner = edge >> inner_shift & 1;
      if (Any(inner != 0)) FilterEdge(false, inner, edge);
    }
    outer_p = Joined(4);
    [[unroll]] for (uint k = 0; k < 4; ++k) px[4 + k] = px[8 + k];
    left -= int(step);
    if (left <= 0) break;
    at += cell_size;
    cell += cell_step;
    const Cell here =
        Load(direction, plane.words, at, plane.chroma && left < int(step));
    edge = edges[cell];
    EndLoads();
    Separate(8, here.near);
    outer_q = here.far;
    const uint border = edge >> width_shift & 3;
    if (Any(border != 0)) FilterEdge(true, border, edge);
    Store(direction, plane.words, at - cell_size, false,
          Cell(outer_p, Joined(4)));
    [[unroll]] for (uint k = 0; k < 4; ++k) px[4 + k] = px[8 + k];
  }
  Store(direction, plane.words, at, plane.chroma && left < 0,
        Cell(outer_p, Joined(4)));
}

void FilterPass(PlaneGeometry plane, bool horizontal, uvec2 sb, uint lane) {
  const uvec2 mi = sb * CELLS;
  const uvec2 subsampling = SubsamplingOf(plane);
  const Area area = AreaOf(subsampling, sb);
  // Across horizontal edges of 8 bits two lanes share words, else a lane has
  // two lines of its own, which may be U and V.
  const bool shared_words = SAMPLE_BITS == 8 && horizontal;
  const uint lines = (shared_words ? 4 : 2) / plane.pixel_samples;
  const uint begin = horizontal ? area.first.x : area.first.y;
  const uint end = horizontal ? area.end.x : area.end.y;
  const uint line = begin + (shared_words ? lane >> 1 : lane) * lines;
  // In a subgroup a lane without lines does, and stores, just what its first
  // lane does.
  const uint first_lane = lane & ~(gl_SubgroupSize - 1);
  const uint first_line =
      begin + (shared_words ? first_lane >> 1 : first_lane) * lines;
  if ((SUBGROUP_SIZE != 0 ? Uniform(first_line) : line) >= end) return;
  const uint line_here = line < end ? line : first_line;
  const uvec2 pixel = horizontal ? uvec2(line_here, area.first.y)
                                 : uvec2(area.first.x, line_here);
  const uvec2 cell = (pixel / CELL) << subsampling;
  const Direction direction =
      Direction(horizontal, plane.chroma, gl_SubgroupInvocationID ^ 1,
                (lane & 1) != 0 ? 0 : 8);
  const uint row = pixel.y + (shared_words ? lane & 1 : 0);
  const Walk walk =
      Walk(horizontal ? plane.words.offset + row * plane.words.row +
                            (pixel.x * plane.pixel_bytes >> 2)
                      : (plane.words.offset >> 1) +
                            pixel.y * plane.words.row_pairs +
                            (pixel.x * plane.pixel_bytes >> 3),
           cell.y * dispatch.mi_cols + cell.x);
  FilterWalk(direction, plane, walk, horizontal ? mi.y : mi.x);
}
