// SPDX-License-Identifier: BSD-2-Clause
// Motion (kernels/quality/motion.cc): absolute sum of the blurred difference of
// two pictures' luma.
//
// Reads: the reference, the previous one. Writes: partials.
// Work item: a tile. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/quality/planes.glsl"

layout(push_constant) uniform Constants { MotionBlurConstants motion; };

layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uint reference[];
};
layout(std430, binding = PERDIX_BINDING_PREVIOUS) readonly buffer Previous {
  uint previous[];
};
layout(std430, binding = PERDIX_BINDING_PARTIALS) writeonly buffer Partials {
  uvec2 partials[];
};

// Differences blurred vertically.
shared int blurred[PERDIX_MOTION_ROWS][PERDIX_QUALITY_COLUMNS];

int Blur(int middle, int near, int far) {
  return kMotionFilter[2] * middle + kMotionFilter[1] * near +
         kMotionFilter[0] * far;
}

// The same of values of 17 bits, whose products pass a word: >> 16, rounded.
int BlurShifted(int middle, int near_left, int near_right, int far_left,
                int far_right) {
  const int high = Blur(middle >> 8, (near_left >> 8) + (near_right >> 8),
                        (far_left >> 8) + (far_right >> 8));
  const int low = Blur(middle & 255, (near_left & 255) + (near_right & 255),
                       (far_left & 255) + (far_right & 255));
  return high + (low + 0x8000 >> 8) >> 8;
}

void BlurColumn(int x, int y, uint column, uint first_row) {
  const Column at = ColumnOf(Mirror(x, motion.width));
  int differences[PERDIX_MOTION_GROUP_ROWS + 4];
  [[unroll]] for (int i = 0; i < PERDIX_MOTION_GROUP_ROWS + 4; ++i) {
    const uint row = Mirror(y - 2 + i, motion.height);
    differences[i] = int(SAMPLE(previous, motion.previous, at, row)) -
                     int(SAMPLE(reference, motion.reference, at, row));
  }
  const int rounding = 1 << (motion.bit_depth - 1);
  [[unroll]] for (uint i = 0; i < PERDIX_MOTION_GROUP_ROWS; ++i) {
    const int sum = Blur(differences[i + 2],
                         differences[i + 1] + differences[i + 3],
                         differences[i] + differences[i + 4]);
    blurred[first_row + i][column] = sum + rounding >> motion.bit_depth;
  }
}

uint Motion(uint row, uint column) {
  return uint(abs(BlurShifted(blurred[row][column], blurred[row][column - 1],
                              blurred[row][column + 1],
                              blurred[row][column - 2],
                              blurred[row][column + 2])));
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  const uint column = lane % PERDIX_QUALITY_COLUMNS;
  const uint first_row =
      lane / PERDIX_QUALITY_COLUMNS * PERDIX_MOTION_GROUP_ROWS;
  const int x =
      int(gl_WorkGroupID.x * PERDIX_MOTION_COLUMNS + column) - 2;
  const uint y = gl_WorkGroupID.y * PERDIX_MOTION_ROWS + first_row;
  BlurColumn(x, int(y), column, first_row);
  barrier();
  uint sum = 0;
  if (column >= 2 && column < PERDIX_MOTION_COLUMNS + 2 &&
      x < int(motion.width)) {
    [[unroll]] for (uint i = 0; i < PERDIX_MOTION_GROUP_ROWS; ++i) {
      if (y + i < motion.height) sum += Motion(first_row + i, column);
    }
  }
  const uvec2 total = WorkgroupSum(uvec2(sum, 0));
  if (Lane() == 0) {
    partials[motion.first_partial + gl_WorkGroupID.y * gl_NumWorkGroups.x +
             gl_WorkGroupID.x] = total;
  }
}
