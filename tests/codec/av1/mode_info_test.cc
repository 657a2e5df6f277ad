// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/mode_info.h"

#include <gtest/gtest.h>

#include <set>

namespace perdix::av1 {
namespace {

TEST(NegDeinterleaveTest, NamesEachSegmentOnce) {
  for (int max = 1; max <= 8; ++max) {
    for (int predicted = 0; predicted < max; ++predicted) {
      std::set<int> named;
      for (int coded = 0; coded < max; ++coded) {
        named.insert(NegDeinterleave(coded, predicted, max));
      }
      EXPECT_EQ(named.size(), size_t(max)) << predicted << " of " << max;
      EXPECT_EQ(*named.begin(), 0);
      EXPECT_EQ(*named.rbegin(), max - 1);
    }
  }
}

TEST(NegDeinterleaveTest, ZeroIsThePrediction) {
  for (int max = 1; max <= 8; ++max) {
    for (int predicted = 0; predicted < max; ++predicted) {
      EXPECT_EQ(NegDeinterleave(0, predicted, max), predicted);
    }
  }
}

TEST(NegDeinterleaveTest, NeighboursTakeTurnsFromTheLargerOn) {
  // 3 of 0..7: 3, 4, 2, 5, 1, 6, 0, then what is left above
  const int low[] = {3, 4, 2, 5, 1, 6, 0, 7};
  // 5 of 0..7: 5, 6, 4, 7, 3, then what is left below
  const int high[] = {5, 6, 4, 7, 3, 2, 1, 0};
  for (int coded = 0; coded < 8; ++coded) {
    EXPECT_EQ(NegDeinterleave(coded, 3, 8), low[coded]);
    EXPECT_EQ(NegDeinterleave(coded, 5, 8), high[coded]);
  }
}

TEST(NegDeinterleaveTest, BrokenStreamsStayInTheStatedRange) {
  for (int max = 1; max <= 8; ++max) {
    for (int predicted = 0; predicted < 8; ++predicted) {
      for (int coded = 0; coded < 8; ++coded) {
        const int segment = NegDeinterleave(coded, predicted, max);
        EXPECT_GE(segment, -8);
        EXPECT_LE(segment, 15);
      }
    }
  }
}

}  // namespace
}  // namespace perdix::av1
