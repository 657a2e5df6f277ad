// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/luma.h"

#include <cstdlib>
#include <vector>

#include "tests/kernel_test.h"

namespace perdix {
namespace {

using SumFunction = LumaSums (*)(const PictureView&, const PictureView*,
                                 uint32_t, Range);
constexpr SumFunction kFunctions[] = {SumLuma, SumLumaSimd};

struct Samples {
  const GuardedPicture& picture;
  uint32_t shift = 0;

  int Get(int x, int y) const { return picture.Get(kLuma, x, y, 0) >> shift; }
};

LumaSums Expected(const Samples& now, const Samples* previous, int width,
                  int dark_level, Range lines) {
  LumaSums sums;
  for (int y = int(lines.begin); y < int(lines.end); ++y) {
    for (int x = 0; x < width; ++x) {
      const int sample = now.Get(x, y);
      sums.total += uint64_t(sample);
      sums.dark += sample <= dark_level;
      if (previous)
        sums.difference += uint64_t(std::abs(sample - previous->Get(x, y)));
    }
  }
  return sums;
}

TEST(SumLumaTest, SumsLinesOfShownLuma) {
  TestRandom random(1);
  for (const uint32_t bit_depth : {8u, 10u, 12u}) {
    for (const Content content : kAllContents) {
      const int width = random.Uniform(1, 1000);
      const int height = random.Uniform(1, 20);
      const FrameParams params =
          TestFrameParams(uint32_t(width), uint32_t(height), bit_depth, 1, 1);
      GuardedPicture picture = GuardedPicture::ForTarget(params);
      GuardedPicture previous = GuardedPicture::ForTarget(params);
      picture.Fill(content, random);
      previous.Fill(Content::kRandom, random);
      const auto begin = uint32_t(random.Uniform(0, height - 1));
      const Range lines = {begin, uint32_t(random.Uniform(int(begin), height))};
      const int level = random.Uniform(0, (1 << bit_depth) - 1);
      for (const uint32_t shift : {0u, bit_depth > 8 ? 2u : 0u}) {
        PictureView view = picture.View();
        PictureView before = previous.View();
        view.shift = before.shift = shift;
        const Samples now = {picture, shift};
        const Samples then = {previous, shift};
        for (const SumFunction sum : kFunctions) {
          EXPECT_EQ(sum(view, &before, uint32_t(level), lines),
                    Expected(now, &then, width, level, lines));
          EXPECT_EQ(sum(view, nullptr, uint32_t(level), lines),
                    Expected(now, nullptr, width, level, lines));
          EXPECT_EQ(sum(view, &view, 0, lines).difference, 0u);
        }
      }
    }
  }
}

TEST(SumLumaTest, IsExactBeyond32Bits) {
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
  const PictureView black = view_of(dark);
  constexpr uint64_t kMost = uint64_t{4095} * 4096 * 4096;
  for (const SumFunction sum : kFunctions) {
    EXPECT_EQ(sum(view_of(bright), &black, 4094, {0, 4096}),
              (LumaSums{kMost, 0, kMost}));
    EXPECT_EQ(sum(black, nullptr, 0, {0, 4096}), (LumaSums{0, 4096 * 4096, 0}));
  }
}

}  // namespace
}  // namespace perdix
