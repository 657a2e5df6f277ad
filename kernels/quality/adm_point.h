// SPDX-License-Identifier: BSD-2-Clause
// ADM of one sample. Scale 0 has samples of 16 bits and shorter constants.
#ifndef PERDIX_KERNELS_QUALITY_ADM_POINT_H_
#define PERDIX_KERNELS_QUALITY_ADM_POINT_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "kernels/quality/adm_scale.h"
#include "kernels/quality/luma.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

// Samples of the bands h and v of a place in the reference and the decoded
// picture.
struct AdmGradients {
  int64_t reference_h;
  int64_t reference_v;
  int64_t decoded_h;
  int64_t decoded_v;
};

// Whether both gradients point in the same direction, within a degree. The sums
// are rounded to floats, the product with the cosine to a double.
inline bool SameAngle(const AdmGradients& g) {
  const auto rounded = [](int64_t sum) {
    return static_cast<double>(static_cast<float>(sum));
  };
  const double inner =
      rounded(g.reference_h * g.decoded_h + g.reference_v * g.decoded_v);
  const double reference =
      rounded(g.reference_h * g.reference_h + g.reference_v * g.reference_v);
  const double decoded =
      rounded(g.decoded_h * g.decoded_h + g.decoded_v * g.decoded_v);
  constexpr double kCosine = PERDIX_ADM_COSINE / 16777216.0;
  return inner >= 0 && inner * inner >= kCosine * reference * decoded;
}

// decoded / reference in 0..1, of 2^-15. Above 15 bits the reference is
// rounded to 15 before it divides.
inline int32_t RestoredShare(int32_t reference, int32_t decoded) {
  if (reference == 0) return 32768;
  const int32_t magnitude = std::abs(reference);
  const int bits = std::max(0, int(std::bit_width(uint32_t(magnitude))) - 15);
  const int64_t divisor = RoundShift(int64_t{magnitude}, bits);
  const int64_t inverse = (1 << 30) / divisor;
  const int64_t quotient = RoundShift(
      inverse * (reference < 0 ? -int64_t{decoded} : int64_t{decoded}),
      15 + bits);
  return static_cast<int32_t>(std::clamp<int64_t>(quotient, 0, 32768));
}

// What of a decoded sample restores the reference; the rest is added.
inline int32_t RestoredSample(int32_t reference, int32_t decoded,
                              bool same_angle, int gain_limit) {
  const int32_t share = RestoredShare(reference, decoded);
  const int64_t restored = RoundShift(int64_t{share} * reference, 15);
  if (!same_angle || share == 0 || reference == 0) {
    return static_cast<int32_t>(restored);
  }
  // Contrast that is enhanced restores, too, up to the limit.
  const int64_t enhanced = gain_limit * restored;
  return static_cast<int32_t>(reference > 0
                                  ? std::min<int64_t>(enhanced, decoded)
                                  : std::max<int64_t>(enhanced, decoded));
}

// The shares of one band's sample in a mask.
struct MaskShares {
  int32_t neighbour;
  int32_t centre;
};

template <bool kScale0>
MaskShares SharesInMask(int scale, int band, int32_t sample) {
  const int32_t weight = kAdmWeights[scale][band];
  if constexpr (kScale0) {
    const int32_t weighted = std::abs(int32_t{static_cast<int16_t>(
        (weight * sample + kAdmMaskRound[band]) >> kAdmMaskShift[band])});
    return {
        static_cast<int16_t>((PERDIX_ADM_NEIGHBOUR * weighted + 2048) >> 12),
        static_cast<int16_t>((PERDIX_ADM_CENTRE * weighted + 2048) >> 12)};
  } else {
    const int64_t weighted =
        std::abs(int32_t(RoundShift(int64_t{weight} * sample, 28)));
    // Not rounded: half a unit is taken away, so that 0 gives -1.
    constexpr int64_t kHalf = int64_t{1} << 31;
    return {int32_t((PERDIX_ADM_NEIGHBOUR_FINE * weighted - kHalf) >> 32),
            int32_t((PERDIX_ADM_CENTRE_FINE * weighted - kHalf) >> 32)};
  }
}

// The cube of a sample as far as it stands out of its mask.
template <bool kScale0>
int64_t MaskedCube(const AdmScale& scale, int band, int32_t sample,
                   int32_t threshold) {
  const int32_t weight = kAdmWeights[scale.scale][band];
  int32_t visible;
  int square_shift;
  if constexpr (kScale0) {
    visible =
        std::abs(weight * sample) - (threshold << kAdmThresholdShift[band]);
    square_shift = kAdmSquareShift[band];
  } else {
    visible =
        std::abs(int32_t(RoundShift(int64_t{weight} * sample, 28))) - threshold;
    square_shift = PERDIX_ADM_SQUARE_SHIFT_FINE;
  }
  const int64_t x = std::max(0, visible);
  const int32_t square = static_cast<int32_t>(RoundShift(x * x, square_shift));
  return RoundShift(square * x, scale.cube_shift[band]);
}

// The cube of a sample of the reference, for the denominator.
template <bool kScale0>
int64_t Cube(const AdmScale& scale, int32_t sample) {
  const int64_t x = std::abs(int64_t{sample});
  if constexpr (kScale0) {
    return x * x * x;
  } else {
    const int shift = kAdmDenSquareShift[scale.scale];
    // A whole is added, not a half.
    const int64_t square = (x * x + (int64_t{1} << shift)) >> shift;
    return RoundShift(square * x, scale.den_cube_shift);
  }
}

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_ADM_POINT_H_
