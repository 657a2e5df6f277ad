// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/frame_runner.h"

#include <cassert>
#include <tuple>
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
  constexpr uint32_t kSets = std::tuple_size_v<decltype(sets_)>;
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * kSets},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, (PERDIX_BINDING_COUNT - 2) * kSets}};
  VkDescriptorPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = kSets;
  pool_info.poolSizeCount = 2;
  pool_info.pPoolSizes = sizes;
  if (Status status =
          Make(device_.handle, "vkCreateDescriptorPool", vkCreateDescriptorPool,
               pool_info, &descriptor_pool_);
      !status.ok()) {
    return status;
  }
  std::array<VkDescriptorSetLayout, kSets> layouts;
  layouts.fill(pipelines_.set_layout());
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = descriptor_pool_.get();
  info.descriptorSetCount = kSets;
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
  if (commands_ == VK_NULL_HANDLE) {
    if (Status status = Open(); !status.ok()) return status;
  }
  if (Status status = staging_.Set(input, stages); !status.ok()) return status;
  if (Status status = CheckReferences(input); !status.ok()) return status;
  if (Status status = ReserveResidual(); !status.ok()) return status;
  UpdateDescriptors(input);
  if (Status status = metrics_.Set(input, sets_[kMetricsSet]); !status.ok()) {
    return status;
  }
  if (Status status = Record(input, stages); !status.ok()) return status;

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

// Known only now that the work is in order.
Status FrameRunner::CheckReferences(const GpuFrameInput& input) const {
  for (const InterDispatch& dispatch : staging_.inter().dispatches()) {
    if (input.references[dispatch.reference].memory != nullptr) continue;
    return {StatusCode::kMissingReference,
            "blocks refer to reference " + std::to_string(dispatch.reference) +
                ", which has no memory"};
  }
  return Status::Ok();
}

Status FrameRunner::ReserveResidual() {
  if (staging_.residual_bytes() <= residual_.size) return Status::Ok();
  return MakeBuffer(device_, staging_.residual_bytes(), MemoryUse::kDevice,
                    "residual", &residual_);
}

void FrameRunner::UpdateDescriptors(const GpuFrameInput& input) {
  const VkDescriptorBufferInfo target = {
      MemoryOf(*input.target.memory).buffer().handle.get(), 0, VK_WHOLE_SIZE};
  std::array<VkDescriptorBufferInfo, PERDIX_BINDING_COUNT> buffers;
  for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
    buffers[i] = staging_.Section(i);
  }
  buffers[PERDIX_BINDING_TARGET] = target;
  // Where there is none, no pipeline that runs reads it.
  buffers[PERDIX_BINDING_RESIDUAL] =
      residual_.size == 0
          ? target
          : VkDescriptorBufferInfo{residual_.handle.get(), 0, VK_WHOLE_SIZE};
  std::array<VkDescriptorBufferInfo, PERDIX_VP9_REFS> references;
  std::array<VkWriteDescriptorSet, PERDIX_BINDING_COUNT* PERDIX_VP9_REFS>
      writes = {};
  for (uint32_t i = 0; i < writes.size(); ++i) {
    const uint32_t ref = i / PERDIX_BINDING_COUNT;
    const uint32_t binding = i % PERDIX_BINDING_COUNT;
    const GpuMemoryPtr& memory = input.references[ref].memory;
    references[ref] = target;
    if (memory != nullptr) {
      references[ref].buffer = MemoryOf(*memory).buffer().handle.get();
    }
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = sets_[ref];
    writes[i].dstBinding = binding;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = DescriptorType(binding);
    writes[i].pBufferInfo = binding == PERDIX_BINDING_REFERENCE
                                ? &references[ref]
                                : &buffers[binding];
  }
  vkUpdateDescriptorSets(device_.handle, writes.size(), writes.data(), 0,
                         nullptr);
}

// The memory must live until the frame is done, and what the CPU wrote there
// must be seen.
void FrameRunner::Keep(const GpuFrameInput& input) {
  memories_[0] = input.target.memory;
  for (size_t i = 0; i < input.references.size(); ++i) {
    memories_[1 + i] = input.references[i].memory;
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
    Invalidate(device_, MemoryOf(*memories_[0]).buffer());
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
                           std::span<const KernelId> stages) {
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
    RecordStage(stages[i], input, &recorder);
    steps_[i] = recorder.barriers() - before;
    metrics_.RecordChecksum(input, i, kMetricsSet, &recorder);
    timestamps_.RecordEnd(i, &recorder);
  }
  metrics_.RecordMotion(input, kMetricsSet, &recorder);
  recorder.End();
  return ToStatus(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

void FrameRunner::RecordStage(KernelId stage, const GpuFrameInput& input,
                              Recorder* recorder) const {
  switch (stage) {
    case KernelId::kVp9InterPred:
      RecordInterPred(input, recorder);
      break;
    case KernelId::kVp9InverseTransform:
      if (staging_.inter_transforms().size() != 0) recorder->Barrier();
      RecordTransforms(staging_.inter_transforms(),
                       staging_.bases().inter_transforms, recorder);
      break;
    case KernelId::kVp9IntraPred:
      RecordIntraPred(recorder);
      break;
    case KernelId::kVp9LoopFilter:
      RecordLoopFilter(input, recorder);
      break;
  }
}

void FrameRunner::RecordInterPred(const GpuFrameInput& input,
                                  Recorder* recorder) const {
  recorder->Barrier();
  for (const InterDispatch& dispatch : staging_.inter().dispatches()) {
    if (dispatch.barrier) recorder->Barrier();
    const GpuPicture& reference = input.references[dispatch.reference];
    DispatchConstants constants =
        InterConstants(*input.params, dispatch, input.target.offsets,
                       reference.offsets, reference.view);
    constants.first += staging_.bases().inter;
    recorder->Dispatch(
        {InterPredPipeline(dispatch), dispatch.reference,
         InterUnitsOfWorkgroup(dispatch.kind), dispatch.workgroups, 1},
        constants);
  }
}

void FrameRunner::RecordTransforms(const TransformOrder& order, uint32_t base,
                                   Recorder* recorder) const {
  for (const TransformDispatch& dispatch : order.dispatches()) {
    if (dispatch.barrier) recorder->Barrier();
    DispatchConstants constants = {};
    constants.first = base + dispatch.first;
    recorder->Dispatch(
        {TransformPipeline(dispatch), 0,
         TransformsOfWorkgroup(dispatch.tx_size), dispatch.workgroups, 1},
        constants);
  }
}

// The residual is written into memory of its own: before it no barrier.
void FrameRunner::RecordIntraPred(Recorder* recorder) const {
  RecordTransforms(staging_.intra_transforms(),
                   staging_.bases().intra_transforms, recorder);
  for (const IntraWave& wave : staging_.intra().waves()) {
    recorder->Barrier();
    DispatchConstants constants = {};
    constants.first = staging_.bases().intra + wave.first;
    recorder->Dispatch({IntraPredPipeline(), 0, 1, wave.count, 1}, constants);
  }
}

void FrameRunner::RecordLoopFilter(const GpuFrameInput& input,
                                   Recorder* recorder) const {
  const FrameParams& params = *input.params;
  if (params.loop_filter_level == 0) return;
  for (uint32_t i = 0; i < LoopFilterStepCount(params); ++i) {
    const LoopFilterStep step =
        LoopFilterStepAt(params, input.target.offsets, i);
    recorder->Barrier();
    recorder->Dispatch(
        {LoopFilterPipeline(params), 0, 1, step.workgroups, kPlaneCount},
        step.constants);
  }
}

}  // namespace perdix::vulkan
