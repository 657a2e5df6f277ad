// SPDX-License-Identifier: BSD-2-Clause
// A kernel on the GPU: which frames it takes, its programs, and how a frame's
// records become work for them. kernels/gpu/<codec>/<kernel>.cc has each.
#ifndef PERDIX_KERNELS_GPU_KERNEL_WORK_H_
#define PERDIX_KERNELS_GPU_KERNEL_WORK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/program.h"
#include "kernels/gpu/work.h"
#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix::gpu {

// Makes one frame's work after the other's and keeps memory from frame to
// frame.
class KernelWork {
 public:
  virtual ~KernelWork() = default;

  // Appends the kernel's stage of the frame. What it stages is read when the
  // work is executed, before this is called again. Fails with kInvalidArgument
  // where lists or tables do not belong to the frame, and with
  // kMissingReference.
  virtual Status Build(const FrameInput& input, Work* work) = 0;
};

struct GpuKernel {
  KernelId kernel;
  // Beyond the bit depth, which KernelRow says: kUnsupported with the field,
  // what was got and what is needed.
  Status (*check)(const FrameParams& params);
  // All that Build() may dispatch on such a device for a frame of such bit
  // depth, which KernelRow has a shader for.
  std::vector<Program> (*programs)(const DeviceTraits& traits,
                                   uint32_t bit_depth);
  std::unique_ptr<KernelWork> (*make)(const DeviceTraits& traits);
  bool needs_addresses = false;  // DeviceTraits::addresses
};

// Null: no shader has it.
const GpuKernel* FindGpuKernel(KernelId kernel);

// Whether the kernel has shaders that take such frames: else kUnsupported.
Status CheckParams(KernelId kernel, const FrameParams& params);

// Whether a device has what the kernel's shaders need: else kUnsupported. A
// kernel without shaders needs nothing.
Status CheckDevice(KernelId kernel, const DeviceTraits& traits);

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_KERNEL_WORK_H_
