// SPDX-License-Identifier: BSD-2-Clause
// The residual of DCT_DCT blocks that have nothing but the DC, of any size (AV1
// 7.13.3), and what becomes of it: as in residual_columns.comp.
//
// Reads: items, blocks, coefficients, the target. Writes: the target or the
// residual planes (scratch).
// Work item: four columns by up to 16 rows of a block by a lane, items
// dispatch.first on; their number is padded to whole workgroups by a block
// outside of the frame. Order: any; V after U, for they share words.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/residual.glsl"

layout(std430, binding = PERDIX_BINDING_COEFFICIENTS)
    readonly buffer Coefficients {
  uint coefficients[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) writeonly buffer Planes {
  uvec2 planes[];
};
void StoreFour(uint at, uvec2 pairs) { planes[at] = pairs; }

#include "shaders/av1/residual_output.glsl"

int FitBits(int value, int bits) {
  return clamp(value, -(1 << (bits - 1)), (1 << (bits - 1)) - 1);
}

// Times sqrt(1 / 2), which is both the first rotation of a DCT and the factor of
// a 2:1 block.
int Scaled(int value) { return (value * RECTANGLE_SCALE + (1 << 11)) >> 12; }

uint RowShiftOf(uint shape) {
  const uint width_log2 = TransformWidthLog2(shape);
  const uint shifts = width_log2 == 2   ? ROW_SHIFTS_4
                      : width_log2 == 3 ? ROW_SHIFTS_8
                      : width_log2 == 4 ? ROW_SHIFTS_16
                      : width_log2 == 5 ? ROW_SHIFTS_32
                                        : ROW_SHIFTS_64;
  return RowShift(shifts, shape);
}

int ResidualOfDc(uvec4 block) {
  const uint word = coefficients[block.z >> 1];
  int dc = SAMPLE_BITS == 8 ? int(word << 16) >> 16 : int(word);
  if (IsRectangle(block.y)) dc = Scaled(dc);
  const int row = FitBits(Scaled(dc), SAMPLE_BITS + 8);
  const int value = FitBits(RoundShift(row, RowShiftOf(block.y)), 16);
  return (FitBits(Scaled(value), 16) + 8) >> 4;
}

void main() {
  const uint item = items[dispatch.first + gl_GlobalInvocationID.x];
  const uvec4 block = BlockOf(item);
  const uint part = ResidualItemPart(item);
  const int value = ResidualOfDc(block);
  const uint y = PositionY4(block.x) * 4 + PERDIX_RESIDUAL_DC_ROWS * (part >> 4);
  const Place place =
      PlaceOf(block.y, PositionX4(block.x) + (part & 15u), y);
  const uvec4 words = uvec4(PackRows(value, value));
  const uint fours = min(PERDIX_RESIDUAL_DC_ROWS / 4,
                         1u << (TransformHeightLog2(block.y) - 2));
  for (uint i = 0; i < fours; ++i) {
    if (IsInside(place, i)) {
      OutputRows(place, 2 * i, words);
      OutputRows(place, 2 * i + 1, words);
    }
  }
}
