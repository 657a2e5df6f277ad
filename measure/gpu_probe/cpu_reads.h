// SPDX-License-Identifier: BSD-2-Clause
// How long the CPU takes to read what the GPU has written, by kind of memory.
#ifndef PERDIX_MEASURE_GPU_PROBE_CPU_READS_H_
#define PERDIX_MEASURE_GPU_PROBE_CPU_READS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/gpu_probe/gpu.h"

namespace perdix::probe {

struct CpuReads {
  std::string memory;  // device, cached, dma_buf
  std::string source;  // the device that a dma-buf is from
  size_t bytes = 0;
  std::vector<uint64_t> nanoseconds;  // by repeat; with what caches need
  Status status;                      // why there is none
};

std::vector<CpuReads> MeasureCpuReads(Gpu& gpu, size_t bytes, int repeats);

}  // namespace perdix::probe

#endif  // PERDIX_MEASURE_GPU_PROBE_CPU_READS_H_
