// SPDX-License-Identifier: BSD-2-Clause
// Pairs of pictures for the tests of quality, on the CPU and on the GPU.
#ifndef PERDIX_TESTS_KERNELS_QUALITY_QUALITY_PICTURES_H_
#define PERDIX_TESTS_KERNELS_QUALITY_QUALITY_PICTURES_H_

#include <cstdint>

#include "kernels/quality/quality.h"
#include "tests/frame/guarded_picture.h"

namespace perdix {

enum class PairContent {
  kNoise,     // unrelated samples
  kFlat,      // one value each
  kSquares,   // black and white squares, shifted in the decoded picture
  kContrast,  // a reference that is all but flat, decoded as black and white
  kNatural,   // slopes and steps, decoded with a little noise
  kEqual,     // the same natural picture twice
};
inline constexpr PairContent kAllPairContents[] = {
    PairContent::kNoise,    PairContent::kFlat,    PairContent::kSquares,
    PairContent::kContrast, PairContent::kNatural, PairContent::kEqual};

// A pair and the reference before it, in memory of its own.
class PicturePair {
 public:
  PicturePair(uint32_t width, uint32_t height, uint32_t bit_depth,
              PairContent content, uint32_t seed);

  // Pointers into this object.
  QualityInput Input();

  GuardedPicture reference;
  GuardedPicture decoded;
  GuardedPicture previous;

 private:
  PictureView previous_view_;
};

QualitySums MeasureQuality(QualityMeter& meter, const QualityInput& input);

// Fails the test for each of the 56 sums that differs, and names it.
void ExpectEqualSums(const QualitySums& expected, const QualitySums& actual);

}  // namespace perdix

#endif  // PERDIX_TESTS_KERNELS_QUALITY_QUALITY_PICTURES_H_
