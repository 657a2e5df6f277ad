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
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(constant_id = PERDIX_CONSTANT_MAX_WIDTH) const uint MAX_WIDTH = 3;
layout(constant_id = PERDIX_CONSTANT_INNER) const uint INNER = 1;

#define SIGNS 0x80008000u
#define BOTH 0x00010001u
#define SAMPLES 0x00ff00ffu
#define NEVER 0xfffeffffu  // -1: a limit that nothing is within

// ---- limits (VP9 8.8.1), in both fields ----

struct Limits {
  uint limit;
  uint blimit2;  // 2 * blimit + 1
  uint thresh;
};

Limits LimitsOf(uint level) {
  const uint limit =
      clamp(level >> dispatch.limit_shift, 1, dispatch.limit_highest);
  return Limits(limit * BOTH, (4 * level + 2 * limit + 9) * BOTH,
                (level >> 4) * BOTH);
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

// 255 where the test holds.
uint SamplesWhere(uint tests) {
  const uint bits = (tests & SIGNS) >> 15;
  return (bits << 8) - bits;
}
// 2.0 where the test holds, in half floats.
vec2 TwoWhere(uint tests) { return unpackHalf2x16((tests & SIGNS) >> 1); }

// ---- filters of one edge ----

// Pixels across the edge: P7..P0 are px[0..7], Q0..Q7 are px[8..15].
uint px[16];

#define P(i) px[7 - (i)]
#define Q(i) px[8 + (i)]

// The narrow filter computes in floats: a field of a pair is then an operand as
// it is, two clamped fields become a pair in one instruction, and multiplying
// by a mask is work for V3D's second unit, as `and` is not. 1024 + v is a half
// float whose low bits are v.
#define HALF_BIAS 0x64006400u

struct Line {
  float p1;  // samples have a bias of 1024
  float p0;
  float q0;
  float q1;
};

// To -1..1 and 0..1 is free on V3D, to other bounds is not.
float ClampSigned(float value) { return clamp(value, -1.0, 1.0); }

// clamp(unbiased, 0, 255) with the bias of Line. What is not exact is far less
// than the quarter, which goes when the half float is made.
float Sample(float unbiased) {
  return clamp(unbiased * (1.0 / 255), 0.0, 1.0) * 255.0 + 1024.25;
}
float ClampSample(float biased) { return clamp(biased, 1024.0, 1279.0); }

// VP9 8.8.4. high_variance, low_variance, mask: 2 where they hold, else 0.
// 123, not 127: then neither 4 nor 3 more is above 127, and what both become is
// the same.
Line NarrowFilter(Line line, float high_variance, float low_variance,
                  float mask) {
  const float outer =
      ClampSigned(min(line.p1 - line.q1, 127.0) * (1.0 / 128)) * high_variance;
  const float change = ClampSigned(
      min(outer * 0.5 + (line.q0 - line.p0) * (3.0 / 128), 123.0 / 128));
  const float eighth = change * mask * 8.0;
  const float filter1 = floor(eighth + 0.5);
  const float filter2 = floor(eighth + 0.375 - 1024);
  const float outside = floor(filter1 * low_variance * 0.25 + 0.5);
  return Line(ClampSample(line.p1 + outside), Sample(line.p0 + filter2),
              ClampSample(line.q0 - filter1), ClampSample(line.q1 - outside));
}

void NarrowFilters(uint low_variance, uint mask) {
  const vec2 p1 = unpackHalf2x16(P(1) + HALF_BIAS);
  const vec2 p0 = unpackHalf2x16(P(0) + HALF_BIAS);
  const vec2 q0 = unpackHalf2x16(Q(0) + HALF_BIAS);
  const vec2 q1 = unpackHalf2x16(Q(1) + HALF_BIAS);
  const vec2 high = TwoWhere(~low_variance);
  const vec2 low = TwoWhere(low_variance);
  const vec2 changed = TwoWhere(mask);
  const Line a = NarrowFilter(Line(p1.x, p0.x, q0.x, q1.x), high.x, low.x,
                              changed.x);
  const Line b = NarrowFilter(Line(p1.y, p0.y, q0.y, q1.y), high.y, low.y,
                              changed.y);
  P(1) = packHalf2x16(vec2(a.p1, b.p1)) - HALF_BIAS;
  P(0) = packHalf2x16(vec2(a.p0, b.p0)) - HALF_BIAS;
  Q(0) = packHalf2x16(vec2(a.q0, b.q0)) - HALF_BIAS;
  Q(1) = packHalf2x16(vec2(a.q1, b.q1)) - HALF_BIAS;
}

// VP9 8.8.5: n samples on both sides become means of 2n + 2, where mask is 255.
// It also leaves out the bits that a shift moves from field to field.
void WideFilter8(uint mask) {
  uint s[8];
  [[unroll]] for (int i = 0; i < 8; ++i) s[i] = px[4 + i];
  uint around = s[0] * 3 + s[1] + s[2] + s[3] + s[4] + 4 * BOTH;
  [[unroll]] for (int i = 1; i < 7; ++i) {
    px[4 + i] ^= (((around + s[i]) >> 3) ^ s[i]) & mask;
    around += s[min(i + 4, 7)] - s[max(i - 3, 0)];
  }
}

void WideFilter16(uint mask) {
  uint s[16] = px;
  uint around = s[0] * 7 + 8 * BOTH;
  [[unroll]] for (int i = 1; i < 9; ++i) around += s[i];
  [[unroll]] for (int i = 1; i < 15; ++i) {
    px[i] ^= (((around + s[i]) >> 4) ^ s[i]) & mask;
    around += s[min(i + 8, 15)] - s[max(i - 7, 0)];
  }
}

// Odd and Join, with sums where V3D has a second unit for them.
uint Odds(uint word) { return (word - Even(word)) >> 8; }
uint Merge(uint even, uint odd) { return even + (odd << 8); }

// The lower, or the upper, fields of both; each is the other's inverse.
uint LowFields(uint a, uint b) { return (a & 0xffffu) + (b << 16); }
uint HighFields(uint a, uint b) { return (a >> 16) + (b & 0xffff0000u); }

// ---- half a cell: four pixels of two lines, two words of a lane ----
// Across vertical edges: two rows of luma, or U and V of a row of chroma.
// Across horizontal edges two lanes share a column of words: the first filters
// samples 0 and 2 of each, the second 1 and 3. The first has the upper two rows
// of words, the second the lower two.

struct Direction {
  bool horizontal;  // edges
  bool chroma;
  bool odd;  // the second lane of a column
};

void Separate(Direction direction, const uint at, uvec2 words) {
  if (direction.horizontal) {
    [[unroll]] for (uint i = 0; i < 2; ++i) {
      const uint even = Even(words[i]);
      const uint odd = Odds(words[i]);
      const uint given = subgroupShuffleXor(direction.odd ? even : odd, 1);
      px[at + i] = direction.odd ? given : even;
      px[at + 2 + i] = direction.odd ? odd : given;
    }
  } else if (direction.chroma) {
    px[at] = LowFields(Even(words.x), Odds(words.x));
    px[at + 1] = HighFields(Even(words.x), Odds(words.x));
    px[at + 2] = LowFields(Even(words.y), Odds(words.y));
    px[at + 3] = HighFields(Even(words.y), Odds(words.y));
  } else {
    const uint near = LowFields(words.x, words.y);
    const uint far = HighFields(words.x, words.y);
    px[at] = Even(near);
    px[at + 1] = Odds(near);
    px[at + 2] = Even(far);
    px[at + 3] = Odds(far);
  }
}

uvec2 Interleave(Direction direction, const uint at) {
  uvec2 words;
  if (direction.horizontal) {
    [[unroll]] for (uint i = 0; i < 2; ++i) {
      const uint upper = px[at + i];
      const uint lower = px[at + 2 + i];
      const uint given = subgroupShuffleXor(direction.odd ? upper : lower, 1);
      words[i] = direction.odd ? Merge(given, lower) : Merge(upper, given);
    }
  } else if (direction.chroma) {
    words.x =
        Merge(LowFields(px[at], px[at + 1]), HighFields(px[at], px[at + 1]));
    words.y = Merge(LowFields(px[at + 2], px[at + 3]),
                    HighFields(px[at + 2], px[at + 3]));
  } else {
    const uint near = Merge(px[at], px[at + 1]);
    const uint far = Merge(px[at + 2], px[at + 3]);
    words = uvec2(LowFields(near, far), HighFields(near, far));
  }
  return words;
}

// ---- an edge (VP9 8.8.2) ----

// P7..P4 and Q4..Q7 are needed only for 16 wide edges, until then they are
// words.
uvec2 outer_p;
uvec2 outer_q;

void FilterWide(Direction direction, uint flat8, uint width) {
  uint flat16 = 0;
  if (MAX_WIDTH >= WIDTH_16) {
    flat16 = width >= WIDTH_16 ? flat8 : 0;
    if (Any(flat16 != 0)) {
      Separate(direction, 0, outer_p);
      Separate(direction, 12, outer_q);
      [[unroll]] for (int i = 4; i < 8; ++i) {
        flat16 &= Within(BOTH, P(i) - P(0)) & Within(BOTH, Q(i) - Q(0));
      }
      WideFilter16(SamplesWhere(flat16));
      outer_p = Interleave(direction, 0);
      outer_q = Interleave(direction, 12);
    }
  }
  WideFilter8(SamplesWhere(flat8 & ~flat16));
}

void FilterEdge(Direction direction, const bool border, uint width,
                Limits limits) {
  const uint p1p0 = P(1) - P(0);
  const uint q1q0 = Q(1) - Q(0);
  // |a| * 2 + |b| / 2 <= blimit, which is |a| * 4 + |b| <= 2 * blimit + 1.
  const uint a4 = (P(0) - Q(0)) * 4;
  const uint b = P(1) - Q(1);
  const uint blimit2 = width != 0 ? limits.blimit2 : NEVER;
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
    flat8 &= Within(BOTH, p1p0) & Within(BOTH, q1q0);
    [[unroll]] for (int i = 2; i < 4; ++i) {
      flat8 &= Within(BOTH, P(i) - P(0)) & Within(BOTH, Q(i) - Q(0));
    }
  }
  NarrowFilters(low_variance, mask & ~flat8);
  if (border && MAX_WIDTH >= WIDTH_8 && Any(flat8 != 0)) {
    FilterWide(direction, flat8, width);
  }
}

// ---- cells: eight pixels, of two lines ----

struct Cell {
  uvec2 near;  // half
  uvec2 far;
};

// half_cell: only the near half exists. at: in words across horizontal edges,
// else in accesses of 8 bytes, so that the compiler sees the alignment.
Cell Load(Direction direction, uint stride, uint at, bool half_cell) {
  Cell cell;
  if (direction.horizontal) {
    const uint row = stride >> 2;
    const uint far = half_cell ? at : at + stride;
    cell.near = uvec2(target_words[at], target_words[at + row]);
    cell.far = uvec2(target_words[far], target_words[far + row]);
  } else if (direction.chroma) {
    cell.near = target[at];
    cell.far = target[half_cell ? at : at + 1];
  } else {
    const uvec2 upper = target[at];
    const uvec2 lower = target[at + (stride >> 3)];
    cell.near = uvec2(upper.x, lower.x);
    cell.far = uvec2(upper.y, lower.y);
  }
  return cell;
}

void Store(Direction direction, uint stride, uint at, bool half_cell,
           Cell cell) {
  if (direction.horizontal) {
    const uint row = stride >> 2;
    target_words[at] = cell.near.x;
    target_words[at + row] = cell.near.y;
    if (!half_cell) {
      target_words[at + stride] = cell.far.x;
      target_words[at + stride + row] = cell.far.y;
    }
  } else if (direction.chroma) {
    target[at] = cell.near;
    if (!half_cell) target[at + 1] = cell.far;
  } else {
    target[at] = uvec2(cell.near.x, cell.far.x);
    target[at + (stride >> 3)] = uvec2(cell.near.y, cell.far.y);
  }
}

// ---- a lane's walk over the superblock, across its edges ----

// Set in Walk.cell where the lane's lines are not in the decoded area and
// nothing is stored. A bool would take the register that is one too many.
#define ABSENT 0x80000000u

struct Walk {
  uint at;    // the superblock's first pixel, as Load has it
  uint cell;  // the first edge word's number
};

// mi: the first cell, in 8x8 luma blocks.
void FilterWalk(Direction direction, PlaneGeometry plane, Walk walk, uint mi,
                uint mi_end) {
  const uint end = min(mi + CELLS, mi_end);
  const uint step =
      1 << (direction.horizontal ? plane.subsampling_y : plane.subsampling_x);
  const uint cell_size =
      direction.horizontal ? CELL / 4 * plane.stride : plane.pixel_bytes;
  const uint cell_step =
      direction.horizontal ? step * frame.params.mi_cols : step;
  uint at = walk.at;
  uint cell = walk.cell;
  outer_p = uvec2(0);
  [[unroll]] for (uint k = 4; k < 8; ++k) px[k] = 0;
  if (mi > 0) {
    const Cell before = Load(direction, plane.stride, at - cell_size, false);
    outer_p = before.near;
    Separate(direction, 4, before.far);
  }
  uint i = mi;
  for (; i < end; i += step) {
    const bool half_cell = plane.chroma && i + step > end;
    const Cell here = Load(direction, plane.stride, at, half_cell);
    const uint edge = edges[cell & ~ABSENT];
    const uint level = EdgeLevel(edge);
    const uint filtered = level != 0 ? edge >> plane.edge_shift : 0;
    const Limits limits = LimitsOf(level);
    Separate(direction, 8, here.near);
    outer_q = here.far;
    const uint border = direction.horizontal ? EdgeAbove(filtered, 0)
                                             : EdgeLeft(filtered, 0);
    if (Any(border != 0)) FilterEdge(direction, true, border, limits);
    const uvec2 far = Interleave(direction, 4);
    if (cell < ABSENT && i > 0) {
      Store(direction, plane.stride, at - cell_size, false, Cell(outer_p, far));
    }
    [[unroll]] for (uint k = 0; k < 4; ++k) px[4 + k] = px[8 + k];
    Separate(direction, 8, outer_q);
    const uint inner = direction.horizontal ? EdgeInnerAbove(filtered, 0)
                                            : EdgeInnerLeft(filtered, 0);
    if (INNER != 0 && Any(inner != 0)) {
      FilterEdge(direction, false, inner, limits);
    }
    outer_p = Interleave(direction, 4);
    [[unroll]] for (uint k = 0; k < 4; ++k) px[4 + k] = px[8 + k];
    at += cell_size;
    cell += cell_step;
  }
  const uvec2 far = Interleave(direction, 4);
  if (cell < ABSENT) {
    Store(direction, plane.stride, at - cell_size, plane.chroma && i > end,
          Cell(outer_p, far));
  }
}

void FilterPass(PlaneGeometry plane, bool horizontal, uvec2 sb) {
  const uint lane =
      gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  const uvec2 subsampling = uvec2(plane.subsampling_x, plane.subsampling_y);
  const uvec2 mi_end = uvec2(frame.params.mi_cols, frame.params.mi_rows);
  const uvec2 mi = sb * CELLS;
  const Area area = AreaOf(plane, sb);
  // Lines of a lane: rows of the plane, or bytes of two lanes' words.
  const uint lines =
      horizontal ? 4 / plane.pixel_bytes : 2 / plane.pixel_bytes;
  const uint number = horizontal ? lane >> 1 : lane;
  const uint begin_line = horizontal ? area.first.x : area.first.y;
  const uint end_line = horizontal ? area.end.x : area.end.y;
  const uint line = begin_line + number * lines;
  // A lane without lines goes along with the first one's, and stores nothing.
  const bool present = line < end_line;
  const uint line_here = present ? line : begin_line;
  const uvec2 pixel =
      horizontal ? uvec2(line_here, area.first.y)
                 : uvec2(area.first.x, line_here);
  const uvec2 cell = (pixel / CELL) << subsampling;
  const Direction direction =
      Direction(horizontal, plane.chroma, (lane & 1) != 0);
  // Two rows of words lie between the lanes of a column.
  const uint row = pixel.y + (direction.odd ? 2 : 0);
  const Walk walk =
      Walk(horizontal ? (plane.offset >> 2) + row * (plane.stride >> 2) +
                            (pixel.x * plane.pixel_bytes >> 2)
                      : (plane.offset >> 3) + pixel.y * (plane.stride >> 3) +
                            (pixel.x * plane.pixel_bytes >> 3),
           cell.y * frame.params.mi_cols + cell.x + (present ? 0 : ABSENT));
  FilterWalk(direction, plane, walk, horizontal ? mi.y : mi.x,
             horizontal ? mi_end.y : mi_end.x);
}
