// SPDX-License-Identifier: BSD-2-Clause
#include "client/quality/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client/quality/vmaf_model.h"
#include "kernels/quality/adm_scale.h"
#include "kernels/quality/quality.h"

namespace perdix::client {
namespace {

using quality::AdmScale;

// ---- PSNR ----

double Psnr(QualityWord sse, double samples, int bit_depth) {
  const double peak = (1 << bit_depth) - 1;
  const double mean = std::max(static_cast<double>(sse) / samples, 1e-16);
  return std::min(10 * std::log10(peak * peak / mean), 6.0 * bit_depth + 12);
}

void ScorePsnr(const ScoredFormat& format, const QualitySums& sums,
               FrameScores& scores) {
  const double luma = double(format.width) * format.height;
  const double chroma =
      double((format.width + format.subsampling_x) >> format.subsampling_x) *
      double((format.height + format.subsampling_y) >> format.subsampling_y);
  scores[kScorePsnrY] = Psnr(sums.sse[0], luma, format.bit_depth);
  scores[kScorePsnrCb] = Psnr(sums.sse[1], chroma, format.bit_depth);
  scores[kScorePsnrCr] = Psnr(sums.sse[2], chroma, format.bit_depth);
}

// ---- VIF ----

double VifScore(const VifSums& sums) {
  const double log = 2048;
  const float num = static_cast<float>(
      double(sums.num_log) / log +
      (double(sums.den_non) - double(sums.num_non) / 16384.0 / 65025.0));
  const float den =
      static_cast<float>(double(sums.den_log) / log + double(sums.den_non));
  return num / den;
}

void ScoreVif(const QualitySums& sums, FrameScores& scores) {
  for (int s = 0; s < PERDIX_QUALITY_SCALES; ++s) {
    scores[Score(kScoreVifScale0 + s)] = VifScore(sums.vif[s]);
  }
}

// ---- ADM ----

// Weights of the bands h and v, and of d, in the denominator of each scale.
constexpr float kDenWeights[PERDIX_QUALITY_SCALES][2] = {
    {0x1.1cc774p-6f, 0x1.820d54p-8f},
    {0x1.06050cp-5f, 0x1.d48d46p-7f},
    {0x1.634f1p-5f, 0x1.8fb80cp-6f},
    {0x1.762816p-5f, 0x1.008392p-5f}};

float CubeRoot(float x) { return std::pow(x, 1.0f / 3.0f); }

// One band of num or aim, without the noise.
float BandOfNumerator(const AdmScale& scale, int band, QualityWord sum) {
  if (scale.scale == 0) {
    const int bits = band == 2 ? 57 : 52;
    return CubeRoot(static_cast<float>(
        double(sum) /
        std::exp2(bits - scale.cube_shift[band] - scale.row_shift)));
  }
  constexpr int kBits[PERDIX_QUALITY_SCALES] = {0, 45, 39, 36};
  // Here libvmaf divides floats.
  return CubeRoot(static_cast<float>(sum) /
                  std::exp2(float(kBits[scale.scale] - scale.cube_shift[band] -
                                  scale.row_shift)));
}

float BandOfDenominator(const AdmScale& scale, int band, QualityWord sum) {
  constexpr int kBits[PERDIX_QUALITY_SCALES] = {18, 32, 27, 23};
  const double weight = kDenWeights[scale.scale][band == 2 ? 1 : 0];
  return CubeRoot(
      static_cast<float>(double(sum) /
                         std::exp2(kBits[scale.scale] - scale.den_cube_shift -
                                   scale.den_row_shift) *
                         std::pow(weight, 3)));
}

struct AdmParts {
  float num = 0;
  float den = 0;
  float aim = 0;
};

AdmParts ScoreAdmScale(const AdmScale& scale, const AdmSums& sums) {
  const float noise = CubeRoot(
      static_cast<float>(scale.columns.size() * scale.rows.size() * 0.03125));
  float num[PERDIX_ADM_BANDS];
  float den[PERDIX_ADM_BANDS];
  float aim[PERDIX_ADM_BANDS];
  for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
    num[i] = BandOfNumerator(scale, i, sums.num[i]) + noise;
    den[i] = BandOfDenominator(scale, i, sums.den[i]) + noise;
    aim[i] = BandOfNumerator(scale, i, sums.aim[i]);
  }
  return {num[0] + num[1] + num[2], den[0] + den[1] + den[2],
          aim[0] + aim[1] + aim[2]};
}

void ScoreAdm(const ScoredFormat& format, const QualitySums& sums,
              FrameScores& scores) {
  int width = format.width;
  int height = format.height;
  double num = 0;
  double den = 0;
  double aim = 0;
  for (int s = 0; s < PERDIX_QUALITY_SCALES; ++s) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    const AdmParts parts = ScoreAdmScale(
        AdmScale(s, width, height, PERDIX_ADM_GAIN_LIMIT), sums.adm[s]);
    num += parts.num;
    den += parts.den;
    aim += parts.aim;
    scores[Score(kScoreAdmScale0 + s)] = double(parts.num) / double(parts.den);
  }
  // What is less counts as nothing.
  const double least =
      1e-10 * (format.width * format.height) / (1920.0 * 1080.0);
  if (num < least) num = 0;
  if (den < least) den = 0;
  scores[kScoreAdm2] = den == 0 ? 1 : num / den;
  scores[kScoreAim] = den == 0 ? 0 : aim / den;
  scores[kScoreAdm3] =
      std::max(0.0, scores[kScoreAdm2] * 0.5 + (1 - scores[kScoreAim]) * 0.5);
}

}  // namespace

FrameScores::FrameScores() {
  values.fill(std::numeric_limits<double>::quiet_NaN());
}

bool FrameScores::Has(Score score) const { return !std::isnan(values[score]); }

FrameScores ScorePair(const ScoredFormat& format, const QualitySums& sums,
                      uint32_t features) {
  FrameScores scores;
  if (features & kQualityPsnr) ScorePsnr(format, sums, scores);
  if (features & kQualityVif) ScoreVif(sums, scores);
  if (features & kQualityAdm) ScoreAdm(format, sums, scores);
  if (features & kQualityMotion) {
    scores[kScoreMotionSad] =
        double(sums.motion) / 256.0 / (format.width * format.height);
  }
  return scores;
}

std::optional<FrameScores> VideoScores::Add(const QualitySums& sums,
                                            uint32_t features) {
  const FrameScores scores = ScorePair(format_, sums, features);
  std::optional<FrameScores> complete;
  if (waiting_) {
    complete = Complete(scores[kScoreMotionSad]);
    waiting_is_first_ = false;
  }
  waiting_ = scores;
  return complete;
}

std::optional<FrameScores> VideoScores::Finish() {
  if (!waiting_) return std::nullopt;
  const FrameScores last = Complete(std::nullopt);
  waiting_.reset();
  waiting_is_first_ = true;
  return last;
}

FrameScores VideoScores::Complete(std::optional<double> next_sad) {
  FrameScores scores = *waiting_;
  const double sad = scores[kScoreMotionSad];
  if (waiting_is_first_) {
    scores[kScoreMotion2] = 0;
    scores[kScoreMotion3] = next_sad.value_or(0);
  } else {
    scores[kScoreMotion2] = std::min(sad, next_sad.value_or(sad));
    scores[kScoreMotion3] = scores[kScoreMotion2];
  }
  if (model_ != nullptr && scores.Has(kScoreAdm2) &&
      scores.Has(kScoreVifScale0)) {
    scores[kScoreVmaf] = model_->Predict(scores);
  }
  return scores;
}

}  // namespace perdix::client
