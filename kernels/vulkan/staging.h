// SPDX-License-Identifier: BSD-2-Clause
// A frame's work in order, and in memory where shaders read it: uniforms,
// tables, records, coefficients and edges, in one buffer that grows.
#ifndef PERDIX_KERNELS_VULKAN_STAGING_H_
#define PERDIX_KERNELS_VULKAN_STAGING_H_

#include <span>
#include <vector>

#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/work_order.h"

namespace perdix::vulkan {

class Staging {
 public:
  explicit Staging(const Device& device) : device_(device) {}

  // Takes all that <stages> need of the input; nothing of it is read later.
  Status Set(const GpuFrameInput& input, std::span<const KernelId> stages);

  // Empty where the stages do not need them.
  const InterOrder& inter() const { return inter_; }
  const TransformOrder& inter_transforms() const { return inter_transforms_; }
  const TransformOrder& intra_transforms() const { return intra_transforms_; }
  const IntraOrder& intra() const { return intra_; }

  // First records of the lists, which share a buffer.
  struct Bases {
    uint32_t inter;
    uint32_t inter_transforms;
    uint32_t intra_transforms;
    uint32_t intra;
    uint32_t end;
  };
  const Bases& bases() const { return bases_; }

  // What to bind; binding: FRAME, TABLES, RECORDS, COEFFICIENTS, EDGES.
  VkDescriptorBufferInfo Section(uint32_t binding) const;
  VkDeviceSize residual_bytes() const { return residual_bytes_; }

 private:
  struct Range {
    VkDeviceSize offset;  // bytes
    VkDeviceSize size;
  };

  void Order(const GpuFrameInput& input, std::span<const KernelId> stages);
  Status Reserve(VkDeviceSize edges_bytes);
  void WriteRecords();
  void WriteCoefficients();
  uint8_t* At(uint32_t binding) {
    return buffer_.data + sections_[binding].offset;
  }

  const Device& device_;
  Buffer buffer_;
  std::array<Range, PERDIX_BINDING_COUNT> sections_ = {};

  std::vector<TileInput> tiles_;
  InterOrder inter_;
  TransformOrder inter_transforms_;
  TransformOrder intra_transforms_;
  IntraOrder intra_;
  Bases bases_ = {};
  VkDeviceSize coefficients_bytes_ = 0;
  VkDeviceSize residual_bytes_ = 0;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_STAGING_H_
