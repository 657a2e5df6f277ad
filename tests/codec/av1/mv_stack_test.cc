// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/mv_stack.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace perdix::av1 {
namespace {

TEST(Av1MvStackTest, PrecisionFallsTowardsZero) {
  EXPECT_EQ(LowerPrecision(-7, MvPrecision::kEighth), -7);
  EXPECT_EQ(LowerPrecision(7, MvPrecision::kQuarter), 6);
  EXPECT_EQ(LowerPrecision(-7, MvPrecision::kQuarter), -6);
  EXPECT_EQ(LowerPrecision(-8, MvPrecision::kQuarter), -8);
}

TEST(Av1MvStackTest, WholeSamplesRoundAHalfTowardsZero) {
  EXPECT_EQ(LowerPrecision(4, MvPrecision::kInteger), 0);
  EXPECT_EQ(LowerPrecision(5, MvPrecision::kInteger), 8);
  EXPECT_EQ(LowerPrecision(-4, MvPrecision::kInteger), 0);
  EXPECT_EQ(LowerPrecision(-5, MvPrecision::kInteger), -8);
  EXPECT_EQ(LowerPrecision(-16, MvPrecision::kInteger), -16);
}

// Any number of entries, with each of three weights in each place. What is
// behind the entries stays as it is, the spare entry included.
TEST(Av1MvStackTest, SortingKeepsTheOrderOfEqualWeights) {
  const int weights[] = {2, 40, kRefCatLevel + 2};
  for (int count = 0, choices = 1; count <= kMaxRefMvStackSize;
       ++count, choices *= 3) {
    for (int choice = 0; choice < choices; ++choice) {
      MvStack stack;
      stack.count = count;
      std::ranges::fill(stack.weights, 0);
      int order[kMaxRefMvStackSize + 1];
      for (int i = 0, rest = choice; i <= kMaxRefMvStackSize; ++i, rest /= 3) {
        order[i] = i;
        stack.mvs[i] = uint64_t(i);
        if (i < count) stack.weights[i] = weights[rest % 3];
      }
      const MvStack before = stack;
      std::stable_sort(order, order + count, [&](int a, int b) {
        return before.weights[a] > before.weights[b];
      });
      SortByWeight(&stack);
      for (int i = 0; i <= kMaxRefMvStackSize; ++i) {
        ASSERT_EQ(stack.mvs[i], uint64_t(order[i])) << count << " " << choice;
        ASSERT_EQ(stack.weights[i], before.weights[order[i]]);
      }
    }
  }
}

TEST(Av1MvStackTest, DrlContextsTellNearCandidatesFromOthers) {
  MvStack stack;
  stack.count = 4;
  const int weights[] = {kRefCatLevel + 8, kRefCatLevel, 4, 2};
  std::copy_n(weights, 4, stack.weights);
  EXPECT_EQ(stack.DrlContext(0), 0);
  EXPECT_EQ(stack.DrlContext(1), 1);
  EXPECT_EQ(stack.DrlContext(2), 2);
}

}  // namespace
}  // namespace perdix::av1
