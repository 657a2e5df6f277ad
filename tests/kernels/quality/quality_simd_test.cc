// SPDX-License-Identifier: BSD-2-Clause
// Every Highway target against the scalar code, in all 448 bytes.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/quality/quality.h"
#include "tests/kernels/quality/quality_pictures.h"

namespace perdix {
namespace {

std::vector<int64_t> Targets() {
  std::vector<int64_t> targets;
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0;
       left &= left - 1) {
    targets.push_back(left & -left);
  }
  return targets;
}

class QualitySimdTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  void ExpectScalarSums(uint32_t width, uint32_t height, uint32_t bit_depth,
                        PairContent content, uint32_t seed) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + " " +
                 std::to_string(bit_depth) + " bit, content " +
                 std::to_string(int(content)) + ", seed " +
                 std::to_string(seed));
    PicturePair pair(width, height, bit_depth, content, seed);
    for (const bool limit_gain : {false, true}) {
      QualityInput input = pair.Input();
      input.limit_gain = limit_gain;
      const QualitySums expected = MeasureQuality(scalar_, input);
      const QualitySums actual = MeasureQuality(simd_, input);
      if (std::memcmp(&expected, &actual, sizeof(expected)) != 0) {
        ExpectEqualSums(expected, actual);
      }
    }
  }

 private:
  QualityMeter scalar_{Variant::kScalar};
  QualityMeter simd_{Variant::kSimd};
};

std::string NameOf(const ::testing::TestParamInfo<int64_t>& info) {
  return hwy::TargetName(info.param);
}

TEST_P(QualitySimdTest, EqualsScalarInAllWidths) {
  for (uint32_t width = 33; width <= 100; ++width) {
    const PairContent content = kAllPairContents[width % 6];
    ExpectScalarSums(width, 33 + width * 7 % 38, 8, content, width);
    ExpectScalarSums(width, 33 + width * 5 % 38, width % 2 ? 10 : 12,
                     kAllPairContents[(width + 1) % 6], width);
  }
}

TEST_P(QualitySimdTest, EqualsScalarInAllContents) {
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    for (const PairContent content : kAllPairContents) {
      ExpectScalarSums(197, 131, bit_depth, content, bit_depth);
    }
  }
}

TEST_P(QualitySimdTest, EqualsScalarInLargePictures) {
  ExpectScalarSums(1920, 1080, 8, PairContent::kNatural, 1);
  ExpectScalarSums(4098, 66, 8, PairContent::kNoise, 2);
  ExpectScalarSums(1027, 517, 10, PairContent::kSquares, 3);
  ExpectScalarSums(1280, 64, 12, PairContent::kContrast, 4);
}

INSTANTIATE_TEST_SUITE_P(Targets, QualitySimdTest,
                         ::testing::ValuesIn(Targets()), NameOf);

}  // namespace
}  // namespace perdix
