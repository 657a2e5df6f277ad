// SPDX-License-Identifier: BSD-2-Clause
// AV1's rows of FindGpuKernel. Whoever includes this may include VP9's, too,
// whose records have macros of the same names: so no record of AV1 is included
// here.
#ifndef PERDIX_KERNELS_GPU_AV1_KERNELS_H_
#define PERDIX_KERNELS_GPU_AV1_KERNELS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/gpu/kernel_work.h"

namespace perdix::av1 {

// Chroma 4:2:0, as frames without chroma have it in their parameters.
Status CheckGpuParams(const FrameParams& params);

std::vector<gpu::Program> DeblockPrograms(const gpu::DeviceTraits& traits,
                                          uint32_t bit_depth);
std::vector<gpu::Program> CdefPrograms(const gpu::DeviceTraits& traits,
                                       uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeDeblock(const gpu::DeviceTraits& traits);
std::unique_ptr<gpu::KernelWork> MakeCdef(const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kDeblock = {
    KernelId::kAv1Deblock, CheckGpuParams, DeblockPrograms, MakeDeblock};
inline constexpr gpu::GpuKernel kCdef = {KernelId::kAv1Cdef, CheckGpuParams,
                                         CdefPrograms, MakeCdef};

std::vector<gpu::Program> SuperResPrograms(const gpu::DeviceTraits& traits,
                                           uint32_t bit_depth);
std::vector<gpu::Program> FilmGrainPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeSuperRes(const gpu::DeviceTraits& traits);
std::unique_ptr<gpu::KernelWork> MakeFilmGrain(const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kSuperRes = {
    KernelId::kAv1SuperRes, CheckGpuParams, SuperResPrograms, MakeSuperRes};
inline constexpr gpu::GpuKernel kFilmGrainKernel = {
    KernelId::kAv1FilmGrain, CheckGpuParams, FilmGrainPrograms, MakeFilmGrain};

std::vector<gpu::Program> IntraPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeIntraPred(const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kIntraPred = {
    KernelId::kAv1IntraPred, CheckGpuParams, IntraPredPrograms, MakeIntraPred};

std::vector<gpu::Program> LoopRestorationPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeLoopRestoration(
    const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kLoopRestoration = {
    KernelId::kAv1LoopRestoration, CheckGpuParams, LoopRestorationPrograms,
    MakeLoopRestoration};

std::vector<gpu::Program> InterPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeInterPred(const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kInterPred = {KernelId::kAv1InterPred,
                                              CheckGpuParams, InterPredPrograms,
                                              MakeInterPred, true};

std::vector<gpu::Program> InverseTransformPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth);

std::unique_ptr<gpu::KernelWork> MakeInverseTransform(
    const gpu::DeviceTraits& traits);

inline constexpr gpu::GpuKernel kInverseTransform = {
    KernelId::kAv1InverseTransform, CheckGpuParams, InverseTransformPrograms,
    MakeInverseTransform};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_KERNELS_H_
