// SPDX-License-Identifier: BSD-2-Clause
// Picture quality: the sums that a pair of pictures leaves to read, and the
// constants of the features. Every figure is made of these sums
// (client/quality/scores.cc). Users: kernels/quality, shaders/quality,
// kernels/gpu/quality.cc. What libvmaf 3.2.0 computes is the reference.
#ifndef PERDIX_KERNELS_SHARED_QUALITY_H_
#define PERDIX_KERNELS_SHARED_QUALITY_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
#define PERDIX_SHARED_TABLE inline constexpr
namespace perdix {
using QualityWord = int64_t;
#else
#define PERDIX_SHARED_TABLE const
#define QualityWord uvec2  // low word, high word
#endif

// Sides below this are refused: scale 3 would have fewer samples than taps.
#define PERDIX_QUALITY_MIN_SIDE 33
#define PERDIX_QUALITY_SCALES 4

// ---- results of a pair ----

// Visual information fidelity at one scale.
struct VifSums {
  QualityWord num_log;  // logarithms of 2^-11
  QualityWord den_log;  // logarithms of 2^-11
  QualityWord num_non;  // variances of the decoded picture where flat
  QualityWord den_non;  // number of samples where the reference is flat
};

// The detail loss and the additive impairment at one scale; bands h, v, d.
struct AdmSums {
  QualityWord num[3];
  QualityWord den[3];
  QualityWord aim[3];
};

struct QualitySums {
  VifSums vif[PERDIX_QUALITY_SCALES];
  AdmSums adm[PERDIX_QUALITY_SCALES];
  QualityWord motion;  // absolute differences of blurred luma, of 2^-8
  QualityWord sse[3];  // squared errors of Y, Cb, Cr
};

// ---- VIF ----

#define PERDIX_VIF_MAX_TAPS 17

// Filter s blurs scale s; filter s + 1 over scale s makes scale s + 1.
PERDIX_SHARED_TABLE uint kVifTaps[PERDIX_QUALITY_SCALES] = {17, 9, 5, 3};
PERDIX_SHARED_TABLE uint
    kVifFilters[PERDIX_QUALITY_SCALES][PERDIX_VIF_MAX_TAPS] = {
        {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274,
         3896, 2640, 1640, 935, 489},
        {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244, 0, 0, 0, 0, 0,
         0, 0, 0},
        {3571, 16004, 26386, 16004, 3571, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {10904, 43728, 10904, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};

// Variance of the noise of the eye, as of a neighbourhood's squares.
#define PERDIX_VIF_NOISE 131072
// 2048 log2(PERDIX_VIF_NOISE)
#define PERDIX_VIF_NOISE_LOG 34816
// The share of an epsilon of 6.5536e-6 in a quotient q < 2^31 is the upper word
// of q times this, shifted right by 17; twice the share if shifted by 16.
#define PERDIX_VIF_EPSILON 3689348815u
#define PERDIX_VIF_EPSILON_SHIFT 17
// Logarithms of the numbers from 2^15 to 2^16 - 1, in 2^-11, 16 bits each.
#define PERDIX_VIF_LOG_FIRST 32768
#define PERDIX_VIF_LOGS 32768

// ---- ADM ----

#define PERDIX_ADM_BANDS 3  // of a scale that are compared: h, v, d

// Taps 2i - 1 to 2i + 2 make sample i of a band.
PERDIX_SHARED_TABLE int kAdmLow[4] = {15826, 27411, 7345, -4240};
PERDIX_SHARED_TABLE int kAdmHigh[4] = {-4240, -7345, 27411, -15826};
// The sum of kAdmLow, by which scale 0 takes half of a sample's range away.
#define PERDIX_ADM_LOW_SUM 46342

// Weights of the contrast sensitivity: of 2^-15, 2^-15 and 2^-17 at scale 0,
// of 2^-28 at the others.
PERDIX_SHARED_TABLE int kAdmWeights[PERDIX_QUALITY_SCALES][PERDIX_ADM_BANDS] = {
    {36453, 36453, 49417},
    {137373792, 137373792, 61414028},
    {186284160, 186284160, 104783920},
    {196165808, 196165808, 134487184}};
// Rounding of a weighted sample at scale 0.
PERDIX_SHARED_TABLE int kAdmMaskRound[PERDIX_ADM_BANDS] = {16384, 16384, 65535};
PERDIX_SHARED_TABLE int kAdmMaskShift[PERDIX_ADM_BANDS] = {15, 15, 17};
// 1/30 for a neighbour and 1/15 for the centre of a mask: of 2^-17 (with 12 of
// the bits left) at scale 0, of 2^-32 at the others.
#define PERDIX_ADM_NEIGHBOUR 4369
#define PERDIX_ADM_CENTRE 8738
#define PERDIX_ADM_NEIGHBOUR_FINE 143165577
#define PERDIX_ADM_CENTRE_FINE 286331153
// Contrast masking at scale 0.
PERDIX_SHARED_TABLE int kAdmThresholdShift[PERDIX_ADM_BANDS] = {10, 10, 12};
PERDIX_SHARED_TABLE int kAdmSquareShift[PERDIX_ADM_BANDS] = {29, 29, 30};
// A cube at scale 0 loses as many bits less than ceil(log2(width)).
PERDIX_SHARED_TABLE int kAdmCubeShift[PERDIX_ADM_BANDS] = {4, 4, 3};
#define PERDIX_ADM_SQUARE_SHIFT_FINE 30
// Squares of the denominator, by scale; the first is not used.
PERDIX_SHARED_TABLE int kAdmDenSquareShift[PERDIX_QUALITY_SCALES] = {0, 31, 30,
                                                                     31};
// The square of the cosine of one degree, of 2^-24.
#define PERDIX_ADM_COSINE 16772106
#define PERDIX_ADM_GAIN_LIMIT 100  // and of VIF; with the gain limited: 1

// ---- motion ----

PERDIX_SHARED_TABLE int kMotionFilter[5] = {3571, 16004, 26386, 16004, 3571};

#ifdef __cplusplus
static_assert(sizeof(VifSums) == 32);
static_assert(sizeof(AdmSums) == 72);
static_assert(sizeof(QualitySums) == 448);
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_QUALITY_H_
