// SPDX-License-Identifier: BSD-2-Clause
// VP9's rows of FindGpuKernel.
#ifndef PERDIX_KERNELS_GPU_VP9_KERNELS_H_
#define PERDIX_KERNELS_GPU_VP9_KERNELS_H_

#include <memory>
#include <vector>

#include "kernels/gpu/kernel_work.h"
#include "kernels/gpu/vp9/frame.h"

namespace perdix::vp9 {

std::vector<gpu::Program> InterPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth);
std::vector<gpu::Program> InverseTransformPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth);
std::vector<gpu::Program> IntraPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth);
std::vector<gpu::Program> LoopFilterPrograms(const gpu::DeviceTraits& traits,
                                             uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeInterPred(const gpu::DeviceTraits& traits);
std::unique_ptr<gpu::KernelWork> MakeInverseTransform(
    const gpu::DeviceTraits& traits);
std::unique_ptr<gpu::KernelWork> MakeIntraPred(const gpu::DeviceTraits& traits);
std::unique_ptr<gpu::KernelWork> MakeLoopFilter(
    const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kInterPred = {
    KernelId::kVp9InterPred, CheckGpuParams, InterPredPrograms, MakeInterPred};
inline constexpr gpu::GpuKernel kInverseTransform = {
    KernelId::kVp9InverseTransform, CheckGpuParams, InverseTransformPrograms,
    MakeInverseTransform};
inline constexpr gpu::GpuKernel kIntraPred = {
    KernelId::kVp9IntraPred, CheckGpuParams, IntraPredPrograms, MakeIntraPred};
inline constexpr gpu::GpuKernel kLoopFilter = {
    KernelId::kVp9LoopFilter, CheckGpuParams, LoopFilterPrograms,
    MakeLoopFilter};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_KERNELS_H_
