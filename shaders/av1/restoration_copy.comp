// SPDX-License-Identifier: BSD-2-Clause
// Brings what loop restoration has filtered into the target.
//
// Reads: records (RestorationCopy), results (scratch), the target. Writes: the
// target.
// Work item: a group of each line of a cell, by a lane; cells dispatch.first
// on. Order: any, after the dispatches that filter: they read the target as it
// was.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/restoration.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) buffer Luma {
  GROUP luma[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer Chroma {
  PIXELS chroma[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) readonly buffer Results {
  GROUP results[];
};

// All bits of the fields below count, each of so many bits.
uint FieldsBelow(uint count, uint bits) {
  return count * bits < 32 ? (1u << (count * bits)) - 1 : ~0u;
}
uint Without(uint count, uint less) { return count - min(count, less); }

// All bits of the first pixels, up to four.
#if SAMPLE_BITS == 8
GROUP GroupBits(uint pixels) { return FieldsBelow(pixels, 8); }
PIXELS PixelBits(uint pixels) {
  return uvec2(FieldsBelow(pixels, 16), FieldsBelow(Without(pixels, 2), 16));
}
#else
GROUP GroupBits(uint pixels) {
  return uvec2(FieldsBelow(pixels, 16), FieldsBelow(Without(pixels, 2), 16));
}
PIXELS PixelBits(uint pixels) {
  return uvec4(FieldsBelow(pixels, 32), FieldsBelow(Without(pixels, 1), 32),
               FieldsBelow(Without(pixels, 2), 32),
               FieldsBelow(Without(pixels, 3), 32));
}
#endif

#if SAMPLE_BITS == 8
const uint U_BITS = 0x00ff00ffu;
PIXELS UPixels(GROUP u) { return uvec2(Even(u), Odd(u)); }
PIXELS VPixels(GROUP v) { return UPixels(v) << 8; }
#else
const uint U_BITS = 0x0000ffffu;
PIXELS UPixels(GROUP u) {
  return uvec4(u.x & 0xffffu, u.x >> 16, u.y & 0xffffu, u.y >> 16);
}
PIXELS VPixels(GROUP v) { return UPixels(v) << 16; }
#endif

void CopyLane(RestorationCopy copy, uint lane) {
  const uint group = RestorationColumn(copy.place) * RECORD_LANES + lane;
  if (4 * group >= dispatch.width) return;
  const uint y = StripeBegin(RestorationStripe(copy.place)) +
                 RestorationFirstLine(copy.lines);
  const uint count = RestorationLineCount(copy.lines);
  const uint pixels_left = dispatch.width - 4 * group;
  const GROUP kept = ~GroupBits(pixels_left);
  const PIXELS u_bits = PixelBits(pixels_left) & U_BITS;
  const PIXELS v_bits = PixelBits(pixels_left) & ~U_BITS;
  for (uint line = 0; line < count; ++line) {
    const uint to =
        (dispatch.offset + (y + line) * dispatch.stride) / PIXELS_WORDS + group;
    const uint from = line * RECORD_LANES + lane;
    if (PLANE == 0) {
      GROUP filtered = results[copy.results0 + from];
      // What is not of the plane stays as it is.
      if (pixels_left < 4) filtered = (luma[to] & kept) | (filtered & ~kept);
      luma[to] = filtered;
      continue;
    }
    PIXELS pixels = chroma[to];
    if (copy.results0 != PERDIX_NO_RESULTS) {
      pixels = (pixels & ~u_bits) |
               (UPixels(results[copy.results0 + from]) & u_bits);
    }
    if (copy.results1 != PERDIX_NO_RESULTS) {
      pixels = (pixels & ~v_bits) |
               (VPixels(results[copy.results1 + from]) & v_bits);
    }
    chroma[to] = pixels;
  }
}

void main() {
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> LANES_LOG2);
  const uint lane = gl_GlobalInvocationID.x & (RECORD_LANES - 1);
  if (record >= dispatch.end) return;
  const uint at = dispatch.records + record * 4;
  CopyLane(RestorationCopy(records[at], records[at + 1], records[at + 2],
                           records[at + 3]),
           lane);
}
