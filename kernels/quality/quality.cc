// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/quality.h"

#include <cassert>
#include <string>

#include "kernels/quality/adm.h"
#include "kernels/quality/arena.h"
#include "kernels/quality/luma.h"
#include "kernels/quality/motion.h"
#include "kernels/quality/sse.h"
#include "kernels/quality/vif.h"

namespace perdix {
namespace {

template <typename Sample>
void CopyLuma(const PictureView& picture, const quality::Luma& luma) {
  for (int y = 0; y < luma.height; ++y) {
    const Sample* const from =
        picture.planes[kLuma].Row<const Sample>(static_cast<uint32_t>(y));
    uint16_t* const to = luma.Row(y);
    for (int x = 0; x < luma.width; ++x) {
      to[x] = static_cast<uint16_t>(from[x] >> picture.shift);
    }
  }
}

// The features of a variant.
struct Features {
  decltype(&quality::MeasureSse) sse;
  decltype(&quality::MeasureMotion) motion;
  decltype(&quality::MeasureVif) vif;
  decltype(&quality::MeasureAdm) adm;
};
constexpr Features kScalarFeatures = {quality::MeasureSse,
                                      quality::MeasureMotion,
                                      quality::MeasureVif, quality::MeasureAdm};
constexpr Features kSimdFeatures = {
    quality::MeasureSseSimd, quality::MeasureMotionSimd,
    quality::MeasureVifSimd, quality::MeasureAdmSimd};

quality::Luma LumaOf(const PictureView& picture, quality::Arena& arena) {
  const quality::Luma luma = quality::TakeLuma(
      static_cast<int>(picture.width), static_cast<int>(picture.height), arena);
  if (picture.bit_depth > 8) {
    CopyLuma<uint16_t>(picture, luma);
  } else {
    CopyLuma<uint8_t>(picture, luma);
  }
  return luma;
}

}  // namespace

Status CheckQualitySize(uint32_t width, uint32_t height, uint32_t bit_depth) {
  if (width < PERDIX_QUALITY_MIN_SIDE || height < PERDIX_QUALITY_MIN_SIDE) {
    return Status(StatusCode::kUnsupported,
                  "quality: pictures of " + std::to_string(width) + "x" +
                      std::to_string(height) +
                      ", both sides must be at least " +
                      std::to_string(PERDIX_QUALITY_MIN_SIDE));
  }
  if (bit_depth != 8 && bit_depth != 10 && bit_depth != 12) {
    return Status(StatusCode::kUnsupported, "quality: bit depth " +
                                                std::to_string(bit_depth) +
                                                ", must be 8, 10 or 12");
  }
  return Status::Ok();
}

struct QualityMeter::Scratch {
  quality::Arena arena;
};

QualityMeter::QualityMeter(Variant variant)
    : variant_(variant), scratch_(std::make_unique<Scratch>()) {}

QualityMeter::~QualityMeter() = default;

void QualityMeter::Measure(const QualityInput& input, QualitySums* sums) {
  const PictureView& reference = input.reference;
  assert(
      CheckQualitySize(reference.width, reference.height, reference.bit_depth)
          .ok());
  const Features& features =
      variant_ == Variant::kSimd ? kSimdFeatures : kScalarFeatures;
  *sums = {};
  quality::Arena& arena = scratch_->arena;
  arena.Reset();
  if (input.features & kQualityPsnr) {
    features.sse(reference, input.decoded, sums->sse);
  }
  quality::LumaPair pair;
  pair.reference = LumaOf(reference, arena);
  pair.bit_depth = static_cast<int>(reference.bit_depth);
  pair.gain_limit = input.limit_gain ? 1 : PERDIX_ADM_GAIN_LIMIT;
  if ((input.features & kQualityMotion) && input.previous != nullptr) {
    sums->motion = features.motion(LumaOf(*input.previous, arena),
                                   pair.reference, pair.bit_depth, arena);
  }
  if (input.features & (kQualityVif | kQualityAdm)) {
    pair.decoded = LumaOf(input.decoded, arena);
  }
  if (input.features & kQualityVif) {
    features.vif(pair, arena, sums->vif);
  }
  if (input.features & kQualityAdm) {
    features.adm(pair, arena, sums->adm);
  }
}

}  // namespace perdix
