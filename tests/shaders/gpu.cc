// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/gpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/vulkan/bindings.h"
#include "shaders/shaders.h"

namespace perdix {
namespace {

void Check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s: VkResult %d\n", what, result);
  std::abort();
}

}  // namespace

Gpu* Gpu::Get(std::string* why) {
  static std::string reason;
  static Gpu* const gpu = [] {
    auto* made = new Gpu;  // lives as long as the process
    if (made->Open(&reason)) return made;
    delete made;
    return static_cast<Gpu*>(nullptr);
  }();
  *why = reason;
  return gpu;
}

bool Gpu::Open(std::string* why) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance_info = {};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  if (vkCreateInstance(&instance_info, nullptr, &instance_) != VK_SUCCESS) {
    *why = "no Vulkan instance";
    return false;
  }
  uint32_t count = 8;
  VkPhysicalDevice devices[8];
  vkEnumeratePhysicalDevices(instance_, &count, devices);
  const char* wanted = std::getenv("PERDIX_TEST_GPU");
  for (uint32_t i = 0; i < count && physical_ == VK_NULL_HANDLE; ++i) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(devices[i], &properties);
    name_ = properties.deviceName;
    if (wanted != nullptr && name_.find(wanted) == std::string::npos) continue;
    if (properties.apiVersion < VK_API_VERSION_1_3) continue;
    physical_ = devices[i];
  }
  if (physical_ == VK_NULL_HANDLE) {
    *why = "no Vulkan 1.3 device";
    return false;
  }

  VkPhysicalDeviceFloatControlsProperties floats = {};
  floats.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  VkPhysicalDeviceSubgroupProperties subgroup = {};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  subgroup.pNext = &floats;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroup;
  vkGetPhysicalDeviceProperties2(physical_, &properties);
  if (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) {
    subgroup_size_ = subgroup.subgroupSize;
  }
  rounds_to_even_ = floats.shaderRoundingModeRTEFloat16 != 0;
  VkPhysicalDeviceVulkan13Features features13 = {};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceFeatures2 features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &features13;
  vkGetPhysicalDeviceFeatures2(physical_, &features);
  full_subgroups_ = features13.computeFullSubgroups != 0;

  VkPhysicalDeviceVulkan13Features enabled = {};
  enabled.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  enabled.computeFullSubgroups = features13.computeFullSubgroups;
  enabled.subgroupSizeControl = features13.subgroupSizeControl;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info = {};
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkDeviceCreateInfo device_info = {};
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.pNext = &enabled;
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue_info;
  if (vkCreateDevice(physical_, &device_info, nullptr, &device_) !=
      VK_SUCCESS) {
    *why = "no Vulkan device: " + name_;
    return false;
  }
  vkGetDeviceQueue(device_, 0, 0, &queue_);

  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  constexpr VkMemoryPropertyFlags kWanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  while (memory_type_ < memory.memoryTypeCount &&
         (memory.memoryTypes[memory_type_].propertyFlags & kWanted) !=
             kWanted) {
    ++memory_type_;
  }

  VkCommandPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  Check(vkCreateCommandPool(device_, &pool_info, nullptr, &command_pool_),
        "vkCreateCommandPool");
  const auto bindings = vulkan::LayoutBindings();
  VkDescriptorSetLayoutCreateInfo set_info = {};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = static_cast<uint32_t>(bindings.size());
  set_info.pBindings = bindings.data();
  Check(vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout_),
        "vkCreateDescriptorSetLayout");
  VkPipelineLayoutCreateInfo layout_info = {};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout_;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &vulkan::kPushConstants;
  Check(
      vkCreatePipelineLayout(device_, &layout_info, nullptr, &pipeline_layout_),
      "vkCreatePipelineLayout");
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2 * PERDIX_MAX_REFERENCES},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
       PERDIX_BINDING_COUNT * PERDIX_MAX_REFERENCES}};
  VkDescriptorPoolCreateInfo descriptor_info = {};
  descriptor_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  descriptor_info.maxSets = PERDIX_MAX_REFERENCES;
  descriptor_info.poolSizeCount = 2;
  descriptor_info.pPoolSizes = sizes;
  Check(vkCreateDescriptorPool(device_, &descriptor_info, nullptr,
                               &descriptor_pool_),
        "vkCreateDescriptorPool");
  return true;
}

VkPipeline Gpu::Pipeline(const GpuDispatch& dispatch, uint32_t subgroup_size) {
  const auto number = shader_numbers_.emplace(
      dispatch.shader, static_cast<uint32_t>(shader_numbers_.size()));
  std::vector<uint32_t> key = {number.first->second, subgroup_size};
  key.insert(key.end(), dispatch.constants.begin(), dispatch.constants.end());
  VkPipeline& pipeline = pipelines_[key];
  if (pipeline != VK_NULL_HANDLE) return pipeline;

  const std::span<const uint32_t> spirv = FindShader(dispatch.shader);
  VkShaderModuleCreateInfo module_info = {};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = spirv.size_bytes();
  module_info.pCode = spirv.data();
  VkShaderModule module;
  Check(vkCreateShaderModule(device_, &module_info, nullptr, &module),
        dispatch.shader.c_str());
  std::vector<VkSpecializationMapEntry> entries;
  for (uint32_t i = 0; i + 1 < key.size(); ++i) {
    entries.push_back({i, 4 * i, 4});
  }
  const VkSpecializationInfo specialization = {
      static_cast<uint32_t>(entries.size()), entries.data(), 4 * entries.size(),
      key.data() + 1};
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (subgroup_size != 0 && full_subgroups_) {
    info.stage.flags =
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = pipeline_layout_;
  Check(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr,
                                 &pipeline),
        dispatch.shader.c_str());
  vkDestroyShaderModule(device_, module, nullptr);
  return pipeline;
}

Gpu::Buffer Gpu::MakeBuffer(const Bytes& content, uint32_t binding) {
  Buffer made = {};
  made.size = content.size() < 256 ? 256 : content.size();
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = made.size;
  info.usage =
      vulkan::DescriptorType(binding) == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
          ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
          : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  Check(vkCreateBuffer(device_, &info, nullptr, &made.buffer),
        "vkCreateBuffer");
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device_, made.buffer, &requirements);
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = memory_type_;
  Check(vkAllocateMemory(device_, &allocate, nullptr, &made.memory),
        "vkAllocateMemory");
  Check(vkBindBufferMemory(device_, made.buffer, made.memory, 0),
        "vkBindBufferMemory");
  Check(vkMapMemory(device_, made.memory, 0, VK_WHOLE_SIZE, 0, &made.data),
        "vkMapMemory");
  if (!content.empty()) std::memcpy(made.data, content.data(), content.size());
  return made;
}

void Gpu::Run(const std::vector<GpuDispatch>& dispatches,
              uint32_t subgroup_size, GpuBuffers* buffers) {
  std::vector<Buffer> made;
  for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
    made.push_back(MakeBuffer(buffers->by_binding[i], i));
  }
  VkDescriptorSet sets[PERDIX_MAX_REFERENCES];
  for (uint32_t ref = 0; ref < PERDIX_MAX_REFERENCES; ++ref) {
    made.push_back(
        MakeBuffer(buffers->references[ref], PERDIX_BINDING_REFERENCE));
    VkDescriptorSetAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = descriptor_pool_;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout_;
    Check(vkAllocateDescriptorSets(device_, &allocate, &sets[ref]),
          "vkAllocateDescriptorSets");
    for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
      const Buffer& buffer =
          i == PERDIX_BINDING_REFERENCE ? made.back() : made[i];
      const VkDescriptorBufferInfo info = {buffer.buffer, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet write = {};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = sets[ref];
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = vulkan::DescriptorType(i);
      write.pBufferInfo = &info;
      vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
    }
  }

  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = command_pool_;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands;
  Check(vkAllocateCommandBuffers(device_, &allocate, &commands),
        "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  Check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
                          VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  for (const GpuDispatch& dispatch : dispatches) {
    if (dispatch.barrier) {
      vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier,
                           0, nullptr, 0, nullptr);
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                      Pipeline(dispatch, subgroup_size));
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                            pipeline_layout_, 0, 1, &sets[dispatch.reference],
                            0, nullptr);
    vkCmdPushConstants(commands, pipeline_layout_, VK_SHADER_STAGE_COMPUTE_BIT,
                       0, static_cast<uint32_t>(dispatch.push.size()),
                       dispatch.push.data());
    vkCmdDispatch(commands, dispatch.groups_x, dispatch.groups_y, 1);
  }
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                       VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr,
                       0, nullptr);
  Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  Check(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  Check(vkQueueWaitIdle(queue_), "vkQueueWaitIdle");

  for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
    Bytes& content = buffers->by_binding[i];
    if (!content.empty()) {
      std::memcpy(content.data(), made[i].data, content.size());
    }
  }
  for (const Buffer& buffer : made) {
    vkDestroyBuffer(device_, buffer.buffer, nullptr);
    vkFreeMemory(device_, buffer.memory, nullptr);
  }
  vkFreeCommandBuffers(device_, command_pool_, 1, &commands);
  Check(vkResetDescriptorPool(device_, descriptor_pool_, 0),
        "vkResetDescriptorPool");
}

}  // namespace perdix
