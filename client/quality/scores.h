// SPDX-License-Identifier: BSD-2-Clause
// From the sums that a pair of pictures leaves (kernels/shared/quality.h) to
// the figures that libvmaf 3.2.0 logs, digit by digit: in its floats and
// doubles, in its order.
#ifndef PERDIX_CLIENT_QUALITY_SCORES_H_
#define PERDIX_CLIENT_QUALITY_SCORES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/shared/quality.h"

namespace perdix::client {

class VmafModel;

// In the order in which libvmaf logs them.
enum Score : size_t {
  kScorePsnrY,
  kScorePsnrCb,
  kScorePsnrCr,
  kScoreAdm2,
  kScoreAim,
  kScoreAdm3,
  kScoreAdmScale0,
  kScoreAdmScale1,
  kScoreAdmScale2,
  kScoreAdmScale3,
  kScoreMotionSad,
  kScoreVifScale0,
  kScoreVifScale1,
  kScoreVifScale2,
  kScoreVifScale3,
  kScoreMotion2,
  kScoreMotion3,
  kScoreVmaf,
  kScoreCount,
};

// libvmaf's names of the scores in its logs.
inline constexpr const char* kScoreKeys[kScoreCount] = {
    "psnr_y",
    "psnr_cb",
    "psnr_cr",
    "integer_adm2",
    "integer_aim",
    "integer_adm3",
    "integer_adm_scale0",
    "integer_adm_scale1",
    "integer_adm_scale2",
    "integer_adm_scale3",
    "VMAF_integer_feature_motion_sad_score",
    "integer_vif_scale0",
    "integer_vif_scale1",
    "integer_vif_scale2",
    "integer_vif_scale3",
    "integer_motion2",
    "integer_motion3",
    "vmaf"};

// Scores of one frame. One that was not measured is not a number.
struct FrameScores {
  FrameScores();
  double operator[](Score score) const { return values[score]; }
  double& operator[](Score score) { return values[score]; }
  bool Has(Score score) const;

  std::array<double, kScoreCount> values;
};

struct ScoredFormat {
  int width = 0;  // luma samples
  int height = 0;
  int bit_depth = 8;
  int subsampling_x = 1;  // chroma's, log2
  int subsampling_y = 1;
};

// The scores of one pair alone: all but motion2, motion3 and VMAF. features: a
// set of QualityFeature, what the sums have.
FrameScores ScorePair(const ScoredFormat& format, const QualitySums& sums,
                      uint32_t features);

// Scores a video, frame by frame. Motion looks one frame ahead, so that a
// frame's scores are final when the next one is there.
class VideoScores {
 public:
  // model: null for none; lives longer.
  VideoScores(const ScoredFormat& format, const VmafModel* model)
      : format_(format), model_(model) {}

  // The sums of the next frame. Returns the scores of the frame before it, if
  // there is one. Every frame has motion; other features may be left out.
  std::optional<FrameScores> Add(const QualitySums& sums, uint32_t features);

  // The scores of the last frame; nothing if there was none.
  std::optional<FrameScores> Finish();

 private:
  // Completes the frame that waits. next_sad: motion of the frame after it.
  FrameScores Complete(std::optional<double> next_sad);

  const ScoredFormat format_;
  const VmafModel* const model_;
  std::optional<FrameScores> waiting_;
  bool waiting_is_first_ = true;
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_QUALITY_SCORES_H_
