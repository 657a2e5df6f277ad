// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/vif.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "kernels/quality/vif_logs.h"
#include "kernels/quality/vif_point.h"
#include "tests/frame/random.h"

namespace perdix::quality {
namespace {

__extension__ typedef unsigned __int128 Wide;

TEST(VifLogsTest, AreThoseOfLibvmaf) {
  const uint16_t* const logs = VifLogs();
  uint32_t sum = 0;
  uint32_t hash = 2166136261u;  // FNV-1a of the bytes, low ones first
  for (int i = 0; i < PERDIX_VIF_LOGS; ++i) {
    sum += logs[i];
    hash = (hash ^ (logs[i] & 0xff)) * 16777619u;
    hash = (hash ^ (logs[i] >> 8)) * 16777619u;
  }
  EXPECT_EQ(sum, 1044032097u);
  EXPECT_EQ(hash, 0x927bfc09u);
}

TEST(VifLogsTest, TakeNumbersOf33Bits) {
  for (const uint64_t x :
       {uint64_t{1} << 17, (uint64_t{1} << 18) - 1, (uint64_t{1} << 32) - 1,
        (uint64_t{1} << 32) + 1, (uint64_t{1} << 33) - 1}) {
    EXPECT_NEAR(VifLog(VifLogs(), x), 2048 * std::log2(double(x)), 1) << x;
  }
}

// A variance that random numbers often enough make small, large and whole.
int32_t RandomVariance(TestRandom& random, int lowest) {
  const int32_t value = random.Uniform(0, INT32_MAX) >> random.Uniform(0, 30);
  return std::max(lowest, value);
}

// The epsilon is 64 / 5^10. Everything is multiplied by that power.
constexpr uint64_t kPower = 9765625;

int64_t ExactRest(const VifVariances& v) {
  const Wide square = Wide(uint64_t(v.covariance)) * uint64_t(v.covariance);
  const Wide divisor = Wide(uint64_t(v.reference)) * kPower + 64;
  const Wide up = (square * kPower + divisor - 1) / divisor;
  return std::max<int64_t>(0, v.decoded - static_cast<int64_t>(up));
}

TEST(VifPointTest, DividesAsLongIntegersDo) {
  TestRandom random(1);
  for (int i = 0; i < 300000; ++i) {
    VifVariances v;
    v.reference = RandomVariance(random, PERDIX_VIF_NOISE);
    v.decoded = RandomVariance(random, 1);
    // No covariance is above the geometric mean of the variances.
    const double most = std::sqrt(double(v.reference) * v.decoded);
    v.covariance = random.OneIn(4)
                       ? std::max(1, int32_t(most))
                       : 1 + int32_t(random.Uniform(0, INT32_MAX) /
                                     2147483648.0 * std::max(0.0, most - 1));
    if (random.OneIn(4)) {  // whole quotients
      v.covariance = std::max(1, v.covariance / v.reference) * v.reference;
    }
    EXPECT_EQ(DivideVariance(v, 100).rest, ExactRest(v))
        << v.reference << " " << v.decoded << " " << v.covariance;
  }
}

TEST(VifPointTest, ExplainsWhatTheLimitedGainDoes) {
  // 3^2 times the reference, less a little: the epsilon.
  EXPECT_EQ(DivideVariance({200000, 1800000, 600000}, 100).explained, 1799999u);
  EXPECT_EQ(DivideVariance({200000, 1800000, 600000}, 1).explained, 200000u);
  // Whole, and equal to the limit: not above it.
  EXPECT_EQ(DivideVariance({200000, 200000, 200000}, 1).explained, 199999u);
  EXPECT_EQ(DivideVariance({200000, 200000, 200001}, 1).explained, 200000u);
  // 199996.00002 and, within the share of the epsilon, 199998.000005.
  EXPECT_EQ(DivideVariance({200000, 200000, 199998}, 1).explained, 199996u);
  EXPECT_EQ(DivideVariance({200000, 200000, 199999}, 1).explained, 199997u);
}

TEST(VifPointTest, CountsFlatReferencesApart) {
  VifSums sums = {};
  AddVifPoint({PERDIX_VIF_NOISE - 1, 77, 5}, 100, VifLogs(), sums);
  EXPECT_EQ(sums.num_non, 77);
  EXPECT_EQ(sums.den_non, 1);
  EXPECT_EQ(sums.num_log, 0);
  EXPECT_EQ(sums.den_log, 0);
  AddVifPoint({PERDIX_VIF_NOISE, 77, -5}, 100, VifLogs(), sums);
  EXPECT_EQ(sums.den_log, 2048);  // log2(2)
  EXPECT_EQ(sums.num_log, 0);
  EXPECT_EQ(sums.den_non, 1);
}

TEST(LumaTest, BordersMirrorWithoutTheEdge) {
  EXPECT_EQ(Mirrored(-1, 9), 1);
  EXPECT_EQ(Mirrored(-8, 9), 8);
  EXPECT_EQ(Mirrored(0, 9), 0);
  EXPECT_EQ(Mirrored(8, 9), 8);
  EXPECT_EQ(Mirrored(9, 9), 7);
  EXPECT_EQ(Mirrored(16, 9), 0);
}

TEST(LumaTest, RoundsHalvesUpwards) {
  EXPECT_EQ(RoundShift(int64_t{-3}, 1), -1);
  EXPECT_EQ(RoundShift(int64_t{-1}, 1), 0);
  EXPECT_EQ(RoundShift(int64_t{3}, 1), 2);
  EXPECT_EQ(RoundShift(int64_t{-3}, 0), -3);
}

}  // namespace
}  // namespace perdix::quality
