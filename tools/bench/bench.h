// SPDX-License-Identifier: BSD-2-Clause
// A whole run of perdix-bench, but for its options and outputs.
#ifndef PERDIX_TOOLS_BENCH_BENCH_H_
#define PERDIX_TOOLS_BENCH_BENCH_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/report.h"

namespace perdix::bench {

struct BenchOptions {
  std::vector<std::string> files;
  vulkan::GpuOptions gpu;
  std::string kernel;           // key; empty: all, and whole frames
  int frames = 8;               // captured from each file
  int threads = 0;              // n; 0: one for each CPU
  bool quick = false;           // few repeats
  GpuAim aim = GpuAim::kSpeed;  // of the choice of a recipe
  // Only what the choice of a recipe needs: no M4.
  bool calibrate = false;
  // How much is done (0 to 1, an estimate), and what is next; may be null.
  std::function<void(double fraction, const std::string& step)> progress;
  // Called with what is wrong but does not end the run; may be null.
  std::function<void(const std::string&)> notice;
};

// Clips of one codec are together in the report. Fails on a file that cannot be
// decoded.
Status RunBench(const BenchOptions& options, Report* report);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_BENCH_H_
