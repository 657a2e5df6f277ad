// SPDX-License-Identifier: BSD-2-Clause
// The programs of every kernel as pipelines, compiled by a thread of its own
// when they are first asked for.
#ifndef PERDIX_KERNELS_VULKAN_PROGRAMS_H_
#define PERDIX_KERNELS_VULKAN_PROGRAMS_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/gpu/program.h"
#include "kernels/shared/frame_params.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {

// Makes pipelines one by one.
class PipelineMaker {
 public:
  // device outlives this. subgroup_size: what pipelines are specialised for.
  PipelineMaker(const Device& device, uint32_t subgroup_size)
      : device_(device), subgroup_size_(subgroup_size) {}

  // Makes the layouts.
  Status Open();
  // cache: or VK_NULL_HANDLE. program.shader outlives this.
  Status Make(const gpu::Program& program, VkPipelineCache cache,
              PipelineHandle* pipeline);

  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }
  VkPipelineLayout layout() const { return layout_.get(); }

 private:
  Status FindModule(std::string_view shader, VkShaderModule* module);

  const Device& device_;
  const uint32_t subgroup_size_;
  SetLayoutHandle set_layout_;
  PipelineLayoutHandle layout_;
  std::map<std::string_view, ShaderModuleHandle> modules_;
};

// Which programs are compiled together: those of the metrics, or of a kernel or
// of quality for samples of one size.
using ProgramGroup = uint32_t;
inline constexpr ProgramGroup kMetricsGroup = 0;
inline constexpr ProgramGroup kQualityGroup = 1 + 2 * kKernelCount;
inline constexpr size_t kProgramGroups = kQualityGroup + 2;
inline ProgramGroup QualityGroupOf(uint32_t bit_depth) {
  return kQualityGroup + (bit_depth > 8 ? 1 : 0);
}
inline ProgramGroup GroupOf(KernelId kernel, const FrameParams& params) {
  return 2 * uint32_t(kernel) + SampleBytes(params);
}

// Any thread may call anything, unless a comment says otherwise.
class Programs {
 public:
  // device outlives this. Of the options: cache_file, notice, compiled.
  Programs(const Device& device, const GpuOptions& options);
  ~Programs();  // stops compiling

  // Makes the layouts and starts the thread. Once, before all else.
  Status Open();

  // Asks for a group; nothing, if that was done before.
  void Prepare(ProgramGroup group);
  // Whether the group is compiled, or could not be.
  bool ready(ProgramGroup group) const { return groups_[group].ready; }
  void Wait(ProgramGroup group);  // for one that was asked for
  bool compiling() const;         // any

  // Whether every program of a ready group could be compiled.
  const Status& status(ProgramGroup group) const {
    return groups_[group].status;
  }
  // A program of a ready group; VK_NULL_HANDLE: it has no such program.
  VkPipeline Find(ProgramGroup group, const gpu::Program& program) const;

  VkDescriptorSetLayout set_layout() const { return maker_.set_layout(); }
  VkPipelineLayout layout() const { return maker_.layout(); }

 private:
  // Written by the thread until it is ready, then constant.
  struct Group {
    std::map<gpu::Program, PipelineHandle> pipelines;
    Status status;
    std::atomic<bool> ready{false};
  };

  void Compile();
  Status CompileGroup(ProgramGroup group, VkPipelineCache cache);
  // The next group that was asked for; false: the thread ends.
  bool Take(ProgramGroup* group);
  void Finish(ProgramGroup group, const Status& status, VkPipelineCache cache);
  // Whether all groups that were asked for such frames are compiled, one of the
  // codec's own among them.
  bool HasAll(KernelCodec codec, const FrameParams& params) const;
  void TellOf(ProgramGroup group);
  std::vector<uint8_t> LoadCache() const;
  void StoreCache(VkPipelineCache cache);
  void Notice(const std::string& text) const;

  const Device& device_;
  const GpuOptions options_;
  PipelineMaker maker_;
  std::array<Group, kProgramGroups> groups_;
  std::vector<uint8_t> stored_;  // the cache file's content; the thread's

  std::atomic<bool> closing_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<bool, kProgramGroups> asked_ = {};
  std::deque<ProgramGroup> queue_;  // the one at work stays in front
  std::thread compiler_;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_PROGRAMS_H_
