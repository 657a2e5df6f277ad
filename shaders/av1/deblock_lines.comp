// SPDX-License-Identifier: BSD-2-Clause
// Copies deblocked lines around the borders of stripes to line buffers
// (kernels/av1/line_buffers.h), where loop restoration finds them when CDEF has
// changed the target.
//
// Reads: the target. Writes: the table kCdefLines. Work item: 16 bytes of a
// line; gl_WorkGroupID.y is the line, of all slots. Order: any, after all edges.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/av1/dispatch.h"
#include "shaders/common.glsl"

layout(local_size_x_id = PERDIX_CONSTANT_LANES) in;

layout(push_constant) uniform Constants { DeblockLinesConstants dispatch; };

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uvec4 target[];
};
layout(std430, binding = PERDIX_BINDING_FRAME_TABLES) writeonly buffer Tables {
  uvec4 tables[];
};

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint slot = gl_WorkGroupID.y / PERDIX_LINES_OF_SLOT;
  const uint line = gl_WorkGroupID.y % PERDIX_LINES_OF_SLOT;
  const uint y = dispatch.first_line + slot * dispatch.slot_lines + line;
  if (column >= dispatch.width || y >= dispatch.height) return;
  tables[dispatch.saved + slot * dispatch.saved_slot +
         line * dispatch.saved_stride + column] =
      target[dispatch.offset + y * dispatch.stride + column];
}
