// SPDX-License-Identifier: BSD-2-Clause
// ADM, second half of SCALE (kernels/quality/adm_point.h): cubes of what stands
// out of its mask, in each part of the decoded picture, and of the reference.
//
// Reads: planes. Writes: partials, of the nine results of AdmSums.
// Work item: a row of the bands, as a row's sums are rounded. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/quality_dispatch.h"

layout(std430, binding = PERDIX_BINDING_PLANES_IN) readonly buffer PlanesIn {
  uint planes_in[];
};
layout(std430, binding = PERDIX_BINDING_PARTIALS) writeonly buffer Partials {
  uvec2 partials[];
};

#include "shaders/quality/adm.glsl"

// ---- a sample ----

// A sample of the masks of what is restored and of what is added.
ivec2 MaskAt(uint plane, uint x, uint y) {
  return ivec2(planes_in[PlaneAt(plane, x, y)],
               planes_in[PlaneAt(plane + 1, x, y)]);
}

ivec2 MaskRow(uvec3 columns, uint y) {
  return MaskAt(PLANE_MASKS, columns.x, y) + MaskAt(PLANE_MASKS, columns.y, y) +
         MaskAt(PLANE_MASKS, columns.z, y);
}

// Beyond the border lies the sample behind the first one, and the last one.
uvec3 Around(uint at, uint size) {
  return uvec3(at == 0 ? 1 : at - 1, at, min(at + 1, size - 1));
}

ivec2 Thresholds(uint x, uvec3 rows) {
  const uvec3 columns = Around(x, adm.width);
  return MaskRow(columns, rows.x) + MaskRow(columns, rows.z) +
         MaskAt(PLANE_MASKS, columns.x, rows.y) +
         MaskAt(PLANE_MASKS, columns.z, rows.y) +
         MaskAt(PLANE_CENTRES, x, rows.y);
}

// What is restored, and what is added.
ivec2 Parts(uint band, uint x, uint y) {
#if SCALE == 0
  return Unpack(planes_in[PlaneAt(PLANE_PARTS + band, x, y)]);
#else
  return ivec2(planes_in[PlaneAt(PLANE_PARTS + band, x, y)],
               planes_in[PlaneAt(PLANE_PARTS + PERDIX_ADM_BANDS + band, x, y)]);
#endif
}

ivec3 Original(uint x, uint y) {
#if SCALE == 0
  return ivec3(Unpack(planes_in[PlaneAt(PLANE_REFERENCE, x, y)]),
               planes_in[PlaneAt(PLANE_REFERENCE + 1, x, y)]);
#else
  return ivec3(planes_in[PlaneAt(PLANE_REFERENCE, x, y)],
               planes_in[PlaneAt(PLANE_REFERENCE + 1, x, y)],
               planes_in[PlaneAt(PLANE_REFERENCE + 2, x, y)]);
#endif
}

uvec2 MaskedCube(uint band, int value, int threshold) {
#if SCALE == 0
  const int visible =
      abs(Weighted(band, value)) - (threshold << kAdmThresholdShift[band]);
  const uint square_shift = kAdmSquareShift[band];
  const uint cube_shift = adm.cube_shift - kAdmCubeShift[band];
#else
  const int visible = abs(Weighted(band, value)) - threshold;
  const uint square_shift = PERDIX_ADM_SQUARE_SHIFT_FINE;
  const uint cube_shift = adm.cube_shift;
#endif
  const int x = max(visible, 0);
  const int square = int(RoundShift(Product(x, x), square_shift).x);
  return RoundShift(SignedProduct(square, x), cube_shift);
}

// A sample of the reference, for the denominator.
uvec2 Cube(int value) {
  const uint x = uint(abs(value));
#if SCALE == 0
  return Product(x * x, x);
#else
  // A whole is added to the square, not a half.
  const uint shift = kAdmDenSquareShift[SCALE];
  const uvec2 square = Product(x, x);
  return RoundShift(
      Product((square.x >> shift | square.y << 32 - shift) + 1, x),
      adm.den_cube_shift);
#endif
}

// ---- a row ----

void StorePartial(uint result, uvec2 value, uint shift) {
  const uvec2 sum = RoundShift(WorkgroupSum(value), shift);
  if (Lane() == 0) {
    partials[adm.first_partial + result * gl_NumWorkGroups.x +
             gl_WorkGroupID.x] = sum;
  }
}

void main() {
  const uint y = adm.top + gl_WorkGroupID.x;
  const uvec3 rows = Around(y, adm.height);
  uvec2 num[PERDIX_ADM_BANDS];
  uvec2 den[PERDIX_ADM_BANDS];
  uvec2 aim[PERDIX_ADM_BANDS];
  [[unroll]] for (uint band = 0; band < PERDIX_ADM_BANDS; ++band) {
    num[band] = den[band] = aim[band] = uvec2(0);
  }
  for (uint x = adm.left + Lane(); x < adm.right; x += LANES) {
    const ivec2 thresholds = Thresholds(x, rows);
    const ivec3 original = Original(x, y);
    [[unroll]] for (uint band = 0; band < PERDIX_ADM_BANDS; ++band) {
      const ivec2 parts = Parts(band, x, y);
      num[band] =
          Add(num[band], MaskedCube(band, parts.x, thresholds.y));
      aim[band] =
          Add(aim[band], MaskedCube(band, parts.y, thresholds.x));
      den[band] = Add(den[band], Cube(original[band]));
    }
  }
  [[unroll]] for (uint band = 0; band < PERDIX_ADM_BANDS; ++band) {
    StorePartial(band, num[band], adm.row_shift);
    StorePartial(PERDIX_ADM_BANDS + band, den[band], adm.den_row_shift);
    StorePartial(2 * PERDIX_ADM_BANDS + band, aim[band], adm.row_shift);
  }
}
