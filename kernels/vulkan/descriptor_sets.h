// SPDX-License-Identifier: BSD-2-Clause
// What the dispatches of a frame in flight are bound to: a descriptor set for
// each of its gpu::Bindings.
#ifndef PERDIX_KERNELS_VULKAN_DESCRIPTOR_SETS_H_
#define PERDIX_KERNELS_VULKAN_DESCRIPTOR_SETS_H_

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/gpu/work.h"
#include "kernels/shared/dispatch.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/handle.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/staging.h"

namespace perdix::vulkan {

class DescriptorSets {
 public:
  // device outlives this.
  explicit DescriptorSets(const Device& device) : device_(device) {}

  Status Open(VkDescriptorSetLayout layout);

  // Buffers that a frame may have; those of no size are not bound.
  struct Buffers {
    const Staging& staging;
    const Buffer& scratch;
    const Buffer& partials;
    const Buffer& results;
  };
  // For the next frame: sets of all that its dispatches are bound to. Fails
  // with kUnsupported on more than there are.
  Status Set(const gpu::Work& work, const gpu::FrameInput& input,
             const Buffers& buffers);

  // In place of Set: sets for the next frame one by one, with what is bound. At
  // most as many as there are.
  using BufferInfos = std::array<VkDescriptorBufferInfo, PERDIX_BINDING_COUNT>;
  void Clear() { bindings_.clear(); }
  void Add(const gpu::Bindings& bindings, const BufferInfos& buffers);

  // One of those.
  VkDescriptorSet Find(const gpu::Bindings& bindings) const;

 private:
  static constexpr uint32_t kSets = 16;

  void Update(VkDescriptorSet set, const gpu::Bindings& bindings,
              const gpu::FrameInput& input, const Buffers& buffers);
  void Write(VkDescriptorSet set, const BufferInfos& infos);

  const Device& device_;
  DescriptorPoolHandle pool_;
  std::array<VkDescriptorSet, kSets> sets_ = {};  // the pool's
  std::vector<gpu::Bindings> bindings_;           // of the first sets
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_DESCRIPTOR_SETS_H_
