// SPDX-License-Identifier: BSD-2-Clause
// GpuQuality: pairs in flight, each one submit. What is done for a pair is
// gpu::QualityWork's; here it is bound, recorded and submitted.
#ifndef PERDIX_KERNELS_VULKAN_QUALITY_RUNNER_H_
#define PERDIX_KERNELS_VULKAN_QUALITY_RUNNER_H_

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/gpu/quality.h"
#include "kernels/vulkan/descriptor_sets.h"
#include "kernels/vulkan/gpu.h"
#include "kernels/vulkan/handle.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/programs.h"
#include "kernels/vulkan/submit_queue.h"
#include "kernels/vulkan/timestamps.h"

namespace perdix::vulkan {

// One pair in flight. Memory is made for the first one, and for larger ones.
class QualityPair {
 public:
  // All outlive this.
  QualityPair(const Device& device, Programs& programs, SubmitQueue& queue)
      : device_(device),
        programs_(programs),
        queue_(queue),
        work_(device.traits),
        sets_(device),
        timestamps_(device) {}

  // logs: what is bound as PERDIX_BINDING_LOGS.
  Status Submit(const gpu::QualityInput& input, const Buffer& logs);
  // Waits, and lets the pictures go. Once after each Submit that was ok.
  Status Take(GpuQualityResult* result);

 private:
  Status Open();
  Status MakeReady(uint32_t bit_depth);  // programs
  Status Prepare(const gpu::QualityInput& input, const Buffer& logs);
  Status Reserve();
  void Bind(const gpu::QualityInput& input, const Buffer& logs);
  Status Record();
  void Keep(const gpu::QualityInput& input);
  void Finish(const Status& status);  // on the queue's thread

  const Device& device_;
  Programs& programs_;
  SubmitQueue& queue_;

  gpu::QualityWork work_;
  CommandPoolHandle command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // the pool's
  DescriptorSets sets_;
  Timestamps timestamps_;
  std::array<Buffer, 2> planes_;
  Buffer partials_;
  Buffer sums_;

  // What the pair in flight has.
  std::array<ProgramGroup, gpu::kQualitySteps> groups_ = {};
  std::array<gpu::MemoryPtr, 3> memories_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  Status status_;
};

class QualityRunner : public GpuQuality {
 public:
  // All outlive this.
  QualityRunner(const Device& device, Programs& programs, SubmitQueue& queue)
      : device_(device),
        pairs_{{{device, programs, queue}, {device, programs, queue}}} {}
  ~QualityRunner() override;

  Status Upload(const PictureView& picture, gpu::Picture* uploaded) override;
  Status Submit(const gpu::QualityInput& input) override;
  Status Take(GpuQualityResult* result) override;
  uint32_t pending() const override { return pending_; }
  uint64_t bytes_read() const override { return bytes_read_; }

 private:
  Status MakeLogs();
  // Memory that nobody else has, of so many bytes.
  Status TakeMemory(size_t size, std::shared_ptr<Memory>* memory);

  const Device& device_;
  std::array<QualityPair, kPairsInFlight> pairs_;
  uint32_t first_ = 0;  // the oldest pending one
  uint32_t pending_ = 0;
  uint64_t bytes_read_ = 0;
  Buffer logs_;
  std::vector<std::shared_ptr<Memory>> uploads_;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_QUALITY_RUNNER_H_
