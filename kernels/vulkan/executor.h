// SPDX-License-Identifier: BSD-2-Clause
// Records work into a command buffer: binds what changes, splits what is too
// large, takes the time.
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
  // All outlive this.
  Executor(const Device& device, VkCommandBuffer commands,
           const Programs& programs, const DescriptorSets& sets,
           const Timestamps& timestamps)
      : device_(device),
        commands_(commands),
        programs_(programs),
        sets_(sets),
        timestamps_(timestamps) {}

  // The whole command buffer, to be submitted once, in place of what was in it
  // and its pool. groups: of each stage, all ready. At the end, what was
  // written is visible to the host. Fails with kUnsupported on a program that
  // its kernel does not name.
  Status Record(VkCommandPool pool, const gpu::Work& work,
                std::span<const ProgramGroup> groups);

 private:
  Status RecordAll(const gpu::Work& work, std::span<const ProgramGroup> groups);
  Status Bind(const gpu::Dispatch& dispatch, ProgramGroup group);
  void Dispatch(const gpu::Dispatch& dispatch,
                std::span<const uint32_t> constants);
  void PipelineBarrier(VkPipelineStageFlags to, VkAccessFlags access);

  const Device& device_;
  const VkCommandBuffer commands_;
  const Programs& programs_;
  const DescriptorSets& sets_;
  const Timestamps& timestamps_;
  gpu::Program bound_program_ = {};
  VkDescriptorSet bound_set_ = VK_NULL_HANDLE;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_EXECUTOR_H_
