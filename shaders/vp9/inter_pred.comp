// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2.4): block interpolation from one reference. The
// second prediction of a compound is a dispatch of its own (AVERAGE).
//
// Reads: records (InterUnit), tables, the reference; with AVERAGE the target.
// Writes: the target.
// Work item: one InterUnit (8 bytes x 8 rows of a plane) by 8 lanes, a row
// each. Records dispatch.first on; their number is padded to whole workgroups
// by units of 0 rows. Order: any; AVERAGE after the first prediction.
//
// The vertical filter needs 15 rows: a lane makes rows n and n + 8 of them, and
// the lanes of a unit pass them around.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

#define LANES 64
#define UNIT_LANES 8
#define UNITS (LANES / UNIT_LANES)  // of a workgroup

#include "shaders/common.glsl"

layout(local_size_x = LANES) in;

layout(constant_id = PERDIX_CONSTANT_PLANE) const uint PLANE = 0;
layout(constant_id = PERDIX_CONSTANT_KIND) const uint KIND =
    PERDIX_INTER_SCALED;
layout(constant_id = PERDIX_CONSTANT_AVERAGE) const uint AVERAGE = 0;

// Filter f at fraction n: taps 0..3 and 4..7 at 2 * (16 * f + n).
layout(std140, binding = PERDIX_BINDING_TABLES) uniform Tables {
  ivec4 subpel_filters[2 * 4 * 16];
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // InterUnit: target, x, y, shape
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uvec4 reference[];
};
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer
    ReferenceWords {
  uint reference_words[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetWords {
  uint target_words[];
};

const bool CHROMA = PLANE == 1;
const uint PIXEL_BYTES = CHROMA ? 2 : 1;
const bool CLAMPED = KIND == PERDIX_INTER_CLAMPED;
const bool COPY = KIND == PERDIX_INTER_COPY;
const bool HORIZONTAL = KIND != PERDIX_INTER_VERTICAL && !COPY;
const bool VERTICAL = KIND != PERDIX_INTER_HORIZONTAL && !COPY;

#define TAPS_BEFORE 3
#define LAST_ROW 14  // of those that the vertical filter needs

struct Taps {
  ivec4 low;
  ivec4 high;
};

Taps LoadTaps(uint kind, int position) {
  const uint at = 2 * (16 * kind + (uint(position) & 15));
  return Taps(subpel_filters[at], subpel_filters[at + 1]);
}

// ---- one filter on pairs ----

// Sums are kept in 16 bits by a bias, which also rounds (64): they are within
// -13770..46410 for samples of 8 bits.
#define SUM_BIAS ((16384u + 64u) * 0x00010001u)

// (sum >> 7) clamped to 0..255, of both fields.
uint RoundSum(uint sum) {
  return ClampPair(((sum >> 7) & 0x01ff01ffu) + 0x00800080u);
}

#define FILTER8(taps, p0, p1, p2, p3, p4, p5, p6, p7)                     \
  RoundSum(SUM_BIAS + p0 * uint(taps.low.x) + p1 * uint(taps.low.y) +     \
           p2 * uint(taps.low.z) + p3 * uint(taps.low.w) +                \
           p4 * uint(taps.high.x) + p5 * uint(taps.high.y) +              \
           p6 * uint(taps.high.z) + p7 * uint(taps.high.w))

// The upper field of a beside the lower one of b.
uint Across(uint a, uint b) { return (a >> 16) | (b << 16); }

// ---- source bytes ----

// Bytes from position on of a row of the reference, up to 22, in order.
struct Window {
  uint w[6];
};

uint FetchByte(uint at) {
  return (reference_words[at >> 2] >> (8 * (at & 3))) & 0xffu;
}

// The pixel's bytes, its column clamped to the frame.
uint FetchPixel(uint line, int x) {
  const uint at =
      line + uint(clamp(x, 0, dispatch.source_last_x)) * PIXEL_BYTES;
  return CHROMA ? (reference_words[at >> 2] >> (8 * (at & 2))) & 0xffffu
                : FetchByte(at);
}

// Where a row of the reference, clamped to the frame, begins.
uint RowStart(int y) {
  return dispatch.source_offset +
         uint(clamp(y, 0, dispatch.source_last_y)) * dispatch.source_stride;
}

// words: how many of the window are needed.
Window LoadClamped(uint line, int x, uint words) {
  Window window;
  [[unroll]] for (uint i = 0; i < 6; ++i) {
    window.w[i] = 0;
    if (i < words) {
      const int first = x + int(i * (CHROMA ? 2 : 4));
      window.w[i] = CHROMA ? FetchPixel(line, first) |
                                 (FetchPixel(line, first + 1) << 16)
                           : FetchPixel(line, first) |
                                 (FetchPixel(line, first + 1) << 8) |
                                 (FetchPixel(line, first + 2) << 16) |
                                 (FetchPixel(line, first + 3) << 24);
    }
  }
  return window;
}

// Aligned accesses of 16 bytes, then shifts by words and one by bytes.
// Lines begin at multiples of 16 bytes; the compiler must see that the address
// is one, or it splits the access.
Window LoadInside(int x, int y, uint words) {
  const uint at = uint(x * int(PIXEL_BYTES));
  const uint first = (dispatch.source_offset >> 4) +
                     uint(y) * (dispatch.source_stride >> 4) + (at >> 4);
  uint raw[12];
  [[unroll]] for (uint i = 0; i < 3; ++i) {
    uvec4 four = uvec4(0);
    if (i < 2 || words > 4) four = reference[first + i];
    raw[4 * i] = four.x;
    raw[4 * i + 1] = four.y;
    raw[4 * i + 2] = four.z;
    raw[4 * i + 3] = four.w;
  }
  const bool skip_two = (at & 8) != 0;
  const bool skip_one = (at & 4) != 0;
  const uint bits = 8 * (at & 3);
  Window window;
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    raw[i] = skip_two ? raw[i + 2] : raw[i];
  }
  [[unroll]] for (uint i = 0; i < 7; ++i) {
    raw[i] = skip_one ? raw[i + 1] : raw[i];
  }
  [[unroll]] for (uint i = 0; i < 6; ++i) {
    if (CHROMA) {
      window.w[i] = bits != 0 ? Across(raw[i], raw[i + 1]) : raw[i];
    } else {
      window.w[i] = (raw[i] >> bits) | ((raw[i + 1] << 1) << (31 - bits));
    }
  }
  return window;
}

Window Load(int x, int y, uint words) {
  Window window;
  if (CLAMPED) {
    window = LoadClamped(RowStart(y), x, words);
  } else {
    window = LoadInside(x, y, words);
  }
  return window;
}

// ---- horizontal filter of one row: 8 bytes ----

// p[n]: samples n and n + 2 of the row, from the first tap on.
uvec2 FilterLuma(Window window, Taps taps) {
  uint p[13];
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    p[4 * i] = Even(window.w[i]);
    if (i < 3) p[4 * i + 1] = Odd(window.w[i]);
  }
  const uint last_odd = Odd(window.w[3]);
  [[unroll]] for (uint i = 0; i < 3; ++i) {
    p[4 * i + 2] = Across(p[4 * i], p[4 * i + 4]);
    p[4 * i + 3] = Across(p[4 * i + 1], i < 2 ? p[4 * i + 5] : last_odd);
  }
  uint even[2];
  uint odd[2];
  [[unroll]] for (uint q = 0; q < 2; ++q) {
    const uint n = 4 * q;
    even[q] = FILTER8(taps, p[n], p[n + 1], p[n + 2], p[n + 3], p[n + 4],
                      p[n + 5], p[n + 6], p[n + 7]);
    odd[q] = FILTER8(taps, p[n + 1], p[n + 2], p[n + 3], p[n + 4], p[n + 5],
                     p[n + 6], p[n + 7], p[n + 8]);
  }
  return uvec2(Join(even[0], odd[0]), Join(even[1], odd[1]));
}

// u[n]: U of pixels n and n + 1, from the first tap on; v[n] likewise.
uvec2 FilterChroma(Window window, Taps taps) {
  uint u[11];
  uint v[11];
  [[unroll]] for (uint i = 0; i < 6; ++i) {
    u[2 * i > 10 ? 10 : 2 * i] = Even(window.w[i]);
    v[2 * i > 10 ? 10 : 2 * i] = Odd(window.w[i]);
  }
  [[unroll]] for (uint i = 0; i < 5; ++i) {
    u[2 * i + 1] = Across(u[2 * i], u[2 * i + 2]);
    v[2 * i + 1] = Across(v[2 * i], v[2 * i + 2]);
  }
  uint joined[2];
  [[unroll]] for (uint q = 0; q < 2; ++q) {
    const uint n = 2 * q;
    joined[q] = Join(FILTER8(taps, u[n], u[n + 1], u[n + 2], u[n + 3], u[n + 4],
                             u[n + 5], u[n + 6], u[n + 7]),
                     FILTER8(taps, v[n], v[n + 1], v[n + 2], v[n + 3], v[n + 4],
                             v[n + 5], v[n + 6], v[n + 7]));
  }
  return uvec2(joined[0], joined[1]);
}

// x: of the first predicted pixel, whole pixels.
uvec2 FilterRow(int x, int y, Taps taps) {
  uvec2 row;
  if (!HORIZONTAL) {
    const Window window = Load(x, y, 2);
    row = uvec2(window.w[0], window.w[1]);
  } else if (CHROMA) {
    row = FilterChroma(Load(x - TAPS_BEFORE, y, 6), taps);
  } else {
    row = FilterLuma(Load(x - TAPS_BEFORE, y, 4), taps);
  }
  return row;
}

// ---- vertical filter: lanes pass rows around ----

uint Lane() {
  return SUBGROUP_SIZE >= UNIT_LANES
             ? gl_SubgroupID * SUBGROUP_SIZE + gl_SubgroupInvocationID
             : gl_LocalInvocationIndex;
}

shared uvec2 rows[2 * LANES];

// Row n + tap of the unit for lane n: rows 0..7 lie in near, 8..14 in far.
uvec2 RowAt(uint lane, uint tap, uvec2 near, uvec2 far) {
  const uint n = lane & (UNIT_LANES - 1);
  uvec2 row;
  if (SUBGROUP_SIZE >= UNIT_LANES) {
    const uint from = (gl_SubgroupInvocationID & ~(UNIT_LANES - 1)) |
                      ((n + tap) & (UNIT_LANES - 1));
    const uvec2 given = n < tap ? far : near;
    row = uvec2(subgroupShuffle(given.x, from), subgroupShuffle(given.y, from));
  } else {
    row = rows[2 * (lane - n) + n + tap];
  }
  return row;
}

uvec2 FilterColumns(uint lane, Taps taps, uvec2 near, uvec2 far) {
  if (SUBGROUP_SIZE < UNIT_LANES) {
    const uint n = lane & (UNIT_LANES - 1);
    rows[2 * (lane - n) + n] = near;
    rows[2 * (lane - n) + n + UNIT_LANES] = far;
    barrier();
  }
  uint even[2] = uint[](SUM_BIAS, SUM_BIAS);
  uint odd[2] = uint[](SUM_BIAS, SUM_BIAS);
  [[unroll]] for (uint tap = 0; tap < 8; ++tap) {
    const uvec2 row = tap == 0 ? near : RowAt(lane, tap, near, far);
    const uint factor = uint(tap < 4 ? taps.low[tap & 3] : taps.high[tap & 3]);
    even[0] += Even(row.x) * factor;
    odd[0] += Odd(row.x) * factor;
    even[1] += Even(row.y) * factor;
    odd[1] += Odd(row.y) * factor;
  }
  return uvec2(Join(RoundSum(even[0]), RoundSum(odd[0])),
               Join(RoundSum(even[1]), RoundSum(odd[1])));
}

// ---- a row of the unit ----

uvec2 PredictRow(uint lane, ivec2 position, uint kind) {
  const ivec2 whole = position >> 4;
  const int n = int(lane & (UNIT_LANES - 1));
  const Taps x_taps = LoadTaps(kind, position.x);
  uvec2 row;
  if (VERTICAL) {
    const int first = whole.y - TAPS_BEFORE;
    const uvec2 near = FilterRow(whole.x, first + n, x_taps);
    const uvec2 far = FilterRow(
        whole.x, first + min(n + UNIT_LANES, LAST_ROW), x_taps);
    row = FilterColumns(lane, LoadTaps(kind, position.y), near, far);
  } else {
    row = FilterRow(whole.x, whole.y + n, x_taps);
  }
  return row;
}

// Every pixel has its own fractions: each is filtered from 8 x 8 others. Rare,
// and slow.
uvec2 PredictScaledRow(uint lane, ivec2 position, uint kind) {
  const int n = int(lane & (UNIT_LANES - 1));
  const int y = position.y + n * int(dispatch.y_step);
  const uint y_filter = 2 * (16 * kind + (uint(y) & 15));
  uvec2 row = uvec2(0);
  for (uint i = 0; i < PERDIX_INTER_UNIT_BYTES / PIXEL_BYTES; ++i) {
    const int x = position.x + int(i * dispatch.x_step);
    const Taps taps = LoadTaps(kind, x);
    uint sum = SUM_BIAS;
    for (uint k = 0; k < 8; ++k) {
      const uint line = RowStart((y >> 4) - TAPS_BEFORE + int(k));
      uint p[8];
      [[unroll]] for (uint t = 0; t < 8; ++t) {
        const uint pixel = FetchPixel(line, (x >> 4) - TAPS_BEFORE + int(t));
        p[t] = (pixel & 0xff) | ((pixel >> 8) << 16);
      }
      const uint filtered =
          FILTER8(taps, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
      sum += filtered * uint(subpel_filters[y_filter + (k >> 2)][k & 3]);
    }
    const uint pair = RoundSum(sum);
    if (CHROMA) {
      const uint bytes = (pair & 0xff) | (pair >> 8);
      row[i >> 1] |= bytes << (16 * (i & 1));
    } else {
      row[i >> 2] |= (pair & 0xff) << (8 * (i & 3));
    }
  }
  return row;
}

// Round2(a + b, 1) of each byte.
uint Average(uint a, uint b) {
  return (a | b) - (((a ^ b) >> 1) & 0x7f7f7f7fu);
}

void main() {
  const uint lane = Lane();
  const uint unit = gl_WorkGroupID.x * UNITS + lane / UNIT_LANES;
  const uvec4 record = records[dispatch.first + unit];
  const uint n = lane & (UNIT_LANES - 1);
  const uint kind = InterUnitFilter(record.w);
  uvec2 row;
  if (KIND == PERDIX_INTER_SCALED) {
    row = PredictScaledRow(lane, ivec2(record.yz), kind);
  } else {
    row = PredictRow(lane, ivec2(record.yz), kind);
  }
  const uint at = (record.x + n * dispatch.target_stride) >> 2;
  if (n < InterUnitRows(record.w)) {
    if (AVERAGE != 0) row.x = Average(target_words[at], row.x);
    target_words[at] = row.x;
    if (InterUnitWords(record.w) == 2) {
      if (AVERAGE != 0) row.y = Average(target_words[at + 1], row.y);
      target_words[at + 1] = row.y;
    }
  }
}
