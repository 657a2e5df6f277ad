// SPDX-License-Identifier: BSD-2-Clause
// What CDEF's shaders include: the items of a dispatch.
#include "kernels/shared/av1/dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(constant_id = PERDIX_CONSTANT_CDEF_PLANE) const uint PLANE = 0;
layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { CdefConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_RECORDS) readonly buffer Records {
  uint records[];  // PackCdefItem
};

// A line of an item is always 8 samples: 8 of luma, or 4 pairs of chroma, of
// which it has half as many.
#define LINE_WORDS (8u / WORD_SAMPLES)
#if SAMPLE_BITS == 8
#define LINE uvec2
#else
#define LINE uvec4
#endif
const uint LINES_LOG2 = PLANE == 0 ? 3 : 2;
const uint ITEM_WORDS = LINE_WORDS << LINES_LOG2;
