// SPDX-License-Identifier: BSD-2-Clause
// Brings what CDEF has filtered into the target.
//
// Reads: records (CDEF items), results (scratch). Writes: the target.
// Work item: a line of an item by a lane, items dispatch.first on. Order: any,
// after the dispatches that filter: they read the target as it was.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/cdef.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) writeonly buffer Target {
  LINE target[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) readonly buffer Results {
  LINE results[];
};

void Copy(uint record, uint line) {
  const uint item = records[record];
  const uint y = (CdefItemY8(item) << LINES_LOG2) + line;
  target[(dispatch.offset + y * dispatch.stride) / LINE_WORDS +
         CdefItemX8(item)] =
      results[(dispatch.results + record * ITEM_WORDS) / LINE_WORDS + line];
}

void main() {
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> LINES_LOG2);
  const uint line = gl_GlobalInvocationID.x & ((1 << LINES_LOG2) - 1);
  if (record < dispatch.end) Copy(record, line);
}
