// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1/grain/film_grain.h"

#include <algorithm>
#include <string>

#include "kernels/av1/lists.h"
#include "tests/shaders/av1/random_filters.h"
#include "tests/shaders/frame.h"

namespace perdix::av1 {
namespace {

struct Size {
  uint32_t width;
  uint32_t height;
};

// How frames are made.
struct Options {
  Content content = Content::kNatural;
  bool gray = false;
};

GrainPoints RandomPoints(TestRandom& random, uint32_t most) {
  GrainPoints points;
  points.count = random.OneIn(6) ? 0 : 1 + int(random.Below(most));
  for (int i = 0; i < points.count; ++i) {
    points.value[i] = uint8_t(i * 256 / points.count + random.Below(8));
    points.scaling[i] = uint8_t(random.Below(256));
  }
  return points;
}

FilmGrainParams RandomGrain(TestRandom& random, uint32_t bit_depth, bool gray) {
  FilmGrainParams grain;
  grain.grain_seed = uint16_t(random.Below(1 << 16));
  grain.points[0] = RandomPoints(random, 14);
  grain.points[1] = RandomPoints(random, 10);
  grain.points[2] = RandomPoints(random, 10);
  grain.chroma_scaling_from_luma = random.OneIn(4);
  grain.overlap_flag = !random.OneIn(4);
  grain.clip_to_restricted_range = random.OneIn(2);
  grain.identity_matrix = random.OneIn(2);
  grain.monochrome = gray;
  grain.grain_scaling = random.Uniform(8, 11);
  grain.ar_coeff_lag = random.Uniform(0, 3);
  grain.ar_coeff_shift = random.Uniform(6, 9);
  grain.grain_scale_shift = random.Uniform(0, 3);
  const int reach = random.OneIn(2) ? 128 : 12;
  for (auto& coefficients : grain.ar_coeffs) {
    for (int8_t& c : coefficients)
      c = int8_t(random.Uniform(-reach, reach - 1));
  }
  for (int i = 0; i < 2; ++i) {
    grain.mult[i] = random.Uniform(-128, 127);
    grain.luma_mult[i] = random.Uniform(-128, 127);
    grain.offset[i] = random.Uniform(-256, 255);
  }
  grain.bit_depth = int(bit_depth);
  return grain;
}

class FilmGrainShaderTest : public ShaderTest {
 protected:
  // Frames with random grain, at both depths; of 10 bits every other one is
  // shifted when it is shown.
  void Check(Size size, uint32_t seed, const Options& options = {}) {
    for (const uint32_t bit_depth : {8u, 10u}) {
      TestRandom random(seed);
      KernelInput input;
      input.params = TestFrameParams(size.width, size.height, bit_depth, 1, 1);
      SetSizes(size.width, options.gray, &input);
      input.target = GuardedPicture::ForTarget(input.params);
      input.target.Fill(options.content, random);
      input.target.SetGuard(0xa5);
      input.display = GuardedPicture::ForTarget(input.params);
      input.display.Fill(Content::kRandom, random);
      input.display.SetGuard(0x3c);
      if (bit_depth > 8 && seed % 2 == 0) input.display.SetShift(6);
      const FilmGrainParams grain =
          RandomGrain(random, bit_depth, options.gray);
      ASSERT_TRUE(IsValid(grain));
      BuildFilmGrain(grain,
                     input.tables.Resize(kFilmGrain, sizeof(FilmGrainTables)));
      Compare(KernelId::kAv1FilmGrain, input,
              std::to_string(size.width) + "x" + std::to_string(size.height) +
                  ", " + std::to_string(bit_depth) + " bits, seed " +
                  std::to_string(seed));
      if (HasFailure()) return;
    }
  }
};

TEST_F(FilmGrainShaderTest, AddsWhatTheScalarKernelAdds) {
  uint32_t seed = 0;
  for (const Content content : kAllContents) {
    for (uint32_t i = 0; i < 8; ++i) {
      ++seed;
      Check({99 + 67 * (seed % 5), 57 + 71 * (seed % 4)}, seed,
            {.content = content});
      if (HasFailure()) return;
    }
  }
}

TEST_F(FilmGrainShaderTest, AgreesOnFramesOfAllSmallSizes) {
  for (uint32_t size = 1; size <= 80; ++size) {
    Check({size, 81 - size}, size, {.content = Content::kRandom});
    if (HasFailure()) return;
  }
}

TEST_F(FilmGrainShaderTest, LeavesChromaOfGrayFramesAlone) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    Check({30 + 37 * seed, 150 - 20 * seed}, seed, {.gray = true});
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace perdix::av1
