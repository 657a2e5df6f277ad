// SPDX-License-Identifier: BSD-2-Clause
// ADM, first half of SCALE (kernels/quality/adm_point.h): the wavelet transform
// of both pictures, what of the decoded one restores the reference, what is
// added, and what both are in a mask.
//
// Reads: the reference and the target, or the approximations of the scale before.
// Writes: planes.
// Work item: a tile of the bands. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/quality_dispatch.h"

layout(std430, binding = PERDIX_BINDING_PLANES_OUT) writeonly buffer PlanesOut {
  uint planes_out[];
};
#if SCALE == 0
layout(std430, binding = PERDIX_BINDING_REFERENCE) readonly buffer Reference {
  uint reference[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uint target[];
};
#else
layout(std430, binding = PERDIX_BINDING_PLANES_IN) readonly buffer PlanesIn {
  uint planes_in[];
};
#endif

#include "shaders/quality/adm.glsl"

// Low and high sums over the columns of the reference, of the decoded picture.
shared ivec4 columns[PERDIX_ADM_TILE_ROWS][PERDIX_QUALITY_COLUMNS];

// ---- the transform ----

// A sample of both pictures.
#if SCALE == 0
ivec2 SamplesAt(Column column, uint row) {
  return ivec2(SAMPLE(reference, adm.reference, column, row),
               SAMPLE(target, adm.decoded, column, row));
}
#else
Column ApproximationColumn(uint x) { return Column(adm.from + x, 0); }
#define ColumnOf ApproximationColumn

ivec2 SamplesAt(Column column, uint row) {
  const uint at = column.word + row * adm.from_width;
#if SCALE == 1
  return Unpack(planes_in[at]);
#else
  return ivec2(planes_in[at], planes_in[at + adm.from_width * adm.from_height]);
#endif
}
#endif

// Mirrored at the first sample, but behind the last one. What is further away
// than the picture is wide may become any sample.
uint MirrorTap(int at, uint size) {
  return uint(max(min(abs(at), 2 * int(size) - 1 - at), 0));
}

ivec4 Sum(const int taps[4], ivec4 a, ivec4 b, ivec4 c, ivec4 d) {
  return taps[0] * a + taps[1] * b + taps[2] * c + taps[3] * d;
}

// The sum shifted by bits, which are 15 or 16, and rounded. Sums of the halves
// of the samples fit a word: the lower one with <negative>, the sum of the taps
// below 0, added as often as it may be subtracted.
ivec4 SumShifted(const int taps[4], int negative, int bits, ivec4 a, ivec4 b,
                 ivec4 c, ivec4 d) {
  const ivec4 high = Sum(taps, a >> 16, b >> 16, c >> 16, d >> 16);
  const uvec4 low =
      uvec4(Sum(taps, a & 0xffff, b & 0xffff, c & 0xffff, d & 0xffff)) +
      ((uint(negative) << 16) + (1u << (bits - 1)));
  return (high - negative << 16 - bits) + ivec4(low >> bits);
}

#define LOW_NEGATIVE 4240
#define HIGH_NEGATIVE 27411

// Over columns.
ivec4 LowColumn(ivec4 a, ivec4 b, ivec4 c, ivec4 d) {
#if SCALE == 0
  const uint bits = adm.bit_depth;
  const int middle = PERDIX_ADM_LOW_SUM - 1 << bits - 1;
  return Sum(kAdmLow, a, b, c, d) - middle >> bits;
#elif SCALE == 1
  return Sum(kAdmLow, a, b, c, d);
#else
  return SumShifted(kAdmLow, LOW_NEGATIVE, 16, a, b, c, d);
#endif
}

ivec4 HighColumn(ivec4 a, ivec4 b, ivec4 c, ivec4 d) {
#if SCALE == 0
  return Sum(kAdmHigh, a, b, c, d) + (1 << adm.bit_depth - 1) >> adm.bit_depth;
#elif SCALE == 1
  return Sum(kAdmHigh, a, b, c, d);
#else
  return SumShifted(kAdmHigh, HIGH_NEGATIVE, 16, a, b, c, d);
#endif
}

// Over rows.
#if SCALE == 0
#define RowSum(taps, negative, a, b, c, d) \
  (Sum(taps, a, b, c, d) + 0x8000 >> 16)
#else
#define RowSum(taps, negative, a, b, c, d) \
  SumShifted(taps, negative, SCALE == 2 ? 16 : 15, a, b, c, d)
#endif

void TransformColumn(uint column, uint first_row) {
  const int x = int(gl_WorkGroupID.x * 2 * PERDIX_ADM_TILE_COLUMNS + column) - 1;
  const int y =
      int(2 * (gl_WorkGroupID.y * PERDIX_ADM_TILE_ROWS + first_row)) - 1;
  const Column at = ColumnOf(MirrorTap(x, adm.from_width));
  ivec2 samples[2 * PERDIX_ADM_GROUP_ROWS + 2];
  [[unroll]] for (int i = 0; i < 2 * PERDIX_ADM_GROUP_ROWS + 2; ++i)
    samples[i] = SamplesAt(at, MirrorTap(y + i, adm.from_height));
  // Two rows of both pictures at once.
  [[unroll]] for (int i = 0; i < PERDIX_ADM_GROUP_ROWS; i += 2) {
    const ivec4 a = ivec4(samples[2 * i], samples[2 * i + 2]);
    const ivec4 b = ivec4(samples[2 * i + 1], samples[2 * i + 3]);
    const ivec4 c = ivec4(samples[2 * i + 2], samples[2 * i + 4]);
    const ivec4 d = ivec4(samples[2 * i + 3], samples[2 * i + 5]);
    const ivec4 low = LowColumn(a, b, c, d);
    const ivec4 high = HighColumn(a, b, c, d);
    columns[first_row + i][column] = ivec4(low.x, high.x, low.y, high.y);
    columns[first_row + i + 1][column] = ivec4(low.z, high.z, low.w, high.w);
  }
}

// ---- the angle ----

// A sum of squares rounded to 24 bits, half to even, as a float has them:
// mantissa << exponent, the mantissa of 24 bits, or 2^24.
uint Rounded24(uvec2 sum, out int exponent) {
  const int top = sum.y > 0 ? 32 + findMSB(sum.y) : findMSB(sum.x);
  exponent = top - 23;
  if (exponent <= 0) return sum.x << -exponent;
  const uint last = uint(exponent);
  // What is shifted out, in the upper bits of a word with the lower ones of 64
  // counted as one.
  uint mantissa;
  uint rest;
  if (last < 32) {
    mantissa = sum.x >> last | sum.y << 32 - last;
    rest = sum.x << 32 - last;
  } else {
    mantissa = sum.y >> last - 32;
    rest = last == 32 ? sum.x : sum.y << 64 - last | uint(sum.x > 0);
  }
  const bool up = rest > 0x80000000u || rest == 0x80000000u && (mantissa & 1) > 0;
  return up ? mantissa + 1 : mantissa;
}

// Whether inner^2 >= cosine reference decoded, the three sums rounded to floats
// and the right side to a double, where both sides are about equal. A double has
// 53 bits, the left side 48: it may be less by half of what the last of the 53
// counts.
bool ExactlySameAngle(uvec2 inner, uvec2 reference_sum, uvec2 decoded_sum) {
  if ((reference_sum.x | reference_sum.y) == 0 ||
      (decoded_sum.x | decoded_sum.y) == 0) {
    return true;
  }
  int inner_exponent;
  int reference_exponent;
  int decoded_exponent;
  const uint a = Rounded24(inner, inner_exponent);
  const uint b = Rounded24(reference_sum, reference_exponent);
  const uint c = Rounded24(decoded_sum, decoded_exponent);
  // The right side, some 72 bits: upper and lower part of b c, times the cosine.
  const uvec2 product = Product(b, c);
  const uvec2 low = Product(product.x, PERDIX_ADM_COSINE);
  const uvec2 high = Add(Product(product.y, PERDIX_ADM_COSINE), uvec2(low.y, 0));
  const uvec3 right = uvec3(low.x, high);
  // The left side, shifted alike: by 21 to 27 bits.
  const int shift = 2 * inner_exponent -
                    (reference_exponent + decoded_exponent - 24);
  const uvec2 square = Product(a, a);
  const uvec3 left = uvec3(square.x << shift,
                           square.y << shift | square.x >> 32 - shift,
                           square.y >> 32 - shift);
  const uint half_bit = 1u << (findMSB(right.z) + 1 + 64 - 54);
  const uvec2 lower = Add(left.xy, uvec2(half_bit, 0));
  const uint carry = uint(lower.y < left.y);
  const uint upper = left.z + carry;
  if (upper != right.z) return upper > right.z;
  return lower.y != right.y ? lower.y > right.y : lower.x >= right.x;
}

float ToFloat(uvec2 value) {
  return float(value.y) * 4294967296.0 + float(value.x);
}

uvec2 InnerProduct(ivec2 a, ivec2 b) {
#if SCALE == 0
  const int sum = a.x * b.x + a.y * b.y;
  return uvec2(sum, sum >> 31);
#else
  return Add(SignedProduct(a.x, b.x), SignedProduct(a.y, b.y));
#endif
}

// Whether two gradients (h, v) point in the same direction, within a degree.
bool SameAngle(ivec2 original, ivec2 decoded) {
  const uvec2 inner = InnerProduct(original, decoded);
  if (int(inner.y) < 0) return false;
  const uvec2 reference_sum = InnerProduct(original, original);
  const uvec2 decoded_sum = InnerProduct(decoded, decoded);
  const float left = ToFloat(inner) * ToFloat(inner);
  const float right = PERDIX_ADM_COSINE / 16777216.0 * ToFloat(reference_sum) *
                      ToFloat(decoded_sum);
  // Floats are right but for some 2^-20.
  if (abs(left - right) > 1e-5 * right) return left > right;
  return ExactlySameAngle(inner, reference_sum, decoded_sum);
}

// ---- the parts ----

// 2^30 / divisor, rounded down. The quotient in float and that of what it leaves
// are off by less than 1 together.
uint Inverse(uint divisor) {
  const float inverse = 1.0 / float(divisor);
  int quotient = int(1073741824.0 * inverse);
  int rest = (1 << 30) - quotient * int(divisor);
  quotient += int(floor(float(rest) * inverse));
  rest = (1 << 30) - quotient * int(divisor);
  if (rest < 0) --quotient;
  if (rest >= int(divisor)) ++quotient;
  return uint(quotient);
}

// decoded / original, of 2^-15, at most 1. Both are above 0.
uint RestoredShare(uint original, uint decoded) {
#if SCALE == 0
  if (decoded > original) return 32768;
  return Inverse(original) * decoded + 0x4000 >> 15;
#else
  const uint bits = uint(max(findMSB(original) - 14, 0));
  const uint divisor =
      bits == 0 ? original : original + (1u << (bits - 1)) >> bits;
  // Twice the original is certainly too much.
  const uvec2 product =
      Add(Product(Inverse(divisor), min(decoded, 2 * original)),
          uvec2(1u << (14 + bits), 0));
  return min(bits == 17 ? product.y
                        : product.x >> 15 + bits | product.y << 17 - bits,
             32768u);
#endif
}

// What of a decoded sample restores the original.
int RestoredSample(int original, int decoded, bool same_angle) {
  // Both are on the same side of 0, or nothing is restored.
  const int direction = sign(original);
  if (direction * sign(decoded) <= 0) return 0;
  const uint magnitude = uint(abs(original));
  const uint most = uint(abs(decoded));
  const uint share = RestoredShare(magnitude, most);
  // Halves are rounded upwards, on either side of 0.
#if SCALE == 0
  const int restored = int(share) * original + 0x4000 >> 15;
  if (!same_angle || share == 0) return restored;
  return direction * int(min(adm.gain_limit * uint(abs(restored)), most));
#else
  const int restored = int(share) * (original >> 16) * 2 +
                       int(share * uint(original & 0xffff) + 0x4000 >> 15);
  if (!same_angle || share == 0) return restored;
  const uvec2 enhanced = Product(adm.gain_limit, uint(abs(restored)));
  return direction * int(enhanced.y > 0 ? most : min(enhanced.x, most));
#endif
}

// What a sample of a band is in a mask, beside its centre and there.
ivec2 MaskShares(uint band, int value) {
#if SCALE == 0
  const int weighted =
      abs(Weighted(band, value) + kAdmMaskRound[band] >> kAdmMaskShift[band]);
  const ivec2 shares =
      ivec2(PERDIX_ADM_NEIGHBOUR, PERDIX_ADM_CENTRE) * weighted + 2048 >> 12;
  return bitfieldExtract(shares, 0, 16);
#else
  // Half a unit is taken away, where it should be added.
  const uint weighted = uint(abs(Weighted(band, value)));
  const uvec2 beside = Product(PERDIX_ADM_NEIGHBOUR_FINE, weighted);
  const uvec2 centre = Product(PERDIX_ADM_CENTRE_FINE, weighted);
  return ivec2(beside.y + (beside.x >> 31), centre.y + (centre.x >> 31)) - 1;
#endif
}

void Decouple(ivec3 original, ivec3 decoded, uint x, uint y) {
  const bool same_angle = SameAngle(original.xy, decoded.xy);
  ivec2 restored_mask = ivec2(0);
  ivec2 added_mask = ivec2(0);
  [[unroll]] for (int band = 0; band < PERDIX_ADM_BANDS; ++band) {
    const int restored =
        RestoredSample(original[band], decoded[band], same_angle);
    const int added = decoded[band] - restored;
    restored_mask += MaskShares(band, restored);
    added_mask += MaskShares(band, added);
#if SCALE == 0
    planes_out[PlaneAt(PLANE_PARTS + band, x, y)] = Pack(restored, added);
#else
    planes_out[PlaneAt(PLANE_PARTS + band, x, y)] = restored;
    planes_out[PlaneAt(PLANE_PARTS + PERDIX_ADM_BANDS + band, x, y)] = added;
    planes_out[PlaneAt(PLANE_REFERENCE + band, x, y)] = original[band];
#endif
  }
#if SCALE == 0
  planes_out[PlaneAt(PLANE_REFERENCE, x, y)] = Pack(original.x, original.y);
  planes_out[PlaneAt(PLANE_REFERENCE + 1, x, y)] = original.z;
#endif
  planes_out[PlaneAt(PLANE_MASKS, x, y)] = restored_mask.x;
  planes_out[PlaneAt(PLANE_MASKS + 1, x, y)] = added_mask.x;
  planes_out[PlaneAt(PLANE_CENTRES, x, y)] = restored_mask.y;
  planes_out[PlaneAt(PLANE_CENTRES + 1, x, y)] = added_mask.y;
}

void TransformRow(uint row, uint column) {
  const uint x = gl_WorkGroupID.x * PERDIX_ADM_TILE_COLUMNS + column;
  const uint y = gl_WorkGroupID.y * PERDIX_ADM_TILE_ROWS + row;
  if (x < adm.width && y < adm.height) {
    const ivec4 a = columns[row][2 * column];
    const ivec4 b = columns[row][2 * column + 1];
    const ivec4 c = columns[row][2 * column + 2];
    const ivec4 d = columns[row][2 * column + 3];
    const ivec4 low = RowSum(kAdmLow, LOW_NEGATIVE, a, b, c, d);
    const ivec4 high = RowSum(kAdmHigh, HIGH_NEGATIVE, a, b, c, d);
    const uint at = adm.to + y * adm.width + x;
#if SCALE == 0
    planes_out[at] = Pack(low.x, low.z);
#elif SCALE < 3
    planes_out[at] = low.x;
    planes_out[at + adm.width * adm.height] = low.z;
#endif
    if (x >= adm.reach_left && x < adm.reach_right && y >= adm.reach_top &&
        y < adm.reach_bottom) {
      Decouple(ivec3(low.y, high.xy), ivec3(low.w, high.zw), x, y);
    }
  }
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  TransformColumn(lane % PERDIX_QUALITY_COLUMNS,
                  lane / PERDIX_QUALITY_COLUMNS * PERDIX_ADM_GROUP_ROWS);
  barrier();
  // Half as many columns are left, and twice as many lanes for each.
  const uint column = lane % (PERDIX_QUALITY_COLUMNS / 2);
  if (column < PERDIX_ADM_TILE_COLUMNS) {
    for (uint row = lane / (PERDIX_QUALITY_COLUMNS / 2);
         row < PERDIX_ADM_TILE_ROWS; row += 2 * PERDIX_QUALITY_GROUPS) {
      TransformRow(row, column);
    }
  }
}
