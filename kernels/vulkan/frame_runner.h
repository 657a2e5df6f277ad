// SPDX-License-Identifier: BSD-2-Clause
// GpuFrame: the command buffer and descriptors of one frame in flight. What is
// recorded for a stage is the codec's (gpu_codec.h).
#ifndef PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_
#define PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/vulkan/frame_metrics.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/gpu_codec.h"
#include "kernels/vulkan/handle.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/pipelines.h"
#include "kernels/vulkan/recorder.h"
#include "kernels/vulkan/staging.h"
#include "kernels/vulkan/submit_queue.h"
#include "kernels/vulkan/timestamps.h"

namespace perdix::vulkan {

class FrameRunner : public GpuFrame {
 public:
  // All outlive the frame.
  FrameRunner(const Device& device, const Pipelines& pipelines,
              SubmitQueue& queue)
      : device_(device),
        pipelines_(pipelines),
        queue_(queue),
        timestamps_(device),
        staging_(device),
        metrics_(device),
        codecs_(GpuCodecs().size()) {}
  ~FrameRunner() override;

  Status Submit(const GpuFrameInput& input, std::span<const KernelId> stages,
                std::function<void(const GpuFrameResult&)> done) override;

 private:
  Status Open();
  Status OpenDescriptors();

  Status Check(const GpuFrameInput& input,
               std::span<const KernelId> stages) const;
  CodecRecorder& RecorderOf(KernelId kernel);
  Status ReserveScratch(VkDeviceSize bytes);
  void UpdateDescriptors(const GpuFrameInput& input);
  void UpdateSet(VkDescriptorSet set, const GpuMemory& target,
                 const GpuMemory& reference);
  void Keep(const GpuFrameInput& input);

  Status Record(const GpuFrameInput& input, std::span<const KernelId> stages,
                const CodecRecorder& codec);

  void Finish(const Status& status);  // on the queue's thread

  const Device& device_;
  const Pipelines& pipelines_;
  SubmitQueue& queue_;

  CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
  Timestamps timestamps_;
  DescriptorPoolHandle descriptor_pool_;
  std::array<VkDescriptorSet, kSetCount> sets_ = {};  // see recorder.h
  Staging staging_;
  Buffer scratch_;
  FrameMetrics metrics_;
  std::vector<std::unique_ptr<CodecRecorder>> codecs_;  // null: not used yet

  // What the frame in flight has.
  size_t stage_count_ = 0;
  std::array<uint32_t, kMaxStages> steps_ = {};
  bool begun_ = false;  // as GpuFrameInput
  // Target and display first, then the references, previous last.
  std::array<GpuMemoryPtr, 3 + PERDIX_MAX_REFERENCES> memories_;
  std::function<void(const GpuFrameResult&)> done_;
  std::atomic<bool> in_flight_{false};
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_
