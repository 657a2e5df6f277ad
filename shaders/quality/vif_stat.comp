// SPDX-License-Identifier: BSD-2-Clause
// VIF of SCALE (kernels/quality/vif.cc): means, variances and the covariance of
// both pictures around each sample, their logarithms, and what is summed.
//
// Reads: the reference and the target, or a plane; the logarithms.
// Writes: partials, of the four results of VifSums.
// Work item: a tile of 64 x 12 samples. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/quality_dispatch.h"

#define TILE_WIDTH PERDIX_VIF_TILE_WIDTH
#define TILE_HEIGHT PERDIX_VIF_TILE_HEIGHT
const int TAPS = int(kVifTaps[SCALE]);
const int RADIUS = TAPS / 2;
const int COLUMNS = TILE_WIDTH + 2 * RADIUS;

// Weighted sums over columns: of samples in the two halves of x, of their
// squares and of their product in the others. The lanes' sums come afterwards.
shared uvec4 tile[TILE_HEIGHT * COLUMNS];
#define LANE_SUM(i) tile[i].xy

#include "shaders/quality/vif.glsl"

layout(std430, binding = PERDIX_BINDING_LOGS) readonly buffer Logs {
  uint logs[];
};
layout(std430, binding = PERDIX_BINDING_PARTIALS) writeonly buffer Partials {
  uvec2 partials[];
};

// Squares of samples above 8 bit are summed in halves, because the sums pass a
// word.
#if SCALE > 0 || SAMPLE_BITS > 8
#define HALVES
#endif
// A lane sums so many at once: V3D has no registers for more.
#define ROWS 3

// ---- over columns ----

// high and low: of the upper and the lower 16 bits of squares.
uvec3 SquareSums(uvec3 high, uvec3 low) {
#if !defined(HALVES)
  return low;
#elif SCALE == 0
  const uint bits = 2 * (vif.bit_depth - 8);
  return (high << 16 - bits) + (low + (1u << (bits - 1)) >> bits);
#else
  return high + (low + 0x8000 >> 16);
#endif
}

void SumColumn(uint column, uint first_row) {
  const int x = int(gl_WorkGroupID.x * TILE_WIDTH + column) - RADIUS;
  const int y = int(gl_WorkGroupID.y * TILE_HEIGHT + first_row) - RADIUS;
  const Column at = ColumnOf(Mirror(x, vif.width));
  uvec2 means[ROWS];
  uvec3 low[ROWS];
  uvec3 high[ROWS];
  [[unroll]] for (int row = 0; row < ROWS; ++row) {
    means[row] = uvec2(0);
    low[row] = uvec3(0);
    high[row] = uvec3(0);
  }
  [[unroll]] for (int i = 0; i < ROWS + TAPS - 1; ++i) {
    const uvec2 samples = Halves16(SamplesAt(at, Mirror(y + i, vif.height)));
    const uvec3 squares = samples.xyx * samples.xyy;
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
      const int tap = i - row;
      if (tap >= 0 && tap < TAPS) {
        const uint factor = kVifFilters[SCALE][tap];
        means[row] += factor * samples;
#ifdef HALVES
        low[row] += factor * (squares & 0xffff);
        high[row] += factor * (squares >> 16);
#else
        low[row] += factor * squares;
#endif
      }
    }
  }
  [[unroll]] for (uint row = 0; row < ROWS; ++row) {
    const uvec2 mean = RoundShift(means[row], MEAN_SHIFT);
    tile[(first_row + row) * COLUMNS + column] =
        uvec4(mean.x | mean.y << 16, SquareSums(high[row], low[row]));
  }
}

// ---- a neighbourhood ----

uvec2 num_non = uvec2(0);  // 64 bits
uint num_log = 0;
uint den_log = 0;
uint den_non = 0;

// 2048 log2(x) of x from 2^17.
uint Log(uint x) {
  const uint shift = uint(findMSB(x)) - 15;
  const uint index = (x >> shift) - PERDIX_VIF_LOG_FIRST;
  return (logs[index / 2] >> index % 2 * 16 & 0xffff) + 2048 * shift;
}

// The mean of products less the product of means.
int Variance(uint product, uint a, uint b) {
  uint high;
  uint low;
  umulExtended(a, b, high, low);
  return int(product - (high + (low >> 31)));
}

// x^2 / divisor, below 2^31, and the remainder. Two quotients in float, of the
// square and of what the first leaves, are off by less than 1 together; so one
// less than them is right, or 1 or 2 too low, unless it is below 0.
uint SquareQuotient(uint x, uint divisor, out uint remainder) {
  const float inverse = 1.0 / float(divisor);
  uint quotient = uint(float(x) * float(x) * inverse);
  uvec2 square;
  uvec2 product;
  umulExtended(x, x, square.y, square.x);
  umulExtended(quotient, divisor, product.y, product.x);
  const uint rest_high = square.y - product.y - uint(square.x < product.x);
  const float rest = float(int(rest_high)) * 4294967296.0 +
                     float(square.x - product.x);
  quotient = uint(max(int(quotient) + int(floor(rest * inverse)) - 1, 0));

  umulExtended(quotient, divisor, product.y, product.x);
  uvec2 left = uvec2(square.x - product.x,
                     square.y - product.y - uint(square.x < product.x));
  [[unroll]] for (int i = 0; i < 2; ++i) {
    if (left.y > 0 || left.x >= divisor) {
      left = uvec2(left.x - divisor, left.y - uint(left.x < divisor));
      ++quotient;
    }
  }
  remainder = left.x;
  return quotient;
}

// By what of the decoded variance the reference explains, both above 0, the
// logarithm of the rest and the noise grows (kernels/quality/vif_point.h).
uint Information(uint reference_variance, int decoded_variance,
                 uint covariance) {
  uint remainder;
  const uint quotient =
      SquareQuotient(covariance, reference_variance, remainder);
  uint shares;
  uint unused;
  umulExtended(quotient, PERDIX_VIF_EPSILON, shares, unused);
  const int without = decoded_variance - int(quotient);
  const uint rest =
      max(0, remainder > shares >> PERDIX_VIF_EPSILON_SHIFT ? without - 1
                                                            : without);
  uint explained =
      remainder > shares >> PERDIX_VIF_EPSILON_SHIFT - 1 ? quotient
                                                         : quotient - 1;
  // The product with the limit may pass a word, with its square it cannot: it is
  // below the quotient.
  uvec2 limited;
  umulExtended(vif.gain_limit, reference_variance, limited.y, limited.x);
  if (limited.y == 0 && covariance > limited.x)
    explained = vif.gain_limit * limited.x;
  const uint noise = rest + PERDIX_VIF_NOISE;
  return Log(noise + explained) - Log(noise);
}

// means: sums of 32 bits. squares: rounded means.
void AddPoint(uvec2 means, uvec3 squares) {
  const int reference_variance = Variance(squares.x, means.x, means.x);
  const int decoded_variance = max(0, Variance(squares.y, means.y, means.y));
  const int covariance = Variance(squares.z, means.x, means.y);
  if (reference_variance < PERDIX_VIF_NOISE) {
    num_non = Add(num_non, uvec2(decoded_variance, 0));
    ++den_non;
  } else {
    den_log += Log(uint(reference_variance) + PERDIX_VIF_NOISE) -
               PERDIX_VIF_NOISE_LOG;
    if (covariance > 0 && decoded_variance > 0) {
      num_log += Information(uint(reference_variance), decoded_variance,
                             uint(covariance));
    }
  }
}

// ---- over rows ----

void SumRow(uint row, uint column) {
  // Products are summed in halves, because their sums pass a word.
  const uint middle = row * COLUMNS + column + RADIUS;
  const uvec4 sums = tile[middle];
  const uint most = kVifFilters[SCALE][RADIUS];
  uvec2 means = most * Halves16(sums.x);
  uvec3 low = most * (sums.yzw & 0xffff);
  uvec3 high = most * (sums.yzw >> 16);
  // The filter is symmetric.
  [[unroll]] for (int i = 1; i <= RADIUS; ++i) {
    const uvec4 left = tile[middle - i];
    const uvec4 right = tile[middle + i];
    const uint factor = kVifFilters[SCALE][RADIUS - i];
    means += factor * (Halves16(left.x) + Halves16(right.x));
    low += factor * ((left.yzw & 0xffff) + (right.yzw & 0xffff));
    high += factor * ((left.yzw >> 16) + (right.yzw >> 16));
  }
  AddPoint(means, high + (low + 0x8000 >> 16));
}

void StorePartial(uint result, uvec2 value) {
  const uvec2 sum = WorkgroupSum(value);
  if (Lane() == 0) {
    const uvec2 groups = gl_NumWorkGroups.xy;
    partials[vif.first_partial + result * groups.x * groups.y +
             gl_WorkGroupID.y * groups.x + gl_WorkGroupID.x] = sum;
  }
}

void main() {
  const uint lane = gl_LocalInvocationIndex;
  for (uint item = lane; item < COLUMNS * (TILE_HEIGHT / ROWS); item += LANES)
    SumColumn(item % COLUMNS, item / COLUMNS * ROWS);
  barrier();
  const uint column = lane % TILE_WIDTH;
  const uint y = gl_WorkGroupID.y * TILE_HEIGHT;
  if (gl_WorkGroupID.x * TILE_WIDTH + column < vif.width) {
    for (uint row = lane / TILE_WIDTH;
         row < TILE_HEIGHT && y + row < vif.height; row += LANES / TILE_WIDTH) {
      SumRow(row, column);
    }
  }
  StorePartial(0, uvec2(num_log, 0));
  StorePartial(1, uvec2(den_log, 0));
  StorePartial(2, num_non);
  StorePartial(3, uvec2(den_non, 0));
}
