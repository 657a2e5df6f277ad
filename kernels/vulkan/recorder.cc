// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/recorder.h"

#include <algorithm>

namespace perdix::vulkan {

Recorder::Recorder(VkCommandBuffer commands, const Pipelines& pipelines,
                   std::span<const VkDescriptorSet> sets,
                   uint32_t max_workgroups)
    : commands_(commands),
      pipelines_(pipelines),
      sets_(sets),
      max_workgroups_(max_workgroups) {
  Barrier();
}

void Recorder::Barrier() {
  if (!dispatched_) return;
  PipelineBarrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  dispatched_ = false;
  ++barriers_;
}

void Recorder::DispatchParts(const Work& work, PushConstants constants) {
  Bind(work);
  for (uint32_t rest = work.workgroups; rest > 0;) {
    const uint32_t count = std::min(rest, max_workgroups_);
    DispatchPart(work, count, constants);
    constants.words[0] += count * work.records;
    rest -= count;
  }
}

void Recorder::DispatchPart(const Work& work, uint32_t workgroups,
                            const PushConstants& constants) {
  vkCmdPushConstants(commands_, pipelines_.layout(),
                     VK_SHADER_STAGE_COMPUTE_BIT, 0, constants.size,
                     constants.words.data());
  vkCmdDispatch(commands_, workgroups, work.workgroups_y, 1);
  dispatched_ = true;
}

void Recorder::Timestamp(VkQueryPool pool, uint32_t index) {
  vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool,
                      index);
}

void Recorder::End() {
  PipelineBarrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

void Recorder::Bind(const Work& work) {
  const VkPipeline pipeline = pipelines_.get(work.pipeline);
  if (pipeline != bound_pipeline_) {
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    bound_pipeline_ = pipeline;
  }
  const VkDescriptorSet set = sets_[work.set];
  if (set != bound_set_) {
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                            pipelines_.layout(), 0, 1, &set, 0, nullptr);
    bound_set_ = set;
  }
}

void Recorder::PipelineBarrier(VkPipelineStageFlags to, VkAccessFlags access) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0,
                       1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace perdix::vulkan
