// SPDX-License-Identifier: BSD-2-Clause
#include <iterator>
#include <string>

#include "tests/frame/av1/random_transforms.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

class Av1InverseTransformShaderTest : public ShaderTest {
 protected:
  void SetUp() override {
    ShaderTest::SetUp();
    subgroups_matter_ = false;
  }

  // Both depths.
  void Check(uint32_t width, uint32_t height, const TransformChoice& choice,
             uint32_t seed) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input =
          TransformInput(random, width, height, bit_depth, Content::kRandom);
      AddTransforms(random, choice, kInterTransforms, &input);
      Compare(KernelId::kAv1InverseTransform, input,
              std::to_string(width) + "x" + std::to_string(height) + ", " +
                  std::to_string(bit_depth) + " bits, size " +
                  std::to_string(choice.size) + ", type " +
                  std::to_string(choice.type) + ", seed " +
                  std::to_string(seed));
    }
  }
};

TEST_F(Av1InverseTransformShaderTest, AddsWhatTheScalarKernelAdds) {
  for (const int magnitude : {3, 300, 5000, 1 << 20}) {
    for (uint32_t seed = 0; seed < 4; ++seed) {
      Check(99 + 67 * seed, 57 + 71 * (seed % 3), {.magnitude = magnitude},
            seed);
      if (HasFailure()) return;
    }
  }
}

TEST_F(Av1InverseTransformShaderTest, AgreesOnEverySizeAndType) {
  for (int size = 0; size < static_cast<int>(std::size(kTransformSizes));
       ++size) {
    for (int type = 0; type <= static_cast<int>(PERDIX_TRANSFORM_WHT); ++type) {
      if (!SizeHasType(kTransformSizes[size], static_cast<uint32_t>(type))) {
        continue;
      }
      Check(128, 64, {.magnitude = 700, .size = size, .type = type},
            static_cast<uint32_t>(size));
      if (HasFailure()) return;
    }
  }
}

TEST_F(Av1InverseTransformShaderTest, AgreesOnExtremeCoefficients) {
  for (int size = 0; size < static_cast<int>(std::size(kTransformSizes));
       ++size) {
    Check(128, 128, {.coefficients = Coefficients::kExtremes, .size = size},
          static_cast<uint32_t>(size));
    if (HasFailure()) return;
  }
}

TEST_F(Av1InverseTransformShaderTest, AgreesOnSingleCoefficients) {
  for (const int magnitude : {100, 1 << 20}) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      Check(192, 128,
            {.coefficients = Coefficients::kSingle, .magnitude = magnitude},
            seed);
      if (HasFailure()) return;
    }
  }
}

TEST_F(Av1InverseTransformShaderTest, AgreesInWorkgroupsOfAnyWidth) {
  subgroups_matter_ = true;
  Check(200, 72, {.magnitude = 100, .size = 1, .type = 0}, 1);
  Check(67, 99, {.magnitude = 100, .size = 0, .type = 3}, 2);
}

}  // namespace
}  // namespace perdix::av1
