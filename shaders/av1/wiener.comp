// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration's Wiener filter (AV1 7.17.4).
//
// Reads: records (RestorationItem), the target, line buffers. Writes: results
// (scratch), which restoration_copy.comp brings to the target.
// Work item: a group of each line of an item, by a lane; items dispatch.first
// on. Order: any.
//
// Samples are 1024 more than they are. As the taps of a direction add up to
// 128, so are the results, and 16384 what lies between the directions. All
// values are whole and below 2^24: floats are exact.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/restoration_filter.glsl"

const float OFFSET = float(1 << (SAMPLE_BITS + 3));
const float LOWEST = 16384 - OFFSET;
const float HIGHEST = 16384 + 4 * OFFSET - 1 - OFFSET;

// 7.17.5: the first four taps of a direction, of seven.
vec4 TapsOf(uint taps) {
  const ivec3 first =
      ivec3(int(taps << 24), int(taps << 16), int(taps << 8)) >> 24;
  return vec4(first, 128 - 2 * (first.x + first.y + first.z));
}

// A line filtered horizontally, less LOWEST: pairs of 16 bits, of which half of
// the range is used.
uvec2 FilterRow(Row row, vec4 taps) {
  const vec4 a = HalvesOf(row.before);
  const vec4 b = HalvesOf(row.own);
  const vec4 c = HalvesOf(row.after);
  const vec4 sum = taps.w * b +
                   taps.z * (vec4(a.w, b.xyz) + vec4(b.yzw, c.x)) +
                   taps.y * (vec4(a.zw, b.xy) + vec4(b.zw, c.xy)) +
                   taps.x * (vec4(a.yzw, b.x) + vec4(b.w, c.xyz));
  const uvec4 filtered = uvec4(
      clamp(floor(sum * (1.0 / 8) + 0.5), LOWEST, HIGHEST) - LOWEST);
  return filtered.xz | (filtered.yw << 16);
}

vec4 Fields(uvec2 pairs) {
  return vec4(pairs.x & 0xffffu, pairs.x >> 16, pairs.y & 0xffffu,
              pairs.y >> 16);
}

// The line of seven rows, from rows[first] on, that are filtered horizontally.
// Those with the same tap are added first: a sum of two fits 16 bits.
vec4 FilterRows(uvec2 rows[8], int first, vec4 vertical) {
  const vec4 sum =
      Fields(rows[first] + rows[first + 6]) * vertical.x +
      Fields(rows[first + 1] + rows[first + 5]) * vertical.y +
      Fields(rows[first + 2] + rows[first + 4]) * vertical.z +
      Fields(rows[first + 3]) * vertical.w;
  return clamp(floor((sum + 128 * LOWEST) * (1.0 / 2048) + 0.5), 1024.0,
               1024.0 + SAMPLE_MAX);
}

// A line, and the one below it, filtered horizontally.
void FilterTwo(int line, vec4 taps, out uvec2 upper, out uvec2 lower) {
  if (LOADS_TWO) {
    const TwoRows two = RowsAt(line);
    upper = FilterRow(two.upper, taps);
    lower = FilterRow(two.lower, taps);
  } else {
    upper = FilterRow(RowAt(line), taps);
    lower = FilterRow(RowAt(line + 1), taps);
  }
}

// Two lines a round: V3D waits once for what both load, and for what both store.
void FilterLane() {
  uvec2 rows[8];
  [[unroll]] for (int i = 0; i < 8; ++i) rows[i] = uvec2(0);
  int line = -3;
  int count;
  do {
    [[unroll]] for (int i = 0; i < 6; ++i) rows[i] = rows[i + 2];
    zero = uint(line + 3) >> 16;
    count = int(RestorationLineCount(item.lines + zero));
    FilterTwo(int(RestorationFirstLine(item.lines + zero)) + line,
              TapsOf(item.filter1 + zero), rows[6], rows[7]);
    if (line >= 3) {
      const vec4 vertical = TapsOf(item.filter0 + zero);
      const vec4 upper = FilterRows(rows, 0, vertical);
      const vec4 lower = FilterRows(rows, 1, vertical);
      // Where the cell ends between them the upper one replaces the lower one.
      Put(uint(min(line - 2, count - 1)), lower);
      Put(uint(line - 3), upper);
    }
    line += 2;
  } while (line < count + 3);
}

void main() {
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> LANES_LOG2);
  const uint lane = gl_GlobalInvocationID.x & (RECORD_LANES - 1);
  if (record < dispatch.end && BeginLane(record, lane)) FilterLane();
}
