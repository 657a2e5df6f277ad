// SPDX-License-Identifier: BSD-2-Clause
// What adm_dwt.comp and adm_mask.comp share: planes, which the first writes and
// the second reads, and products of 64 bits.
#include "shaders/quality/planes.glsl"

layout(push_constant) uniform Constants { AdmConstants adm; };

// Planes of words: what of a decoded sample restores the reference and what is
// added to it, the reference, and what both parts are in a mask, beside and in
// its centre. At scale 0, where they fit 16 bits, the parts share a word.
#if SCALE == 0
#define PLANE_PARTS 0      // a band each
#define PLANE_REFERENCE 3  // h and v, d
#define PLANE_MASKS 5
#else
#define PLANE_PARTS 0  // restored, then added, a band each
#define PLANE_REFERENCE 6
#define PLANE_MASKS 9
#endif
#define PLANE_CENTRES (PLANE_MASKS + 2)

uint PlaneAt(uint plane, uint x, uint y) {
  return adm.planes + (plane * adm.height + y) * adm.width + x;
}

uint Pack(int low, int high) { return low & 0xffff | high << 16; }
ivec2 Unpack(uint word) { return ivec2(int(word << 16) >> 16, int(word) >> 16); }

uvec2 Product(uint a, uint b) {
  uvec2 product;
  umulExtended(a, b, product.y, product.x);
  return product;
}

uvec2 SignedProduct(int a, int b) {
  int high;
  int low;
  imulExtended(a, b, high, low);
  return uvec2(low, high);
}

// Signed values, halves upwards; bits: 0 to 31.
uvec2 RoundShift(uvec2 value, uint bits) {
  const uvec2 sum = Add(value, uvec2(1u << bits >> 1, 0));
  return uvec2(sum.x >> bits | sum.y << 1 << 31 - bits, int(sum.y) >> bits);
}

// A sample weighted by the contrast sensitivity.
#if SCALE == 0
#define Weighted(band, value) (kAdmWeights[0][band] * (value))
#else
int Weighted(uint band, int value) {
  return int(RoundShift(SignedProduct(kAdmWeights[SCALE][band], value), 28).x);
}
#endif
