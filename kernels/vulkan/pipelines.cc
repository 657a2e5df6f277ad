// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/pipelines.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/pipeline_cache.h"
#include "shaders/shaders.h"

namespace perdix::vulkan {

// ---- the table ----
// Inverse transforms [size][transform][output], inter prediction
// [plane][kind][average], intra prediction, loop filter [lanes: 32, 64],
// metrics.

// constants: all but PERDIX_CONSTANT_SUBGROUP_SIZE, from 1 on.
struct PipelineVariant {
  PipelineIndex index;
  std::string_view shader;
  std::array<uint32_t, 3> constants;
  uint32_t lanes;  // of a workgroup
};

namespace {

constexpr uint32_t kSizes = 4;
constexpr uint32_t kTransforms = PERDIX_TRANSFORM_KINDS;
constexpr uint32_t kOutputs = 3;
constexpr PipelineIndex kFirstInterPred = kSizes * kTransforms * kOutputs;
constexpr PipelineIndex kIntraPred =
    kFirstInterPred + kPlaneCount * PERDIX_INTER_KINDS * 2;
constexpr PipelineIndex kFirstLoopFilter = kIntraPred + 1;
constexpr PipelineIndex kChecksum = kFirstLoopFilter + 2;
constexpr PipelineIndex kMotion = kChecksum + 1;
constexpr PipelineIndex kReduce = kMotion + 1;
static_assert(kReduce + 1 == kPipelineCount);

// What transform_order.cc asks for. WHT is 4x4, 32x32 is DCT_DCT (VP9 8.7.2),
// and a 4x4 block always has all its coefficients.
bool Exists(uint32_t tx_size, uint32_t transform) {
  switch (transform) {
    case PERDIX_TRANSFORM_DCT:
    case PERDIX_TRANSFORM_DC:
      return true;
    case PERDIX_TRANSFORM_WHT:
      return tx_size == 0;
    case PERDIX_TRANSFORM_DCT_WHOLE:
      return tx_size > 0;
    default:  // ADST
      return tx_size < 3;
  }
}

std::vector<PipelineVariant> AllVariants(const Device& device) {
  constexpr std::string_view kTransformShaders[kSizes] = {
      "vp9/inverse_transform_4", "vp9/inverse_transform_8",
      "vp9/inverse_transform_16", "vp9/inverse_transform_32"};
  std::vector<PipelineVariant> all;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t kind = 0; kind < PERDIX_INTER_KINDS; ++kind) {
      for (uint32_t average = 0; average < 2; ++average) {
        all.push_back(
            {InterPredPipeline({0, plane, kind, average, false, 0, 0}),
             device.rounds_to_even ? "vp9/inter_pred_rte" : "vp9/inter_pred",
             {plane, kind, average},
             64});
      }
    }
  }
  for (uint32_t size = 0; size < kSizes; ++size) {
    for (uint32_t transform = 0; transform < kTransforms; ++transform) {
      if (!Exists(size, transform)) continue;
      for (uint32_t output = 0; output < kOutputs; ++output) {
        all.push_back(
            {TransformPipeline({size, transform, output, false, 0, 0}),
             kTransformShaders[size],
             {transform, output, 0},
             64});
      }
    }
  }
  // Measured on an H200 and counted for V3D: docs/measurements/gpu.md.
  const bool wide = device.subgroup_size >= 32;
  const uint32_t intra_lanes = wide ? 128 : 16;
  all.push_back(
      {kIntraPred, "vp9/intra_pred", {0, intra_lanes, 0}, intra_lanes});
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t lanes = (wide ? 64 : 32) << i;
    all.push_back({kFirstLoopFilter + i,
                   wide ? "vp9/loop_filter_lines" : "vp9/loop_filter",
                   {3, lanes, 1},
                   lanes});
  }
  all.push_back({kChecksum, "metrics/checksum", {}, 64});
  all.push_back({kMotion, "metrics/motion", {1}, 64});
  all.push_back({kReduce, "reduce", {}, 256});
  return all;
}

}  // namespace

PipelineIndex TransformPipeline(const TransformDispatch& dispatch) {
  return (dispatch.tx_size * kTransforms + dispatch.transform) * kOutputs +
         dispatch.output;
}

PipelineIndex InterPredPipeline(const InterDispatch& dispatch) {
  return kFirstInterPred +
         (dispatch.plane * PERDIX_INTER_KINDS + dispatch.kind) * 2 +
         dispatch.average;
}

PipelineIndex IntraPredPipeline() { return kIntraPred; }

PipelineIndex LoopFilterPipeline(const FrameParams& params) {
  return kFirstLoopFilter + (params.subsampling_y == 0 ? 1 : 0);
}

PipelineIndex ChecksumPipeline() { return kChecksum; }
PipelineIndex MotionPipeline() { return kMotion; }
PipelineIndex ReducePipeline() { return kReduce; }

// ---- compiling ----

Status Pipelines::Open() {
  const auto bindings = LayoutBindings();
  VkDescriptorSetLayoutCreateInfo set_info = {};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = static_cast<uint32_t>(bindings.size());
  set_info.pBindings = bindings.data();
  if (Status status = Make(device_.handle, "vkCreateDescriptorSetLayout",
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
  if (Status status = Make(device_.handle, "vkCreatePipelineLayout",
                           vkCreatePipelineLayout, info, &layout_);
      !status.ok()) {
    return status;
  }
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
  modules_.clear();
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
  for (const PipelineVariant& variant : AllVariants(device_)) {
    if (closing_) return {StatusCode::kCancelled, "closed while compiling"};
    if (Status status = CompileOne(variant, cache, &table_[variant.index]);
        !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

Status Pipelines::CompileOne(const PipelineVariant& variant,
                             VkPipelineCache cache, PipelineHandle* pipeline) {
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  if (Status status = FindModule(variant.shader, &info.stage.module);
      !status.ok()) {
    return status;
  }
  const std::array<uint32_t, 4> constants = {
      device_.subgroup_size, variant.constants[0], variant.constants[1],
      variant.constants[2]};
  const VkSpecializationMapEntry entries[] = {
      {PERDIX_CONSTANT_SUBGROUP_SIZE, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
  const VkSpecializationInfo specialization = {4, entries, sizeof(constants),
                                               constants.data()};
  if (device_.full_subgroups && device_.subgroup_size != 0 &&
      variant.lanes % device_.subgroup_size == 0) {
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
  const std::string name(variant.shader);
  device_.Name(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(made),
               name.c_str());
  return ToStatus(result, name.c_str());
}

Status Pipelines::FindModule(std::string_view shader, VkShaderModule* module) {
  ShaderModuleHandle& handle = modules_[shader];
  if (handle.get() == VK_NULL_HANDLE) {
    const std::span<const uint32_t> spirv = FindShader(shader);
    VkShaderModuleCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = spirv.size_bytes();
    info.pCode = spirv.data();
    if (Status status = Make(device_.handle, "vkCreateShaderModule",
                             vkCreateShaderModule, info, &handle);
        !status.ok()) {
      return status;
    }
  }
  *module = handle.get();
  return Status::Ok();
}

}  // namespace perdix::vulkan
