// SPDX-License-Identifier: BSD-2-Clause
#include "client/quality/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/quality/vmaf_model.h"
#include "kernels/quality/quality.h"
#include "tests/client/temp_path.h"
#include "tests/kernels/quality/quality_pictures.h"

namespace perdix::client {
namespace {

FrameScores Score(PicturePair& pair, int width, int height, int bit_depth) {
  QualityMeter meter(Variant::kScalar);
  return ScorePair({width, height, bit_depth},
                   MeasureQuality(meter, pair.Input()), kAllQualityFeatures);
}

TEST(ScorePairTest, EqualPicturesHaveTheBestScores) {
  for (const int bit_depth : {8, 10, 12}) {
    PicturePair pair(129, 67, uint32_t(bit_depth), PairContent::kEqual, 1);
    const FrameScores scores = Score(pair, 129, 67, bit_depth);
    EXPECT_EQ(scores[kScorePsnrY], 6 * bit_depth + 12);
    EXPECT_EQ(scores[kScorePsnrCr], 6 * bit_depth + 12);
    EXPECT_NEAR(scores[kScoreAdm2], 1, 1e-4);
    EXPECT_NEAR(scores[kScoreAim], 0, 1e-4);
    // The epsilon keeps a picture with texture from 1.
    EXPECT_GT(scores[kScoreVifScale0], 0.999);
    EXPECT_LE(scores[kScoreVifScale0], 1);
  }
}

TEST(ScorePairTest, FlatPicturesHaveNoDetailToLose) {
  PicturePair pair(64, 64, 8, PairContent::kFlat, 1);
  const FrameScores scores = Score(pair, 64, 64, 8);
  EXPECT_EQ(scores[kScoreVifScale0], 1);
  EXPECT_EQ(scores[kScoreVifScale3], 1);
  EXPECT_EQ(scores[kScoreAdm2], 1);
  EXPECT_EQ(scores[kScoreAim], 0);
  EXPECT_NEAR(scores[kScorePsnrY], 15.666, 0.001);  // 85 and 127
}

// A squared error of 1 in each sample of Cb.
TEST(ScorePairTest, PsnrOfChromaIsOfItsOwnSamples) {
  struct Case {
    int subsampling_x, subsampling_y;
    int64_t samples;
  };
  for (const Case& chroma :
       {Case{1, 1, 33 * 20}, {1, 0, 33 * 39}, {0, 0, 65 * 39}}) {
    QualitySums sums = {};
    sums.sse[1] = chroma.samples;
    const FrameScores scores =
        ScorePair({65, 39, 8, chroma.subsampling_x, chroma.subsampling_y}, sums,
                  kQualityPsnr);
    EXPECT_NEAR(scores[kScorePsnrCb], 20 * std::log10(255), 1e-9);
  }
}

TEST(ScorePairTest, TellsTheReferenceFromTheDecodedPicture) {
  PicturePair pair(96, 64, 8, PairContent::kNatural, 1);
  const FrameScores scores = Score(pair, 96, 64, 8);
  std::swap(pair.reference, pair.decoded);
  const FrameScores swapped = Score(pair, 96, 64, 8);
  EXPECT_NE(scores[kScoreVifScale0], swapped[kScoreVifScale0]);
  EXPECT_NE(scores[kScoreAdm2], swapped[kScoreAdm2]);
  EXPECT_EQ(scores[kScorePsnrY], swapped[kScorePsnrY]);
}

// With limited gain, contrast of 255 over one of 3 is nothing but impairment.
TEST(ScorePairTest, Adm3IsNotBelowZero) {
  PicturePair pair(64, 64, 8, PairContent::kContrast, 1);
  QualityMeter meter(Variant::kScalar);
  QualityInput input = pair.Input();
  input.limit_gain = true;
  const FrameScores scores =
      ScorePair({64, 64, 8}, MeasureQuality(meter, input), kAllQualityFeatures);
  EXPECT_GT(scores[kScoreAim], 2);
  EXPECT_EQ(scores[kScoreAdm3], 0);
}

TEST(ScorePairTest, WhatWasNotMeasuredIsNoNumber) {
  const FrameScores scores =
      ScorePair({64, 64, 8}, QualitySums{}, kQualityMotion | kQualityPsnr);
  EXPECT_TRUE(scores.Has(kScorePsnrY));
  EXPECT_TRUE(scores.Has(kScoreMotionSad));
  EXPECT_FALSE(scores.Has(kScoreAdm2));
  EXPECT_FALSE(scores.Has(kScoreVifScale0));
  EXPECT_FALSE(scores.Has(kScoreVmaf));
}

// ---- videos ----

QualitySums WithMotion(double score) {
  QualitySums sums = {};
  sums.motion = static_cast<QualityWord>(score * 256 * 64 * 64);
  return sums;
}

TEST(VideoScoresTest, MotionIsTheLowerOfAFrameAndTheNext) {
  VideoScores video({64, 64, 8}, nullptr);
  std::vector<FrameScores> scores;
  for (const double motion : {0.0, 5.0, 2.0, 7.0}) {
    const auto complete = video.Add(WithMotion(motion), kQualityMotion);
    EXPECT_EQ(complete.has_value(), motion != 0);
    if (complete) scores.push_back(*complete);
  }
  scores.push_back(*video.Finish());
  EXPECT_FALSE(video.Finish().has_value());
  const double motion2[] = {0, 2, 2, 7};
  const double motion3[] = {5, 2, 2, 7};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(scores[i][kScoreMotion2], motion2[i]) << i;
    EXPECT_EQ(scores[i][kScoreMotion3], motion3[i]) << i;
    EXPECT_FALSE(scores[i].Has(kScoreVmaf));
  }
}

TEST(VideoScoresTest, ASingleFrameDoesNotMove) {
  VideoScores video({64, 64, 8}, nullptr);
  EXPECT_FALSE(video.Add(WithMotion(0), kQualityMotion).has_value());
  const auto scores = video.Finish();
  ASSERT_TRUE(scores.has_value());
  EXPECT_EQ((*scores)[kScoreMotion2], 0);
  EXPECT_EQ((*scores)[kScoreMotion3], 0);
  EXPECT_FALSE(VideoScores({64, 64, 8}, nullptr).Finish().has_value());
}

// ---- models ----

// 2 exp(-|x|^2) - 1 of x = (2 adm2 - 1, motion2 / 10); a score is (y + 1) /
// 0.02.
std::string TinyModel(const std::string& change_from = "",
                      const std::string& change_to = "") {
  std::string text = R"({"model_dict": {
    "model": "svm_type nu_svr\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 1\nrho 1\nSV\n2 1:0 2:0 \n",
    "model_type": "LIBSVMNUSVR",
    "norm_type": "linear_rescale",
    "score_clip": [0.0, 100.0],
    "feature_names": ["VMAF_integer_feature_adm2_score",
                      "VMAF_integer_feature_motion2_score"],
    "intercepts": [-1, -1, 0],
    "slopes": [0.02, 2, 0.1]}})";
  const size_t at = text.find(change_from);
  if (!change_from.empty()) text.replace(at, change_from.size(), change_to);
  return text;
}

Status OpenText(const std::string& text, std::unique_ptr<VmafModel>* model) {
  const std::string path = TempPath(".json");
  std::ofstream(path) << text;
  const Status status = VmafModel::Open(path, model);
  std::remove(path.c_str());
  return status;
}

TEST(VmafModelTest, PredictsAsItSays) {
  std::unique_ptr<VmafModel> model;
  const Status status = OpenText(TinyModel(), &model);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(model->limit_gain());
  FrameScores scores;
  scores[kScoreAdm2] = 0.5;
  scores[kScoreMotion2] = 0;
  EXPECT_NEAR(model->Predict(scores), 100, 1e-9);
  scores[kScoreAdm2] = 1;
  EXPECT_NEAR(model->Predict(scores), 100 * std::exp(-1), 1e-9);
  scores[kScoreMotion2] = 10;
  EXPECT_NEAR(model->Predict(scores), 100 * std::exp(-2), 1e-9);
}

TEST(VmafModelTest, ClipsItsScores) {
  std::unique_ptr<VmafModel> model;
  ASSERT_TRUE(OpenText(TinyModel("[0.0, 100.0]", "[30.0, 60.0]"), &model).ok());
  FrameScores scores;
  scores[kScoreAdm2] = 0.5;
  scores[kScoreMotion2] = 0;
  EXPECT_EQ(model->Predict(scores), 60);
  scores[kScoreMotion2] = 30;
  EXPECT_EQ(model->Predict(scores), 30);
}

TEST(VmafModelTest, LimitsTheGainIfItSaysSo) {
  const std::string slopes = "\"slopes\"";
  std::unique_ptr<VmafModel> model;
  ASSERT_TRUE(OpenText(TinyModel(slopes,
                                 R"("feature_opts_dicts": [
                                    {"adm_enhn_gain_limit": 1.0}, {}],)" +
                                     slopes),
                       &model)
                  .ok());
  EXPECT_TRUE(model->limit_gain());
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(VmafModelTest, SaysWhatItCannotRead) {
  std::unique_ptr<VmafModel> model;
  const auto message = [&](const std::string& from, const std::string& to) {
    return OpenText(TinyModel(from, to), &model).message();
  };
  ExpectContains(message("adm2_score", "ssim_score"),
                 "VMAF_integer_feature_ssim_score is not measured");
  ExpectContains(message("LIBSVMNUSVR", "RESIDUEBOOTSTRAP"),
                 "must be LIBSVMNUSVR");
  ExpectContains(message("nu_svr", "nothing"), "libsvm cannot read it");
  ExpectContains(message("\"slopes\"",
                         R"("feature_opts_dicts": [{"motion_force_zero": true}],
                 "slopes")"),
                 "option motion_force_zero");
  ExpectContains(message("{", "["), "VMAF: the model ");
  EXPECT_FALSE(VmafModel::Open("/nowhere.json", &model).ok());
  EXPECT_EQ(model, nullptr);
}

}  // namespace
}  // namespace perdix::client
