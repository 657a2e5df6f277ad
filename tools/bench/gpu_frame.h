// SPDX-License-Identifier: BSD-2-Clause
// A captured frame in a GPU's memory, whose stages can be run one at a time.
#ifndef PERDIX_TOOLS_BENCH_GPU_FRAME_H_
#define PERDIX_TOOLS_BENCH_GPU_FRAME_H_

#include <memory>
#include <vector>

#include "kernels/vulkan/gpu.h"
#include "tools/bench/workload.h"

namespace perdix::bench {

class GpuFrame {
 public:
  using Placement = vulkan::Gpu::Placement;

  // gpu and frame outlive this. Fails when the GPU has no such kernel for such
  // frames.
  static Status Make(vulkan::Gpu& gpu, const CapturedFrame& frame,
                     KernelId kernel, Placement placement,
                     std::unique_ptr<GpuFrame>* made);

  Status Fill(const FrameState& state);
  // What the picture holds that the kernel writes.
  Status Read(KernelId kernel, std::vector<uint8_t>* bytes);
  // Submits one stage and waits. *nanoseconds: on the GPU, 0 where it has no
  // timestamps.
  Status Run(KernelId kernel, uint64_t* nanoseconds);

 private:
  GpuFrame(vulkan::Gpu& gpu, const CapturedFrame& frame)
      : gpu_(gpu), frame_(frame), runner_(gpu.NewFrame()) {}
  Status Upload(Placement placement);
  Status NewPicture(const CapturedPicture& captured, Placement placement,
                    gpu::Picture* picture);

  vulkan::Gpu& gpu_;
  const CapturedFrame& frame_;
  TableMemory tables_;
  std::vector<WorkLists> tiles_;
  gpu::FrameInput input_;
  const std::unique_ptr<vulkan::GpuFrame> runner_;
};

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_GPU_FRAME_H_
