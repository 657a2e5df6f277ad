// SPDX-License-Identifier: BSD-2-Clause
// What of the codecs' frames stays on the CPU though the recipe has it on the
// GPU: for the operator.
#ifndef PERDIX_ENGINE_CPU_FRAMES_H_
#define PERDIX_ENGINE_CPU_FRAMES_H_

#include <functional>
#include <map>
#include <string>

#include "kernels/kernel.h"

namespace perdix {

// By frames or kernel, such as "av1 of 12 bit" or "av1_cdef": the reason.
using CpuFrames = std::map<std::string, std::string>;

struct GpuAnswers {
  std::function<bool(KernelId)> wanted;  // by the recipe
  std::function<bool(KernelId)> wrong;   // it has left the GPU: self_check.h
  std::function<bool(KernelId, const FrameParams&)> supports;
};

CpuFrames FindCpuFrames(const GpuAnswers& gpu);

}  // namespace perdix

#endif  // PERDIX_ENGINE_CPU_FRAMES_H_
