// SPDX-License-Identifier: BSD-2-Clause
// GpuFrame: one frame in flight. What is done for it is gpu::FrameWork's; here
// it is staged, bound, recorded and submitted.
#ifndef PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_
#define PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "kernels/gpu/frame_work.h"
#include "kernels/vulkan/descriptor_sets.h"
#include "kernels/vulkan/frame_metrics.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/programs.h"
#include "kernels/vulkan/staging.h"
#include "kernels/vulkan/submit_queue.h"
#include "kernels/vulkan/timestamps.h"

namespace perdix::vulkan {

class FrameRunner : public GpuFrame {
 public:
  // All outlive the frame.
  FrameRunner(const Device& device, const Programs& programs,
              SubmitQueue& queue)
      : device_(device),
        programs_(programs),
        queue_(queue),
        work_(device.traits),
        sets_(device),
        timestamps_(device),
        staging_(device),
        metrics_(device) {}
  ~FrameRunner() override;

  Status Prepare(const gpu::FrameInput& input,
                 std::span<const KernelId> stages) override;
  Status Submit(std::function<void(const GpuFrameResult&)> done) override;

 private:
  Status Open();
  // What is in groups_ for the stages: whether all can run.
  Status CheckReady(const gpu::FrameInput& input,
                    std::span<const KernelId> stages);
  Status Write(const gpu::FrameInput& input, size_t stages);
  Status ReserveScratch(VkDeviceSize bytes);
  Status Record();
  void Keep(const gpu::FrameInput& input);
  void FlushPictures() const;
  void CountSteps(GpuFrameResult* result) const;
  void Finish(const Status& status);  // on the queue's thread

  const Device& device_;
  const Programs& programs_;
  SubmitQueue& queue_;

  gpu::FrameWork work_;
  CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
  DescriptorSets sets_;
  Timestamps timestamps_;
  Staging staging_;
  Buffer scratch_;
  FrameMetrics metrics_;

  // What the frame that is prepared or in flight has.
  std::vector<ProgramGroup> groups_;  // of each stage
  bool begun_ = false;                // as gpu::FrameInput
  // Target and display first, then the references, previous last.
  std::array<gpu::MemoryPtr, 3 + PERDIX_MAX_REFERENCES> memories_;
  std::function<void(const GpuFrameResult&)> done_;
  std::atomic<bool> in_flight_{false};
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_
