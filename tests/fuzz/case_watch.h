// SPDX-License-Identifier: BSD-2-Clause
// Names the case that crashes, that a sanitizer ends, or that takes too long.
#ifndef PERDIX_TESTS_FUZZ_CASE_WATCH_H_
#define PERDIX_TESTS_FUZZ_CASE_WATCH_H_

#include <string>

namespace perdix {

// Before the first case.
void WatchCases();

// The case before has ended, and this one begins; how_to_repeat is printed if
// it ends the process or takes more than a minute.
void BeginCase(const std::string& how_to_repeat);

// The last case has ended.
void EndCases();

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_CASE_WATCH_H_
