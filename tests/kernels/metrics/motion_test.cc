// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/motion.h"

#include <cstdlib>
#include <vector>

#include "tests/kernel_test.h"

namespace perdix {
namespace {

FrameParams Params(uint32_t width, uint32_t height, uint32_t bit_depth) {
  return TestFrameParams(width, height, bit_depth, 1, 1);
}

TEST(PictureMotionTest, SumsTheDifferencesOfShownLuma) {
  TestRandom random(1);
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    for (const Content content : kAllContents) {
      const int width = random.Uniform(1, 200);
      const int height = random.Uniform(1, 80);
      const FrameParams params =
          Params(static_cast<uint32_t>(width), static_cast<uint32_t>(height),
                 bit_depth);
      GuardedPicture picture = GuardedPicture::ForTarget(params);
      GuardedPicture previous = GuardedPicture::ForTarget(params);
      picture.Fill(content, random);
      previous.Fill(Content::kRandom, random);
      uint64_t expected = 0;
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          expected += static_cast<uint64_t>(std::abs(
              picture.Get(kLuma, x, y, 0) - previous.Get(kLuma, x, y, 0)));
        }
      }
      EXPECT_EQ(PictureMotion(picture.View(), previous.View()), expected);
      EXPECT_EQ(PictureMotion(previous.View(), picture.View()), expected);
      EXPECT_EQ(PictureMotion(picture.View(), picture.View()), 0u);
    }
  }
}

TEST(PictureMotionTest, IsExactBeyond32Bits) {
  std::vector<uint16_t> bright(4096, 4095);
  std::vector<uint16_t> dark(4096, 0);
  const auto view_of = [](std::vector<uint16_t>& row) {
    PictureView view;
    view.width = view.height = 4096;
    view.bit_depth = 12;
    // Every row is the same memory.
    view.planes[kLuma] = {reinterpret_cast<uint8_t*>(row.data()), 0, 4096,
                          4096};
    return view;
  };
  EXPECT_EQ(PictureMotion(view_of(bright), view_of(dark)),
            uint64_t{4095} * 4096 * 4096);
}

}  // namespace
}  // namespace perdix
