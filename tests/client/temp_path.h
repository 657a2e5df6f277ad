// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TESTS_CLIENT_TEMP_PATH_H_
#define PERDIX_TESTS_CLIENT_TEMP_PATH_H_

#include <gtest/gtest.h>

#include <string>

// A path for a file of the running test: tests run side by side.
inline std::string TempPath(const std::string& suffix) {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + "perdix_" + test->test_suite_name() + "_" +
         test->name() + suffix;
}

#endif  // PERDIX_TESTS_CLIENT_TEMP_PATH_H_
