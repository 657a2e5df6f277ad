// SPDX-License-Identifier: BSD-2-Clause
// Records a frame's work into a command buffer: binds what changes, splits what
// is too large, takes the time.
#ifndef PERDIX_KERNELS_VULKAN_EXECUTOR_H_
#define PERDIX_KERNELS_VULKAN_EXECUTOR_H_

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

#include "kernels/gpu/work.h"
#include "kernels/vulkan/descriptor_sets.h"
#include "kernels/vulkan/programs.h"
#include "kernels/vulkan/timestamps.h"

namespace perdix::vulkan {

class Executor {
 public:
  // All outlive this. max_workgroups: of a dispatch, in x.
  Executor(VkCommandBuffer commands, const Programs& programs,
           const DescriptorSets& sets, const Timestamps& timestamps,
           uint32_t max_workgroups)
      : commands_(commands),
        programs_(programs),
        sets_(sets),
        timestamps_(timestamps),
        max_workgroups_(max_workgroups) {}

  // groups: of each stage, all ready. At the end, what was written is visible
  // to the host. Fails with kUnsupported on a program that its kernel does not
  // name.
  Status Record(const gpu::Work& work, std::span<const ProgramGroup> groups);

 private:
  Status Bind(const gpu::Dispatch& dispatch, ProgramGroup group);
  void Dispatch(const gpu::Dispatch& dispatch,
                std::span<const uint32_t> constants);
  void PipelineBarrier(VkPipelineStageFlags to, VkAccessFlags access);

  const VkCommandBuffer commands_;
  const Programs& programs_;
  const DescriptorSets& sets_;
  const Timestamps& timestamps_;
  const uint32_t max_workgroups_;
  gpu::Program bound_program_ = {};
  VkDescriptorSet bound_set_ = VK_NULL_HANDLE;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_EXECUTOR_H_
