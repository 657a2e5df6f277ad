// SPDX-License-Identifier: BSD-2-Clause
// Runs shaders on byte arrays, by kernels/vulkan's device, buffers and
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

#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/pipelines.h"
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

struct GpuDispatch {
  std::string shader;
  // Specialisation constants from PERDIX_CONSTANT_OWN on.
  std::array<uint32_t, 3> constants = {};
  uint32_t lanes = 64;  // of a workgroup
  Bytes push;           // constants
  uint32_t groups_x = 1;
  uint32_t groups_y = 1;
  bool barrier = false;    // wait for the dispatches before this one
  uint32_t reference = 0;  // which of GpuBuffers::references
};

struct GpuBuffers {
  std::array<Bytes, PERDIX_BINDING_COUNT> by_binding;
  std::array<Bytes, PERDIX_MAX_REFERENCES> references;
};

class Gpu {
 public:
  // The device whose name contains $PERDIX_TEST_GPU, else the first. Null: why
  // says what is missing.
  static Gpu* Get(std::string* why);

  uint32_t subgroup_size() const { return device_->subgroup_size; }
  bool rounds_to_even() const { return device_->rounds_to_even; }
  const std::string& name() const { return device_->identity.name; }

  // subgroup_size: of PERDIX_CONSTANT_SUBGROUP_SIZE, 0 or subgroup_size().
  // Buffers that shaders write come back in place.
  void Run(const std::vector<GpuDispatch>& dispatches, uint32_t subgroup_size,
           GpuBuffers* buffers);

 private:
  // What is specialised for subgroups of one size.
  struct Specialised {
    std::unique_ptr<vulkan::PipelineMaker> maker;
    std::map<std::pair<std::string, std::array<uint32_t, 3>>,
             vulkan::PipelineHandle>
        pipelines;
  };

  Status Open();
  Status OpenFor(uint32_t subgroup_size);
  VkPipeline Pipeline(const GpuDispatch& dispatch, Specialised& specialised);
  vulkan::Buffer MakeBuffer(const Bytes& content);
  void MakeSets(const std::vector<vulkan::Buffer>& buffers,
                VkDescriptorSetLayout layout, VkDescriptorSet* sets);

  std::unique_ptr<vulkan::Device> device_;
  vulkan::DescriptorPoolHandle descriptor_pool_;
  vulkan::CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;    // the pool's
  std::map<uint32_t, Specialised> specialised_;  // by size of subgroups
};

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_GPU_H_
