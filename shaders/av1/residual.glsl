// SPDX-License-Identifier: BSD-2-Clause
// What the shaders of AV1's inverse transforms have in common: items and blocks.
#include "kernels/shared/av1/residual_dispatch.h"
#include "kernels/shared/av1/work_lists.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_LANES) const uint LANES = 64;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { ResidualConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Items {
  uint items[];  // PackResidualItem
};
layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Blocks {
  uvec4 blocks[];  // ResidualBlock: position, shape, coefficients, values
};

// Does a step, of which nothing is mixed with what comes before and behind it.
// Else V3D's compiler mixes what could be done side by side, and has not enough
// registers for all of it.
#define APART(step) do { step; } while (!WIDE && dispatch.zero != 0)

uvec4 BlockOf(uint item) {
  return blocks[dispatch.blocks + ResidualItemBlock(item)];
}

// Factor of 12 fractional bits that coefficients of 2:1 blocks have.
#define RECTANGLE_SCALE 2896

bool IsRectangle(uint shape) {
  return abs(int(TransformWidthLog2(shape)) -
             int(TransformHeightLog2(shape))) == 1;
}

// Transform_Row_Shift: bits of one width, a nibble for each height from 4 on.
#define ROW_SHIFTS_4 0x00100u
#define ROW_SHIFTS_8 0x02110u
#define ROW_SHIFTS_16 0x21211u
#define ROW_SHIFTS_32 0x12120u
#define ROW_SHIFTS_64 0x21200u

uint RowShift(uint shifts, uint shape) {
  return (shifts >> (4 * (TransformHeightLog2(shape) - 2))) & 15u;
}

// Round2(value, shift).
int RoundShift(int value, uint shift) {
  return (value + ((1 << shift) >> 1)) >> shift;
}
