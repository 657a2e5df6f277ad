// SPDX-License-Identifier: BSD-2-Clause
// Runs a gpu::Work on byte arrays, by kernels/vulkan's device, buffers and
// pipelines: one submit, waited for.
#ifndef PERDIX_TESTS_SHADERS_GPU_H_
#define PERDIX_TESTS_SHADERS_GPU_H_

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gpu/work.h"
#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/programs.h"
#include "tests/frame/guarded_picture.h"

namespace perdix {

template <typename T>
Bytes BytesOf(std::span<const T> items) {
  const auto* data = reinterpret_cast<const uint8_t*>(items.data());
  return Bytes(data, data + items.size_bytes());
}
template <typename T>
Bytes BytesOfOne(const T& item) {
  return BytesOf(std::span<const T>(&item, 1));
}

struct GpuBuffers {
  std::array<Bytes, PERDIX_BINDING_COUNT> by_binding;
  // By gpu::ReferenceId; gpu::PictureId::kPrevious is the first.
  std::array<Bytes, PERDIX_MAX_REFERENCES> references;
  // By Bindings::quality, for work on quality alone: binding and index of one
  // of the references that is bound there instead of the binding's own buffer.
  std::vector<std::map<uint32_t, uint32_t>> quality;
};

class Gpu {
 public:
  // The device whose name contains $PERDIX_TEST_GPU, else the first. Null: why
  // says what is missing.
  static Gpu* Get(std::string* why);

  // Whether subgroups are emulated: those of traits() then, of
  // $PERDIX_TEST_SUBGROUPS lanes, or 64.
  static bool EmulatesSubgroups();

  const gpu::DeviceTraits& traits() const { return device_->traits; }
  const std::string& name() const { return device_->identity.name; }

  // Runs the dispatches and barriers. subgroup_size: the value of
  // PERDIX_CONSTANT_SUBGROUP_SIZE, 0 or the device's. Buffers that shaders
  // write come back in place.
  void Run(const gpu::Work& work, uint32_t subgroup_size, GpuBuffers* buffers);

 private:
  // What is specialised for subgroups of one size.
  struct Specialised {
    std::unique_ptr<vulkan::PipelineMaker> maker;
    std::map<gpu::Program, vulkan::PipelineHandle> pipelines;
  };

  Status Open();
  Status OpenFor(uint32_t subgroup_size);
  static VkPipeline Pipeline(const gpu::Program& program,
                             Specialised& specialised);
  void Record(const gpu::Work& work, Specialised& specialised,
              std::span<const VkDescriptorSet> sets);
  void Barrier(VkPipelineStageFlags to, VkAccessFlags access);
  vulkan::Buffer MakeBuffer(const Bytes& content);
  void MakeSets(const std::vector<vulkan::Buffer>& buffers,
                const GpuBuffers& content, VkDescriptorSetLayout layout,
                VkDescriptorSet* sets);

  std::unique_ptr<vulkan::Device> device_;
  vulkan::DescriptorPoolHandle descriptor_pool_;
  vulkan::CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;    // the pool's
  std::map<uint32_t, Specialised> specialised_;  // by size of subgroups
};

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_GPU_H_
