// SPDX-License-Identifier: BSD-2-Clause
// Runs one shader of the probe many times, and says what that took.
#ifndef PERDIX_MEASURE_GPU_PROBE_GPU_H_
#define PERDIX_MEASURE_GPU_PROBE_GPU_H_

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/programs.h"
#include "kernels/vulkan/submit_queue.h"
#include "measure/gpu_probe/constants.h"

namespace perdix::probe {

// One command buffer: dispatches of one shader.
struct Work {
  std::string shader;
  uint32_t lanes = 16;
  uint32_t groups = 1;
  uint32_t dispatches = 1;
  bool barriers = false;  // after each dispatch
  ProbeConstants constants = {};
};

struct Time {
  uint64_t wall = 0;  // ns, from submitting to the end of waiting
  uint64_t gpu = 0;   // ns, between timestamps; 0: the device has none
};

class Gpu {
 public:
  // wanted: as vulkan::GpuOptions::device. buffer_bytes: of target and of
  // reference.
  static Status Open(const std::string& wanted, size_t buffer_bytes,
                     std::unique_ptr<Gpu>* gpu);
  ~Gpu();

  const vulkan::Device& device() const { return *device_; }
  // What shaders read. The CPU may write it while no Run is at work.
  uint32_t* reference() const;
  size_t buffer_bytes() const { return target_.size; }
  bool has_timestamps() const { return device_->timestamp_bits != 0; }

  // Compiles the shader, if that was not done before.
  Status Prepare(const Work& work);
  Status Run(const Work& work, Time* time);
  // Lets the GPU write the whole buffer, for the CPU to read.
  Status Fill(const vulkan::Buffer& buffer, uint32_t value);

 private:
  Gpu() = default;
  Status OpenParts(const std::string& wanted, size_t buffer_bytes);
  Status MakeSet();
  Status MakeTimestamps();
  gpu::Program ProgramOf(const Work& work);
  Status Begin();
  Status EndAndWait(uint64_t* wall);
  void Record(const Work& work);
  void RecordBarrier();
  uint64_t ReadTimestamps() const;  // ns between them

  std::unique_ptr<vulkan::Device> device_;
  std::unique_ptr<vulkan::SubmitQueue> queue_;
  std::unique_ptr<vulkan::PipelineMaker> maker_;
  std::map<std::string, std::string> names_;  // what programs refer to
  std::map<gpu::Program, vulkan::PipelineHandle> pipelines_;
  vulkan::Buffer target_;
  vulkan::Buffer reference_;
  vulkan::DescriptorPoolHandle descriptor_pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;  // the pool's
  vulkan::QueryPoolHandle timestamps_;
  vulkan::CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
};

}  // namespace perdix::probe

#endif  // PERDIX_MEASURE_GPU_PROBE_GPU_H_
