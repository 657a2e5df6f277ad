// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/frame_metrics.h"

#include <array>
#include <cstring>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/metrics_order.h"

namespace perdix::vulkan {
namespace {

bool HasMotion(const GpuFrameInput& input) {
  const PictureView& previous = input.previous.view;
  return input.previous.memory != nullptr &&
         previous.width == input.params->width &&
         previous.height == input.params->height &&
         previous.bit_depth == input.params->bit_depth;
}

VkDescriptorBufferInfo Whole(const Buffer& buffer) {
  return {buffer.handle.get(), 0, VK_WHOLE_SIZE};
}

void Record(PipelineIndex pipeline, uint32_t set,
            const MetricsDispatch& dispatch, Recorder* recorder) {
  recorder->Barrier();
  recorder->DispatchWhole(
      {pipeline, set, 0, dispatch.groups_x, dispatch.groups_y},
      dispatch.constants);
  recorder->Barrier();
  recorder->DispatchWhole({kReducePipeline, set, 0, 1, 1}, dispatch.reduce);
}

}  // namespace

Status FrameMetrics::Set(const GpuFrameInput& input, VkDescriptorSet set) {
  checksums_ = 0;
  motion_ = false;
  if (!input.checksums && !HasMotion(input)) return Status::Ok();
  if (Status status = Reserve(*input.params); !status.ok()) return status;

  struct Binding {
    uint32_t index;
    VkDescriptorBufferInfo buffer;
  };
  const GpuMemory& target = *input.target.memory;
  const GpuMemory& previous =
      HasMotion(input) ? *input.previous.memory : target;
  const Binding bindings[] = {
      {PERDIX_BINDING_TARGET, Whole(MemoryOf(target).buffer())},
      {PERDIX_BINDING_REFERENCE, Whole(MemoryOf(previous).buffer())},
      {PERDIX_BINDING_PARTIALS, Whole(partials_)},
      {PERDIX_BINDING_RESULTS, Whole(results_)}};
  std::array<VkWriteDescriptorSet, std::size(bindings)> writes = {};
  for (size_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = bindings[i].index;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = DescriptorType(bindings[i].index);
    writes[i].pBufferInfo = &bindings[i].buffer;
  }
  vkUpdateDescriptorSets(device_.handle, writes.size(), writes.data(), 0,
                         nullptr);
  return Status::Ok();
}

Status FrameMetrics::Reserve(const FrameParams& params) {
  const VkDeviceSize bytes =
      VkDeviceSize{MetricsPartials(params)} * sizeof(MetricsSum);
  if (bytes > partials_.size) {
    if (Status status = MakeBuffer(device_, bytes, MemoryUse::kDevice,
                                   "partial sums", &partials_);
        !status.ok()) {
      return status;
    }
  }
  if (results_.size != 0) return Status::Ok();
  return MakeBuffer(device_, sizeof(MetricsResults), MemoryUse::kReadback,
                    "metrics", &results_);
}

void FrameMetrics::RecordChecksum(const GpuFrameInput& input, uint32_t stage,
                                  uint32_t set, Recorder* recorder) {
  if (!input.checksums) return;
  Record(kChecksumPipeline, set,
         ChecksumDispatch(*input.params, input.target.offsets, stage),
         recorder);
  checksums_ = stage + 1;
}

void FrameMetrics::RecordMotion(const GpuFrameInput& input, uint32_t set,
                                Recorder* recorder) {
  motion_ = HasMotion(input);
  if (!motion_) return;
  Record(MotionPipeline(*input.params), set,
         MotionDispatch(*input.params, input.target.offsets,
                        input.previous.offsets),
         recorder);
}

void FrameMetrics::Read(GpuFrameResult* result) const {
  if (checksums_ == 0 && !motion_) return;
  Invalidate(device_, results_);
  MetricsResults results;
  std::memcpy(&results, results_.data, sizeof(results));
  for (uint32_t i = 0; i < checksums_; ++i) {
    result->checksums[i] = ChecksumOf(results, i);
  }
  if (motion_) result->motion = MotionOf(results);
}

}  // namespace perdix::vulkan
