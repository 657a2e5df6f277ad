// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/adm.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/quality/adm_point.h"
#include "kernels/quality/adm_scale.h"
#include "tests/frame/random.h"
#include "tests/kernels/quality/quality_pictures.h"

namespace perdix::quality {
namespace {

__extension__ typedef unsigned __int128 Wide;

int BitWidth(Wide x) {
  const uint64_t high = uint64_t(x >> 64);
  return int(high != 0 ? 64 + std::bit_width(high)
                       : std::bit_width(uint64_t(x)));
}

// x with its leading bits only, rounded to the nearest, halves to even: what
// conversion to a float (24) or a double (53) does.
Wide Rounded(Wide x, int bits) {
  const int shift = BitWidth(x) - bits;
  if (shift <= 0) return x;
  const Wide rest = x & ((Wide(1) << shift) - 1);
  const Wide half = Wide(1) << (shift - 1);
  Wide kept = x >> shift;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  return kept << shift;
}

// SameAngle in integers. Products of c and two floats have 72 bits, which are
// taken without the floats' exponents.
bool SameAngleInIntegers(const AdmGradients& g) {
  const int64_t inner =
      g.reference_h * g.decoded_h + g.reference_v * g.decoded_v;
  if (inner < 0) return false;
  const auto mantissa = [](uint64_t x, int* exponent) {
    const Wide rounded = Rounded(x, 24);
    *exponent = std::max(0, BitWidth(rounded) - 24);
    return uint64_t(rounded >> *exponent);
  };
  int exponents[3];
  const Wide x = mantissa(uint64_t(inner), &exponents[0]);
  const Wide reference = mantissa(
      uint64_t(g.reference_h * g.reference_h + g.reference_v * g.reference_v),
      &exponents[1]);
  const Wide decoded =
      mantissa(uint64_t(g.decoded_h * g.decoded_h + g.decoded_v * g.decoded_v),
               &exponents[2]);
  const Wide right = Rounded(reference * decoded * PERDIX_ADM_COSINE, 53);
  // Left and right in the unit of the cosine.
  int left_shift = 2 * exponents[0] + 24 - exponents[1] - exponents[2];
  Wide left = x * x;
  for (; left_shift > 0 && BitWidth(left) < 126; --left_shift) left <<= 1;
  return left_shift > 0 ? true : left >= right << -left_shift;
}

// Gradients of random length whose directions differ by about a degree.
AdmGradients GradientsAtTheLimit(TestRandom& random, int bits) {
  const double reference_length = std::exp2(random.Uniform(0, bits * 64) / 64.);
  const double decoded_length = std::exp2(random.Uniform(0, bits * 64) / 64.);
  const double angle =
      random.Uniform(0, 1 << 20) * 6.283185307179586 / (1 << 20);
  const double between =
      std::acos(std::sqrt(PERDIX_ADM_COSINE / 16777216.0)) *
      (random.OneIn(2) ? 1 : random.Uniform(0, 2000) / 1000.0);
  return {std::llround(reference_length * std::cos(angle)),
          std::llround(reference_length * std::sin(angle)),
          std::llround(decoded_length * std::cos(angle + between)),
          std::llround(decoded_length * std::sin(angle + between))};
}

TEST(AdmPointTest, TellsAnglesAsIntegersDo) {
  TestRandom random(1);
  int same = 0;
  constexpr int kCases = 400000;
  for (int i = 0; i < kCases; ++i) {
    const AdmGradients g = GradientsAtTheLimit(random, i % 2 ? 14 : 24);
    const bool expected = SameAngleInIntegers(g);
    same += expected;
    ASSERT_EQ(SameAngle(g), expected)
        << g.reference_h << " " << g.reference_v << " " << g.decoded_h << " "
        << g.decoded_v;
  }
  EXPECT_GT(same, kCases / 4);
  EXPECT_LT(same, kCases * 3 / 4);
}

TEST(AdmPointTest, GradientsOfNothingPointAnywhere) {
  EXPECT_TRUE(SameAngle({0, 0, 0, 0}));
  EXPECT_TRUE(SameAngle({0, 0, 5, -7}));
  EXPECT_TRUE(SameAngle({3, 4, 6, 8}));
  EXPECT_FALSE(SameAngle({3, 4, -6, -8}));
  EXPECT_FALSE(SameAngle({100, 0, 0, 100}));
}

TEST(AdmPointTest, SharesLieBetweenNothingAndAll) {
  EXPECT_EQ(RestoredShare(0, 77), 32768);
  EXPECT_EQ(RestoredShare(5, 0), 0);
  EXPECT_EQ(RestoredShare(5, -5), 0);
  EXPECT_EQ(RestoredShare(-5, -5), 32768);
  EXPECT_EQ(RestoredShare(5, 50), 32768);
  // 2^30 / 3 is rounded down: two thirds less a little.
  EXPECT_EQ(RestoredShare(3, 2), 21845);
  // Above 15 bits the reference is rounded: 65537 to 65540, 131071 to 131072.
  EXPECT_EQ(RestoredShare(131071, 65536), 16384);
  EXPECT_EQ(RestoredShare(-131071, -65536), 16384);
}

TEST(AdmPointTest, RestoresUpToTheLimitWhereAnglesAgree) {
  EXPECT_EQ(RestoredSample(10, 700, false, 100), 10);
  EXPECT_EQ(RestoredSample(10, 700, true, 100), 700);
  EXPECT_EQ(RestoredSample(10, 7000, true, 100), 1000);
  EXPECT_EQ(RestoredSample(-10, -7000, true, 100), -1000);
  EXPECT_EQ(RestoredSample(10, 700, true, 1), 10);
  EXPECT_EQ(RestoredSample(0, 700, true, 100), 0);
  EXPECT_EQ(RestoredSample(10, -700, true, 100), 0);
  // 100 times this passes 32 bits.
  EXPECT_EQ(RestoredSample(INT32_MAX / 2, INT32_MAX, true, 100), INT32_MAX);
}

TEST(AdmPointTest, NothingIsLessThanNothingInAMask) {
  for (int band = 0; band < PERDIX_ADM_BANDS; ++band) {
    EXPECT_EQ(SharesInMask<true>(0, band, 0).neighbour, 0);
    EXPECT_EQ(SharesInMask<true>(0, band, 0).centre, 0);
    for (int scale = 1; scale < PERDIX_QUALITY_SCALES; ++scale) {
      EXPECT_EQ(SharesInMask<false>(scale, band, 0).neighbour, -1);
      EXPECT_EQ(SharesInMask<false>(scale, band, 0).centre, -1);
    }
  }
  // |-1234 K + 16384| / 2^15 = 1373 (rounded towards minus infinity).
  EXPECT_EQ(SharesInMask<true>(0, 0, -1234).neighbour,
            (1373 * 4369 + 2048) / 4096);
  EXPECT_EQ(SharesInMask<true>(0, 0, 1234).centre, (1373 * 8738 + 2048) / 4096);
}

TEST(AdmScaleTest, RegionsLeaveATenthOut) {
  for (int n = 3; n < 5000; ++n) {
    EXPECT_EQ(AdmRegion(n).begin, int(std::max(0.0, n * 0.1 - 0.5))) << n;
    EXPECT_EQ(AdmRegion(n).end, n - AdmRegion(n).begin) << n;
    EXPECT_EQ(AdmReach(n).begin, std::max(0, int(n * 0.1 - 1.5))) << n;
  }
  EXPECT_EQ(AdmReach(3).end, 3);
  EXPECT_EQ(AdmReach(100).end, 92);
}

TEST(AdmScaleTest, ShiftsChangeAbovePowersOfTwo) {
  for (const int n : {32, 64, 1024}) {
    const int log = CeilLog2(uint32_t(n));
    EXPECT_EQ(1 << log, n);
    EXPECT_EQ(AdmScale(1, n - 1, n - 1, 100).cube_shift[2], log);
    EXPECT_EQ(AdmScale(1, n, n, 100).cube_shift[2], log);
    EXPECT_EQ(AdmScale(1, n + 1, n + 1, 100).cube_shift[2], log + 1);
    EXPECT_EQ(AdmScale(0, n, n, 100).cube_shift[0], log - 4);
    EXPECT_EQ(AdmScale(0, n, n, 100).cube_shift[2], log - 3);
    EXPECT_EQ(AdmScale(2, 7, n - 1, 100).row_shift, log);
    EXPECT_EQ(AdmScale(2, 7, n, 100).row_shift, log);
    EXPECT_EQ(AdmScale(2, 7, n + 1, 100).row_shift, log + 1);
  }
  // 1024 samples are left of 1278.
  EXPECT_EQ(AdmScale(0, 1278, 1278, 100).den_row_shift, 0);
  EXPECT_EQ(AdmScale(0, 1279, 1278, 100).den_row_shift, 1);
}

QualitySums Measure(PicturePair& pair) {
  QualityMeter meter(Variant::kScalar);
  return MeasureQuality(meter, pair.Input());
}

TEST(AdmTest, NothingIsAddedToEqualPictures) {
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    PicturePair pair(97, 61, bit_depth, PairContent::kEqual, 1);
    const QualitySums sums = Measure(pair);
    for (int s = 0; s < PERDIX_QUALITY_SCALES; ++s) {
      for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
        // Scales above 0 mask zeroes with -1, which passes as contrast.
        if (s == 0) {
          EXPECT_EQ(sums.adm[s].aim[i], 0);
        }
        EXPECT_GT(sums.adm[s].num[i], 0);
      }
    }
  }
}

TEST(AdmTest, FlatPicturesHaveNoDetail) {
  PicturePair pair(40, 40, 8, PairContent::kFlat, 1);
  const QualitySums sums = Measure(pair);
  EXPECT_EQ(sums.adm[0].num[0], 0);
  EXPECT_EQ(sums.adm[0].den[0], 0);
  EXPECT_EQ(sums.adm[0].aim[0], 0);
}

TEST(AdmTest, BothPicturesMatterInTheirOrder) {
  PicturePair pair(64, 48, 8, PairContent::kContrast, 1);
  const QualitySums sums = Measure(pair);
  std::swap(pair.reference, pair.decoded);
  const QualitySums swapped = Measure(pair);
  EXPECT_NE(sums.adm[0].den[0], swapped.adm[0].den[0]);
  EXPECT_NE(sums.vif[0].den_non, swapped.vif[0].den_non);
}

}  // namespace
}  // namespace perdix::quality
