// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8) for GPUs with lanes to spare, where a step takes as
// long as a lane's work: one line a lane, in plain integers, where
// loop_filter.comp has two. The order of work is that of loop_filter.glsl.
//
// Reads: edges, the target. Writes: the target.
//
// The line of a lane: of vertical edges a row of luma, or U or V of a row of
// chroma, which two lanes share; of horizontal edges a column of samples, whose
// words four lanes share, of 10 bits two. So subgroups have at least four lanes.
// 64 lanes are enough for a superblock; chroma of full size needs 128.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

#include "shaders/vp9/loop_filter.glsl"

// ---- limits (VP9 8.8.1) ----

#define STEP int(SAMPLE_STEP)

struct Limits {
  int limit;
  int blimit;
  int thresh;
};

Limits LimitsOf(uint level) {
  const int limit = int(
      clamp(level >> dispatch.limit_shift, 1, dispatch.limit_highest & 63));
  return Limits(STEP * limit, STEP * (2 * (int(level) + 2) + limit),
                STEP * int(level >> 4));
}

// ---- filters of one edge ----

// Samples across the edge on a cell's border: P7..P0 are px[0..7], Q0..Q7 are
// px[8..15]. The edge inside the cell is at 12.
int px[16];

// filter4_clamp.
#define MOST (SAMPLE_MAX >> 1)
int ClampSigned(int value) { return clamp(value, -MOST - 1, MOST); }
int ClampSample(int value) { return clamp(value, 0, SAMPLE_MAX); }

// VP9 8.8.4, where mask.
void NarrowFilter(const int at, bool mask, bool high_variance) {
  const int p1 = px[at - 2], p0 = px[at - 1], q0 = px[at], q1 = px[at + 1];
  const int outer = high_variance ? ClampSigned(p1 - q1) : 0;
  const int change = mask ? ClampSigned(outer + 3 * (q0 - p0)) : 0;
  const int filter1 = min(change + 4, MOST) >> 3;
  const int filter2 = min(change + 3, MOST) >> 3;
  const int outside = high_variance ? 0 : (filter1 + 1) >> 1;
  px[at - 2] = ClampSample(p1 + outside);
  px[at - 1] = ClampSample(p0 + filter2);
  px[at] = ClampSample(q0 - filter1);
  px[at + 1] = ClampSample(q1 - outside);
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
    flat8 = mask && width >= WIDTH_8 && near <= STEP;
  }
  NarrowFilter(at, mask && !flat8, step1 > limits.thresh);
  if (border && Any(flat8)) {
    const int far = max(max(Distance(at, 4, 0), Distance(at, 5, 0)),
                        max(Distance(at, 6, 0), Distance(at, 7, 0)));
    const bool flat16 = flat8 && width >= WIDTH_16 && far <= STEP;
    if (Any(flat16)) WideFilter16(flat16);
    WideFilter8(flat8 && !flat16);
  }
}

// ---- cells: eight samples of a line ----

struct Line {
  bool horizontal;  // edges
  bool chroma;
  uint lane;
  uint rows;  // from word to word of the lane's, where edges are horizontal
};

#if SAMPLE_BITS == 8
#define Samples uvec2
#define HalfSamples uint
#else
#define Samples uvec4
#define HalfSamples uvec2
#endif
#define SAMPLES_WORDS (8 / WORD_SAMPLES)
#define SAMPLES_PAIRS (SAMPLES_WORDS / 2)  // accesses of 8 bytes

// Two lanes exchange fields of their words: <low> of both go to the lower lane,
// those above them, by <shift>, to the upper one.
Samples Exchange(uint lane, uint distance, uint low, uint shift,
                 Samples words) {
  const Samples other = subgroupShuffleXor(words, distance);
  return (lane & distance) != 0 ? (words & ~low) | ((other >> shift) & low)
                                : (words & low) | ((other & low) << shift);
}

// Turn: the words of rows become those of columns, and back: of each four lanes,
// of 10 bits each two, that share a column of words.
// Component: U or V of four pixels. Pixels: both back.
#if SAMPLE_BITS == 8
Samples Turn(uint lane, Samples words) {
  words = Exchange(lane, 1, 0x00ff00ffu, 8, words);
  return Exchange(lane, 2, 0xffffu, 16, words);
}

// Bytes 0 and 2 next to each other, and back.
uint Squeeze(uint pair) { return (pair | (pair >> 8)) & 0xffffu; }
uint Spread(uint bytes) { return (bytes | (bytes << 8)) & 0x00ff00ffu; }

HalfSamples Component(Samples pixels, bool is_v) {
  const Samples own = (pixels >> (is_v ? 8 : 0)) & 0x00ff00ffu;
  return Squeeze(own.x) | (Squeeze(own.y) << 16);
}
Samples Pixels(HalfSamples u, HalfSamples v) {
  return Samples(Spread(u & 0xffffu) | (Spread(v & 0xffffu) << 8),
                 Spread(u >> 16) | (Spread(v >> 16) << 8));
}

HalfSamples Near(Samples samples) { return samples.x; }
HalfSamples Far(Samples samples) { return samples.y; }

Samples LoadRow(uint at) { return target[at]; }
void StoreRow(uint at, Samples samples) { target[at] = samples; }
#else
Samples Turn(uint lane, Samples words) {
  return Exchange(lane, 1, 0xffffu, 16, words);
}

HalfSamples Component(Samples pixels, bool is_v) {
  const Samples own = (pixels >> (is_v ? 16 : 0)) & 0xffffu;
  return own.xz | (own.yw << 16);
}
Samples Pixels(HalfSamples u, HalfSamples v) {
  const uvec2 even = (u & 0xffffu) | (v << 16);
  const uvec2 odd = (u >> 16) | (v & 0xffff0000u);
  return Samples(even.x, odd.x, even.y, odd.y);
}

HalfSamples Near(Samples samples) { return samples.xy; }
HalfSamples Far(Samples samples) { return samples.zw; }

Samples LoadRow(uint at) { return Samples(target[at], target[at + 1]); }
void StoreRow(uint at, Samples samples) {
  target[at] = samples.xy;
  target[at + 1] = samples.zw;
}
#endif

struct Words {
  Samples near;
  Samples far;  // where U and V are in turns, the second four pixels
};

// at: as Walk has it. half_cell: there is no second half.
Words Load(Line line, uint at, bool half_cell) {
  Words words = Words(Samples(0), Samples(0));
  if (line.horizontal) {
    [[unroll]] for (uint i = 0; i < SAMPLES_WORDS; ++i) {
      const bool present = i < SAMPLES_WORDS / 2 || !half_cell;
      words.near[i] = target_words[present ? at + i * line.rows : at];
    }
  } else {
    words.near = LoadRow(at);
    if (line.chroma) words.far = LoadRow(half_cell ? at : at + SAMPLES_PAIRS);
  }
  return words;
}

// What was loaded, as the lane's own samples.
Samples OwnSamples(Line line, Words words) {
  if (line.horizontal) return Turn(line.lane, words.near);
  if (!line.chroma) return words.near;
  const bool is_v = (line.lane & 1) != 0;
  return Samples(Component(words.near, is_v), Component(words.far, is_v));
}

// All lanes come here, those that are not present too.
void Store(Line line, uint at, bool half_cell, bool present, Samples samples) {
  if (line.horizontal) {
    const Samples words = Turn(line.lane, samples);
    [[unroll]] for (uint i = 0; i < SAMPLES_WORDS; ++i) {
      if (present && (i < SAMPLES_WORDS / 2 || !half_cell)) {
        target_words[at + i * line.rows] = words[i];
      }
    }
  } else if (line.chroma) {
    // U's lane stores the near half of both, V's lane the far one.
    const bool is_v = (line.lane & 1) != 0;
    const HalfSamples give = is_v ? Near(samples) : Far(samples);
    const HalfSamples keep = is_v ? Far(samples) : Near(samples);
    const HalfSamples given = subgroupShuffleXor(give, 1);
    if (present && !(is_v && half_cell)) {
      StoreRow(at + (is_v ? SAMPLES_PAIRS : 0),
               is_v ? Pixels(given, keep) : Pixels(keep, given));
    }
  } else if (present) {
    StoreRow(at, samples);
  }
}

uint ShiftOf(const uint sample_index) {
  return 32 / WORD_SAMPLES * (sample_index % WORD_SAMPLES);
}

void Unpack(const int at, Samples samples) {
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const uint word = samples[i / WORD_SAMPLES];
    px[at + i] = int((word >> ShiftOf(i)) & SAMPLE_MAX);
  }
}

Samples Pack(const int at) {
  Samples samples = Samples(0);
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    samples[i / WORD_SAMPLES] |= uint(px[at + i]) << ShiftOf(i);
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
  Words next = Load(line, at, line.chroma && mi + walk.mi_step > end);
  uint next_edges = edges[cell];
  for (; mi < end; mi += walk.mi_step) {
    const Samples here = OwnSamples(line, next);
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
  // A lane without a line goes along with one that has some of the first words.
  const uint number = lane / plane.pixel_samples;
  const bool present = begin + number < end;
  const uint word_lines = WORD_SAMPLES / plane.pixel_samples;
  const uint along = begin + (present ? number : number % word_lines);
  const uvec2 pixel = horizontal ? uvec2(along, area.first.y)
                                 : uvec2(area.first.x, along);
  const uvec2 cell = (pixel / CELL) << subsampling;
  const uvec2 mi_end = uvec2(dispatch.mi_cols, dispatch.mi_rows);
  Walk walk;
  walk.cell = cell.y * mi_end.x + cell.x;
  walk.present = present;
  if (horizontal) {
    const uint row = pixel.y + lane % WORD_SAMPLES;
    walk.at = plane.words.offset + row * plane.words.row +
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
  const uint rows =
      WORD_SAMPLES == 4 ? plane.words.rows4 : plane.words.rows2;
  FilterWalk(Line(horizontal, plane.chroma, lane, rows), walk,
             plane.edge_shift);
}
