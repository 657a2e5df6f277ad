// SPDX-License-Identifier: BSD-2-Clause
// The final shift on the GPU: a kernel of every codec.
#ifndef PERDIX_KERNELS_GPU_FINAL_SHIFT_H_
#define PERDIX_KERNELS_GPU_FINAL_SHIFT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/gpu/kernel_work.h"

namespace perdix::gpu {

Status CheckFinalShift(const FrameParams& params);
std::vector<Program> FinalShiftPrograms(const DeviceTraits& traits,
                                        uint32_t bit_depth);
std::unique_ptr<KernelWork> MakeFinalShift(const DeviceTraits& traits);

inline constexpr GpuKernel kFinalShift = {
    KernelId::kFinalShift, CheckFinalShift, FinalShiftPrograms, MakeFinalShift};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_FINAL_SHIFT_H_
