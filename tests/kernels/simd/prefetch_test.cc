// SPDX-License-Identifier: BSD-2-Clause
// What nothing but time tells of: that the compiler keeps what is prefetched
// (GCC 12 left out calls that only prefetch).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

struct Found {
  size_t functions = 0;   // of the kernel
  size_t prefetches = 0;  // in them
};

Found FindPrefetches(const std::string& program, const std::string& kernel) {
  const std::string command =
      "objdump --disassemble --no-show-raw-insn " + program + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  Found found;
  bool in_kernel = false;
  char text[4096];
  while (pipe != nullptr && fgets(text, sizeof(text), pipe.get()) != nullptr) {
    const std::string line = text;
    if (line.find(">:") != std::string::npos) {
      in_kernel = line.find(kernel) != std::string::npos &&
                  line.find("Test") == std::string::npos;
      found.functions += in_kernel;
    } else if (in_kernel && (line.find("\tprefetch") != std::string::npos ||
                             line.find("\tprfm") != std::string::npos)) {
      ++found.prefetches;
    }
  }
  return found;
}

class PrefetchTest : public testing::TestWithParam<const char*> {};

TEST_P(PrefetchTest, TheCompilerKeepsIt) {
  char program[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
  const Found found = FindPrefetches(program, GetParam());
  if (found.functions == 0) {
    GTEST_SKIP() << "no objdump that knows this processor: install binutils";
  }
  EXPECT_GT(found.prefetches, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, PrefetchTest,
                         testing::Values("Inter", "Filter"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return std::string(info.param);
                         });

}  // namespace
