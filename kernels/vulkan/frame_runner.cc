// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/frame_runner.h"

#include <cassert>
#include <utility>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/commands.h"
#include "kernels/vulkan/input_check.h"

namespace perdix::vulkan {

// ---- set-up ----

FrameRunner::~FrameRunner() { assert(!in_flight_); }

Status FrameRunner::Open() {
  if (Status status = timestamps_.Open(); !status.ok()) return status;
  if (Status status = OpenDescriptors(); !status.ok()) return status;
  return MakeCommands(device_, &command_pool_, &commands_);
}

Status FrameRunner::OpenDescriptors() {
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * kSetCount},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
       (PERDIX_BINDING_COUNT - 2) * kSetCount}};
  VkDescriptorPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = kSetCount;
  pool_info.poolSizeCount = 2;
  pool_info.pPoolSizes = sizes;
  if (Status status =
          Make(device_.handle, "vkCreateDescriptorPool", vkCreateDescriptorPool,
               pool_info, &descriptor_pool_);
      !status.ok()) {
    return status;
  }
  std::array<VkDescriptorSetLayout, kSetCount> layouts;
  layouts.fill(pipelines_.set_layout());
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = descriptor_pool_.get();
  info.descriptorSetCount = kSetCount;
  info.pSetLayouts = layouts.data();
  return ToStatus(vkAllocateDescriptorSets(device_.handle, &info, sets_.data()),
                  "vkAllocateDescriptorSets");
}

// ---- a frame ----

Status FrameRunner::Submit(const GpuFrameInput& input,
                           std::span<const KernelId> stages,
                           std::function<void(const GpuFrameResult&)> done) {
  assert(!in_flight_);
  if (Status status = Check(input, stages); !status.ok()) return status;
  CodecRecorder& codec = RecorderOf(stages[0]);
  if (Status status = codec.Check(input, stages); !status.ok()) return status;
  if (commands_ == VK_NULL_HANDLE) {
    if (Status status = Open(); !status.ok()) return status;
  }
  if (Status status = codec.Set(input, stages, &staging_); !status.ok()) {
    return status;
  }
  if (Status status = ReserveScratch(codec.scratch_bytes()); !status.ok()) {
    return status;
  }
  UpdateDescriptors(input);
  if (Status status = metrics_.Set(input, sets_[kMetricsSet]); !status.ok()) {
    return status;
  }
  if (Status status = Record(input, stages, codec); !status.ok()) {
    return status;
  }

  Keep(input);
  stage_count_ = stages.size();
  begun_ = input.begun;
  done_ = std::move(done);
  in_flight_ = true;
  const Status status = queue_.Submit(
      commands_, [this](const Status& outcome) { Finish(outcome); });
  if (!status.ok()) {
    memories_ = {};
    done_ = nullptr;
    in_flight_ = false;
  }
  return status;
}

Status FrameRunner::Check(const GpuFrameInput& input,
                          std::span<const KernelId> stages) const {
  if (queue_.lost()) return {StatusCode::kDeviceLost, "the GPU is lost"};
  if (!pipelines_.ready()) {
    return {StatusCode::kUnsupported, "pipelines are still being compiled"};
  }
  if (!pipelines_.status().ok()) return pipelines_.status();
  return CheckInput(input, stages,
                    device_.properties.limits.maxStorageBufferRange);
}

CodecRecorder& FrameRunner::RecorderOf(KernelId kernel) {
  const size_t index = *GpuCodecOf(kernel);
  std::unique_ptr<CodecRecorder>& codec = codecs_[index];
  if (codec == nullptr) {
    codec = GpuCodecs()[index].make_recorder(pipelines_.FirstOf(index));
  }
  return *codec;
}

Status FrameRunner::ReserveScratch(VkDeviceSize bytes) {
  if (bytes <= scratch_.size) return Status::Ok();
  return MakeBuffer(device_, bytes, MemoryUse::kDevice, "scratch", &scratch_);
}

void FrameRunner::UpdateDescriptors(const GpuFrameInput& input) {
  const GpuMemory& target = *input.target.memory;
  for (uint32_t i = 0; i < input.references.size(); ++i) {
    const GpuMemory* const reference = input.references[i].memory.get();
    if (i != 0 && reference == nullptr) continue;
    UpdateSet(sets_[i], target, reference != nullptr ? *reference : target);
  }
  if (input.display.memory != nullptr) {
    UpdateSet(sets_[kDisplaySet], *input.display.memory, target);
  }
}

void FrameRunner::UpdateSet(VkDescriptorSet set, const GpuMemory& target,
                            const GpuMemory& reference) {
  const auto whole = [](const Buffer& buffer) {
    return VkDescriptorBufferInfo{buffer.handle.get(), 0, VK_WHOLE_SIZE};
  };
  std::array<VkDescriptorBufferInfo, PERDIX_BINDING_COUNT> buffers;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    buffers[i] = staging_.BufferOf(i);
  }
  buffers[PERDIX_BINDING_TARGET] = whole(MemoryOf(target).buffer());
  buffers[PERDIX_BINDING_REFERENCE] = whole(MemoryOf(reference).buffer());
  // Where there is none, no pipeline that runs reads it.
  if (scratch_.size != 0) buffers[PERDIX_BINDING_SCRATCH] = whole(scratch_);
  std::array<VkWriteDescriptorSet, PERDIX_BINDING_COUNT> writes = {};
  for (uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = DescriptorType(i);
    writes[i].pBufferInfo = &buffers[i];
  }
  vkUpdateDescriptorSets(device_.handle, writes.size(), writes.data(), 0,
                         nullptr);
}

// The memory must live until the frame is done, and what the CPU wrote there
// must be seen.
void FrameRunner::Keep(const GpuFrameInput& input) {
  memories_[0] = input.target.memory;
  memories_[1] = input.display.memory;
  for (size_t i = 0; i < input.references.size(); ++i) {
    memories_[2 + i] = input.references[i].memory;
  }
  memories_.back() = input.previous.memory;
  for (const GpuMemoryPtr& memory : memories_) {
    if (memory != nullptr) Flush(device_, MemoryOf(*memory).buffer());
  }
}

void FrameRunner::Finish(const Status& status) {
  GpuFrameResult result;
  result.status = status;
  if (status.ok()) {
    for (const GpuMemoryPtr& written : std::span(memories_).first(2)) {
      if (written != nullptr) Invalidate(device_, MemoryOf(*written).buffer());
    }
    timestamps_.Read(stage_count_, begun_, &result);
    result.steps = steps_;
    metrics_.Read(&result);
  }
  memories_ = {};
  // From here on the frame may be used again, by done too.
  const std::function<void(const GpuFrameResult&)> done = std::move(done_);
  in_flight_ = false;
  done(result);
}

// ---- the command buffer ----

Status FrameRunner::Record(const GpuFrameInput& input,
                           std::span<const KernelId> stages,
                           const CodecRecorder& codec) {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vkResetCommandPool(device_.handle, command_pool_.get(), 0);
  if (Status status = ToStatus(vkBeginCommandBuffer(commands_, &begin),
                               "vkBeginCommandBuffer");
      !status.ok()) {
    return status;
  }
  Recorder recorder(commands_, pipelines_, sets_,
                    device_.properties.limits.maxComputeWorkGroupCount[0]);
  timestamps_.RecordBegin(commands_, &recorder);
  for (uint32_t i = 0; i < stages.size(); ++i) {
    const uint32_t before = recorder.barriers();
    codec.Record(stages[i], input, &recorder);
    steps_[i] = recorder.barriers() - before;
    metrics_.RecordChecksum(input, i, kMetricsSet, &recorder);
    timestamps_.RecordEnd(i, &recorder);
  }
  metrics_.RecordMotion(input, kMetricsSet, &recorder);
  recorder.End();
  return ToStatus(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

}  // namespace perdix::vulkan
