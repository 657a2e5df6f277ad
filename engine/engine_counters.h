// SPDX-License-Identifier: BSD-2-Clause
// What an engine counts of the frames of all its streams.
#ifndef PERDIX_ENGINE_ENGINE_COUNTERS_H_
#define PERDIX_ENGINE_ENGINE_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace perdix {

struct EngineCounters {
  uint64_t gpu_frames = 0;     // with at least one stage on the GPU
  uint64_t cpu_frames = 0;     // without, whatever the recipe says
  uint64_t redone_frames = 0;  // on the CPU, after the GPU was lost or wrong
  uint64_t gpu_imports = 0;    // dma-bufs, once each
  uint64_t gpu_refused = 0;    // dma-bufs that the GPU would not have
  uint64_t self_checks = 0;    // frames
  uint64_t self_check_failures = 0;  // of these
  // Absolute differences of luma to the frame shown before, and the number of
  // frames whose differences they are (EngineOptions::watch).
  uint64_t motion_sum = 0;
  uint64_t motion_frames = 0;
};

std::string ToString(const EngineCounters& counters);

// Counts. Any thread may call anything here.
class Counters {
 public:
  void CountFrame(bool gpu) { ++(gpu ? gpu_frames_ : cpu_frames_); }
  void CountRedone() { ++redone_frames_; }
  void CountImport(bool taken) { ++(taken ? gpu_imports_ : gpu_refused_); }
  void CountSelfCheck() { ++self_checks_; }
  void CountSelfCheckFailure() { ++self_check_failures_; }
  void CountMotion(uint64_t motion);

  EngineCounters Read() const;

 private:
  using Counter = std::atomic<uint64_t>;

  Counter gpu_frames_{0};
  Counter cpu_frames_{0};
  Counter redone_frames_{0};
  Counter gpu_imports_{0};
  Counter gpu_refused_{0};
  Counter self_checks_{0};
  Counter self_check_failures_{0};
  Counter motion_sum_{0};
  Counter motion_frames_{0};
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_ENGINE_COUNTERS_H_
