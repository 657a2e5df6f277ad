// SPDX-License-Identifier: BSD-2-Clause
// Brings what loop restoration has filtered into the target.
//
// Reads: records (RestorationCopy), results (scratch), the target. Writes: the
// target.
// Work item: a group of each line of a cell, by a lane; cells dispatch.first
// on. Order: any, after the dispatches that filter: they read the target as it
// was.
#version 450
#extension GL_EXT_control_flow_attributes : require
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

// A lane loads so many lines before it stores any: V3D waits for all of them at
// once. For more it has not the registers.
#define LUMA_LINES 4
#define CHROMA_LINES 2

// The lane's groups of a cell.
struct Groups {
  uint to;    // of the target, in the first line
  uint from;  // the same of the results, before those of a component
  uint last;  // line
  uint pixels_left;
};

uint TargetAt(Groups groups, uint line) {
  return groups.to + min(line, groups.last) * (dispatch.stride / PIXELS_WORDS);
}
uint ResultAt(Groups groups, uint line) {
  return groups.from + min(line, groups.last) * RECORD_LANES;
}

// Lines from <line> on. Behind the last one it is done again.
void CopyLuma(RestorationCopy copy, Groups groups, uint line) {
  const GROUP kept = ~GroupBits(groups.pixels_left);
  GROUP filtered[LUMA_LINES];
  [[unroll]] for (uint i = 0; i < LUMA_LINES; ++i) {
    filtered[i] = results[copy.results0 + ResultAt(groups, line + i)];
  }
  // What is not of the plane stays as it is.
  if (groups.pixels_left < 4) {
    [[unroll]] for (uint i = 0; i < LUMA_LINES; ++i) {
      const GROUP own = luma[TargetAt(groups, line + i)];
      filtered[i] = (own & kept) | (filtered[i] & ~kept);
    }
  }
  [[unroll]] for (uint i = 0; i < LUMA_LINES; ++i) {
    luma[TargetAt(groups, line + i)] = filtered[i];
  }
}

// at: of a component's results. Where there are none, the other's are read, and
// nothing is taken of them.
uint ResultsOf(uint at, uint other) {
  return at == PERDIX_NO_RESULTS ? other : at;
}
PIXELS BitsOf(uint at, PIXELS bits) {
  return at == PERDIX_NO_RESULTS ? PIXELS(0) : bits;
}

void CopyChroma(RestorationCopy copy, Groups groups, uint line) {
  const PIXELS bits = PixelBits(groups.pixels_left);
  const PIXELS u_bits = BitsOf(copy.results0, bits & U_BITS);
  const PIXELS v_bits = BitsOf(copy.results1, bits & ~U_BITS);
  const uint u_results = ResultsOf(copy.results0, copy.results1);
  const uint v_results = ResultsOf(copy.results1, copy.results0);
  PIXELS pixels[CHROMA_LINES];
  [[unroll]] for (uint i = 0; i < CHROMA_LINES; ++i) {
    const uint result = ResultAt(groups, line + i);
    const GROUP u = results[u_results + result];
    const GROUP v = results[v_results + result];
    pixels[i] = (chroma[TargetAt(groups, line + i)] & ~(u_bits | v_bits)) |
                (UPixels(u) & u_bits) | (VPixels(v) & v_bits);
  }
  [[unroll]] for (uint i = 0; i < CHROMA_LINES; ++i) {
    chroma[TargetAt(groups, line + i)] = pixels[i];
  }
}

void CopyLane(RestorationCopy copy, uint lane) {
  const uint group = RestorationColumn(copy.place) * RECORD_LANES + lane;
  if (4 * group >= dispatch.width) return;
  const uint y = StripeBegin(RestorationStripe(copy.place)) +
                 RestorationFirstLine(copy.lines);
  const uint count = RestorationLineCount(copy.lines);
  const Groups groups = Groups(
      (dispatch.offset + y * dispatch.stride) / PIXELS_WORDS + group, lane,
      count - 1, dispatch.width - 4 * group);
  uint line = 0;
  do {
    if (PLANE == 0) {
      CopyLuma(copy, groups, line);
      line += LUMA_LINES;
    } else {
      CopyChroma(copy, groups, line);
      line += CHROMA_LINES;
    }
  } while (line < count);
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
