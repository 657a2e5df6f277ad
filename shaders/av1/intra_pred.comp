// SPDX-License-Identifier: BSD-2-Clause
// What AV1 does in decoding order: intra prediction (7.11.2), chroma from luma
// (7.11.5), palettes (7.11.4) and the blending of inter-intra blocks
// (7.11.3.14), each followed by the block's residual, which lies in the scratch
// memory.
//
// Reads: records (IntraItem), the residual, palettes, tables, the target left
// of and above the block. Writes: the target, and luma beyond it.
// Work item: an item by BLOCK_LANES lanes, of which a workgroup has those of one
// block or more; chroma: U and V. Items dispatch.first to end - 1. Order: one
// step for each wave; the items of a wave are independent, what they read comes
// from earlier ones.
//
// A program does the records of a kind, so that all its lanes meet at the same
// barriers. Lanes without an item do as if they had the last one, but for
// writing.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/intra_pred.glsl"
#include "shaders/av1/intra_edges.glsl"

#define DC_PRED 0u
#define V_PRED 1u
#define H_PRED 2u
#define SMOOTH_PRED 9u
#define SMOOTH_V_PRED 10u
#define SMOOTH_H_PRED 11u

uint Field(uint pixel, uint component) {
  return (pixel >> (16 * component)) & 0xffffu;
}

// ---- sums of a block's lanes ----

const bool SUMS = PROGRAM == PERDIX_INTRA_PROGRAM_PLAIN ||
                  PROGRAM == PERDIX_INTRA_PROGRAM_CFL;
shared uvec2 sums[SUMS ? LANES : 1];

uvec2 SumOfLanes(uvec2 value) {
  sums[gl_LocalInvocationIndex] = value;
  barrier();
  const uint first = BlockNumber() * BLOCK_LANES;
  uvec2 sum = uvec2(0);
  for (uint i = 0; i < BLOCK_LANES; ++i) sum += sums[first + i];
  return sum;
}

// 7.11.2.5. sum: of the pixels that exist.
uint Average(Block block, uint sum) {
  const uint count = uint((block.left ? block.height : 0) +
                          (block.above ? block.width : 0));
  uint average = BASE * EACH;
  if (count != 0) {
    average = 0;
    for (uint c = 0; c < COMPONENTS; ++c) {
      const uint of_component = CHROMA ? Field(sum, c) : sum;
      average |= (of_component + (count >> 1)) / count << (16 * c);
    }
  }
  return average;
}

// ---- PLAIN ----

uint TableByte(uint byte) {
  return (tables[dispatch.tables + (byte >> 2)] >> (8 * (byte & 3))) & 0xffu;
}

// 7.11.2.2.
uint Paeth(uint above, uint left, uint corner) {
  uint pixel = 0;
  for (uint c = 0; c < COMPONENTS; ++c) {
    const int a = int(Field(above, c));
    const int l = int(Field(left, c));
    const int k = int(Field(corner, c));
    const int to_left = abs(a - k);
    const int to_above = abs(l - k);
    const int to_corner = abs(a + l - 2 * k);
    const int nearest = to_left <= to_above && to_left <= to_corner ? l
                        : to_above <= to_corner                     ? a
                                                                    : k;
    pixel |= uint(nearest) << (16 * c);
  }
  return pixel;
}

// 7.11.2.6 of a pixel. weights: across and down.
uint Smooth(Block block, uint mode, ivec2 at, uvec2 weights) {
  const uint above = Above(at.x);
  const uint left = Left(at.y);
  const uint right = Above(block.width - 1);
  const uint bottom = Left(block.height - 1);
  uint pixel = 0;
  for (uint c = 0; c < COMPONENTS; ++c) {
    const uint across = weights.x * Field(left, c) +
                        (256 - weights.x) * Field(right, c);
    const uint down = weights.y * Field(above, c) +
                      (256 - weights.y) * Field(bottom, c);
    const uint one = ((mode == SMOOTH_V_PRED ? down : across) + 128) >> 8;
    const uint both = (across + down + 256) >> 9;
    pixel |= (mode == SMOOTH_PRED ? both : one) << (16 * c);
  }
  return pixel;
}

uvec4 PlainQuad(Block block, uint mode, uint dc, ivec2 quad) {
  const uint left = Left(quad.y);
  uvec4 pixels = uvec4(mode == DC_PRED ? dc : left);
  if (mode == V_PRED) {
    [[unroll]] for (int k = 0; k < 4; ++k) pixels[k] = Above(quad.x + k);
  } else if (mode >= SMOOTH_PRED && mode <= SMOOTH_H_PRED) {
    // Weights of each size lie at the size minus 4.
    const uint down = TableByte(uint(block.height - 4 + quad.y));
    const uint across =
        tables[dispatch.tables + (uint(block.width - 4 + quad.x) >> 2)];
    [[unroll]] for (int k = 0; k < 4; ++k) {
      pixels[k] = Smooth(block, mode, quad + ivec2(k, 0),
                         uvec2((across >> (8 * k)) & 0xffu, down));
    }
  } else if (mode > SMOOTH_H_PRED) {
    [[unroll]] for (int k = 0; k < 4; ++k) {
      pixels[k] = Paeth(Above(quad.x + k), left, Above(-1));
    }
  }
  return pixels;
}

// 7.11.3.14: over the inter prediction, which is there.
uvec4 Blend(Block block, ivec2 quad, int number, uvec4 intra) {
  const uint weights = tables[dispatch.tables + IntraPlainMask(block.detail) +
                              uint(number)];
  uvec4 pixels = ReadQuad(block, quad);
  [[unroll]] for (int k = 0; k < 4; ++k) {
    const uint weight = (weights >> (8 * k)) & 0xffu;
    const uint sum = weight * intra[k] + (64 - weight) * pixels[k];
    pixels[k] = ((sum + 32 * EACH) >> 6) & (SAMPLE_MAX * EACH);
  }
  return pixels;
}

void PredictPlainly(Block block, int quads) {
  const uint part = ReadEdges(block, max(block.width, block.height));
  const uint sum = SumOfLanes(uvec2(part, 0)).x;
  const uint dc = Average(block, sum);
  const uint mode = IntraPlainMode(block.detail);
  for (int i = int(Lane()); i < quads; i += int(BLOCK_LANES)) {
    const ivec2 quad = QuadAt(block, i);
    uvec4 pixels = PlainQuad(block, mode, dc, quad);
    if (block.kind == PERDIX_INTRA_INTER) {
      pixels = Blend(block, quad, i, pixels);
    }
    FinishQuad(block, quad, pixels);
  }
}

// ---- DIRECTIONAL (7.11.2.4) ----

uint DirectedPixel(Block block, ivec2 at) {
  const uint from = DirectionFrom(block.detail);
  const int dx = int(DirectionDx(block.detail));
  const int dy = int(DirectionDy(block.detail));
  // Places in both edges, 64ths of a pixel.
  const int in_above =
      64 * at.x + (from == PERDIX_DIRECTION_BOTH ? -dx : dx) * (at.y + 1);
  const int in_left =
      64 * at.y + (from == PERDIX_DIRECTION_BOTH ? -dy : dy) * (at.x + 1);
  const bool is_left = from == PERDIX_DIRECTION_LEFT || in_above < -64;
  const uint side = is_left ? LEFT : ABOVE;
  const int upsamples = int(DirectionUpsamples(block.detail, side));
  const int place = is_left ? in_left : in_above;
  const int last = (block.width + block.height - 1) << upsamples;
  const int base = min(place >> (6 - upsamples), last);
  const uint shift =
      base == last ? 0 : uint((place << upsamples) >> 1) & 31u;
  const int copy = Upsamples(block) ? 0 : 1;
  const uint sum = (32 - shift) * EdgePixel(copy, side, base) +
                   shift * EdgePixel(copy, side, base + 1);
  return ((sum + 16 * EACH) >> 5) & (SAMPLE_MAX * EACH);
}

void PredictDirectionally(Block block, int quads) {
  ReadEdges(block, block.width + block.height);
  barrier();
  FilterEdges(block);
  barrier();
  if (Upsamples(block)) UpsampleEdges(block);
  barrier();
  for (int i = int(Lane()); i < quads; i += int(BLOCK_LANES)) {
    const ivec2 quad = QuadAt(block, i);
    uvec4 pixels;
    [[unroll]] for (int k = 0; k < 4; ++k) {
      pixels[k] = DirectedPixel(block, quad + ivec2(k, 0));
    }
    FinishQuad(block, quad, pixels);
  }
}

// ---- FILTER (7.11.2.3): pieces of 4x2, each from what lies around it ----

// A piece waits for the ones above and to the left. So those on a diagonal go
// at once, from left below to right above.
#define FILTER_SIZE 32  // at most
#define FILTER_STEPS (FILTER_SIZE / 4 + FILTER_SIZE / 2 - 1)
// The last row of each piece, for four rows of pieces in turns, and its last
// column, for two columns of pieces in turns.
const uint PIECE_ROWS = FILTERS ? BLOCKS * 4 * FILTER_SIZE : 1;
const uint PIECE_COLUMNS = FILTERS ? BLOCKS * 2 * FILTER_SIZE : 1;
shared uint piece_rows[PIECE_ROWS];
shared uint piece_columns[PIECE_COLUMNS];

uint PieceRow(int row, int x) {
  return (BlockNumber() * 4 + uint(row & 3)) * FILTER_SIZE + uint(x);
}
uint PieceColumn(int column, int y) {
  return (BlockNumber() * 2 + uint(column & 1)) * FILTER_SIZE + uint(y);
}

// p[ i ] of the piece.
uint PieceNeighbour(ivec2 piece, int i) {
  const int x = 4 * piece.x + i - 1;
  const int y = 2 * piece.y;
  if (i >= 5) {
    return piece.x == 0 ? Left(y + i - 5)
                        : piece_columns[PieceColumn(piece.x - 1, y + i - 5)];
  }
  if (piece.y == 0) return Above(x);
  return x < 0 ? Left(y - 1) : piece_rows[PieceRow(piece.y - 1, x)];
}

// A row of the piece.
uvec4 FilteredRow(Block block, ivec2 piece, int row) {
  ivec4 sum = ivec4(8);
  for (int i = 0; i < 7; ++i) {
    const uint taps = tables[dispatch.tables + PERDIX_INTRA_TAPS_WORD +
                             14 * block.detail + uint(2 * i + row)];
    const int neighbour = int(PieceNeighbour(piece, i));
    sum += neighbour * (ivec4(int(taps) << 24, int(taps) << 16, int(taps) << 8,
                              int(taps)) >>
                        24);
  }
  return uvec4(clamp(sum >> 4, 0, SAMPLE_MAX));
}

void FilterPiece(Block block, ivec2 piece, int row) {
  const uvec4 pixels = FilteredRow(block, piece, row);
  const ivec2 quad = ivec2(4 * piece.x, 2 * piece.y + row);
  if (row == 1) {
    [[unroll]] for (int k = 0; k < 4; ++k) {
      piece_rows[PieceRow(piece.y, quad.x + k)] = pixels[k];
    }
  }
  piece_columns[PieceColumn(piece.x, quad.y)] = pixels.w;
  FinishQuad(block, quad, pixels);
}

void PredictRecursively(Block block, int quads) {
  ReadEdges(block, max(block.width, block.height));
  const ivec2 pieces = ivec2(block.width >> 2, block.height >> 1);
  const int steps = BLOCKS == 1 ? pieces.x + pieces.y - 1 : FILTER_STEPS;
  // Up to 8 pieces at once, two lanes each.
  const int column = int(Lane() >> 1);
  for (int step = 0; step < steps; ++step) {
    barrier();
    const ivec2 piece = ivec2(column, step - column);
    if (quads != 0 && column < pieces.x && piece.y >= 0 && piece.y < pieces.y) {
      FilterPiece(block, piece, int(Lane() & 1));
    }
  }
}

// ---- CFL (7.11.5) ----

// A word of luma from an even column on, its first two samples lowest.
uint LumaPair(ivec2 at) {
  const ivec2 size = 2 * ivec2(dispatch.width, dispatch.height);
  uint word;
  if (all(lessThan(at, size))) {
    word = target[dispatch.luma_offset + uint(at.y) * dispatch.luma_stride +
                  uint(at.x) / WORD_SAMPLES];
  } else {
    word = scratch[OverhangWord(at, size)];
  }
#if SAMPLE_BITS == 8
  word >>= 8 * (at.x & 2);
  return (word & 0xffu) + ((word >> 8) & 0xffu);
#else
  return (word & 0xffffu) + (word >> 16);
#endif
}

// L[ i ][ j ].
int Luma(Block block, ivec2 at) {
  const ivec2 coded = 2 * ivec2(CflLumaWidth4(block.payload),
                                CflLumaHeight4(block.payload));
  const ivec2 luma = 2 * (block.at + min(at, coded - 1));
  return int(2 * (LumaPair(luma) + LumaPair(luma + ivec2(0, 1))));
}

uint WithLuma(Block block, uint dc, int difference) {
  const ivec2 alpha =
      ivec2(CflAlphaU(block.payload), CflAlphaV(block.payload));
  const ivec2 product = alpha * difference;
  const ivec2 scaled = sign(product) * ((abs(product) + 32) >> 6);
  const ivec2 pixel =
      clamp(ivec2(dc & 0xffffu, dc >> 16) + scaled, 0, SAMPLE_MAX);
  return uint(pixel.x) | (uint(pixel.y) << 16);
}

void PredictFromLuma(Block block, int quads) {
  uvec2 part = uvec2(ReadEdges(block, max(block.width, block.height)), 0);
  for (int i = int(Lane()); i < quads; i += int(BLOCK_LANES)) {
    const ivec2 quad = QuadAt(block, i);
    [[unroll]] for (int k = 0; k < 4; ++k) {
      part.y += uint(Luma(block, quad + ivec2(k, 0)));
    }
  }
  const uvec2 sum = SumOfLanes(part);
  const uint dc = Average(block, sum.x);
  const int log2_count = findMSB(block.width * block.height);
  const int average = int((sum.y + (1u << log2_count >> 1)) >> log2_count);
  for (int i = int(Lane()); i < quads; i += int(BLOCK_LANES)) {
    const ivec2 quad = QuadAt(block, i);
    uvec4 pixels;
    [[unroll]] for (int k = 0; k < 4; ++k) {
      pixels[k] =
          WithLuma(block, dc, Luma(block, quad + ivec2(k, 0)) - average);
    }
    FinishQuad(block, quad, pixels);
  }
}

// ---- PAINT ----

// 7.11.4. Words of the coefficients: colours of each component, two a word, then
// the map, a byte a pixel.
uint Colour(uint first, uint index) {
  const uint word = coefficients[first + (index >> 1)];
  return (word >> (16 * (index & 1))) & (SAMPLE_BITS == 8 ? 0xffu : 0xffffu);
}

uvec4 PaletteQuad(Block block, int number) {
  const uint words = PERDIX_PALETTE_COLOURS / 2;
  const uint map =
      coefficients[block.detail + COMPONENTS * words + uint(number)];
  uvec4 pixels;
  [[unroll]] for (int k = 0; k < 4; ++k) {
    const uint index = (map >> (8 * k)) & (PERDIX_PALETTE_COLOURS - 1);
    pixels[k] = Colour(block.detail, index);
    if (CHROMA) pixels[k] |= Colour(block.detail + words, index) << 16;
  }
  return pixels;
}

void Paint(Block block, int quads) {
  for (int i = int(Lane()); i < quads; i += int(BLOCK_LANES)) {
    const ivec2 quad = QuadAt(block, i);
    uvec4 pixels;
    if (block.kind == PERDIX_INTRA_PALETTE) {
      pixels = PaletteQuad(block, i);
    } else {
      pixels = ReadQuad(block, quad);
    }
    FinishQuad(block, quad, pixels);
  }
}

void main() {
  const uint number =
      dispatch.first + gl_WorkGroupID.x * BLOCKS + BlockNumber();
  const Block block = BlockOf(records[min(number, dispatch.end - 1)]);
  const int quads = number < dispatch.end ? Quads(block) : 0;
  if (PROGRAM == PERDIX_INTRA_PROGRAM_PLAIN) {
    PredictPlainly(block, quads);
  } else if (PROGRAM == PERDIX_INTRA_PROGRAM_DIRECTIONAL) {
    PredictDirectionally(block, quads);
  } else if (PROGRAM == PERDIX_INTRA_PROGRAM_FILTER) {
    PredictRecursively(block, quads);
  } else if (PROGRAM == PERDIX_INTRA_PROGRAM_CFL) {
    PredictFromLuma(block, quads);
  } else {
    Paint(block, quads);
  }
}
