// SPDX-License-Identifier: BSD-2-Clause
#include "measure/gpu_probe/gpu.h"

#include <chrono>
#include <utility>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/commands.h"

namespace perdix::probe {

using vulkan::MemoryUse;
using vulkan::ToStatus;

// ---- opening ----

Status Gpu::Open(const std::string& wanted, size_t buffer_bytes,
                 std::unique_ptr<Gpu>* gpu) {
  std::unique_ptr<Gpu> made(new Gpu);
  if (Status status = made->OpenParts(wanted, buffer_bytes); !status.ok()) {
    return status;
  }
  *gpu = std::move(made);
  return Status::Ok();
}

Gpu::~Gpu() = default;

Status Gpu::OpenParts(const std::string& wanted, size_t buffer_bytes) {
  if (Status status = vulkan::OpenDevice(wanted, false, &device_);
      !status.ok()) {
    return status;
  }
  queue_ = std::make_unique<vulkan::SubmitQueue>(*device_, 0);
  maker_ = std::make_unique<vulkan::PipelineMaker>(*device_, 0);
  if (Status status = queue_->Open(); !status.ok()) return status;
  if (Status status = maker_->Open(); !status.ok()) return status;
  if (Status status = vulkan::MakeBuffer(
          *device_, buffer_bytes, MemoryUse::kDevice, "target", &target_);
      !status.ok()) {
    return status;
  }
  if (Status status =
          vulkan::MakeBuffer(*device_, buffer_bytes, MemoryUse::kStaging,
                             "reference", &reference_);
      !status.ok()) {
    return status;
  }
  if (Status status = MakeSet(); !status.ok()) return status;
  if (Status status = MakeTimestamps(); !status.ok()) return status;
  return vulkan::MakeCommands(*device_, &command_pool_, &commands_);
}

// Only those two of the set's bindings are bound that the shaders use.
Status Gpu::MakeSet() {
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, PERDIX_BINDING_COUNT},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, PERDIX_BINDING_COUNT}};
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = 1;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  if (Status status =
          vulkan::Make(device_->handle, "vkCreateDescriptorPool",
                       vkCreateDescriptorPool, info, &descriptor_pool_);
      !status.ok()) {
    return status;
  }
  const VkDescriptorSetLayout layout = maker_->set_layout();
  VkDescriptorSetAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = descriptor_pool_.get();
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  const VkResult result =
      vkAllocateDescriptorSets(device_->handle, &allocate, &set_);
  if (result != VK_SUCCESS) return ToStatus(result, "vkAllocateDescriptorSets");
  const std::pair<uint32_t, const vulkan::Buffer*> bound[] = {
      {PERDIX_BINDING_TARGET, &target_},
      {PERDIX_BINDING_REFERENCE, &reference_}};
  for (const auto& [binding, buffer] : bound) {
    const VkDescriptorBufferInfo buffer_info = {buffer->handle.get(), 0,
                                                VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set_;
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = vulkan::DescriptorType(binding);
    write.pBufferInfo = &buffer_info;
    vkUpdateDescriptorSets(device_->handle, 1, &write, 0, nullptr);
  }
  return Status::Ok();
}

Status Gpu::MakeTimestamps() {
  if (!has_timestamps()) return Status::Ok();
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  return vulkan::Make(device_->handle, "vkCreateQueryPool", vkCreateQueryPool,
                      info, &timestamps_);
}

uint32_t* Gpu::reference() const {
  return reinterpret_cast<uint32_t*>(reference_.data);
}

// ---- running ----

gpu::Program Gpu::ProgramOf(const Work& work) {
  const auto name = names_.try_emplace(work.shader, work.shader).first;
  return {name->second, {work.lanes, 0, 0}, work.lanes};
}

Status Gpu::Prepare(const Work& work) {
  const gpu::Program program = ProgramOf(work);
  const auto [found, is_new] = pipelines_.try_emplace(program);
  if (!is_new) return Status::Ok();
  return maker_->Make(program, VK_NULL_HANDLE, &found->second);
}

Status Gpu::Run(const Work& work, Time* time) {
  if (Status status = Prepare(work); !status.ok()) return status;
  if (Status status = Begin(); !status.ok()) return status;
  Record(work);
  if (Status status = EndAndWait(&time->wall); !status.ok()) return status;
  time->gpu = work.dispatches == 0 ? 0 : ReadTimestamps();
  return Status::Ok();
}

Status Gpu::Fill(const vulkan::Buffer& buffer, uint32_t value) {
  if (Status status = Begin(); !status.ok()) return status;
  vkCmdFillBuffer(commands_, buffer.handle.get(), 0, VK_WHOLE_SIZE, value);
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                       0, nullptr);
  uint64_t wall = 0;
  return EndAndWait(&wall);
}

Status Gpu::Begin() {
  vkResetCommandPool(device_->handle, command_pool_.get(), 0);
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return ToStatus(vkBeginCommandBuffer(commands_, &begin),
                  "vkBeginCommandBuffer");
}

Status Gpu::EndAndWait(uint64_t* wall) {
  if (const VkResult result = vkEndCommandBuffer(commands_);
      result != VK_SUCCESS) {
    return ToStatus(result, "vkEndCommandBuffer");
  }
  const auto start = std::chrono::steady_clock::now();
  const Status status = queue_->SubmitAndWait(commands_);
  const std::chrono::nanoseconds spent =
      std::chrono::steady_clock::now() - start;
  *wall = static_cast<uint64_t>(spent.count());
  return status;
}

// An empty command buffer has no timestamps either.
void Gpu::Record(const Work& work) {
  if (work.dispatches == 0) return;
  if (has_timestamps()) {
    vkCmdResetQueryPool(commands_, timestamps_.get(), 0, 2);
    vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                        timestamps_.get(), 0);
  }
  vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                    pipelines_.at(ProgramOf(work)).get());
  vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                          maker_->layout(), 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(commands_, maker_->layout(), VK_SHADER_STAGE_COMPUTE_BIT,
                     0, sizeof(work.constants), &work.constants);
  for (uint32_t i = 0; i < work.dispatches; ++i) {
    vkCmdDispatch(commands_, work.groups, 1, 1);
    if (!work.barriers) continue;
    RecordBarrier();
  }
  if (has_timestamps()) {
    vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                        timestamps_.get(), 1);
  }
}

void Gpu::RecordBarrier() {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask =
      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
}

uint64_t Gpu::ReadTimestamps() const {
  if (!has_timestamps()) return 0;
  uint64_t ticks[2] = {};
  if (vkGetQueryPoolResults(device_->handle, timestamps_.get(), 0, 2,
                            sizeof(ticks), ticks, sizeof(ticks[0]),
                            VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
    return 0;
  }
  const uint64_t mask = ~uint64_t{0} >> (64 - device_->timestamp_bits);
  return static_cast<uint64_t>(
      static_cast<double>((ticks[1] - ticks[0]) & mask) *
      double{device_->properties.limits.timestampPeriod});
}

}  // namespace perdix::probe
