// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/descriptor_sets.h"

#include <algorithm>
#include <string>

#include "kernels/vulkan/bindings.h"

namespace perdix::vulkan {

Status DescriptorSets::Open(VkDescriptorSetLayout layout) {
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * kSets},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, (PERDIX_BINDING_COUNT - 2) * kSets}};
  VkDescriptorPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = kSets;
  pool_info.poolSizeCount = 2;
  pool_info.pPoolSizes = sizes;
  if (Status status = Make(device_.handle, "vkCreateDescriptorPool",
                           vkCreateDescriptorPool, pool_info, &pool_);
      !status.ok()) {
    return status;
  }
  std::array<VkDescriptorSetLayout, kSets> layouts;
  layouts.fill(layout);
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool_.get();
  info.descriptorSetCount = kSets;
  info.pSetLayouts = layouts.data();
  return ToStatus(vkAllocateDescriptorSets(device_.handle, &info, sets_.data()),
                  "vkAllocateDescriptorSets");
}

Status DescriptorSets::Set(const gpu::Work& work, const gpu::FrameInput& input,
                           const Buffers& buffers) {
  bindings_.clear();
  for (const gpu::Command& command : work.commands()) {
    const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
    if (dispatch == nullptr || Find(dispatch->bindings) != VK_NULL_HANDLE) {
      continue;
    }
    if (bindings_.size() == kSets) {
      return {StatusCode::kUnsupported,
              "bindings of a frame: got more than " + std::to_string(kSets)};
    }
    Update(sets_[bindings_.size()], dispatch->bindings, input, buffers);
    bindings_.push_back(dispatch->bindings);
  }
  return Status::Ok();
}

void DescriptorSets::Add(const gpu::Bindings& bindings,
                         const BufferInfos& buffers) {
  Write(sets_[bindings_.size()], buffers);
  bindings_.push_back(bindings);
}

VkDescriptorSet DescriptorSets::Find(const gpu::Bindings& bindings) const {
  const auto found = std::find(bindings_.begin(), bindings_.end(), bindings);
  return found == bindings_.end() ? VK_NULL_HANDLE
                                  : sets_[size_t(found - bindings_.begin())];
}

void DescriptorSets::Update(VkDescriptorSet set, const gpu::Bindings& bindings,
                            const gpu::FrameInput& input,
                            const Buffers& buffers) {
  BufferInfos infos;
  for (uint32_t i = 0; i < infos.size(); ++i) {
    infos[i] = buffers.staging.BufferOf(i);
  }
  const auto bind = [&](uint32_t binding, const Buffer& buffer) {
    if (buffer.size == 0) return;  // no program that runs reads it
    infos[binding] = {buffer.handle.get(), 0, VK_WHOLE_SIZE};
  };
  bind(PERDIX_BINDING_TARGET,
       MemoryOf(*input.Of(bindings.target).memory).buffer());
  bind(PERDIX_BINDING_REFERENCE,
       MemoryOf(*input.Of(bindings.reference).memory).buffer());
  bind(PERDIX_BINDING_SCRATCH,
       bindings.metrics ? buffers.partials : buffers.scratch);
  if (bindings.metrics) bind(PERDIX_BINDING_RESULTS, buffers.results);
  Write(set, infos);
}

void DescriptorSets::Write(VkDescriptorSet set, const BufferInfos& infos) {
  std::array<VkWriteDescriptorSet, PERDIX_BINDING_COUNT> writes = {};
  for (uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = DescriptorType(i);
    writes[i].pBufferInfo = &infos[i];
  }
  vkUpdateDescriptorSets(device_.handle, writes.size(), writes.data(), 0,
                         nullptr);
}

}  // namespace perdix::vulkan
