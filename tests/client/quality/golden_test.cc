// SPDX-License-Identifier: BSD-2-Clause
// Pairs of decoded videos against libvmaf's logs, figure by figure, and clips
// of this repository against sums that were proven so.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client/quality/scores.h"
#include "client/quality/vmaf_model.h"
#include "kernels/quality/quality.h"
#include "tests/client/quality/kept_frames.h"

namespace perdix::client {
namespace {

QualitySums Measure(QualityMeter& meter, const PictureView& reference,
                    const PictureView& decoded, const PictureView* previous) {
  QualityInput input;
  input.reference = reference;
  input.decoded = decoded;
  input.previous = previous;
  QualitySums sums;
  meter.Measure(input, &sums);
  return sums;
}

std::vector<QualitySums> MeasureAll(const std::vector<KeptFrame>& reference,
                                    const std::vector<KeptFrame>& decoded,
                                    Variant variant) {
  QualityMeter meter(variant);
  std::vector<QualitySums> sums;
  for (size_t i = 0; i < reference.size() && i < decoded.size(); ++i) {
    sums.push_back(Measure(meter, reference[i].view, decoded[i].view,
                           i == 0 ? nullptr : &reference[i - 1].view));
  }
  return sums;
}

// ---- against libvmaf's logs ----

struct Golden {
  const char* log;
  const char* reference;  // in the vectors
  const char* decoded;    // beside the log
};

std::string NameOf(const ::testing::TestParamInfo<Golden>& info) {
  return std::string(info.param.log, 5);
}

class QualityGoldenTest : public ::testing::TestWithParam<Golden> {};

// VMAF's model, which is not part of perdix: $PERDIX_VMAF_MODEL, beside the
// logs or where libvmaf has it. Null if it is not there.
std::unique_ptr<VmafModel> OpenModel() {
  const char* const named = std::getenv("PERDIX_VMAF_MODEL");
  std::unique_ptr<VmafModel> model;
  for (const char* name :
       {named, PERDIX_METRICS "/vmaf_v0.6.1.json", "v0.6.1"}) {
    if (name != nullptr && VmafModel::Open(name, &model).ok()) break;
  }
  return model;
}

void ExpectScores(const nlohmann::json& expected, const FrameScores& actual) {
  for (size_t i = 0; i < kScoreCount; ++i) {
    const Score score = static_cast<Score>(i);
    if (score == kScoreVmaf) continue;
    // What the log rounded to six digits.
    EXPECT_NEAR(actual[score], expected.at(kScoreKeys[i]).get<double>(),
                0.501e-6)
        << kScoreKeys[i];
  }
  if (actual.Has(kScoreVmaf)) {
    EXPECT_NEAR(actual[kScoreVmaf], expected.at("vmaf").get<double>(), 1e-6);
  }
}

TEST_P(QualityGoldenTest, EveryFigureIsLibvmafs) {
  const Golden& golden = GetParam();
  std::ifstream log(std::string(PERDIX_METRICS "/") + golden.log);
  if (!log) GTEST_SKIP() << "no " << PERDIX_METRICS << "/" << golden.log;
  const nlohmann::json frames = nlohmann::json::parse(log).at("frames");
  const std::vector<KeptFrame> reference = KeepFrames(
      std::string(PERDIX_VECTORS "/") + golden.reference, frames.size());
  const std::vector<KeptFrame> decoded = KeepFrames(
      std::string(PERDIX_METRICS "/") + golden.decoded, frames.size());
  ASSERT_EQ(reference.size(), frames.size());
  ASSERT_EQ(decoded.size(), frames.size());
  const PictureView& first = reference[0].view;
  const std::unique_ptr<VmafModel> model = OpenModel();
  if (model == nullptr) std::printf("VMAF is not compared: no model\n");
  VideoScores video({int(first.width), int(first.height), int(first.bit_depth)},
                    model.get());
  std::vector<FrameScores> scores;
  for (const QualitySums& sums :
       MeasureAll(reference, decoded, Variant::kSimd)) {
    const auto complete = video.Add(sums, kAllQualityFeatures);
    if (complete) scores.push_back(*complete);
  }
  scores.push_back(*video.Finish());
  ASSERT_EQ(scores.size(), frames.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i));
    ExpectScores(frames[i].at("metrics"), scores[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, QualityGoldenTest,
    ::testing::Values(Golden{"pair1.json", "speed/tos_800x332_p0_1M.webm",
                             "tos_800x332_150k.webm"},
                      Golden{"pair2.json",
                             "speed/bbb_1080p30_p0_4tiles_4M.webm",
                             "bbb_1080p_600k.webm"}),
    NameOf);

// ---- clips of this repository ----

struct Clip {
  const char* name;
  size_t frames;  // that are measured
  uint64_t hash;  // of their sums
};

// FNV-1a of the words.
uint64_t Hash(const std::vector<QualitySums>& all) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const QualitySums& sums : all) {
    const QualityWord* const words =
        reinterpret_cast<const QualityWord*>(&sums);
    for (size_t i = 0; i < sizeof(sums) / sizeof(QualityWord); ++i) {
      hash = (hash ^ uint64_t(words[i])) * 0x100000001b3;
    }
  }
  return hash;
}

class QualityClipTest : public ::testing::TestWithParam<Clip> {};

std::string NameOfClip(const ::testing::TestParamInfo<Clip>& info) {
  const std::string name = info.param.name;
  return name.substr(0, name.find('.'));
}

// Each frame is the reference of the one after it.
TEST_P(QualityClipTest, SumsAreWhatTheyWere) {
  const Clip& clip = GetParam();
  std::vector<KeptFrame> reference =
      KeepFrames(std::string(PERDIX_CLIPS "/") + clip.name, clip.frames + 1);
  ASSERT_EQ(reference.size(), clip.frames + 1);
  std::vector<KeptFrame> decoded;
  for (size_t i = 1; i < reference.size(); ++i) {
    decoded.emplace_back(reference[i].view);
  }
  for (const Variant variant : {Variant::kScalar, Variant::kSimd}) {
    const auto sums = MeasureAll(reference, decoded, variant);
    EXPECT_EQ(Hash(sums), clip.hash) << std::hex << Hash(sums);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Clips, QualityClipTest,
    ::testing::Values(Clip{"odd_99x57.webm", 9, 0x20c805784df86819},
                      Clip{"odd10_99x57.webm", 9, 0x1acd18c394824e8},
                      Clip{"tiles_512x288.webm", 3, 0xa8d84b35c196be8a}),
    NameOfClip);

}  // namespace
}  // namespace perdix::client
