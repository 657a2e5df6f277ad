// SPDX-License-Identifier: BSD-2-Clause
// The least Vulkan that runs shaders on byte arrays: one submit, waited for.
#ifndef PERDIX_TESTS_SHADERS_GPU_H_
#define PERDIX_TESTS_SHADERS_GPU_H_

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "tests/shaders/picture.h"

namespace perdix {

struct GpuDispatch {
  std::string shader;
  std::vector<uint32_t> constants;  // specialisation constants 1 and up
  Bytes push;                       // constants
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

  uint32_t subgroup_size() const { return subgroup_size_; }
  bool rounds_to_even() const { return rounds_to_even_; }
  const std::string& name() const { return name_; }

  // subgroup_size: of PERDIX_CONSTANT_SUBGROUP_SIZE, 0 or subgroup_size().
  // Buffers that shaders write come back in place.
  void Run(const std::vector<GpuDispatch>& dispatches, uint32_t subgroup_size,
           GpuBuffers* buffers);

 private:
  struct Buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void* data;
    VkDeviceSize size;
  };

  bool Open(std::string* why);
  VkPipeline Pipeline(const GpuDispatch& dispatch, uint32_t subgroup_size);
  Buffer MakeBuffer(const Bytes& content, uint32_t binding);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  uint32_t memory_type_ = 0;
  uint32_t subgroup_size_ = 0;
  bool full_subgroups_ = false;
  bool rounds_to_even_ = false;  // half floats, if asked to
  std::string name_;
  std::map<std::vector<uint32_t>, VkPipeline> pipelines_;
  std::map<std::string, uint32_t> shader_numbers_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_GPU_H_
