// SPDX-License-Identifier: BSD-2-Clause
// Picture quality on the CPU: the sums of VIF, ADM, motion and PSNR of a pair
// of pictures, in integers throughout. The GPU's: shaders/quality.
#ifndef PERDIX_KERNELS_QUALITY_QUALITY_H_
#define PERDIX_KERNELS_QUALITY_QUALITY_H_

#include <cstdint>
#include <memory>

#include "kernels/kernel.h"
#include "kernels/plane.h"
#include "kernels/shared/quality.h"
#include "kernels/status.h"

namespace perdix {

enum QualityFeature : uint32_t {
  kQualityVif = 1,
  kQualityAdm = 2,
  kQualityMotion = 4,
  kQualityPsnr = 8,
  kAllQualityFeatures = 15,
};

// A pair to compare. All pictures have the same size and bit depth, which
// CheckQualitySize allows, and the same chroma.
struct QualityInput {
  PictureView reference;
  PictureView decoded;
  // The reference that was shown before; null for the first, whose motion is 0.
  const PictureView* previous = nullptr;
  // A decoded picture that has more contrast than the reference gains nothing.
  bool limit_gain = false;
  uint32_t features = kAllQualityFeatures;  // sums of others are 0
};

// Whether pictures of this size and depth can be compared.
Status CheckQualitySize(uint32_t width, uint32_t height, uint32_t bit_depth);

// Compares pairs, one after the other. Its memory is used again for the next
// pair. A thread has its own.
class QualityMeter {
 public:
  explicit QualityMeter(Variant variant);  // kScalar or kSimd
  ~QualityMeter();

  void Measure(const QualityInput& input, QualitySums* sums);

 private:
  struct Scratch;

  Variant variant_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_QUALITY_QUALITY_H_
