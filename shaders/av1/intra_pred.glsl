// SPDX-License-Identifier: BSD-2-Clause
// What the parts of intra_pred.comp have in common: the block, its lanes, and
// pixels of the target, of luma beyond it, and of the residual.
//
// A pixel is a word of two 16-bit fields: U and V, or luma in the lower one.
#ifndef PERDIX_SHADERS_AV1_INTRA_PRED_GLSL_
#define PERDIX_SHADERS_AV1_INTRA_PRED_GLSL_

#include "kernels/shared/av1/intra_dispatch.h"
#include "kernels/shared/av1/work_lists.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_INTRA_PROGRAM) const uint KIND = 0;
layout(constant_id = PERDIX_CONSTANT_INTRA_BLOCK_LANES) const uint BLOCK_LANES =
    16;
layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

const bool CHROMA = KIND >= PERDIX_INTRA_CHROMA;
const uint PROGRAM = CHROMA ? KIND - PERDIX_INTRA_CHROMA : KIND;
const uint BLOCKS = LANES / BLOCK_LANES;  // of a workgroup
const uint COMPONENTS = CHROMA ? 2 : 1;
const uint EACH = CHROMA ? BOTH : 1u;  // 1 in each component of a pixel
const uint BASE = 1u << (SAMPLE_BITS - 1);

layout(push_constant) uniform Constants { IntraConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uvec4 records[];  // IntraItem: position, shape, detail, flags
};
layout(std430, binding = PERDIX_BINDING_COEFFICIENTS) readonly buffer
    Coefficients {
  uint coefficients[];
};
layout(std430, binding = PERDIX_BINDING_FRAME_TABLES) readonly buffer Tables {
  uint tables[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer Target {
  uint target[];
};
// Luma beyond the decoded area, and the residual.
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Scratch {
  uint scratch[];
};

// ---- lanes ----

uint Lane() { return gl_LocalInvocationIndex % BLOCK_LANES; }
uint BlockNumber() { return gl_LocalInvocationIndex / BLOCK_LANES; }

// ---- the block ----

struct Block {
  uint kind;  // PERDIX_INTRA_*
  uint payload;
  uint detail;
  uint flags;
  bool left;   // haveLeft of 7.11.2
  bool above;  // haveAbove
  int width_log2;
  int width;  // pixels
  int height;
  ivec2 at;    // of the plane
  ivec2 left_over;  // pixels from there to the end of the decoded area
};

Block BlockOf(uvec4 item) {
  Block block;
  block.kind = IntraKind(item.y);
  block.payload = IntraPayload(item.y);
  block.detail = item.z;
  block.flags = item.w;
  const uint have = IntraHave(item.y);
  block.left = (have & PERDIX_INTRA_HAVE_LEFT) != 0;
  block.above = (have & PERDIX_INTRA_HAVE_ABOVE) != 0;
  block.width_log2 = int(IntraWidthLog2(item.y));
  block.width = 1 << block.width_log2;
  block.height = 1 << IntraHeightLog2(item.y);
  block.at = 4 * ivec2(PositionX4(item.x), PositionY4(item.x));
  block.left_over = ivec2(dispatch.width, dispatch.height) - block.at;
  return block;
}

bool Has(Block block, uint flag) { return (block.flags & flag) != 0; }

// Fours of pixels: of the block, and of those before it in raster order.
int Quads(Block block) { return block.width * block.height >> 2; }
ivec2 QuadAt(Block block, int quad) {
  const int log2 = block.width_log2 - 2;
  return ivec2((quad & ((1 << log2) - 1)) << 2, quad >> log2);
}

// ---- pixels of the target ----

// The word of the target that has a pixel of the plane, and where in it.
#if SAMPLE_BITS == 8
#define PIXELS_LOG2 (CHROMA ? 1 : 2)
#define PIXEL_BITS (CHROMA ? 16 : 8)
#else
#define PIXELS_LOG2 (CHROMA ? 0 : 1)
#define PIXEL_BITS (CHROMA ? 32 : 16)
#endif
const uint WORDS = 4 >> PIXELS_LOG2;  // of four pixels

uint PixelOfWord(uint word, int number) {
  const uint shifted = CHROMA && SAMPLE_BITS == 10
                           ? word
                           : word >> (number * (PIXEL_BITS & 31));
#if SAMPLE_BITS == 8
  return CHROMA ? (shifted & 0xffu) | ((shifted & 0xff00u) << 8)
                : shifted & 0xffu;
#else
  return CHROMA ? shifted : shifted & 0xffffu;
#endif
}

// at: in the plane, in the decoded area.
uint FetchPixel(ivec2 at) {
  const int in_word = at.x & ((1 << PIXELS_LOG2) - 1);
  return PixelOfWord(target[dispatch.offset + uint(at.y) * dispatch.stride +
                            uint(at.x >> PIXELS_LOG2)],
                     in_word);
}

// A word of four pixels as the target has them.
uint WordOf(uvec4 pixels, int word) {
#if SAMPLE_BITS == 8
  if (!CHROMA) {
    return pixels.x | (pixels.y << 8) | (pixels.z << 16) | (pixels.w << 24);
  }
  const uvec2 two = word == 0 ? pixels.xy : pixels.zw;
  const uvec2 bytes = (two | (two >> 8)) & 0xffffu;
  return bytes.x | (bytes.y << 16);
#else
  if (!CHROMA) {
    return word == 0 ? pixels.x | (pixels.y << 16)
                     : pixels.z | (pixels.w << 16);
  }
  return word < 2 ? (word == 0 ? pixels.x : pixels.y)
                  : (word == 2 ? pixels.z : pixels.w);
#endif
}

// ---- luma beyond the decoded area ----

// Where the scratch memory has luma right of or below the decoded area, whose
// size this is. at.x: of a word's first sample.
uint OverhangWord(ivec2 at, ivec2 size) {
  if (at.x >= size.x) {
    return dispatch.beside +
           (uint(at.y) * PERDIX_INTRA_OVERHANG + uint(at.x - size.x)) /
               WORD_SAMPLES;
  }
  return dispatch.below +
         (uint(at.y - size.y) * uint(size.x) + uint(at.x)) / WORD_SAMPLES;
}

// Luma that sticks out is kept where chroma may be predicted from it.
bool KeepsOverhang(Block block) {
  return !CHROMA && block.kind != PERDIX_INTRA_INTER &&
         max(block.width, block.height) <= PERDIX_INTRA_OVERHANG;
}

// ---- quads: four pixels of a row ----

bool IsVisible(Block block, ivec2 quad) {
  return all(lessThan(quad, block.left_over));
}

uint TargetWord(Block block, ivec2 quad) {
  const ivec2 at = block.at + quad;
  return dispatch.offset + uint(at.y) * dispatch.stride +
         uint(at.x >> PIXELS_LOG2);
}

// What is there, of a block that may stick out.
uvec4 ReadQuad(Block block, ivec2 quad) {
  const bool visible = IsVisible(block, quad);
  const bool beyond = !visible && KeepsOverhang(block);
  uvec4 words = uvec4(0);
  if (visible) {
    const uint from = TargetWord(block, quad);
    words.x = target[from];
    if (WORDS > 1) words.y = target[from + 1];
    if (WORDS > 2) {
      words.z = target[from + 2];
      words.w = target[from + 3];
    }
  } else if (beyond) {
    const uint from = OverhangWord(block.at + quad,
                                   ivec2(dispatch.width, dispatch.height));
    words.x = scratch[from];
    if (WORDS > 1) words.y = scratch[from + 1];
  }
  uvec4 pixels;
  [[unroll]] for (int k = 0; k < 4; ++k) {
    pixels[k] = PixelOfWord(words[k >> PIXELS_LOG2],
                            k & ((1 << PIXELS_LOG2) - 1));
  }
  return pixels;
}

void WriteQuad(Block block, ivec2 quad, uvec4 pixels) {
  if (IsVisible(block, quad)) {
    const uint to = TargetWord(block, quad);
    [[unroll]] for (uint word = 0; word < 4; ++word) {
      if (word < WORDS) target[to + word] = WordOf(pixels, int(word));
    }
  } else if (KeepsOverhang(block)) {
    const uint to = OverhangWord(block.at + quad,
                                 ivec2(dispatch.width, dispatch.height));
    scratch[to] = WordOf(pixels, 0);
    if (WORDS > 1) scratch[to + 1] = WordOf(pixels, 1);
  }
}

// ---- the residual ----

// Four values of a row, each with a bias of SAMPLE_RANGE
// (kernels/shared/av1/residual_dispatch.h).
uvec4 ResidualQuad(Block block, uint plane, ivec2 quad) {
  const ivec2 at = block.at + quad;
  const uint word = plane + uint(at.y) * dispatch.residual_stride +
                    uint(at.x >> 1);
  const uint a = scratch[word];
  const uint b = scratch[word + 1];
  return uvec4(a & 0xffffu, a >> 16, b & 0xffffu, b >> 16);
}

uvec4 AddResidual(Block block, ivec2 quad, uvec4 pixels) {
  if ((block.flags &
       (PERDIX_INTRA_ITEM_RESIDUAL0 | PERDIX_INTRA_ITEM_RESIDUAL1)) == 0) {
    return pixels;
  }
  uvec4 values = uvec4(SAMPLE_RANGE);
  if (Has(block, PERDIX_INTRA_ITEM_RESIDUAL0)) {
    values = ResidualQuad(block, dispatch.residual0, quad);
  }
  if (CHROMA) {
    uvec4 v = uvec4(SAMPLE_RANGE);
    if (Has(block, PERDIX_INTRA_ITEM_RESIDUAL1)) {
      v = ResidualQuad(block, dispatch.residual1, quad);
    }
    values |= v << 16;
  }
  [[unroll]] for (int k = 0; k < 4; ++k) {
    pixels[k] = ClampPair(pixels[k] + values[k]);
  }
  return pixels;
}

void FinishQuad(Block block, ivec2 quad, uvec4 pixels) {
  WriteQuad(block, quad, AddResidual(block, quad, pixels));
}

#endif  // PERDIX_SHADERS_AV1_INTRA_PRED_GLSL_
