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

  // gpu and frame outlive this. Fails when the GPU does not take such frames.
  static Status Make(vulkan::Gpu& gpu, const CapturedFrame& frame,
                     Placement placement, std::unique_ptr<GpuFrame>* made);

  // What the target's memory holds.
  Status Fill(const std::vector<uint8_t>& bytes);
  Status Read(std::vector<uint8_t>* bytes);
  // Submits one stage and waits. *nanoseconds: on the GPU, 0 where it has no
  // timestamps.
  Status Run(KernelId kernel, uint64_t* nanoseconds);

 private:
  GpuFrame(vulkan::Gpu& gpu, const CapturedFrame& frame)
      : gpu_(gpu),
        frame_(frame),
        tables_(frame.tables),
        runner_(gpu.NewFrame()) {}
  Status Upload(Placement placement);

  vulkan::Gpu& gpu_;
  const CapturedFrame& frame_;
  TableMemory tables_;
  std::vector<WorkLists> tiles_;
  gpu::FrameInput input_;
  const std::unique_ptr<vulkan::GpuFrame> runner_;
};

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_GPU_FRAME_H_
