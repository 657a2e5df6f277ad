// SPDX-License-Identifier: BSD-2-Clause
// The table of the GPU's kernels.
#include "kernels/gpu/kernel_work.h"

#include <string>

#include "kernels/gpu/av1/kernels.h"
#include "kernels/gpu/final_shift.h"
#include "kernels/gpu/vp9/kernels.h"

namespace perdix::gpu {

const GpuKernel* FindGpuKernel(KernelId kernel) {
  static constexpr GpuKernel kKernels[] = {
      vp9::kInterPred,  vp9::kInverseTransform, vp9::kIntraPred,
      vp9::kLoopFilter, av1::kInterPred,        av1::kInverseTransform,
      av1::kIntraPred,  av1::kDeblock,          av1::kCdef,
      av1::kSuperRes,   av1::kLoopRestoration,  av1::kFilmGrainKernel,
      kFinalShift};
  for (const GpuKernel& candidate : kKernels) {
    if (candidate.kernel == kernel) return &candidate;
  }
  return nullptr;
}

Status CheckParams(KernelId kernel, const FrameParams& params) {
  const KernelRow& row = RowOf(kernel);
  const GpuKernel* const found = FindGpuKernel(kernel);
  if (found == nullptr) {
    return {StatusCode::kUnsupported, std::string("no shader for ") + row.name};
  }
  if (!row.HasShaderFor(params.bit_depth)) {
    return {StatusCode::kUnsupported, "bit depth: got " +
                                          std::to_string(params.bit_depth) +
                                          ", needed " + ToString(row.shader)};
  }
  return found->check(params);
}

Status CheckDevice(KernelId kernel, const DeviceTraits& traits) {
  const GpuKernel* const found = FindGpuKernel(kernel);
  if (found == nullptr || !found->needs_addresses || traits.addresses) {
    return Status::Ok();
  }
  return {StatusCode::kUnsupported,
          std::string("device without bufferDeviceAddress, which ") +
              RowOf(kernel).name + " needs"};
}

}  // namespace perdix::gpu
