// SPDX-License-Identifier: BSD-2-Clause
// Scales of VIF (kernels/quality/vif.cc): from the samples of SCALE those of the
// next one, half as wide and as high.
//
// Reads: the reference and the target, or a plane. Writes: a plane.
// Work item: a tile of the next scale. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/quality_dispatch.h"
#include "shaders/quality/vif.glsl"

layout(std430, binding = PERDIX_BINDING_PLANES_OUT) writeonly buffer PlanesOut {
  uint planes_out[];
};

#define FILTER (SCALE + 1)
const int TAPS = int(kVifTaps[FILTER]);
const int RADIUS = TAPS / 2;
const int COLUMNS = PERDIX_VIF_DOWN_COLUMNS(TAPS);

// Blurred vertically, both pictures in a word.
shared uint blurred[PERDIX_VIF_DOWN_ROWS][PERDIX_QUALITY_COLUMNS];

void BlurColumn(uint column, uint first_row) {
  const int x = int(gl_WorkGroupID.x) * 2 * COLUMNS + int(column) - RADIUS;
  const int y =
      2 * int(gl_WorkGroupID.y * PERDIX_VIF_DOWN_ROWS + first_row) - RADIUS;
  const Column at = ColumnOf(Mirror(x, vif.width));
  uvec2 sums[PERDIX_VIF_DOWN_GROUP_ROWS];
  [[unroll]] for (int row = 0; row < PERDIX_VIF_DOWN_GROUP_ROWS; ++row)
    sums[row] = uvec2(0);
  [[unroll]] for (int i = 0; i < 2 * PERDIX_VIF_DOWN_GROUP_ROWS + TAPS - 2;
                  ++i) {
    const uvec2 samples = Halves16(SamplesAt(at, Mirror(y + i, vif.height)));
    [[unroll]] for (int row = 0; row < PERDIX_VIF_DOWN_GROUP_ROWS; ++row) {
      const int tap = i - 2 * row;
      if (tap >= 0 && tap < TAPS)
        sums[row] += kVifFilters[FILTER][tap] * samples;
    }
  }
  [[unroll]] for (int row = 0; row < PERDIX_VIF_DOWN_GROUP_ROWS; ++row) {
    const uvec2 sum = RoundShift(sums[row], MEAN_SHIFT);
    blurred[first_row + row][column] = sum.x | sum.y << 16;
  }
}

uint BlurredRow(uint row, uint column) {
  uvec2 sum = uvec2(0);
  [[unroll]] for (int tap = 0; tap < TAPS; ++tap) {
    sum += kVifFilters[FILTER][tap] * Halves16(blurred[row][2 * column + tap]);
  }
  sum = RoundShift(sum, 16);
  return sum.x | sum.y << 16;
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  BlurColumn(lane % PERDIX_QUALITY_COLUMNS,
             lane / PERDIX_QUALITY_COLUMNS * PERDIX_VIF_DOWN_GROUP_ROWS);
  barrier();
  // Half as many columns are left, and twice as many lanes for each.
  const uvec2 next = uvec2(vif.width, vif.height) / 2;
  const uint column = lane % (PERDIX_QUALITY_COLUMNS / 2);
  const uint x = gl_WorkGroupID.x * COLUMNS + column;
  if (column < COLUMNS && x < next.x) {
    [[unroll]] for (uint i = 0; i < PERDIX_VIF_DOWN_GROUP_ROWS / 2; ++i) {
      const uint row = lane / (PERDIX_QUALITY_COLUMNS / 2) +
                       i * 2 * PERDIX_QUALITY_GROUPS;
      const uint y = gl_WorkGroupID.y * PERDIX_VIF_DOWN_ROWS + row;
      if (y < next.y)
        planes_out[vif.next_samples + y * next.x + x] = BlurredRow(row, column);
    }
  }
}
