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

// A line filtered horizontally.
vec4 FilterRow(Row row, vec4 taps) {
  const vec4 a = HalvesOf(row.before);
  const vec4 b = HalvesOf(row.own);
  const vec4 c = HalvesOf(row.after);
  const vec4 sum = taps.w * b +
                   taps.z * (vec4(a.w, b.xyz) + vec4(b.yzw, c.x)) +
                   taps.y * (vec4(a.zw, b.xy) + vec4(b.zw, c.xy)) +
                   taps.x * (vec4(a.yzw, b.x) + vec4(b.w, c.xyz));
  return clamp(floor(sum * (1.0 / 8) + 0.5), LOWEST, HIGHEST);
}

// Each line is added to the sums of the seven results that it counts for, of
// which one is complete then.
void FilterLane() {
  const vec4 vertical = TapsOf(item.filter0);
  const vec4 horizontal = TapsOf(item.filter1);
  const int first = int(RestorationFirstLine(item.lines));
  const int count = int(RestorationLineCount(item.lines));
  vec4 sum0 = vec4(0);  // complete but for one line
  vec4 sum1 = vec4(0);
  vec4 sum2 = vec4(0);
  vec4 sum3 = vec4(0);
  vec4 sum4 = vec4(0);
  vec4 sum5 = vec4(0);
  for (int line = -3; line < count + 3; ++line) {
    const vec4 row = FilterRow(RowAt(first + line), horizontal);
    const vec4 product0 = row * vertical.x;
    const vec4 product1 = row * vertical.y;
    const vec4 product2 = row * vertical.z;
    const vec4 done = sum0 + product0;
    sum0 = sum1 + product1;
    sum1 = sum2 + product2;
    sum2 = sum3 + row * vertical.w;
    sum3 = sum4 + product2;
    sum4 = sum5 + product1;
    sum5 = product0;
    if (line < 3) continue;
    Put(uint(line - 3), clamp(floor(done * (1.0 / 2048) + 0.5), 1024.0,
                              1024.0 + SAMPLE_MAX));
  }
}

void main() {
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> LANES_LOG2);
  const uint lane = gl_GlobalInvocationID.x & (RECORD_LANES - 1);
  if (record < dispatch.end && BeginLane(record, lane)) FilterLane();
}
