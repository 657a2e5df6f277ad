// SPDX-License-Identifier: BSD-2-Clause
// All the GPU's work on a frame: each stage's kernel, in order, with the
// metrics that are asked for.
#ifndef PERDIX_KERNELS_GPU_FRAME_WORK_H_
#define PERDIX_KERNELS_GPU_FRAME_WORK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/gpu/kernel_work.h"
#include "kernels/gpu/work.h"

namespace perdix::gpu {

class FrameWork {
 public:
  explicit FrameWork(const DeviceTraits& traits) : traits_(traits) {}

  // Checks the input (input_check.h; max_range as there) and makes the work,
  // which stays until the next call. Fails as CheckInput, CheckDevice and
  // KernelWork::Build.
  Status Build(const FrameInput& input, std::span<const KernelId> stages,
               uint64_t max_range);
  const Work& work() const { return work_; }

 private:
  KernelWork& WorkOf(KernelId kernel);

  const DeviceTraits traits_;
  std::array<std::unique_ptr<KernelWork>, kKernelCount> kernels_;  // when used
  Work work_;
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_FRAME_WORK_H_
