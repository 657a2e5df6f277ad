// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/gpu.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/commands.h"

namespace perdix {
namespace {

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::abort();
}
void Check(VkResult result, const char* call) {
  Check(vulkan::ToStatus(result, call));
}

// How many lanes subgroups have that are emulated.
Status ReadEmulatedSize(const std::string& device, uint32_t* size) {
  if (device.find("llvmpipe") == std::string::npos) {
    return {StatusCode::kUnsupported,
            device + ": subgroups are emulated on lavapipe only"};
  }
  const char* const wanted = std::getenv("PERDIX_TEST_SUBGROUPS");
  const std::string text = wanted == nullptr ? "64" : wanted;
  if (text != "32" && text != "64") {
    return {StatusCode::kInvalidArgument,
            "PERDIX_TEST_SUBGROUPS is '" + text + "', it may be 32 or 64"};
  }
  *size = static_cast<uint32_t>(std::stoul(text));
  return Status::Ok();
}

}  // namespace

bool Gpu::EmulatesSubgroups() {
#ifdef EMULATED_SUBGROUPS
  return true;
#else
  return false;
#endif
}

Gpu* Gpu::Get(std::string* why) {
  static Status status;
  static Gpu* const gpu = [] {
    auto* made = new Gpu;  // lives as long as the process
    status = made->Open();
    if (status.ok()) return made;
    delete made;
    return static_cast<Gpu*>(nullptr);
  }();
  *why = status.message();
  return gpu;
}

Status Gpu::Open() {
  const char* const wanted = std::getenv("PERDIX_TEST_GPU");
  if (Status status =
          vulkan::OpenDevice(wanted == nullptr ? "" : wanted, false, &device_);
      !status.ok()) {
    return status;
  }
  if (EmulatesSubgroups()) {
    if (Status status = ReadEmulatedSize(device_->identity.name,
                                         &device_->traits.subgroup_size);
        !status.ok()) {
      return status;
    }
  }
  for (const uint32_t size : {0u, device_->traits.subgroup_size}) {
    if (Status status = OpenFor(size); !status.ok()) return status;
  }
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * PERDIX_MAX_REFERENCES},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
       PERDIX_BINDING_COUNT * PERDIX_MAX_REFERENCES}};
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = PERDIX_MAX_REFERENCES;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  if (Status status =
          vulkan::Make(device_->handle, "vkCreateDescriptorPool",
                       vkCreateDescriptorPool, info, &descriptor_pool_);
      !status.ok()) {
    return status;
  }
  return vulkan::MakeCommands(*device_, &command_pool_, &commands_);
}

Status Gpu::OpenFor(uint32_t subgroup_size) {
  auto& maker = specialised_[subgroup_size].maker;
  maker = std::make_unique<vulkan::PipelineMaker>(*device_, subgroup_size);
  return maker->Open();
}

VkPipeline Gpu::Pipeline(const gpu::Program& program,
                         Specialised& specialised) {
  const auto found = specialised.pipelines.try_emplace(program);
  vulkan::PipelineHandle& pipeline = found.first->second;
  if (found.second) {
    Check(specialised.maker->Make(program, VK_NULL_HANDLE, &pipeline));
  }
  return pipeline.get();
}

vulkan::Buffer Gpu::MakeBuffer(const Bytes& content) {
  vulkan::Buffer made;
  Check(vulkan::MakeBuffer(*device_, content.size(), vulkan::MemoryUse::kShared,
                           "test", &made));
  if (!content.empty()) std::memcpy(made.data, content.data(), content.size());
  vulkan::Flush(*device_, made);
  return made;
}

// A set for each reference, or for each of GpuBuffers::quality.
void Gpu::MakeSets(const std::vector<vulkan::Buffer>& buffers,
                   const GpuBuffers& content, VkDescriptorSetLayout layout,
                   VkDescriptorSet* sets) {
  Check(vkResetDescriptorPool(device_->handle, descriptor_pool_.get(), 0),
        "vkResetDescriptorPool");
  for (uint32_t ref = 0; ref < PERDIX_MAX_REFERENCES; ++ref) {
    VkDescriptorSetAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = descriptor_pool_.get();
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &layout;
    Check(vkAllocateDescriptorSets(device_->handle, &allocate, &sets[ref]),
          "vkAllocateDescriptorSets");
    std::map<uint32_t, uint32_t> bound = {{PERDIX_BINDING_REFERENCE, ref}};
    if (!content.quality.empty()) {
      bound =
          content.quality[std::min<size_t>(ref, content.quality.size() - 1)];
      bound[PERDIX_BINDING_REFERENCE] = 0;
    }
    for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
      const auto other = bound.find(i);
      const uint32_t buffer =
          other == bound.end() ? i : PERDIX_BINDING_COUNT + other->second;
      const VkDescriptorBufferInfo info = {buffers[buffer].handle.get(), 0,
                                           VK_WHOLE_SIZE};
      VkWriteDescriptorSet write = {};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = sets[ref];
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = vulkan::DescriptorType(i);
      write.pBufferInfo = &info;
      vkUpdateDescriptorSets(device_->handle, 1, &write, 0, nullptr);
    }
  }
}

void Gpu::Barrier(VkPipelineStageFlags to, VkAccessFlags access) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = access;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0,
                       1, &barrier, 0, nullptr, 0, nullptr);
}

void Gpu::Record(const gpu::Work& work, Specialised& specialised,
                 std::span<const VkDescriptorSet> sets) {
  const VkPipelineLayout layout = specialised.maker->layout();
  for (const gpu::Command& command : work.commands()) {
    if (std::holds_alternative<gpu::Barrier>(command)) {
      Barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
              VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
    if (dispatch == nullptr) continue;
    const gpu::PictureId reference = dispatch->bindings.reference;
    const size_t set =
        reference < gpu::PictureId::kReference0
            ? dispatch->bindings.quality
            : size_t(reference) - size_t(gpu::PictureId::kReference0);
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                      Pipeline(dispatch->program, specialised));
    vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout,
                            0, 1, &sets[set], 0, nullptr);
    vkCmdPushConstants(commands_, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       dispatch->constants_bytes,
                       work.ConstantsOf(*dispatch).data());
    vkCmdDispatch(commands_, dispatch->groups_x, dispatch->groups_y, 1);
  }
}

void Gpu::Run(const gpu::Work& work, uint32_t subgroup_size,
              GpuBuffers* buffers) {
  Specialised& specialised = specialised_.at(subgroup_size);
  std::vector<vulkan::Buffer> made;
  for (const Bytes& content : buffers->by_binding)
    made.push_back(MakeBuffer(content));
  for (const Bytes& content : buffers->references)
    made.push_back(MakeBuffer(content));
  for (const gpu::Work::Address& part : work.addresses()) {
    const size_t reference =
        size_t(part.picture) - size_t(gpu::PictureId::kReference0);
    const uint64_t address =
        vulkan::AddressOf(*device_, made[PERDIX_BINDING_COUNT + reference]) +
        part.at;
    std::memcpy(made[part.binding].data + part.offset, &address,
                sizeof(address));
    vulkan::Flush(*device_, made[part.binding]);
  }
  VkDescriptorSet sets[PERDIX_MAX_REFERENCES];
  MakeSets(made, *buffers, specialised.maker->set_layout(), sets);

  vkResetCommandPool(device_->handle, command_pool_.get(), 0);
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  Check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  Record(work, specialised, sets);
  Barrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  Check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  Check(vkQueueSubmit(device_->queue, 1, &submit, VK_NULL_HANDLE),
        "vkQueueSubmit");
  Check(vkQueueWaitIdle(device_->queue), "vkQueueWaitIdle");

  for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
    Bytes& content = buffers->by_binding[i];
    if (content.empty()) continue;
    vulkan::Invalidate(*device_, made[i]);
    std::memcpy(content.data(), made[i].data, content.size());
  }
}

}  // namespace perdix
