// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine_counters.h"

namespace perdix {

std::string ToString(const EngineCounters& counters) {
  std::string text =
      "frames on the GPU " + std::to_string(counters.gpu_frames) +
      ", on the CPU " + std::to_string(counters.cpu_frames) + ", done again " +
      std::to_string(counters.redone_frames) + "; buffers imported " +
      std::to_string(counters.gpu_imports) + ", refused " +
      std::to_string(counters.gpu_refused);
  if (counters.self_checks != 0) {
    text += "; self-checks " + std::to_string(counters.self_checks) +
            ", failed " + std::to_string(counters.self_check_failures);
  }
  if (counters.motion_frames != 0) {
    text += "; motion a frame " +
            std::to_string(counters.motion_sum / counters.motion_frames);
  }
  return text;
}

void Counters::CountMotion(uint64_t motion) {
  motion_sum_ += motion;
  ++motion_frames_;
}

EngineCounters Counters::Read() const {
  return {.gpu_frames = gpu_frames_,
          .cpu_frames = cpu_frames_,
          .redone_frames = redone_frames_,
          .gpu_imports = gpu_imports_,
          .gpu_refused = gpu_refused_,
          .self_checks = self_checks_,
          .self_check_failures = self_check_failures_,
          .motion_sum = motion_sum_,
          .motion_frames = motion_frames_};
}

}  // namespace perdix
