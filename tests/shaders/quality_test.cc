// SPDX-License-Identifier: BSD-2-Clause
// The GPU's sums of a pair of pictures beside the scalar kernels': all 448
// bytes. PERDIX_TEST_QUALITY=all: in many more sizes, some of them large.
#include "kernels/gpu/quality.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/quality/quality.h"
#include "kernels/quality/vif_logs.h"
#include "tests/kernels/quality/quality_pictures.h"
#include "tests/shaders/frame.h"

namespace perdix {
namespace {

// What planes, partial sums and sums hold before.
constexpr uint8_t kPoison = 0xa5;

struct Format {
  uint32_t width;
  uint32_t height;
  uint32_t bit_depth = 8;
};

std::string ToString(const Format& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height) +
         " of " + std::to_string(format.bit_depth) + " bit";
}

class QualityShaderTest : public ShaderTest {
 protected:
  // Programs for small and for large subgroups, with subgroup operations and
  // without; both limits of the gain.
  void Compare(const Format& format, PairContent content, uint32_t seed) {
    PicturePair pair(format.width, format.height, format.bit_depth, content,
                     seed);
    SCOPED_TRACE(ToString(format) + ", content " +
                 std::to_string(static_cast<int>(content)));
    Compare(pair);
  }

  // Not const: views point into it.
  void Compare(PicturePair& pair) {
    for (const bool limit_gain : {false, true}) {
      QualityInput input = pair.Input();
      input.limit_gain = limit_gain;
      Compare(pair, input);
    }
  }

  void Compare(const PicturePair& pair, const QualityInput& input) {
    QualityMeter meter(Variant::kScalar);
    const QualitySums expected = MeasureQuality(meter, input);
    for (const uint32_t made_for : SubgroupsOfPrograms()) {
      gpu::QualityWork work({made_for, false});
      const Status status = work.Build(OnTheGpu(pair, input), UINT32_MAX);
      ASSERT_TRUE(status.ok()) << status.message();
      for (const uint32_t subgroup_size : SubgroupsToRun()) {
        SCOPED_TRACE("programs for subgroups of " + std::to_string(made_for) +
                     ", subgroups of " + std::to_string(subgroup_size));
        ExpectEqualSums(expected, Run(work, pair, subgroup_size));
      }
    }
  }

  static gpu::QualityInput OnTheGpu(const PicturePair& pair,
                                    const QualityInput& input) {
    const auto memory = std::make_shared<NoMemory>();
    gpu::QualityInput made = {
        {input.reference, pair.reference.layout(), memory},
        {input.decoded, pair.decoded.layout(), memory},
        {},
        input.limit_gain,
        input.features};
    if (input.previous != nullptr) {
      made.previous = {*input.previous, pair.previous.layout(), memory};
    }
    return made;
  }

  QualitySums Run(const gpu::QualityWork& work, const PicturePair& pair,
                  uint32_t subgroup_size) {
    GpuBuffers buffers;
    buffers.by_binding[PERDIX_BINDING_TARGET] = pair.decoded.bytes();
    buffers.by_binding[PERDIX_BINDING_LOGS] =
        BytesOf(std::span(quality::VifLogs(), PERDIX_VIF_LOGS));
    buffers.by_binding[PERDIX_BINDING_PARTIALS].assign(
        work.work().partials() * sizeof(uint64_t), kPoison);
    Bytes& bytes = buffers.by_binding[PERDIX_BINDING_SUMS];
    bytes.assign(sizeof(QualitySums), kPoison);
    buffers.references[0] = pair.reference.bytes();
    buffers.references[1] = pair.previous.bytes();
    buffers.references[2].assign(work.plane_bytes(0), kPoison);
    buffers.references[3].assign(work.plane_bytes(1), kPoison);
    for (const gpu::QualityBuffers& step : gpu::kQualityBuffers) {
      std::map<uint32_t, uint32_t> bound;
      Bind(step.in, &bound[PERDIX_BINDING_PLANES_IN]);
      if (!Bind(step.out, &bound[PERDIX_BINDING_PLANES_OUT])) {
        bound.erase(PERDIX_BINDING_PLANES_OUT);
      }
      buffers.quality.push_back(bound);
    }
    gpu_->Run(work.work(), subgroup_size, &buffers);
    EXPECT_EQ(buffers.by_binding[PERDIX_BINDING_TARGET], pair.decoded.bytes());
    QualitySums sums;
    std::memcpy(&sums, bytes.data(), sizeof(sums));
    return sums;
  }

  // The reference (GpuBuffers) that is bound; false: it is the binding's own.
  static bool Bind(gpu::QualityBuffer buffer, uint32_t* reference) {
    switch (buffer) {
      case gpu::QualityBuffer::kPrevious:
        *reference = 1;
        return true;
      case gpu::QualityBuffer::kPlanes0:
        *reference = 2;
        return true;
      case gpu::QualityBuffer::kPlanes1:
        *reference = 3;
        return true;
      case gpu::QualityBuffer::kNone:
      case gpu::QualityBuffer::kSums:
        break;
    }
    return false;
  }
};

TEST_F(QualityShaderTest, AgreesWithTheCpuOnEveryContent) {
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    for (const PairContent content : kAllPairContents) {
      Compare({99, 57, bit_depth}, content, bit_depth);
    }
  }
}

// Variances about that of VIF's noise, with little in common: quotients of 0.
TEST_F(QualityShaderTest, AgreesWithTheCpuOnFaintNoise) {
  TestRandom random(6);
  PicturePair pair(320, 160, 8, PairContent::kNoise, 6);
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 320; ++x) {
      pair.reference.Set(kLuma, x, y, 0, 100 + random.Uniform(-3, 3));
      pair.decoded.Set(kLuma, x, y, 0, 100 + random.Uniform(-1, 1));
    }
  }
  Compare(pair);
}

// A grating and one across it, which turns gradients by about as much as ADM
// takes for the same direction: many samples are near the limit.
TEST_F(QualityShaderTest, AgreesWithTheCpuOnGradientsADegreeApart) {
  TestRandom random(5);
  PicturePair pair(160, 96, 12, PairContent::kNoise, 5);
  for (int y = 0; y < 96; ++y) {
    const int amplitude = random.Uniform(1000, 2000);
    for (int x = 0; x < 160; ++x) {
      const int value = x / 2 % 2 == 0 ? amplitude : -amplitude;
      const int across =
          (y / 2 % 2 == 0 ? amplitude : -amplitude) * 175 / 10000;
      pair.reference.Set(kLuma, x, y, 0, 2048 + value);
      pair.decoded.Set(kLuma, x, y, 0,
                       2048 + value + across + random.Uniform(-1, 1));
    }
  }
  Compare(pair);
}

// Around tiles, around the least size, and where a scale has few samples.
TEST_F(QualityShaderTest, AgreesWithTheCpuOnOddSizes) {
  for (const Format& format :
       {Format{33, 33}, Format{34, 70}, Format{65, 36}, Format{129, 41},
        Format{61, 49, 10}, Format{322, 50}}) {
    Compare(format, PairContent::kNatural, format.width);
  }
}

TEST_F(QualityShaderTest, AgreesWithTheCpuOnManySizes) {
  if (std::getenv("PERDIX_TEST_QUALITY") == nullptr) {
    GTEST_SKIP() << "takes minutes: only with PERDIX_TEST_QUALITY=all";
  }
  for (uint32_t side = 33; side <= 70; ++side) {
    const uint32_t bit_depth = 8 + side % 3 * 2;
    Compare({side, 103 - side, bit_depth}, PairContent::kNoise, side);
    Compare({side, 33 + side % 5, bit_depth}, PairContent::kNatural, side);
  }
  for (const Format& format : {Format{1920, 1080}, Format{4098, 66},
                               Format{66, 4098}, Format{1920, 1080, 10}}) {
    for (const PairContent content : kAllPairContents) {
      Compare(format, content, 1);
    }
  }
}

TEST_F(QualityShaderTest, LeavesOutWhatIsNotWanted) {
  PicturePair pair(40, 40, 8, PairContent::kNoise, 1);
  QualityInput input = pair.Input();
  for (const uint32_t feature :
       {kQualityVif, kQualityAdm, kQualityMotion, kQualityPsnr}) {
    input.features = feature;
    Compare(pair, input);
  }
  input.features = kAllQualityFeatures;
  input.previous = nullptr;
  Compare(pair, input);
}

}  // namespace
}  // namespace perdix
