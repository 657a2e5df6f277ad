// SPDX-License-Identifier: BSD-2-Clause
// What nothing but time tells of: that the compiler keeps the prefetching of
// references (GCC 12 left out calls that only prefetch).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

struct Found {
  size_t functions = 0;   // that predict blocks
  size_t prefetches = 0;  // in them
};

Found FindPrefetches(const std::string& program) {
  const std::string command =
      "objdump --disassemble --no-show-raw-insn " + program + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  Found found;
  bool predicts = false;
  char text[4096];
  while (pipe != nullptr && fgets(text, sizeof(text), pipe.get()) != nullptr) {
    const std::string line = text;
    if (line.find(">:") != std::string::npos) {
      predicts = line.find("Inter") != std::string::npos &&
                 line.find("Test") == std::string::npos;
      found.functions += predicts;
    } else if (predicts && (line.find("\tprefetch") != std::string::npos ||
                            line.find("\tprfm") != std::string::npos)) {
      ++found.prefetches;
    }
  }
  return found;
}

TEST(PrefetchTest, TheCompilerKeepsIt) {
  char program[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
  const Found found = FindPrefetches(program);
  if (found.functions == 0) {
    GTEST_SKIP() << "no objdump that knows this processor: install binutils";
  }
  EXPECT_GT(found.prefetches, 0u);
}

}  // namespace
