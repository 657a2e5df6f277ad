// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/case_watch.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

// A report ends the process with SIGABRT, so that the case gets named.
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:handle_abort=0:allocator_may_return_null=1";
}
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}

namespace perdix {
namespace {

constexpr unsigned kSecondsForOneCase = 60;

char current_case[300];

void NameCase(int signal_number) {
  const char* why = signal_number == SIGALRM ? "took too long: " : "ended: ";
  (void)!write(STDERR_FILENO, why, strlen(why));
  (void)!write(STDERR_FILENO, current_case, strlen(current_case));
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

}  // namespace

void WatchCases() {
  for (const int n : {SIGALRM, SIGABRT, SIGSEGV}) signal(n, NameCase);
}

void BeginCase(const std::string& how_to_repeat) {
  snprintf(current_case, sizeof current_case, "%s\n", how_to_repeat.c_str());
  alarm(kSecondsForOneCase);
}

void EndCases() { alarm(0); }

}  // namespace perdix
