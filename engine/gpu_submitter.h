// SPDX-License-Identifier: BSD-2-Clause
// The GPU's segments of a stream's frames (frame_plan.h): each is one submit,
// whose result is taken once the GPU has reported.
#ifndef PERDIX_ENGINE_GPU_SUBMITTER_H_
#define PERDIX_ENGINE_GPU_SUBMITTER_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/work_lists.h"

namespace perdix {

struct EngineParts;
class StreamMeter;
struct FrameJob;

// A frame's place in the GPU's queue; its memory is used again.
struct Submission {
  std::unique_ptr<vulkan::GpuFrame> frame;
  std::vector<WorkLists> tiles;
  bool checksums = false;  // wanted in the result
  Status prepared;         // what Prepare returned
  vulkan::GpuFrameResult result;
};

// All calls are about the segment of <job> that is at work.
class GpuSubmitter {
 public:
  // Both must outlive the submitter.
  GpuSubmitter(EngineParts& engine, StreamMeter& meter)
      : engine_(engine), meter_(meter) {}

  // The segment's first kernel that has left the GPU (RecipeInForce::LeaveGpu)
  // since the frame was planned.
  std::optional<KernelId> FindLeft(const FrameJob& job) const;
  // Makes the segment's work, of what was parsed; any task may. Fails as
  // vulkan::GpuFrame::Prepare.
  Status Prepare(FrameJob& job, Submission& submission);
  // Submits what is prepared. reported: called once after success, from the
  // GPU's own thread, maybe before Submit returns. Fails as Prepare did, or as
  // vulkan::GpuFrame::Submit.
  Status Submit(FrameJob& job, Submission& submission,
                std::function<void()> reported);
  // Once Submit has returned and the GPU has reported: takes times and luma.
  // Fails as the GPU did.
  Status End(FrameJob& job, const Submission& submission);

 private:
  EngineParts& engine_;
  StreamMeter& meter_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_GPU_SUBMITTER_H_
