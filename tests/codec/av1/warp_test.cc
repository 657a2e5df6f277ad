// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/warp.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstdint>

namespace perdix::av1 {
namespace {

constexpr int kOne = 1 << 16;

int Low(int word) { return int16_t(word & 0xffff); }
int High(int word) { return int16_t(word >> 16); }

WarpMatrix Warp(int p2, int p3, int p4, int p5) {
  return {{0, 0, p2, p3, p4, p5}, -1, -1};
}

TEST(Av1WarpTest, DivisorsAreWithinHalfAPercent) {
  for (const int64_t d :
       {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{255}, int64_t{256},
        int64_t{257}, int64_t{511}, int64_t{65536}, int64_t{73728},
        int64_t{123456789}, int64_t{1} << 45, (int64_t{1} << 45) - 1}) {
    const Divisor divisor = ResolveDivisor(d);
    const double product = double(d) * divisor.factor;
    EXPECT_NEAR(product / std::pow(2.0, divisor.shift), 1.0, 0.005) << d;
    const Divisor negative = ResolveDivisor(-d);
    EXPECT_EQ(negative.shift, divisor.shift);
    EXPECT_EQ(negative.factor, -divisor.factor);
  }
}

TEST(Av1WarpTest, PowersOfTwoDivideExactly) {
  for (int n = 0; n < 62; ++n) {
    const Divisor divisor = ResolveDivisor(int64_t{1} << n);
    EXPECT_EQ(divisor.factor, 1 << 14);
    EXPECT_EQ(divisor.shift, n + 14);
  }
}

TEST(Av1WarpTest, TheIdentityHasNoShear) {
  WarpMatrix warp = Warp(kOne, 0, 0, kOne);
  EXPECT_TRUE(SetUpShear(&warp));
  EXPECT_EQ(warp.alpha_beta, 0);
  EXPECT_EQ(warp.gamma_delta, 0);
}

TEST(Av1WarpTest, ShearsAreMultiplesOf64) {
  WarpMatrix warp = Warp(kOne + 1000, -1000, 500, kOne - 32);
  ASSERT_TRUE(SetUpShear(&warp));
  EXPECT_EQ(Low(warp.alpha_beta), 1024);  // 15.6 times 64
  EXPECT_EQ(High(warp.alpha_beta), -1024);
  EXPECT_EQ(Low(warp.gamma_delta), 512);  // 500 / 1.015 is 7.7 times 64
  // -32 + 1000 * 500 / 66536, about -24.5
  EXPECT_EQ(High(warp.gamma_delta), 0);
}

TEST(Av1WarpTest, LargeShearsAreNotValid) {
  WarpMatrix valid = Warp(kOne + 16384 - 64, 0, 0, kOne);
  EXPECT_TRUE(SetUpShear(&valid));
  WarpMatrix alpha = Warp(kOne + 16384, 0, 0, kOne);
  EXPECT_FALSE(SetUpShear(&alpha));
  WarpMatrix beta = Warp(kOne, 9408, 0, kOne);  // 7 * 9408 > 65536
  EXPECT_FALSE(SetUpShear(&beta));
  WarpMatrix delta = Warp(kOne, 0, 0, kOne - 16384);
  EXPECT_FALSE(SetUpShear(&delta));
  EXPECT_EQ(delta.gamma_delta, 0);
}

TEST(Av1WarpTest, AnyMatrixIsHandled) {
  for (const int a : {INT_MIN, -1, 0, 1, kOne, INT_MAX}) {
    for (const int b : {INT_MIN, -9000, 0, 9000, INT_MAX}) {
      for (const int c : {INT_MIN, 0, INT_MAX}) {
        WarpMatrix warp = Warp(a, b, c, b);
        if (!SetUpShear(&warp)) {
          EXPECT_EQ(warp.alpha_beta, 0);
        }
        warp = Warp(kOne, b, c, a);
        SetUpShear(&warp);
      }
    }
  }
}

}  // namespace
}  // namespace perdix::av1
