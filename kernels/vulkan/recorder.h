// SPDX-License-Identifier: BSD-2-Clause
// Records dispatches: binds what changes, waits where it must, splits what is
// too large, takes the time.
#ifndef PERDIX_KERNELS_VULKAN_RECORDER_H_
#define PERDIX_KERNELS_VULKAN_RECORDER_H_

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/vulkan/pipelines.h"

namespace perdix::vulkan {

// ---- a frame's descriptor sets ----
// Sets 0 to PERDIX_MAX_REFERENCES - 1: the target, and one reference each. They
// are there for references that have memory; set 0 always is.
// The display as target, and the target as reference; there if the frame has a
// display.
inline constexpr uint32_t kDisplaySet = PERDIX_MAX_REFERENCES;
inline constexpr uint32_t kMetricsSet = kDisplaySet + 1;
inline constexpr uint32_t kSetCount = kMetricsSet + 1;

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
  // Split where there are more workgroups than the device can take at once:
  // <first> counts the records of the parts before.
  template <typename Constants>
  void Dispatch(const Work& work, const Constants& constants) {
    static_assert(offsetof(Constants, first) == 0 &&
                  std::is_same_v<decltype(constants.first), uint>);
    DispatchParts(work, Push(constants));
  }
  // Records one dispatch that is not split.
  template <typename Constants>
  void DispatchWhole(const Work& work, const Constants& constants) {
    Bind(work);
    DispatchPart(work, work.workgroups, Push(constants));
  }

  // After all that was recorded.
  void Timestamp(VkQueryPool pool, uint32_t index);

  // Makes what was written visible to the host.
  void End();

 private:
  struct PushConstants {
    std::array<uint32_t, PERDIX_PUSH_CONSTANT_BYTES / sizeof(uint32_t)> words;
    uint32_t size;  // bytes
  };
  template <typename Constants>
  static PushConstants Push(const Constants& constants) {
    static_assert(sizeof(constants) <= PERDIX_PUSH_CONSTANT_BYTES);
    PushConstants push;
    std::memcpy(push.words.data(), &constants, sizeof(constants));
    push.size = sizeof(constants);
    return push;
  }

  void Bind(const Work& work);
  void DispatchParts(const Work& work, PushConstants constants);
  void DispatchPart(const Work& work, uint32_t workgroups,
                    const PushConstants& constants);
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
