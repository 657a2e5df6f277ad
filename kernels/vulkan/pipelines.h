// SPDX-License-Identifier: BSD-2-Clause
// Every (shader, specialisation) there is, compiled by a thread of its own.
#ifndef PERDIX_KERNELS_VULKAN_PIPELINES_H_
#define PERDIX_KERNELS_VULKAN_PIPELINES_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/shared/frame_params.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {

// A shader and what it is specialised for.
struct PipelineDescription {
  std::string_view shader;  // empty: none has this index
  // Specialisation constants from PERDIX_CONSTANT_OWN on.
  std::array<uint32_t, 3> constants = {};
  uint32_t lanes;  // of a workgroup
};

// A pipeline's place: those of the metrics, then each codec's, in the order of
// GpuCodecs.
using PipelineIndex = uint32_t;
inline constexpr PipelineIndex kChecksumPipeline = 0;
inline constexpr PipelineIndex kMotionPipeline = 1;  // by SampleBytes: 1, 2
inline constexpr PipelineIndex kReducePipeline = 3;

inline PipelineIndex MotionPipeline(const FrameParams& params) {
  return kMotionPipeline + SampleBytes(params) - 1;
}

// Makes pipelines one by one.
class PipelineMaker {
 public:
  // device outlives this. subgroup_size: what pipelines are specialised for.
  PipelineMaker(const Device& device, uint32_t subgroup_size)
      : device_(device), subgroup_size_(subgroup_size) {}

  // Makes the layouts.
  Status Open();
  // cache: or VK_NULL_HANDLE. description.shader outlives this.
  Status Make(const PipelineDescription& description, VkPipelineCache cache,
              PipelineHandle* pipeline);
  // Frees what only Make needs.
  void Finish() { modules_.clear(); }

  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }
  VkPipelineLayout layout() const { return layout_.get(); }

 private:
  Status FindModule(std::string_view shader, VkShaderModule* module);

  const Device& device_;
  const uint32_t subgroup_size_;
  SetLayoutHandle set_layout_;
  PipelineLayoutHandle layout_;
  std::map<std::string_view, ShaderModuleHandle> modules_;  // while compiling
};

class Pipelines {
 public:
  // device outlives this. Of the options: cache_file, notice, compiled.
  Pipelines(const Device& device, const GpuOptions& options);
  ~Pipelines();  // stops compiling

  // Makes the layouts and starts the thread.
  Status Open();

  bool ready() const { return ready_; }
  void WaitReady();
  // Once ready: whether every pipeline could be made.
  const Status& status() const { return status_; }
  VkPipeline get(PipelineIndex index) const { return table_[index].get(); }
  // The first pipeline of the codec at that index of GpuCodecs.
  PipelineIndex FirstOf(size_t codec) const { return first_of_codec_[codec]; }

  VkDescriptorSetLayout set_layout() const { return maker_.set_layout(); }
  VkPipelineLayout layout() const { return maker_.layout(); }

 private:
  void Compile();
  std::vector<uint8_t> LoadCache() const;
  void StoreCache(VkPipelineCache cache,
                  const std::vector<uint8_t>& stored) const;
  void Notice(const std::string& text) const;
  Status CompileAll(VkPipelineCache cache);

  const Device& device_;
  const GpuOptions options_;
  PipelineMaker maker_;
  std::vector<PipelineDescription> descriptions_;
  std::vector<PipelineIndex> first_of_codec_;
  std::vector<PipelineHandle> table_;  // of the descriptions
  Status status_;

  std::atomic<bool> ready_{false};
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::condition_variable became_ready_;
  std::thread compiler_;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_PIPELINES_H_
