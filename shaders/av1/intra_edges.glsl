// SPDX-License-Identifier: BSD-2-Clause
// The edges of a block in shared memory (7.11.2): AboveRow and LeftCol from
// index -1 on, as they are read, filtered and upsampled. After each step
// barrier() must come.
#ifndef PERDIX_SHADERS_AV1_INTRA_EDGES_GLSL_
#define PERDIX_SHADERS_AV1_INTRA_EDGES_GLSL_

#include "shaders/av1/intra_pred.glsl"

#define ABOVE 0u
#define LEFT 1u

const bool DIRECTS = PROGRAM == PERDIX_INTRA_PROGRAM_DIRECTIONAL;
const bool FILTERS = PROGRAM == PERDIX_INTRA_PROGRAM_FILTER;

// A word of luma has a pixel of either edge; of chroma each edge has its own
// words. A direction looks at as many pixels of an edge as the block is wide and
// high, others at those beside the block. More than these are read, so that no
// lane must ask, but not used.
const int MOST_SIZE = CHROMA || FILTERS ? 32 : 64;
#define EDGE_ORIGIN 4
const int EDGE_SIZE = EDGE_ORIGIN + (DIRECTS ? 2 * MOST_SIZE : MOST_SIZE) + 4;
const int EDGE_WORDS = CHROMA ? 2 * EDGE_SIZE : EDGE_SIZE;
// A step reads one copy and writes the other.
const int EDGE_COPIES = DIRECTS ? 2 : 1;
shared uint edges[BLOCKS * EDGE_COPIES * EDGE_WORDS];

int EdgeBegin(int copy) {
  return (int(BlockNumber()) * EDGE_COPIES + copy) * EDGE_WORDS + EDGE_ORIGIN;
}

uint EdgePixel(int copy, uint side, int i) {
  const int at = EdgeBegin(copy) + i;
  return CHROMA ? edges[at + int(side) * EDGE_SIZE]
                : (edges[at] >> (16 * side)) & 0xffffu;
}
uint Above(int i) { return EdgePixel(0, ABOVE, i); }
uint Left(int i) { return EdgePixel(0, LEFT, i); }

void PutEdges(int copy, int i, uint above, uint left) {
  const int at = EdgeBegin(copy) + i;
  if (CHROMA) {
    edges[at] = above;
    edges[at + EDGE_SIZE] = left;
  } else {
    edges[at] = above | (left << 16);
  }
}

// ---- reading ----

// Pixels above right and below left that are decoded.
ivec2 DecodedBeyond(Block block) {
  if (!DIRECTS) return ivec2(0);
  return 4 * ivec2(PredictAboveRight(block.payload),
                   PredictBelowLeft(block.payload));
}

// The pixel at such a place, from the block's first one on; none: what stands
// for it where there is neither a left nor an above.
uint Surrounding(Block block, ivec2 from, uint none) {
  uint pixel = none * EACH;
  if (block.left || block.above) pixel = FetchPixel(block.at + from);
  return pixel;
}

uint ReadAbove(Block block, int i) {
  const int last = min(block.left_over.x,
                       block.width + DecodedBeyond(block).x) - 1;
  return Surrounding(block, block.above ? ivec2(min(i, last), -1) : ivec2(-1, 0),
                     BASE - 1);
}

uint ReadLeft(Block block, int i) {
  const int last = min(block.left_over.y,
                       block.height + DecodedBeyond(block).y) - 1;
  return Surrounding(block, block.left ? ivec2(-1, min(i, last)) : ivec2(0, -1),
                     BASE + 1);
}

uint ReadCorner(Block block) {
  const int x = block.left ? -1 : 0;
  return Surrounding(block, block.above ? ivec2(x, -1) : ivec2(-1, 0), BASE);
}

// Reads what the block needs of both edges, count pixels and the corner.
// Returns the lane's part of the sum of pixels 0..width - 1 above and
// 0..height - 1 to the left, of those that exist.
uint ReadEdges(Block block, int count) {
  uint sum = 0;
  for (int i = int(Lane()) - 1; i < count; i += int(BLOCK_LANES)) {
    uint above = 0;
    uint left = 0;
    if (i < 0) {
      if (Has(block, PERDIX_INTRA_ITEM_CORNER)) above = ReadCorner(block);
      left = above;
    } else {
      if (Has(block, PERDIX_INTRA_ITEM_ABOVE)) above = ReadAbove(block, i);
      if (Has(block, PERDIX_INTRA_ITEM_LEFT)) left = ReadLeft(block, i);
      if (block.above && i < block.width) sum += above;
      if (block.left && i < block.height) sum += left;
    }
    PutEdges(0, i, above, left);
  }
  return sum;
}

// ---- filter and upsampling, for directions ----

// Pixels of an edge that a direction may look at.
ivec2 EdgeLengths(Block block) {
  const uint from = DirectionFrom(block.detail);
  return ivec2(
      block.width + (from == PERDIX_DIRECTION_ABOVE ? block.height : 0),
      block.height + (from == PERDIX_DIRECTION_LEFT ? block.width : 0));
}

// 7.11.2.7.
uint Corner(Block block) {
  const uint corner = Above(-1);
  const uint sum = 5 * Left(0) + 6 * corner + 5 * Above(0);
  return DirectionCorner(block.detail) == 0
             ? corner
             : ((sum + 8 * EACH) >> 4) & (SAMPLE_MAX * EACH);
}

// 7.11.2.12: pixel i of an edge whose last one that is filtered, or read for
// it, is <last>.
uint FilteredPixel(Block block, uint side, int i, int last, uint corner) {
  const uint strength = DirectionStrength(block.detail, side);
  uint pixel = EdgePixel(0, side, i);
  if (strength != 0 && i <= last) {
    // Taps of the pixel itself, its neighbours, and theirs.
    const uint own = strength == 1 ? 8 : strength == 2 ? 6 : 4;
    const uint near = strength == 2 ? 5 : 4;
    const uint far = strength == 3 ? 2 : 0;
    uint sum = own * pixel + 8 * EACH;
    [[unroll]] for (int distance = 1; distance <= 2; ++distance) {
      const int before = max(i - distance, -1);
      const int after = min(i + distance, last);
      const uint pair = (before < 0 ? corner : EdgePixel(0, side, before)) +
                        EdgePixel(0, side, after);
      sum += (distance == 1 ? near : far) * pair;
    }
    pixel = (sum >> 4) & (SAMPLE_MAX * EACH);
  }
  return pixel;
}

// Step 4 of 7.11.2.4 but for the upsampling: from copy 0 to copy 1.
void FilterEdges(Block block) {
  const uint corner = Corner(block);
  const ivec2 visible = min(ivec2(block.width, block.height), block.left_over);
  const ivec2 last =
      visible - ivec2(block.width, block.height) + EdgeLengths(block) - 1;
  const int count = block.width + block.height;
  for (int i = int(Lane()) - 1; i < count; i += int(BLOCK_LANES)) {
    uint above = corner;
    uint left = corner;
    if (i >= 0) {
      above = FilteredPixel(block, ABOVE, i, last.x, corner);
      left = FilteredPixel(block, LEFT, i, last.y, corner);
    }
    PutEdges(1, i, above, left);
  }
}

bool Upsamples(Block block) {
  return (DirectionUpsamples(block.detail, ABOVE) |
          DirectionUpsamples(block.detail, LEFT)) != 0;
}

// 7.11.2.11: entry i of the edge of so many pixels, from -2 on.
uint UpsampledPixel(Block block, uint side, int i, int count) {
  uint pixel = EdgePixel(1, side, max(i, -1));
  if (DirectionUpsamples(block.detail, side) != 0) {
    const int next = (i + 1) >> 1;
    const uint near = EdgePixel(1, side, max(next - 1, -1)) +
                      EdgePixel(1, side, min(next, count - 1));
    const uint far = EdgePixel(1, side, max(next - 2, -1)) +
                     EdgePixel(1, side, min(next + 1, count - 1));
    // With a bias, so that fields stay positive.
    const uint sum = 9 * near + (16 * SAMPLE_RANGE + 8) * EACH - far;
    pixel = (i & 1) == 0
                ? EdgePixel(1, side, clamp(i >> 1, -1, count - 1))
                : ClampPair((sum >> 4) & ((4 * SAMPLE_RANGE - 1) * EACH));
  }
  return pixel;
}

// From copy 1 to copy 0. The edges have up to 16 pixels.
void UpsampleEdges(Block block) {
  const ivec2 lengths = EdgeLengths(block);
  for (int i = int(Lane()) - 2; i < 32; i += int(BLOCK_LANES)) {
    PutEdges(0, i, UpsampledPixel(block, ABOVE, i, lengths.x),
             UpsampledPixel(block, LEFT, i, lengths.y));
  }
}

#endif  // PERDIX_SHADERS_AV1_INTRA_EDGES_GLSL_
