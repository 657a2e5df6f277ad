// SPDX-License-Identifier: BSD-2-Clause
// GpuFrame: the command buffer and descriptors of one frame in flight.
#ifndef PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_
#define PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_

#include <array>
#include <atomic>

#include "kernels/vulkan/frame_metrics.h"
#include "kernels/vulkan/gpu.h"
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
        metrics_(device) {}
  ~FrameRunner() override;

  Status Submit(const GpuFrameInput& input, std::span<const KernelId> stages,
                std::function<void(const GpuFrameResult&)> done) override;

 private:
  Status Open();
  Status OpenDescriptors();

  Status Check(const GpuFrameInput& input,
               std::span<const KernelId> stages) const;
  Status CheckReferences(const GpuFrameInput& input) const;
  Status ReserveResidual();
  void UpdateDescriptors(const GpuFrameInput& input);
  void Keep(const GpuFrameInput& input);

  Status Record(const GpuFrameInput& input, std::span<const KernelId> stages);
  void RecordStage(KernelId stage, const GpuFrameInput& input,
                   Recorder* recorder) const;
  void RecordInterPred(const GpuFrameInput& input, Recorder* recorder) const;
  void RecordTransforms(const TransformOrder& order, uint32_t base,
                        Recorder* recorder) const;
  void RecordIntraPred(Recorder* recorder) const;
  void RecordLoopFilter(const GpuFrameInput& input, Recorder* recorder) const;

  void Finish(const Status& status);  // on the queue's thread

  const Device& device_;
  const Pipelines& pipelines_;
  SubmitQueue& queue_;

  CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
  Timestamps timestamps_;
  DescriptorPoolHandle descriptor_pool_;
  // By reference: they differ in PERDIX_BINDING_REFERENCE alone. Then that of
  // the metrics.
  static constexpr uint32_t kMetricsSet = PERDIX_VP9_REFS;
  std::array<VkDescriptorSet, PERDIX_VP9_REFS + 1> sets_ = {};
  Staging staging_;
  Buffer residual_;
  FrameMetrics metrics_;

  // Of the frame in flight.
  size_t stage_count_ = 0;
  std::array<uint32_t, kMaxStages> steps_ = {};
  bool begun_ = false;  // as GpuFrameInput
  // Target first, previous last.
  std::array<GpuMemoryPtr, 2 + PERDIX_VP9_REFS> memories_;
  std::function<void(const GpuFrameResult&)> done_;
  std::atomic<bool> in_flight_{false};
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_FRAME_RUNNER_H_
