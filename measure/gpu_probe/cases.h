// SPDX-License-Identifier: BSD-2-Clause
// What the probe measures of shaders: a list of cases, and their times.
#ifndef PERDIX_MEASURE_GPU_PROBE_CASES_H_
#define PERDIX_MEASURE_GPU_PROBE_CASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/gpu_probe/gpu.h"

namespace perdix::probe {

// How much is measured.
struct Sizes {
  int repeats;
  uint32_t groups;             // where many workgroups run
  uint32_t iterations;         // the longest loop of a workgroup
  size_t chain_bytes[3];       // memory that a chain of loads goes through
  uint32_t copied_iterations;  // of each workgroup of a copy
  size_t copied_bytes;
  size_t read_bytes;  // by the CPU
};
inline constexpr Sizes kFull = {
    15, 1000, 800, {4 << 10, 128 << 10, 64 << 20}, 4, 32 << 20, 8 << 20};
inline constexpr Sizes kQuick = {
    3, 20, 20, {4 << 10, 128 << 10, 1 << 20}, 4, 1 << 20, 1 << 20};

inline constexpr int kCpuThreads = 4;  // beside a copy

struct Case {
  std::string name;
  Work work;
  size_t bytes = 0;         // that a chain or a copy goes through
  bool beside_cpu = false;  // kCpuThreads threads copy memory meanwhile
};

struct Result {
  Case of;
  std::vector<uint64_t> nanoseconds;  // by repeat
  std::vector<double> cpu_gbs;        // copied by the CPU beside it, by repeat
  Status status;                      // why there are none
};

std::vector<Case> MakeCases(const Sizes& sizes);

// All repeats of a case, after one that does not count.
Result Measure(Gpu& gpu, const Case& of, int repeats);

}  // namespace perdix::probe

#endif  // PERDIX_MEASURE_GPU_PROBE_CASES_H_
