// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/executor.h"

#include <string>

namespace perdix::vulkan {

Status Executor::Record(VkCommandPool pool, const gpu::Work& work,
                        std::span<const ProgramGroup> groups) {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vkResetCommandPool(device_.handle, pool, 0);
  Status status =
      ToStatus(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  if (status.ok()) status = RecordAll(work, groups);
  if (!status.ok()) return status;
  return ToStatus(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

Status Executor::RecordAll(const gpu::Work& work,
                           std::span<const ProgramGroup> groups) {
  uint32_t stage = 0;
  bool begun = false;  // the wait for what was submitted before is over
  for (const gpu::Command& command : work.commands()) {
    if (!begun && !std::holds_alternative<gpu::Barrier>(command)) {
      timestamps_.RecordBegin(commands_);
      begun = true;
    }
    if (std::holds_alternative<gpu::Barrier>(command)) {
      PipelineBarrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    } else if (std::holds_alternative<gpu::EndOfStage>(command)) {
      timestamps_.RecordEnd(commands_, stage++);
    } else {
      const auto& dispatch = std::get<gpu::Dispatch>(command);
      const ProgramGroup group =
          dispatch.bindings.metrics ? kMetricsGroup : groups[stage];
      if (Status status = Bind(dispatch, group); !status.ok()) return status;
      Dispatch(dispatch, work.ConstantsOf(dispatch));
    }
  }
  PipelineBarrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  return Status::Ok();
}

Status Executor::Bind(const gpu::Dispatch& dispatch, ProgramGroup group) {
  if (dispatch.program != bound_program_) {
    const VkPipeline pipeline = programs_.Find(group, dispatch.program);
    if (pipeline == VK_NULL_HANDLE) {
      return {StatusCode::kUnsupported,
              "not compiled: " + std::string(dispatch.program.shader)};
    }
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bound_program_ = dispatch.program;
  }
  const VkDescriptorSet set = sets_.Find(dispatch.bindings);
  if (set != bound_set_) {
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                            programs_.layout(), 0, 1, &set, 0, nullptr);
    bound_set_ = set;
  }
  return Status::Ok();
}

void Executor::Dispatch(const gpu::Dispatch& dispatch,
                        std::span<const uint32_t> constants) {
  const uint32_t most = device_.properties.limits.maxComputeWorkGroupCount[0];
  gpu::ForEachPart(dispatch, constants, most,
                   [&](uint32_t groups, std::span<const uint32_t> words) {
                     vkCmdPushConstants(commands_, programs_.layout(),
                                        VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                        dispatch.constants_bytes, words.data());
                     vkCmdDispatch(commands_, groups, dispatch.groups_y, 1);
                   });
}

void Executor::PipelineBarrier(VkPipelineStageFlags to, VkAccessFlags access) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0,
                       1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace perdix::vulkan
