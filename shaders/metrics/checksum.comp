// SPDX-License-Identifier: BSD-2-Clause
// Checksum of a picture (kernels/metrics/checksum.cc), any size of samples.
//
// Reads: the target. Writes: partials.
// Work item: a tile; in y the tiles of luma, then those of chroma. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/metrics/tile.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uvec4 target[];
};

uvec2 Terms(uint word, uint key) {
  return uvec2(ChecksumLow(word, key), ChecksumHigh(word, key));
}

void main() {
  PlaneRegion region = metrics.planes[0];
  uvec2 tile = gl_WorkGroupID.xy;
  uint first_word = 0;
  const uint luma_tiles = (region.rows + PERDIX_METRICS_TILE_ROWS - 1) /
                          PERDIX_METRICS_TILE_ROWS;
  if (tile.y >= luma_tiles) {
    first_word = region.row_bytes / 4 * region.rows;
    region = metrics.planes[1];
    tile.y -= luma_tiles;
  }

  const TilePart part = PartOf(region, tile);
  const uint row_words = region.row_bytes / 4;
  uint key = ChecksumKey(first_word + part.row * row_words + part.x / 4);
  const uint key_step = ChecksumKey(ROWS_AT_ONCE * row_words);
  uint at = FirstOf(region, part);
  uvec2 left = uvec2(0);
  uvec2 right = uvec2(0);
  for (uint i = 0; i < part.rows; ++i) {
    const uvec4 words = target[at];
    left += Terms(words.x, key) + Terms(words.y, key + PERDIX_CHECKSUM_STEP);
    right += Terms(words.z, key + 2 * PERDIX_CHECKSUM_STEP) +
             Terms(words.w, key + 3 * PERDIX_CHECKSUM_STEP);
    at += ROWS_AT_ONCE * (region.stride >> 4);
    key += key_step;
  }
  // Rows end at multiples of 8 bytes.
  const bool whole = part.x + COLUMN_BYTES <= region.row_bytes;
  StorePartial(0, WorkgroupSum(left + (whole ? right : uvec2(0))));
}
