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

#include "kernels/shared/dispatch.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"
#include "kernels/vulkan/work_order.h"

namespace perdix::vulkan {

// A pipeline's place in the table.
using PipelineIndex = uint32_t;
PipelineIndex InterPredPipeline(const InterDispatch& dispatch);
PipelineIndex TransformPipeline(const TransformDispatch& dispatch);
PipelineIndex IntraPredPipeline();
PipelineIndex LoopFilterPipeline(const FrameParams& params);
PipelineIndex ChecksumPipeline();
PipelineIndex MotionPipeline();  // samples of one byte
PipelineIndex ReducePipeline();
inline constexpr uint32_t kPipelineCount = 118;

struct PipelineVariant;

class Pipelines {
 public:
  // device outlives this. Of the options: cache_file, notice, compiled.
  Pipelines(const Device& device, const GpuOptions& options)
      : device_(device), options_(options) {}
  ~Pipelines();  // stops compiling

  // Makes the layouts and starts the thread.
  Status Open();

  bool ready() const { return ready_; }
  void WaitReady();
  // Once ready: whether every pipeline could be made.
  const Status& status() const { return status_; }
  VkPipeline get(PipelineIndex index) const { return table_[index].get(); }

  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }
  VkPipelineLayout layout() const { return layout_.get(); }

 private:
  void Compile();
  std::vector<uint8_t> LoadCache() const;
  void StoreCache(VkPipelineCache cache,
                  const std::vector<uint8_t>& stored) const;
  void Notice(const std::string& text) const;
  Status CompileAll(VkPipelineCache cache);
  Status CompileOne(const PipelineVariant& variant, VkPipelineCache cache,
                    PipelineHandle* pipeline);
  Status FindModule(std::string_view shader, VkShaderModule* module);

  const Device& device_;
  const GpuOptions options_;
  SetLayoutHandle set_layout_;
  PipelineLayoutHandle layout_;
  std::map<std::string_view, ShaderModuleHandle> modules_;  // while compiling
  std::array<PipelineHandle, kPipelineCount> table_;
  Status status_;

  std::atomic<bool> ready_{false};
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::condition_variable became_ready_;
  std::thread compiler_;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_PIPELINES_H_
