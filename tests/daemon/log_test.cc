// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/log.h"

#include <gtest/gtest.h>

namespace perdix {
namespace {

using std::chrono::seconds;

TEST(LogTest, NamesSessionAndFrame) {
  testing::internal::CaptureStderr();
  const Log log(LogSink::kStderr, LOG_WARNING);
  log.Write(LOG_WARNING, {3, 40000}, "not decoded");
  log.Write(LOG_INFO, {3, 40000}, "too unimportant");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "perdixd: session 3: frame 40000: not decoded\n");
}

TEST(LogTest, LimitsARateAndCountsTheRest) {
  LogLimit limit;
  const LogLimit::Time start{seconds(1000)};
  int passed = 0;
  for (int i = 0; i < 100; ++i) passed += limit.Allow(start);
  EXPECT_EQ(passed, 5);
  EXPECT_EQ(limit.TakeSuppressed(), 0u);
  EXPECT_TRUE(limit.Allow(start + seconds(5)));
  EXPECT_EQ(limit.TakeSuppressed(), 95u);
  EXPECT_EQ(limit.TakeSuppressed(), 0u);
}

}  // namespace
}  // namespace perdix
