// SPDX-License-Identifier: BSD-2-Clause
// Super-resolution (AV1 7.16), of one plane: lines upscaled horizontally.
//
// Reads: the target, or line buffers (the frame's tables), filters (the frame's
// tables). Writes: scratch, which super_res_copy.comp brings to the target; or
// line buffers.
// Work item: a word of an upscaled line; a workgroup has 16 of them side by
// side, in as many lines as its lanes allow. Order: any.
//
// All values are whole and below 2^24: floats are exact.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/av1/super_res_dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_UPSCALE_PLANE) const uint PLANE = 0;
layout(constant_id = PERDIX_CONSTANT_UPSCALE_SAVED) const uint SAVED = 0;
layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { SuperResConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uint target[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) writeonly buffer Results {
  uint results[];
};
layout(std430, binding = PERDIX_BINDING_FRAME_TABLES) buffer Tables {
  uint tables[];
};

// Pixels of a word; one of chroma has two samples.
const uint PIXELS = WORD_SAMPLES >> PLANE;
const uint PIXEL_BITS = 32 / PIXELS;
// Words with the sources of a word's pixels: eight pixels, and up to two words.
#define MOST_SOURCES 10

uint WordOf(UpscaleLinesAt lines, uint line) {
  return lines.begin + line / 4 * lines.slot + line % 4 * lines.stride;
}

// A word of the line that begins at such a word. Beyond what is there the first
// and the last pixel go on; a line has a multiple of four pixels, so no word has
// some on both sides.
uint SourceAt(uint line, int index) {
  const int last = dispatch.last_source / int(PIXELS);
  const uint at = line + uint(clamp(index, 0, last));
  const uint word = SAVED != 0 ? tables[at] : target[at];
  const uint pixel = index < 0 ? word : word >> (32 - PIXEL_BITS);
  const uint pixels = PIXELS == 4   ? (pixel & 0xffu) * 0x01010101u
                      : PIXELS == 2 ? (pixel & 0xffffu) | (pixel << 16)
                                    : pixel;
  return index >= 0 && index <= last ? word : pixels;
}

// The sources of the lane's pixels: words of the line, from <begin> on. As
// globals with constant sizes they are registers.
uint sources[MOST_SOURCES];
int begin;

int PositionOf(uint x) { return dispatch.position + int(x) * dispatch.step; }
// The pixel of its first tap.
int FirstTap(int position) { return (position >> 14) - 3; }

// x: the first pixel.
void LoadSources(uint line, uint x) {
  begin = FirstTap(PositionOf(x)) >> (PIXELS / 2);
  [[unroll]] for (uint i = 0; i < MOST_SOURCES; ++i) {
    sources[i] = SourceAt(line, begin + int(i));
  }
}

vec2 TapsOf(uint word) { return vec2(int(word << 16) >> 16, int(word) >> 16); }

// A word's pixel; of luma its sample twice.
vec2 PixelOf(uint word, uint i) {
  const uint samples = word >> (i * PIXEL_BITS);
  const uint second = PLANE == 0 ? samples : samples >> (8 * SAMPLE_BYTES);
  return vec2(samples & uint(SAMPLE_MAX), second & uint(SAMPLE_MAX));
}

// Pixel x of the upscaled line. Its sources begin within two words from
// <begin> on.
uint Upscaled(uint x) {
  const int position = PositionOf(x);
  const uint phase = (uint(position) >> 8) % PERDIX_UPSCALE_PHASES;
  const uint taps = dispatch.taps + phase * PERDIX_UPSCALE_WORDS;
  const uint ahead = uint(FirstTap(position) - begin * int(PIXELS));
  const bool next = ahead >= PIXELS;
  const uint shift = ahead % PIXELS * PIXEL_BITS;
  vec2 sum = vec2(0.5 * 128);
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    const uint of = i / PIXELS;
    const uint low = next ? sources[of + 1] : sources[of];
    const uint high = next ? sources[of + 2] : sources[of + 1];
    // Without a shift nothing of the higher word.
    const uint word = (low >> shift) | ((high << 1) << (31 - shift));
    sum += PixelOf(word, i % PIXELS) * TapsOf(tables[taps + i / 2])[i % 2];
  }
  const uvec2 samples =
      uvec2(clamp(floor(sum * (1.0 / 128)), 0.0, float(SAMPLE_MAX)));
  return PLANE == 0 ? samples.x
                    : samples.x | (samples.y << (8 * SAMPLE_BYTES));
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint column = gl_WorkGroupID.x * PERDIX_UPSCALE_COLUMNS +
                      lane % PERDIX_UPSCALE_COLUMNS;
  const uint line = gl_WorkGroupID.y * (LANES / PERDIX_UPSCALE_COLUMNS) +
                    lane / PERDIX_UPSCALE_COLUMNS;
  if (column >= dispatch.words || line >= dispatch.lines) return;
  const uint x = column * PIXELS;
  LoadSources(WordOf(dispatch.from, line), x);
  uint word = Upscaled(x);
  if (PIXELS > 1) word |= Upscaled(x + 1) << PIXEL_BITS;
  if (PIXELS > 2) word |= (Upscaled(x + 2) << 16) | (Upscaled(x + 3) << 24);
  const uint to = WordOf(dispatch.to, line) + column;
  if (SAVED != 0) {
    tables[to] = word;
  } else {
    results[to] = word;
  }
}
