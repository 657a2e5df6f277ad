// SPDX-License-Identifier: BSD-2-Clause
#include "tests/kernels/quality/quality_pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/frame/kernel_input.h"

namespace perdix {
namespace {

constexpr int kSquare = 8;

// value(x, y) for all samples of all components.
template <typename Value>
void SetAll(GuardedPicture& picture, const Value& value) {
  for (const uint32_t plane : {kLuma, kChroma}) {
    for (int y = 0; y < picture.Height(plane); ++y) {
      for (int x = 0; x < picture.Width(plane); ++x) {
        picture.Set(plane, x, y, 0, value(x, y));
        if (plane == kChroma) picture.Set(plane, x, y, 1, value(x + 3, y));
      }
    }
  }
}

bool InWhiteSquare(int x, int y) {
  return ((x / kSquare + y / kSquare) & 1) != 0;
}

// The picture with noise of a few steps, within the range.
void AddNoise(GuardedPicture& picture, int max_sample, TestRandom& random) {
  const GuardedPicture before = picture;
  for (const uint32_t plane : {kLuma, kChroma}) {
    for (int y = 0; y < picture.Height(plane); ++y) {
      for (int x = 0; x < picture.Width(plane); ++x) {
        const int value = before.Get(plane, x, y, 0) + random.Uniform(-4, 4);
        picture.Set(plane, x, y, 0, std::clamp(value, 0, max_sample));
      }
    }
  }
}

}  // namespace

PicturePair::PicturePair(uint32_t width, uint32_t height, uint32_t bit_depth,
                         PairContent content, uint32_t seed) {
  const FrameParams params = TestFrameParams(width, height, bit_depth, 1, 1);
  const int most = (1 << bit_depth) - 1;
  TestRandom random(seed);
  for (GuardedPicture* picture : {&reference, &decoded, &previous}) {
    *picture = GuardedPicture::ForReference(params, width, height);
    picture->Fill(Content::kRandom, random);
  }
  switch (content) {
    case PairContent::kNoise:
      break;
    case PairContent::kFlat:
      reference.FillWith(most / 3);
      decoded.FillWith(most / 2);
      previous.FillWith(most);
      break;
    case PairContent::kSquares:
      SetAll(reference,
             [&](int x, int y) { return InWhiteSquare(x, y) ? most : 0; });
      SetAll(decoded, [&](int x, int y) {
        return InWhiteSquare(x + kSquare / 2, y) ? most : 0;
      });
      break;
    case PairContent::kContrast:
      SetAll(reference, [&](int x, int y) {
        return most / 2 + (InWhiteSquare(x, y) ? 3 : 0) * (most / 255);
      });
      SetAll(decoded,
             [&](int x, int y) { return InWhiteSquare(x, y) ? most : 0; });
      break;
    case PairContent::kNatural:
    case PairContent::kEqual:
      reference.Fill(Content::kNatural, random);
      decoded = reference;
      if (content == PairContent::kNatural) AddNoise(decoded, most, random);
      previous = reference;
      AddNoise(previous, most, random);
      break;
  }
  for (GuardedPicture* picture : {&reference, &decoded, &previous}) {
    picture->SetGuard(static_cast<uint8_t>(0x5a + seed));
  }
}

QualityInput PicturePair::Input() {
  previous_view_ = previous.View();
  QualityInput input;
  input.reference = reference.View();
  input.decoded = decoded.View();
  input.previous = &previous_view_;
  return input;
}

QualitySums MeasureQuality(QualityMeter& meter, const QualityInput& input) {
  QualitySums sums;
  std::memset(&sums, 0xee, sizeof(sums));
  meter.Measure(input, &sums);
  return sums;
}

void ExpectEqualSums(const QualitySums& expected, const QualitySums& actual) {
  for (int s = 0; s < PERDIX_QUALITY_SCALES; ++s) {
    EXPECT_EQ(expected.vif[s].num_log, actual.vif[s].num_log) << "VIF " << s;
    EXPECT_EQ(expected.vif[s].den_log, actual.vif[s].den_log) << "VIF " << s;
    EXPECT_EQ(expected.vif[s].num_non, actual.vif[s].num_non) << "VIF " << s;
    EXPECT_EQ(expected.vif[s].den_non, actual.vif[s].den_non) << "VIF " << s;
    for (int i = 0; i < PERDIX_ADM_BANDS; ++i) {
      const char band = "hvd"[i];
      EXPECT_EQ(expected.adm[s].num[i], actual.adm[s].num[i])
          << "ADM num " << s << band;
      EXPECT_EQ(expected.adm[s].den[i], actual.adm[s].den[i])
          << "ADM den " << s << band;
      EXPECT_EQ(expected.adm[s].aim[i], actual.adm[s].aim[i])
          << "ADM aim " << s << band;
    }
  }
  EXPECT_EQ(expected.motion, actual.motion) << "motion";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(expected.sse[i], actual.sse[i]) << "SSE of component " << i;
  }
}

}  // namespace perdix
