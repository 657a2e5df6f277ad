// SPDX-License-Identifier: BSD-2-Clause
// What every shader includes: bindings, words of samples, lanes.
//
// Bindings (set 0, kernels/shared/dispatch.h), the same layout for every
// shader, 6 storage buffers and 2 uniform buffers:
//   0 frame         uniform   the codec's FrameUniforms
//   1 tables        uniform   the codec's constants
//   2 target        storage   the picture: NV12, linear, 16-byte aligned rows
//   3 reference     storage   one reference; a dispatch reads only one
//   4 records       storage   the codec's, in the order of the dispatches
//   5 coefficients  storage   16-bit units
//   6 scratch       storage   what a dispatch leaves for a later one
//   7 frame tables  storage   the codec's tables of a frame: written by the CPU,
//                             or by a dispatch for a later one
// A shader declares its own push constants, and only the buffers that it
// uses, with the word width of its accesses: one access is one lookup on V3D,
// whatever its width.
//
// Rules: a lane writes whole 32-bit words that no other lane of the dispatch
// writes or reads; order comes from barriers between dispatches.
#extension GL_EXT_control_flow_attributes : require

#include "kernels/shared/dispatch.h"

layout(constant_id = PERDIX_CONSTANT_SUBGROUP_SIZE) const uint SUBGROUP_SIZE =
    0;

// Not V3D: registers are many, and the compiler needs no help with them.
const bool WIDE = SUBGROUP_SIZE >= 32;

#ifdef EMULATED_SUBGROUPS  // by a test
#include "shaders/emulated_subgroups.glsl"
#endif
