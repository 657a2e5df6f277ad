// SPDX-License-Identifier: BSD-2-Clause
// Contexts of all_zero and dc_sign against the text of 8.3.2, on random
// neighbours.
#include "codec/av1/coefficient_contexts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace perdix::av1 {
namespace {

// One side: AboveLevelContext and AboveDcContext, or those to the left.
struct Side {
  std::array<int, 16> levels, signs;
  std::array<uint8_t, 16> packed;
};

Side RandomSide(std::mt19937& random) {
  Side side;
  const unsigned kind = random() % 4;  // none, small, any
  for (size_t i = 0; i < 16; ++i) {
    const int level = kind == 0   ? 0
                      : kind == 1 ? int(random() % 5)
                                  : int(random() % 64);
    const int sign = kind == 0 ? 0 : int(random() % 3);
    side.levels[i] = random() % 2 ? level : 0;
    side.signs[i] = sign;
    const uint8_t dc =
        sign == 1 ? kDcNegative : (sign == 2 ? kDcPositive : kDcZero);
    side.packed[i] = uint8_t(side.levels[i] | dc);
  }
  return side;
}

int Luma(const Side& above, int w4, const Side& left, int h4) {
  const int top =
      *std::max_element(above.levels.begin(), above.levels.begin() + w4);
  const int side =
      *std::max_element(left.levels.begin(), left.levels.begin() + h4);
  if (top == 0 && side == 0) return 1;
  if (top == 0 || side == 0) return 2 + (std::max(top, side) > 3);
  if (std::max(top, side) <= 3) return 4;
  return std::min(top, side) <= 3 ? 5 : 6;
}

bool Any(const Side& side, int count) {
  int any = 0;
  for (size_t i = 0; i < size_t(count); ++i)
    any |= side.levels[i] | side.signs[i];
  return any != 0;
}

int SignSum(const Side& side, int count) {
  int sum = 0;
  for (size_t i = 0; i < size_t(count); ++i) {
    sum += side.signs[i] == 1 ? -1 : (side.signs[i] == 2 ? 1 : 0);
  }
  return sum;
}

TEST(Av1CoefficientContextsTest, AreThoseOfTheSpecification) {
  std::mt19937 random(20260101);
  for (int i = 0; i < 20000; ++i) {
    const Side above = RandomSide(random), left = RandomSide(random);
    const int w = int(random() % 5), h = int(random() % 5);
    SCOPED_TRACE(testing::Message() << "round " << i << " log2 " << w << h);
    const AllZeroContext luma =
        AllZeroContextLuma(above.packed.data(), w, left.packed.data(), h);
    ASSERT_EQ(luma.index, Luma(above, 1 << w, left, 1 << h));
    const bool none = !Any(above, 1 << w) && !Any(left, 1 << h);
    ASSERT_EQ(luma.none_around, none);
    const bool smaller = random() % 2;
    const AllZeroContext chroma = AllZeroContextChroma(
        above.packed.data(), w, left.packed.data(), h, smaller);
    ASSERT_EQ(chroma.index,
              7 + 3 * smaller + Any(above, 1 << w) + Any(left, 1 << h));
    ASSERT_EQ(chroma.none_around, none);
    const int sum = SignSum(above, 1 << w) + SignSum(left, 1 << h);
    ASSERT_EQ(DcSignContext(above.packed.data(), w, left.packed.data(), h),
              sum < 0 ? 1 : (sum > 0 ? 2 : 0));
  }
}

}  // namespace
}  // namespace perdix::av1
