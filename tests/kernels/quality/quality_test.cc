// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/quality.h"

#include <gtest/gtest.h>

#include "tests/kernels/quality/quality_pictures.h"

namespace perdix {
namespace {

constexpr QualitySums kZero = {};

TEST(QualityMeterTest, RefusesWhatIsTooSmallOrTooDeep) {
  EXPECT_TRUE(CheckQualitySize(33, 33, 8).ok());
  EXPECT_TRUE(CheckQualitySize(4096, 2176, 12).ok());
  EXPECT_EQ(CheckQualitySize(32, 33, 8).message(),
            "quality: pictures of 32x33, both sides must be at least 33");
  EXPECT_FALSE(CheckQualitySize(33, 32, 8).ok());
  EXPECT_FALSE(CheckQualitySize(64, 64, 9).ok());
}

TEST(QualityMeterTest, SumsSquaredErrorsOfEachComponent) {
  PicturePair pair(65, 35, 10, PairContent::kEqual, 1);
  pair.decoded.Set(kLuma, 64, 34, 0, pair.reference.Get(kLuma, 64, 34, 0) ^ 3);
  pair.decoded.Set(kChroma, 32, 17, 0,
                   pair.reference.Get(kChroma, 32, 17, 0) ^ 1);
  pair.decoded.Set(kChroma, 0, 0, 1,
                   pair.reference.Get(kChroma, 0, 0, 1) ^ 512);
  QualityMeter meter(Variant::kScalar);
  const QualitySums sums = MeasureQuality(meter, pair.Input());
  const int luma =
      pair.decoded.Get(kLuma, 64, 34, 0) - pair.reference.Get(kLuma, 64, 34, 0);
  EXPECT_EQ(sums.sse[0], luma * luma);
  EXPECT_EQ(sums.sse[1], 1);
  EXPECT_EQ(sums.sse[2], 512 * 512);
}

TEST(QualityMeterTest, MotionOfABrighterPictureIsTheDifference) {
  PicturePair pair(40, 33, 8, PairContent::kFlat, 1);
  pair.previous.FillWith(10);
  pair.reference.FillWith(17);
  QualityMeter meter(Variant::kScalar);
  EXPECT_EQ(MeasureQuality(meter, pair.Input()).motion, 7 * 256 * 40 * 33);
}

// A sample at the border stands for itself alone, its neighbour for two.
TEST(QualityMeterTest, MotionMirrorsAtBorders) {
  const auto motion_of_change_at = [](int x, int y) {
    PicturePair pair(40, 33, 8, PairContent::kFlat, 1);
    pair.previous.FillWith(0);
    pair.reference.FillWith(0);
    pair.reference.Set(kLuma, x, y, 0, 255);
    QualityMeter meter(Variant::kScalar);
    return MeasureQuality(meter, pair.Input()).motion;
  };
  // The weights that a sample has in those around it, of 2^-16.
  const double inner = 65536;
  const double border = 26386 + 16004 + 3571;
  const double second = 26386 + 16004 + 3571 + 2 * 16004;
  const double full = 255.0 * 256 / (inner * inner);
  EXPECT_NEAR(motion_of_change_at(20, 16), full * inner * inner, 30);
  EXPECT_NEAR(motion_of_change_at(0, 16), full * border * inner, 30);
  EXPECT_NEAR(motion_of_change_at(39, 32), full * border * border, 30);
  EXPECT_NEAR(motion_of_change_at(20, 0), full * border * inner, 30);
  EXPECT_NEAR(motion_of_change_at(1, 16), full * (second + 3571) * inner, 30);
}

TEST(QualityMeterTest, TheFirstPictureHasNoMotion) {
  PicturePair pair(40, 33, 8, PairContent::kNoise, 1);
  QualityInput input = pair.Input();
  input.previous = nullptr;
  QualityMeter meter(Variant::kScalar);
  EXPECT_EQ(MeasureQuality(meter, input).motion, 0);
}

TEST(QualityMeterTest, EqualFlatPicturesHaveNothingButFlatSamples) {
  PicturePair pair(50, 40, 8, PairContent::kFlat, 1);
  pair.decoded = pair.reference;
  QualityMeter meter(Variant::kScalar);
  const QualitySums sums = MeasureQuality(meter, pair.Input());
  for (int s = 0; s < PERDIX_QUALITY_SCALES; ++s) {
    EXPECT_EQ(sums.vif[s].den_non, (50 >> s) * (40 >> s));
    EXPECT_EQ(sums.vif[s].num_non, 0);
    EXPECT_EQ(sums.vif[s].den_log, 0);
  }
}

TEST(QualityMeterTest, ReadsP010AsTheSameSamples) {
  for (const PairContent content : kAllPairContents) {
    PicturePair pair(66, 35, 10, content, 3);
    QualityMeter meter(Variant::kScalar);
    const QualitySums low = MeasureQuality(meter, pair.Input());
    for (GuardedPicture* picture :
         {&pair.reference, &pair.decoded, &pair.previous}) {
      picture->SetShift(6);
      picture->UseUpperBits();
    }
    ExpectEqualSums(low, MeasureQuality(meter, pair.Input()));
  }
}

// A node's picture against a file's.
TEST(QualityMeterTest, ComparesP010WithSamplesInTheLowBits) {
  for (const Variant variant : {Variant::kScalar, Variant::kSimd}) {
    PicturePair pair(66, 35, 10, PairContent::kNatural, 3);
    QualityMeter meter(variant);
    const QualitySums low = MeasureQuality(meter, pair.Input());
    pair.decoded.SetShift(6);
    pair.decoded.UseUpperBits();
    ExpectEqualSums(low, MeasureQuality(meter, pair.Input()));
  }
}

TEST(QualityMeterTest, MeasuresOnlyWhatIsAskedFor) {
  PicturePair pair(48, 48, 8, PairContent::kNoise, 5);
  QualityMeter meter(Variant::kScalar);
  QualityInput input = pair.Input();
  const QualitySums all = MeasureQuality(meter, input);
  QualitySums parts = {};
  for (const uint32_t feature :
       {kQualityVif, kQualityAdm, kQualityMotion, kQualityPsnr}) {
    input.features = feature;
    const QualitySums sums = MeasureQuality(meter, input);
    for (size_t i = 0; i < sizeof(sums) / sizeof(QualityWord); ++i) {
      reinterpret_cast<QualityWord*>(&parts)[i] +=
          reinterpret_cast<const QualityWord*>(&sums)[i];
    }
  }
  ExpectEqualSums(all, parts);
  input.features = 0;
  ExpectEqualSums(kZero, MeasureQuality(meter, input));
}

// Pairs of other sizes leave other bytes in the meter's memory.
TEST(QualityMeterTest, ForgetsThePairBefore) {
  QualityMeter used(Variant::kScalar);
  for (const uint32_t width : {130u, 33u, 71u, 64u}) {
    PicturePair pair(width, 120 - width / 2, 8, PairContent::kNoise, width);
    QualityMeter fresh(Variant::kScalar);
    ExpectEqualSums(MeasureQuality(fresh, pair.Input()),
                    MeasureQuality(used, pair.Input()));
  }
}

}  // namespace
}  // namespace perdix
