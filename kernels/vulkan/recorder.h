// SPDX-License-Identifier: BSD-2-Clause
// Records dispatches: binds what changes, waits where it must, splits what is
// too large, takes the time.
#ifndef PERDIX_KERNELS_VULKAN_RECORDER_H_
#define PERDIX_KERNELS_VULKAN_RECORDER_H_

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

#include "kernels/shared/dispatch.h"
#include "kernels/vulkan/pipelines.h"

namespace perdix::vulkan {

class Recorder {
 public:
  // sets: by Work::set. Begins with everything that earlier submits wrote.
  Recorder(VkCommandBuffer commands, const Pipelines& pipelines,
           std::span<const VkDescriptorSet> sets, uint32_t max_workgroups);

  // What is recorded from now on sees all that was before. Nothing if nothing
  // was since the last one.
  void Barrier();
  uint32_t barriers() const { return barriers_; }  // so far

  // Workgroups (x, y) of a pipeline; each x takes <records> records.
  struct Work {
    PipelineIndex pipeline;
    uint32_t set;
    uint32_t records;
    uint32_t workgroups;
    uint32_t workgroups_y;
  };
  void Dispatch(const Work& work, DispatchConstants constants);
  // Likewise, not split; with constants that are not DispatchConstants.
  template <typename Constants>
  void DispatchWhole(const Work& work, const Constants& constants) {
    static_assert(sizeof(constants) <= sizeof(DispatchConstants));
    DispatchBytes(work, &constants, sizeof(constants));
  }

  // After all that was recorded.
  void Timestamp(VkQueryPool pool, uint32_t index);

  // Makes what was written visible to the host.
  void End();

 private:
  void Bind(const Work& work);
  void DispatchBytes(const Work& work, const void* constants, uint32_t size);
  void PipelineBarrier(VkPipelineStageFlags to, VkAccessFlags access);

  const VkCommandBuffer commands_;
  const Pipelines& pipelines_;
  const std::span<const VkDescriptorSet> sets_;
  const uint32_t max_workgroups_;  // of a dispatch, in x
  VkPipeline bound_pipeline_ = VK_NULL_HANDLE;
  VkDescriptorSet bound_set_ = VK_NULL_HANDLE;
  bool dispatched_ = true;  // since the last barrier; earlier submits count
  uint32_t barriers_ = 0;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_RECORDER_H_
