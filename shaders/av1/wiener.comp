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

// The lane holds the last lines, and adds those that have the same tap: a sum of
// two fits 16 bits.
void FilterLane() {
  const vec4 vertical = TapsOf(item.filter0);
  const vec4 horizontal = TapsOf(item.filter1);
  const int first = int(RestorationFirstLine(item.lines));
  const int count = int(RestorationLineCount(item.lines));
  uvec2 row0 = uvec2(0);
  uvec2 row1 = uvec2(0);
  uvec2 row2 = uvec2(0);
  uvec2 row3 = uvec2(0);
  uvec2 row4 = uvec2(0);
  uvec2 row5 = uvec2(0);
  for (int line = -3; line < count + 3; ++line) {
    const uvec2 row6 = FilterRow(RowAt(first + line), horizontal);
    if (line >= 3) {
      const vec4 sum =
          Fields(row0 + row6) * vertical.x + Fields(row1 + row5) * vertical.y +
          Fields(row2 + row4) * vertical.z + Fields(row3) * vertical.w;
      Put(uint(line - 3),
          clamp(floor((sum + 128 * LOWEST) * (1.0 / 2048) + 0.5), 1024.0,
                1024.0 + SAMPLE_MAX));
    }
    row0 = row1;
    row1 = row2;
    row2 = row3;
    row3 = row4;
    row4 = row5;
    row5 = row6;
  }
}

void main() {
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> LANES_LOG2);
  const uint lane = gl_GlobalInvocationID.x & (RECORD_LANES - 1);
  if (record < dispatch.end && BeginLane(record, lane)) FilterLane();
}
