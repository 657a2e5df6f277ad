// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/shown_checksum.h"

#include <set>

#include "tests/kernel_test.h"

namespace perdix {
namespace {

// A picture whose size is no multiple of anything; its area is the frame.
GuardedPicture Picture(uint32_t bit_depth) {
  TestRandom random(1);
  const FrameParams params = TestFrameParams(17, 9, bit_depth, 1, 1);
  GuardedPicture picture = GuardedPicture::ForReference(params, 17, 9);
  picture.Fill(Content::kRandom, random);
  return picture;
}

TEST(VisibleSumTest, SeesEveryBitOfEverySample) {
  for (const uint32_t bit_depth : {8u, 10u}) {
    GuardedPicture picture = Picture(bit_depth);
    std::set<uint64_t> seen = {VisibleSum(picture.View(), false)};
    size_t changes = 0;
    for (const uint32_t plane : {kLuma, kChroma}) {
      for (int i = 0; i < picture.Width(plane) * picture.Height(plane); ++i) {
        const int x = i % picture.Width(plane), y = i / picture.Width(plane);
        for (int component = 0; component <= int(plane); ++component) {
          const int value = picture.Get(plane, x, y, component);
          for (uint32_t bit = 0; bit < bit_depth; ++bit, ++changes) {
            picture.Set(plane, x, y, component, value ^ 1 << bit);
            seen.insert(VisibleSum(picture.View(), false));
          }
          picture.Set(plane, x, y, component, value);
        }
      }
    }
    EXPECT_EQ(seen.size(), changes + 1) << bit_depth;
  }
}

TEST(VisibleSumTest, IgnoresWhatIsNotSeen) {
  for (const uint32_t bit_depth : {8u, 10u}) {
    GuardedPicture picture = Picture(bit_depth);
    const uint64_t before = VisibleSum(picture.View(), false);
    picture.SetGuard(0x77);
    EXPECT_EQ(VisibleSum(picture.View(), false), before);
  }
}

TEST(VisibleSumTest, IgnoresChromaOfAMonochromeVideo) {
  GuardedPicture picture = Picture(8);
  const uint64_t before = VisibleSum(picture.View(), true);
  picture.Set(kChroma, 0, 0, 1, picture.Get(kChroma, 0, 0, 1) ^ 1);
  EXPECT_EQ(VisibleSum(picture.View(), true), before);
  EXPECT_NE(VisibleSum(picture.View(), false), before);
}

TEST(VisibleSumTest, IsOfValuesWhereverTheyAreInSixteenBits) {
  GuardedPicture picture = Picture(10);
  const uint64_t before = VisibleSum(picture.View(), false);
  picture.SetShift(6);
  picture.UseUpperBits();
  EXPECT_EQ(VisibleSum(picture.View(), false), before);
}

// Whoever noted a checksum must find it again.
TEST(ShownChecksumTest, NeverChanges) {
  uint8_t luma[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  uint8_t chroma[] = {11, 12, 13, 14, 15, 16};
  PictureView view;
  view.width = 5;
  view.height = 2;
  view.planes[kLuma] = {luma, 5, 5, 2};
  view.planes[kChroma] = {chroma, 6, 3, 1};
  const uint64_t sum = VisibleSum(view, false);
  EXPECT_EQ(sum, 9667131605345709016u);
  ShownChecksum checksum;
  checksum.Add(view.width, view.height, sum);
  checksum.Add(view.width, view.height, sum);
  EXPECT_EQ(checksum.pictures(), 2u);
  EXPECT_EQ(checksum.value(), 265720263092731390u);
}

TEST(ShownChecksumTest, SeesSizesAndOrder) {
  struct Shown {
    uint32_t width, height;
    uint64_t sum;
  };
  const auto value = [](const std::vector<Shown>& pictures) {
    ShownChecksum checksum;
    for (const Shown& shown : pictures) {
      checksum.Add(shown.width, shown.height, shown.sum);
    }
    return checksum.value();
  };
  const std::set<uint64_t> seen = {value({}),
                                   value({{8, 8, 1}}),
                                   value({{8, 8, 2}}),
                                   value({{8, 4, 1}}),
                                   value({{4, 8, 1}}),
                                   value({{8, 8, 1}, {8, 8, 2}}),
                                   value({{8, 8, 2}, {8, 8, 1}}),
                                   value({{8, 8, 1}, {8, 8, 1}}),
                                   value({{8, 8, 1}, {8, 8, 1}, {8, 8, 1}})};
  EXPECT_EQ(seen.size(), 9u);
}

}  // namespace
}  // namespace perdix
