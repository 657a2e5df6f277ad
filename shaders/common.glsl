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
//   7 frame tables  storage   the codec's tables of a frame
// A shader declares its own push constants, and only the buffers that it
// uses, with the word width of its accesses: one access is one lookup on V3D,
// whatever its width.
//
// Rules: a lane writes whole 32-bit words that no other lane of the dispatch
// writes or reads; order comes from barriers between dispatches.
//
// Samples are 8 bits, four to a word. Arithmetic is done in pairs: a word with
// two 16-bit fields, which is wide enough for the sums of 12-bit samples too.
// For 16-bit samples Even, Odd and Join would become one-word accesses, and so
// would what knows bytes by itself: averages and clamps of inter_pred.comp, half
// floats of inverse_transform.comp, masks and shifts of the others.
#extension GL_EXT_control_flow_attributes : require

#include "kernels/shared/dispatch.h"

layout(constant_id = PERDIX_CONSTANT_SUBGROUP_SIZE) const uint SUBGROUP_SIZE =
    0;

// Not V3D: registers are many, and the compiler needs no help with them.
const bool WIDE = SUBGROUP_SIZE >= 32;

// Samples 0 and 2, or 1 and 3, of a word as a pair; and back.
uint Even(uint word) { return word & 0x00ff00ffu; }
uint Odd(uint word) { return (word >> 8) & 0x00ff00ffu; }
uint Join(uint even, uint odd) { return even | (odd << 8); }

// Both fields of a pair, holding v + 256 with v in -256..767, become v clamped
// to 0..255. Bit 9 says above and makes all lower ones, bit 8 among them; then
// bit 8 says not below.
uint ClampPair(uint biased) {
  const uint above = biased & 0x02000200u;
  const uint capped = biased | (above - (above >> 9));
  const uint inside = capped & 0x01000100u;
  return capped & (inside - (inside >> 8));
}

// The same pairs as half floats 1024 + n, whose bits are 0x6400 + n: exact, and
// unpacked by unpackHalf2x16 at no cost. JoinHalves takes them back.
#define HALF_BIAS 0x64006400u
uint EvenHalves(uint word) { return Even(word) + HALF_BIAS; }
uint OddHalves(uint word) { return Odd(word) + HALF_BIAS; }
uint JoinHalves(uint even, uint odd) {
  return even + (odd << 8) - (HALF_BIAS + (HALF_BIAS << 8));
}
