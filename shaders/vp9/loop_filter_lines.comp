// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8) for GPUs with lanes to spare, where a step takes as
// long as a lane's work: one line a lane, in plain integers, where
// loop_filter.comp has two. The order of work is that of loop_filter.glsl.
//
// Reads: edges, the target. Writes: the target.
//
// The line of a lane: of vertical edges a row of luma, or U or V of a row of
// chroma, which two lanes share; of horizontal edges a column of bytes, whose
// words four lanes share. So subgroups have at least four lanes. 64 lanes are
// enough for a superblock; chroma of full size needs 128.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "shaders/vp9/loop_filter.glsl"

// ---- limits (VP9 8.8.1) ----

struct Limits {
  int limit;
  int blimit;
  int thresh;
};

Limits LimitsOf(uint level) {
  const int limit = int(
      clamp(level >> dispatch.limit_shift, 1, dispatch.limit_highest & 63));
  return Limits(limit, 2 * (int(level) + 2) + limit, int(level >> 4));
}

// ---- filters of one edge ----

// Samples across the edge on a cell's border: P7..P0 are px[0..7], Q0..Q7 are
// px[8..15]. The edge inside the cell is at 12.
int px[16];

// VP9 8.8.4, where mask.
void NarrowFilter(const int at, bool mask, bool high_variance) {
  const int p1 = px[at - 2], p0 = px[at - 1], q0 = px[at], q1 = px[at + 1];
  const int outer = high_variance ? clamp(p1 - q1, -128, 127) : 0;
  const int change = mask ? clamp(outer + 3 * (q0 - p0), -128, 127) : 0;
  const int filter1 = min(change + 4, 127) >> 3;
  const int filter2 = min(change + 3, 127) >> 3;
  const int outside = high_variance ? 0 : (filter1 + 1) >> 1;
  px[at - 2] = clamp(p1 + outside, 0, 255);
  px[at - 1] = clamp(p0 + filter2, 0, 255);
  px[at] = clamp(q0 - filter1, 0, 255);
  px[at + 1] = clamp(q1 - outside, 0, 255);
}

// VP9 8.8.5, where mask: n samples on both sides become means of 2n + 2.
void WideFilter8(bool mask) {
  int s[8];
  [[unroll]] for (int i = 0; i < 8; ++i) s[i] = px[4 + i];
  int around = s[0] * 3 + s[1] + s[2] + s[3] + s[4] + 4;
  [[unroll]] for (int i = 1; i < 7; ++i) {
    px[4 + i] = mask ? (around + s[i]) >> 3 : s[i];
    around += s[min(i + 4, 7)] - s[max(i - 3, 0)];
  }
}

void WideFilter16(bool mask) {
  int s[16] = px;
  int around = s[0] * 7 + 8;
  [[unroll]] for (int i = 1; i < 9; ++i) around += s[i];
  [[unroll]] for (int i = 1; i < 15; ++i) {
    px[i] = mask ? (around + s[i]) >> 4 : s[i];
    around += s[min(i + 8, 15)] - s[max(i - 7, 0)];
  }
}

// The larger distance of samples i from samples j, on both sides.
int Distance(const int at, const int i, const int j) {
  return max(abs(px[at - 1 - i] - px[at - 1 - j]),
             abs(px[at + i] - px[at + j]));
}

// VP9 8.8.2, 8.8.3. border: at is 8, where edges are wider than four samples.
// All lanes go the same way: what some do is done by all, under masks.
void FilterEdge(const int at, const bool border, uint width, Limits limits) {
  if (!Any(width != 0)) return;
  const int step1 = Distance(at, 1, 0);
  const int steps = max(step1, max(Distance(at, 2, 1), Distance(at, 3, 2)));
  const int across = abs(px[at - 1] - px[at]) * 2 +
                     (abs(px[at - 2] - px[at + 1]) >> 1);
  const bool mask =
      width != 0 && steps <= limits.limit && across <= limits.blimit;
  bool flat8 = false;
  if (border) {
    const int near = max(step1, max(Distance(at, 2, 0), Distance(at, 3, 0)));
    flat8 = mask && width >= WIDTH_8 && near <= 1;
  }
  NarrowFilter(at, mask && !flat8, step1 > limits.thresh);
  if (border && Any(flat8)) {
    const int far = max(max(Distance(at, 4, 0), Distance(at, 5, 0)),
                        max(Distance(at, 6, 0), Distance(at, 7, 0)));
    const bool flat16 = flat8 && width >= WIDTH_16 && far <= 1;
    if (Any(flat16)) WideFilter16(flat16);
    WideFilter8(flat8 && !flat16);
  }
}

// ---- cells: eight samples of a line, as two words ----

struct Line {
  bool horizontal;  // edges
  bool chroma;
  uint lane;
  uint rows4;  // LoopFilterPlane
};

// The words of four rows become those of four columns, and back: each lane of
// four has one.
uint Turn(uint lane, uint word) {
  uint other = subgroupShuffleXor(word, 1);
  word = (lane & 1) != 0 ? (word & 0xff00ff00u) | ((other >> 8) & 0x00ff00ffu)
                         : (word & 0x00ff00ffu) | ((other & 0x00ff00ffu) << 8);
  other = subgroupShuffleXor(word, 2);
  return (lane & 2) != 0 ? (word & 0xffff0000u) | (other >> 16)
                         : (word & 0xffffu) | (other << 16);
}

// Bytes 0 and 2 next to each other, and back.
uint Squeeze(uint pair) { return (pair | (pair >> 8)) & 0xffffu; }
uint Spread(uint bytes) { return (bytes | (bytes << 8)) & 0x00ff00ffu; }

// at: as Walk has it. half_cell: there is no second half.
uvec4 Load(Line line, uint at, bool half_cell) {
  if (line.horizontal) {
    return uvec4(target_words[at],
                 target_words[half_cell ? at : at + line.rows4], 0, 0);
  }
  const uvec2 near = target[at];
  if (!line.chroma) return uvec4(near, 0, 0);
  return uvec4(near, target[half_cell ? at : at + 1]);
}

// What was loaded, as the lane's own samples.
uvec2 OwnSamples(Line line, uvec4 words) {
  if (line.horizontal) {
    return uvec2(Turn(line.lane, words.x), Turn(line.lane, words.y));
  }
  if (!line.chroma) return words.xy;
  const uvec4 own = (words >> ((line.lane & 1) * 8)) & 0x00ff00ffu;
  return uvec2(Squeeze(own.x) | (Squeeze(own.y) << 16),
               Squeeze(own.z) | (Squeeze(own.w) << 16));
}

// All lanes come here, those that are not present too.
void Store(Line line, uint at, bool half_cell, bool present, uvec2 samples) {
  if (line.horizontal) {
    const uint near = Turn(line.lane, samples.x);
    const uint far = Turn(line.lane, samples.y);
    if (present) target_words[at] = near;
    if (present && !half_cell) target_words[at + line.rows4] = far;
  } else if (line.chroma) {
    // U's lane stores the near half of both, V's lane the far one.
    const bool is_v = (line.lane & 1) != 0;
    const uint give = is_v ? samples.x : samples.y;
    const uint keep = is_v ? samples.y : samples.x;
    const uint given = subgroupShuffleXor(give, 1);
    const uint u = is_v ? given : keep;
    const uint v = is_v ? keep : given;
    if (present && !(is_v && half_cell)) {
      target[at + (is_v ? 1 : 0)] =
          uvec2(Spread(u & 0xffffu) | (Spread(v & 0xffffu) << 8),
                Spread(u >> 16) | (Spread(v >> 16) << 8));
    }
  } else if (present) {
    target[at] = samples;
  }
}

void Unpack(const int at, uvec2 samples) {
  [[unroll]] for (int i = 0; i < 4; ++i) {
    px[at + i] = int((samples.x >> (8 * i)) & 255);
    px[at + 4 + i] = int((samples.y >> (8 * i)) & 255);
  }
}

uvec2 Pack(const int at) {
  uvec2 samples = uvec2(0);
  [[unroll]] for (int i = 0; i < 4; ++i) {
    samples.x |= uint(px[at + i]) << (8 * i);
    samples.y |= uint(px[at + 4 + i]) << (8 * i);
  }
  return samples;
}

// ---- a lane's walk over the superblock, across its edges ----

struct Walk {
  uint at;        // the first pixel: across horizontal edges in words, else in
                  // accesses of 8 bytes
  uint at_step;   // from cell to cell
  uint cell;      // the first edge word's number
  uint cell_step;
  uint mi;        // the first cell, in 8x8 luma blocks
  uint mi_step;
  uint mi_end;    // of the frame
  bool present;   // else the lane goes along and stores nothing
};

void FilterWalk(Line line, Walk walk, uint edge_shift) {
  const uint end = min(walk.mi + CELLS, walk.mi_end);
  uint at = walk.at;
  uint cell = walk.cell;
  uint mi = walk.mi;
  if (mi > 0) {
    Unpack(0, OwnSamples(line, Load(line, at - walk.at_step, false)));
  }
  uvec4 next = Load(line, at, line.chroma && mi + walk.mi_step > end);
  uint next_edges = edges[cell];
  for (; mi < end; mi += walk.mi_step) {
    const uvec2 here = OwnSamples(line, next);
    const uint level = EdgeLevel(next_edges);
    const uint filtered = level != 0 ? next_edges >> edge_shift : 0;
    // The next cell is on its way while this one is filtered.
    if (mi + walk.mi_step < end) {
      next = Load(line, at + walk.at_step,
                  line.chroma && mi + 2 * walk.mi_step > end);
      next_edges = edges[cell + walk.cell_step];
    }
    Unpack(8, here);
    const Limits limits = LimitsOf(level);
    FilterEdge(8, true,
               line.horizontal ? EdgeAbove(filtered, 0) : EdgeLeft(filtered, 0),
               limits);
    if (mi > 0) {
      Store(line, at - walk.at_step, false, walk.present, Pack(0));
    }
    FilterEdge(12, false,
               line.horizontal ? EdgeInnerAbove(filtered, 0)
                               : EdgeInnerLeft(filtered, 0),
               limits);
    [[unroll]] for (int i = 0; i < 8; ++i) px[i] = px[8 + i];
    at += walk.at_step;
    cell += walk.cell_step;
  }
  Store(line, at - walk.at_step, line.chroma && mi > end, walk.present,
        Pack(0));
}

void FilterPass(PlaneGeometry plane, bool horizontal, uvec2 sb, uint lane) {
  const uvec2 subsampling = SubsamplingOf(plane);
  const Area area = AreaOf(subsampling, sb);
  const uint begin = horizontal ? area.first.x : area.first.y;
  const uint end = horizontal ? area.end.x : area.end.y;
  // A lane without a line goes along with one of the first four.
  const uint number = lane / plane.pixel_bytes;
  const bool present = begin + number < end;
  const uint along =
      begin + (present ? number : number % (4 / plane.pixel_bytes));
  const uvec2 pixel = horizontal ? uvec2(along, area.first.y)
                                 : uvec2(area.first.x, along);
  const uvec2 cell = (pixel / CELL) << subsampling;
  const uvec2 mi_end = uvec2(dispatch.mi_cols, dispatch.mi_rows);
  Walk walk;
  walk.cell = cell.y * mi_end.x + cell.x;
  walk.present = present;
  if (horizontal) {
    walk.at = plane.words.offset + (pixel.y + lane % 4) * plane.words.row +
              (pixel.x * plane.pixel_bytes >> 2);
    walk.at_step = plane.words.rows8;
    walk.mi = sb.y * CELLS;
    walk.mi_step = plane.step_y;
    walk.mi_end = mi_end.y;
    walk.cell_step = plane.words.edges_below;
  } else {
    walk.at = (plane.words.offset >> 1) + pixel.y * plane.words.row_pairs +
              (pixel.x * plane.pixel_bytes >> 3);
    walk.at_step = plane.pixel_bytes;
    walk.mi = sb.x * CELLS;
    walk.mi_step = plane.step_x;
    walk.mi_end = mi_end.x;
    walk.cell_step = walk.mi_step;
  }
  FilterWalk(Line(horizontal, plane.chroma, lane, plane.words.rows4), walk,
             plane.edge_shift);
}
