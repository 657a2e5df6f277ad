// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/pipelines.h"

#include <iterator>
#include <utility>
#include <vector>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/gpu_codec.h"
#include "kernels/vulkan/pipeline_cache.h"
#include "shaders/shaders.h"

namespace perdix::vulkan {

// ---- one pipeline ----

Status PipelineMaker::Open() {
  const auto bindings = LayoutBindings();
  VkDescriptorSetLayoutCreateInfo set_info = {};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = static_cast<uint32_t>(bindings.size());
  set_info.pBindings = bindings.data();
  if (Status status =
          vulkan::Make(device_.handle, "vkCreateDescriptorSetLayout",
                       vkCreateDescriptorSetLayout, set_info, &set_layout_);
      !status.ok()) {
    return status;
  }
  const VkDescriptorSetLayout set_layout = set_layout_.get();
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &kPushConstants;
  if (Status status = vulkan::Make(device_.handle, "vkCreatePipelineLayout",
                                   vkCreatePipelineLayout, info, &layout_);
      !status.ok()) {
    return status;
  }
  return Status::Ok();
}

Status PipelineMaker::Make(const PipelineDescription& description,
                           VkPipelineCache cache, PipelineHandle* pipeline) {
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (Status status = FindModule(description.shader, &info.stage.module);
      !status.ok()) {
    return status;
  }
  const std::array<uint32_t, 4> constants = {
      subgroup_size_, description.constants[0], description.constants[1],
      description.constants[2]};
  const VkSpecializationMapEntry entries[] = {
      {PERDIX_CONSTANT_SUBGROUP_SIZE, 0, 4},
      {PERDIX_CONSTANT_OWN, 4, 4},
      {PERDIX_CONSTANT_OWN + 1, 8, 4},
      {PERDIX_CONSTANT_OWN + 2, 12, 4}};
  const VkSpecializationInfo specialization = {4, entries, sizeof(constants),
                                               constants.data()};
  if (device_.full_subgroups && subgroup_size_ != 0 &&
      description.lanes % subgroup_size_ == 0) {
    info.stage.flags =
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_.get();
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult result =
      vkCreateComputePipelines(device_.handle, cache, 1, &info, nullptr, &made);
  *pipeline = {device_.handle, made};
  const std::string name(description.shader);
  device_.Name(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(made),
               name.c_str());
  return ToStatus(result, name.c_str());
}

Status PipelineMaker::FindModule(std::string_view shader,
                                 VkShaderModule* module) {
  ShaderModuleHandle& handle = modules_[shader];
  if (handle.get() == VK_NULL_HANDLE) {
    const std::span<const uint32_t> spirv = FindShader(shader);
    VkShaderModuleCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = spirv.size_bytes();
    info.pCode = spirv.data();
    if (Status status = vulkan::Make(device_.handle, "vkCreateShaderModule",
                                     vkCreateShaderModule, info, &handle);
        !status.ok()) {
      return status;
    }
  }
  *module = handle.get();
  return Status::Ok();
}

// ---- the table ----

namespace {

// By kChecksumPipeline and the like.
constexpr PipelineDescription kMetrics[] = {{"metrics/checksum", {}, 64},
                                            {"metrics/motion", {1}, 64},
                                            {"metrics/motion", {2}, 64},
                                            {"reduce", {}, 256}};
static_assert(std::size(kMetrics) == kReducePipeline + 1);

}  // namespace

Pipelines::Pipelines(const Device& device, const GpuOptions& options)
    : device_(device),
      options_(options),
      maker_(device, device.subgroup_size),
      descriptions_(std::begin(kMetrics), std::end(kMetrics)) {
  for (const GpuCodec& codec : GpuCodecs()) {
    first_of_codec_.push_back(static_cast<PipelineIndex>(descriptions_.size()));
    const std::vector<PipelineDescription> own = codec.pipelines(device);
    descriptions_.insert(descriptions_.end(), own.begin(), own.end());
  }
  table_.resize(descriptions_.size());
}

// ---- compiling ----

Status Pipelines::Open() {
  if (Status status = maker_.Open(); !status.ok()) return status;
  compiler_ = std::thread(&Pipelines::Compile, this);
  return Status::Ok();
}

Pipelines::~Pipelines() {
  closing_ = true;
  if (compiler_.joinable()) compiler_.join();
}

void Pipelines::WaitReady() {
  std::unique_lock lock(mutex_);
  became_ready_.wait(lock, [this] { return ready_.load(); });
}

void Pipelines::Compile() {
  const std::vector<uint8_t> stored = LoadCache();
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = stored.size();
  info.pInitialData = stored.data();
  PipelineCacheHandle cache;
  status_ = Make(device_.handle, "vkCreatePipelineCache", vkCreatePipelineCache,
                 info, &cache);
  if (status_.ok()) status_ = CompileAll(cache.get());
  maker_.Finish();
  {
    const std::lock_guard lock(mutex_);
    ready_ = true;
  }
  became_ready_.notify_all();
  if (!status_.ok()) return;  // as the first Submit will say
  if (options_.compiled) options_.compiled();
  if (!options_.cache_file.empty()) StoreCache(cache.get(), stored);
}

std::vector<uint8_t> Pipelines::LoadCache() const {
  std::vector<uint8_t> content;
  const Status status =
      LoadPipelineCache(options_.cache_file, device_.properties, &content);
  if (!status.ok()) Notice(status.message() + ": shaders are compiled again");
  return content;
}

void Pipelines::StoreCache(VkPipelineCache cache,
                           const std::vector<uint8_t>& stored) const {
  size_t size = 0;
  vkGetPipelineCacheData(device_.handle, cache, &size, nullptr);
  std::vector<uint8_t> compiled(size);
  vkGetPipelineCacheData(device_.handle, cache, &size, compiled.data());
  compiled.resize(size);
  if (compiled == stored) return;
  const Status status = StorePipelineCache(options_.cache_file, compiled);
  if (!status.ok()) Notice(status.message());
}

void Pipelines::Notice(const std::string& text) const {
  if (options_.notice) options_.notice(text);
}

Status Pipelines::CompileAll(VkPipelineCache cache) {
  for (size_t i = 0; i < descriptions_.size(); ++i) {
    if (descriptions_[i].shader.empty()) continue;
    if (closing_) return {StatusCode::kCancelled, "closed while compiling"};
    if (Status status = maker_.Make(descriptions_[i], cache, &table_[i]);
        !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

}  // namespace perdix::vulkan
