// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/programs.h"

#include <utility>
#include <vector>

#include "kernels/gpu/kernel_work.h"
#include "kernels/gpu/metrics.h"
#include "kernels/gpu/quality.h"
#include "kernels/vulkan/bindings.h"
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

Status PipelineMaker::Make(const gpu::Program& program, VkPipelineCache cache,
                           PipelineHandle* pipeline) {
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (Status status = FindModule(program.shader, &info.stage.module);
      !status.ok()) {
    return status;
  }
  const std::array<uint32_t, 4> constants = {
      subgroup_size_, program.constants[0], program.constants[1],
      program.constants[2]};
  const VkSpecializationMapEntry entries[] = {
      {PERDIX_CONSTANT_SUBGROUP_SIZE, 0, 4},
      {PERDIX_CONSTANT_OWN, 4, 4},
      {PERDIX_CONSTANT_OWN + 1, 8, 4},
      {PERDIX_CONSTANT_OWN + 2, 12, 4}};
  const VkSpecializationInfo specialization = {4, entries, sizeof(constants),
                                               constants.data()};
  if (device_.full_subgroups && subgroup_size_ != 0 &&
      program.lanes % subgroup_size_ == 0) {
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
  const std::string name(program.shader);
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

// ---- groups ----

namespace {

constexpr std::pair<KernelCodec, const char*> kCodecs[] = {
    {KernelCodec::kVp9, "VP9"}, {KernelCodec::kAv1, "AV1"}};

bool IsOfKernel(ProgramGroup group) {
  return group != kMetricsGroup && group < kQualityGroup;
}

// group: IsOfKernel.
KernelId KernelOf(ProgramGroup group) {
  return static_cast<KernelId>((group - 1) / 2);
}
// group: not kMetricsGroup.
uint32_t BitDepthOf(ProgramGroup group) { return group % 2 == 1 ? 8 : 10; }

bool Serves(KernelId kernel, KernelCodec codec) {
  const KernelCodec own = RowOf(kernel).codec;
  return own == codec || own == KernelCodec::kAny;
}

std::vector<gpu::Program> ProgramsOf(ProgramGroup group,
                                     const gpu::DeviceTraits& traits) {
  if (group == kMetricsGroup) return gpu::MetricsPrograms(traits);
  if (group >= kQualityGroup) {
    return gpu::QualityPrograms(traits, BitDepthOf(group));
  }
  const KernelId kernel = KernelOf(group);
  const uint32_t bit_depth = BitDepthOf(group);
  const gpu::GpuKernel* const found = gpu::FindGpuKernel(kernel);
  return found == nullptr || !RowOf(kernel).HasShaderFor(bit_depth)
             ? std::vector<gpu::Program>()
             : found->programs(traits, bit_depth);
}

}  // namespace

Programs::Programs(const Device& device, const GpuOptions& options)
    : device_(device),
      options_(options),
      maker_(device, device.traits.subgroup_size) {}

Status Programs::Open() {
  if (Status status = maker_.Open(); !status.ok()) return status;
  compiler_ = std::thread(&Programs::Compile, this);
  return Status::Ok();
}

Programs::~Programs() {
  closing_ = true;
  {
    const std::lock_guard lock(mutex_);  // the thread waits, or will look
  }
  changed_.notify_all();
  if (compiler_.joinable()) compiler_.join();
}

void Programs::Prepare(ProgramGroup group) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(asked_[group], true)) return;
    queue_.push_back(group);
  }
  changed_.notify_all();
}

void Programs::Wait(ProgramGroup group) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ready(group); });
}

bool Programs::compiling() const {
  const std::lock_guard lock(mutex_);
  return !queue_.empty();
}

VkPipeline Programs::Find(ProgramGroup group,
                          const gpu::Program& program) const {
  const auto& pipelines = groups_[group].pipelines;
  const auto found = pipelines.find(program);
  return found == pipelines.end() ? VK_NULL_HANDLE : found->second.get();
}

// ---- compiling ----

void Programs::Compile() {
  stored_ = LoadCache();
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = stored_.size();
  info.pInitialData = stored_.data();
  PipelineCacheHandle cache;
  const Status made = Make(device_.handle, "vkCreatePipelineCache",
                           vkCreatePipelineCache, info, &cache);
  for (ProgramGroup group; Take(&group);) {
    Finish(group, made.ok() ? CompileGroup(group, cache.get()) : made,
           cache.get());
  }
}

bool Programs::Take(ProgramGroup* group) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
  if (closing_) return false;
  *group = queue_.front();
  return true;
}

Status Programs::CompileGroup(ProgramGroup group, VkPipelineCache cache) {
  for (const gpu::Program& program : ProgramsOf(group, device_.traits)) {
    if (closing_) return {StatusCode::kCancelled, "closed while compiling"};
    if (Status status =
            maker_.Make(program, cache, &groups_[group].pipelines[program]);
        !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

void Programs::Finish(ProgramGroup group, const Status& status,
                      VkPipelineCache cache) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    groups_[group].status = status;  // as the first Submit will say
    groups_[group].ready = true;
    queue_.pop_front();
    last = queue_.empty();
  }
  changed_.notify_all();
  if (!status.ok()) return;
  if (options_.compiled && IsOfKernel(group)) TellOf(group);
  if (last && !options_.cache_file.empty()) StoreCache(cache);
}

void Programs::TellOf(ProgramGroup group) {
  FrameParams params = {};
  params.bit_depth = BitDepthOf(group);
  for (const auto& [codec, name] : kCodecs) {
    if (!Serves(KernelOf(group), codec) || !HasAll(codec, params)) continue;
    options_.compiled(std::string(name) + " of " +
                      std::to_string(params.bit_depth) + " bit");
  }
}

bool Programs::HasAll(KernelCodec codec, const FrameParams& params) const {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (size_t i = 0; i < kKernelCount; ++i) {
    const auto kernel = static_cast<KernelId>(i);
    const ProgramGroup group = GroupOf(kernel, params);
    if (!Serves(kernel, codec) || !asked_[group]) continue;
    if (!ready(group) || !status(group).ok()) return false;
    any |= RowOf(kernel).codec == codec;
  }
  return any;
}

std::vector<uint8_t> Programs::LoadCache() const {
  std::vector<uint8_t> content;
  const Status status =
      LoadPipelineCache(options_.cache_file, device_.properties, &content);
  if (!status.ok()) Notice(status.message() + ": shaders are compiled again");
  return content;
}

void Programs::StoreCache(VkPipelineCache cache) {
  size_t size = 0;
  vkGetPipelineCacheData(device_.handle, cache, &size, nullptr);
  std::vector<uint8_t> compiled(size);
  vkGetPipelineCacheData(device_.handle, cache, &size, compiled.data());
  compiled.resize(size);
  if (compiled == stored_) return;
  const Status status = StorePipelineCache(options_.cache_file, compiled);
  if (!status.ok()) Notice(status.message());
  stored_ = std::move(compiled);
}

void Programs::Notice(const std::string& text) const {
  if (options_.notice) options_.notice(text);
}

}  // namespace perdix::vulkan
