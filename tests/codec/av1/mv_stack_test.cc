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

TEST(Av1MvStackTest, SortingKeepsTheOrderOfEqualWeights) {
  MvStack stack;
  const int weights[] = {3, 2, 4, 2, 4, 8};
  stack.count = 6;
  for (int i = 0; i < 6; ++i) {
    stack.weights[i] = weights[i];
    stack.mvs[i] = uint64_t(i);
  }
  SortByWeight(&stack);
  const int order[] = {5, 2, 4, 0, 1, 3};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(stack.At(i, 0).row, order[i]);
    EXPECT_EQ(stack.weights[i], weights[order[i]]);
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
