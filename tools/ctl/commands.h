// SPDX-License-Identifier: BSD-2-Clause
// What perdixctl can do, one function a command. Each prints to standard output
// and returns the exit code (sysexits.h); throws Failure.
#ifndef PERDIX_TOOLS_CTL_COMMANDS_H_
#define PERDIX_TOOLS_CTL_COMMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ctl/text.h"

namespace perdix::ctl {

struct Options {
  Style style;
  bool json = false;
  std::string root;  // doctor, report: in place of /

  std::string recipe;  // recipe set
  std::string level;   // loglevel

  uint32_t session = 0;  // checksum

  double interval = 1;  // top: seconds
  bool once = false;

  std::string output;     // trace, report: a file
  uint32_t frames = 100;  // trace
  double timeout = 10;    // trace: seconds

  bool bench = false;      // report: measure now
  std::string bench_json;  // report: files that perdix-bench has written
  std::string bench_svg;
};

int ShowStatus(const Options& options);
int ShowSessions(const Options& options);
int ShowWatch(const Options& options);
int ShowChecksum(const Options& options);
int ShowRecipe(const Options& options);
int SetRecipe(const Options& options);
int Calibrate(const Options& options);
int Reset();
int SetLogLevel(const Options& options);
int Trace(const Options& options);
int Top(const Options& options);
int Doctor(const Options& options);
int Report(const Options& options);

// Becomes perdix-bench; returns only by throwing.
int Bench(const std::vector<std::string>& arguments);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_COMMANDS_H_
