// SPDX-License-Identifier: BSD-2-Clause
// Runs a program of ours as a shell would.
#ifndef PERDIX_TESTS_TOOLS_RUN_PROGRAM_H_
#define PERDIX_TESTS_TOOLS_RUN_PROGRAM_H_

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

struct Result {
  int exit_code = -1;
  std::string output;  // of both streams
};

inline Result RunProgram(const std::string& program,
                         const std::string& arguments) {
  Result result;
  const std::string command = program + " " + arguments + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  size_t size;
  while ((size = fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    result.output.append(buffer, size);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

// With its standard output elsewhere, such as ">/dev/full": only stderr is
// kept.
inline Result RunProgramInto(const std::string& redirection,
                             const std::string& program,
                             const std::string& arguments) {
  return RunProgram("{ " + program, arguments + " 2>&1 " + redirection + "; }");
}

inline std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

#endif  // PERDIX_TESTS_TOOLS_RUN_PROGRAM_H_
