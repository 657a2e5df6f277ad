// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TOOLS_CTL_BENCH_PROGRAM_H_
#define PERDIX_TOOLS_CTL_BENCH_PROGRAM_H_

#include <filesystem>
#include <string>
#include <system_error>

namespace perdix::ctl {

// perdix-bench beside this program, else wherever PATH has it.
inline std::string BenchProgram() {
  std::error_code error;
  const auto beside = std::filesystem::read_symlink("/proc/self/exe", error)
                          .replace_filename("perdix-bench");
  return !error && std::filesystem::exists(beside, error) ? beside.string()
                                                          : "perdix-bench";
}

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_BENCH_PROGRAM_H_
