// SPDX-License-Identifier: BSD-2-Clause
// What the shaders of loop restoration include: groups of four pixels of a
// component, and the records of a dispatch.
#include "kernels/shared/av1/dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_RESTORATION_PLANE) const uint PLANE = 0;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { RestorationConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uint records[];
};

// GROUP: four samples of a component. Of 8 bits a word, of which luma's pairs
// have pixels 0 and 2, 1 and 3, as in the target, and chroma's 0 and 1, 2 and
// 3. PIXELS: the same of U and V as they lie in the target.
#if SAMPLE_BITS == 8
#define GROUP uint
#define PIXELS uvec2
const uint GROUP_WORDS = 1;
#else
#define GROUP uvec2
#define PIXELS uvec4
const uint GROUP_WORDS = 2;
#endif
// Words of four pixels in the target.
const uint PIXELS_WORDS = GROUP_WORDS << PLANE;

// Lanes of a record, a group of a line each.
const uint LANES_LOG2 = PLANE == 0 ? 4 : 3;
const uint RECORD_LANES = 1 << LANES_LOG2;

uint StripeBegin(uint stripe) {
  return stripe == 0 ? 0 : (stripe * 64 - 8) >> PLANE;
}
