// SPDX-License-Identifier: BSD-2-Clause
// A command buffer is submitted and waited for: empty, with many dispatches of
// noop.comp, and with a barrier after each of them. The differences are the
// costs of one dispatch and of one barrier.
#include "kernels/vulkan/overheads.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "kernels/vulkan/commands.h"
#include "kernels/vulkan/handle.h"
#include "shaders/shaders.h"

namespace perdix::vulkan {
namespace {

constexpr uint32_t kDispatches = 1000;  // of a command buffer
constexpr int kRepeats = 15;

class Experiment {
 public:
  Experiment(const Device& device, SubmitQueue& queue)
      : device_(device), queue_(queue) {}

  Status Open() {
    if (Status status = MakePipeline(); !status.ok()) return status;
    return MakeCommands(device_, &command_pool_, &commands_);
  }

  // Wall time in nanoseconds.
  Status Run(uint32_t dispatches, bool barriers, uint64_t* nanoseconds) {
    Record(dispatches, barriers);
    const auto start = std::chrono::steady_clock::now();
    const Status status = queue_.SubmitAndWait(commands_);
    const std::chrono::nanoseconds spent =
        std::chrono::steady_clock::now() - start;
    *nanoseconds = static_cast<uint64_t>(spent.count());
    return status;
  }

 private:
  Status MakePipeline() {
    const std::span<const uint32_t> spirv = FindShader("noop");
    VkShaderModuleCreateInfo module_info = {};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = spirv.size_bytes();
    module_info.pCode = spirv.data();
    if (Status status = Make(device_.handle, "vkCreateShaderModule",
                             vkCreateShaderModule, module_info, &module_);
        !status.ok()) {
      return status;
    }
    VkPipelineLayoutCreateInfo layout_info = {};
    layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    if (Status status = Make(device_.handle, "vkCreatePipelineLayout",
                             vkCreatePipelineLayout, layout_info, &layout_);
        !status.ok()) {
      return status;
    }
    VkComputePipelineCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module_.get();
    info.stage.pName = "main";
    info.layout = layout_.get();
    VkPipeline made = VK_NULL_HANDLE;
    const VkResult result = vkCreateComputePipelines(
        device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &made);
    pipeline_ = {device_.handle, made};
    return ToStatus(result, "vkCreateComputePipelines");
  }

  void Record(uint32_t dispatches, bool barriers) {
    VkCommandBufferBeginInfo begin = {};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    VkMemoryBarrier barrier = {};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask =
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    vkResetCommandPool(device_.handle, command_pool_.get(), 0);
    vkBeginCommandBuffer(commands_, &begin);
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                      pipeline_.get());
    for (uint32_t i = 0; i < dispatches; ++i) {
      vkCmdDispatch(commands_, 1, 1, 1);
      if (!barriers) continue;
      vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                           0, nullptr, 0, nullptr);
    }
    vkEndCommandBuffer(commands_);
  }

  const Device& device_;
  SubmitQueue& queue_;
  ShaderModuleHandle module_;
  PipelineLayoutHandle layout_;
  PipelineHandle pipeline_;
  CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
};

struct Case {
  uint32_t dispatches;
  bool barriers;
};
constexpr Case kCases[] = {
    {0, false}, {kDispatches, false}, {kDispatches, true}};

uint64_t Median(std::array<uint64_t, kRepeats> times) {
  std::sort(times.begin(), times.end());
  return times[kRepeats / 2];
}

// For one of kDispatches; noise may make the longer one shorter.
uint64_t CostOfOne(uint64_t longer, uint64_t shorter) {
  return (longer - std::min(longer, shorter)) / kDispatches;
}

}  // namespace

Status MeasureOverheads(const Device& device, SubmitQueue& queue,
                        GpuOverheads* overheads) {
  Experiment experiment(device, queue);
  if (Status status = experiment.Open(); !status.ok()) return status;
  std::array<std::array<uint64_t, kRepeats>, std::size(kCases)> times;
  // In turns, so that what disturbs one disturbs all; the first is no repeat.
  for (int i = -1; i < kRepeats; ++i) {
    for (size_t c = 0; c < std::size(kCases); ++c) {
      const Status status = experiment.Run(
          kCases[c].dispatches, kCases[c].barriers, &times[c][std::max(i, 0)]);
      if (!status.ok()) return status;
    }
  }
  const uint64_t empty = Median(times[0]);
  const uint64_t independent = Median(times[1]);
  const uint64_t dependent = Median(times[2]);
  *overheads = {empty, CostOfOne(independent, empty),
                CostOfOne(dependent, independent)};
  return Status::Ok();
}

}  // namespace perdix::vulkan
