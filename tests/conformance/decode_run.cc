// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/decode_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <sstream>

namespace perdix {
namespace {

std::string Quote(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string ToolPath() {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path() / "perdix-decode").string();
}

// What the command prints; its errors come after a line of their own.
constexpr char kErrorsBelow[] = "== errors ==";

}  // namespace

DecodeRun RunDecode(const std::string& output, const std::string& how,
                    const std::string& path, int seconds) {
  const char* other = getenv("PERDIX_DECODE_OPTIONS");
  const std::string command =
      "e=$(mktemp); timeout -k 5 " + std::to_string(seconds) +
      " " PERDIX_EMULATOR " " + Quote(ToolPath()) + " " + output + " " +
      (other ? other : how) + " " + Quote(path) + " 2>$e; code=$?; echo '" +
      kErrorsBelow + "'; cat $e; rm $e; exit $code";
  DecodeRun run;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  std::string text;
  char chunk[4096];
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, pipe)) > 0;) {
    text.append(chunk, n);
  }
  const int status = pclose(pipe);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == kErrorsBelow) break;
    run.output.push_back(line);
  }
  std::getline(lines, run.errors, '\0');
  return run;
}

}  // namespace perdix
