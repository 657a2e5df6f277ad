// SPDX-License-Identifier: BSD-2-Clause
// What the streams of an engine share while they decode: the workers, the GPU,
// the recipe in force, and what is counted and measured of all of them. Any
// thread may call anything here, unless a comment says otherwise.
#ifndef PERDIX_ENGINE_ENGINE_CORE_H_
#define PERDIX_ENGINE_ENGINE_CORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/recipe.h"
#include "engine/stage_clocks.h"
#include "engine/thread_pool.h"
#include "engine/tracer.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

class EngineCore {
 public:
  explicit EngineCore(const EngineOptions& options);

  ThreadPool& pool() { return pool_; }
  int threads() const { return pool_.size(); }
  Tracer& tracer() { return tracer_; }
  // Of a stream, at most: as Engine's.
  size_t frames_in_flight() const;

  Recipe recipe() const;
  // As Engine's.
  void SetRecipe(const Recipe& recipe);

  // Null: not asked for, or not there.
  vulkan::Gpu* gpu() const { return gpu_.load(std::memory_order_acquire); }
  // Whether the GPU can run the kernel on such frames now.
  bool GpuUsable(KernelId kernel, const FrameParams& params) const;
  bool OnGpu(KernelId kernel) const;  // by the recipe
  // The GPU would not, or is lost: the first time that is a notice.
  void ReportGpuFailure(const Status& why);
  // <kernel> was wrong in that frame.
  void LeaveGpu(KernelId kernel, const std::string& frame);

  // Whether some frames are checked (EngineOptions::self_check).
  bool self_checks() const { return self_check_ != 0; }
  // Whether this one is. Ask once for each frame with stages on the GPU.
  bool SelfCheckDue();

  // Streams that have frames in flight.
  int busy_streams() const { return busy_streams_; }
  void StreamBusy() { ++busy_streams_; }
  void StreamIdle() { --busy_streams_; }

  bool measures() const { return measure_; }
  bool measures_motion() const { return motion_; }
  // A stream's own clocks, while it lives. Returns its number, from 1 on.
  uint32_t AddStream(const StageClocks* clocks);
  void RemoveStream(const StageClocks* clocks);
  // Of all streams, also those that are gone. Empty unless measuring.
  std::vector<StageTime> StageTimes() const;

  void CountFrame(bool gpu);
  void CountRedone() { ++redone_frames_; }
  void CountSelfCheck() { ++self_checks_; }
  void CountMotion(uint64_t motion);
  // status: of the import of a dma-buf. The first that fails is a notice.
  void CountImport(const Status& status);
  EngineCounters counters() const;

  // EngineOptions::observer.
  bool observed() const { return observer_ != nullptr; }
  void Observe(const FrameJob& job) const {
    if (observer_) observer_(job);
  }

 private:
  void OpenGpu();
  void Notice(const std::string& text) const;

  Tracer tracer_;  // the workers report to it
  ThreadPool pool_;
  vulkan::GpuOptions gpu_options_;
  bool wait_for_gpu_ = false;
  std::unique_ptr<vulkan::Gpu> own_gpu_;  // goes before pool_: it posts there
  std::atomic<vulkan::Gpu*> gpu_{nullptr};
  mutable std::mutex mutex_;
  Recipe recipe_;  // under mutex_
  const uint32_t self_check_ = 0;
  const bool motion_ = false;
  std::function<void(const std::string&)> notice_;
  std::atomic<bool> failure_reported_{false};
  const std::function<void(const FrameJob&)> observer_;
  const bool measure_ = false;
  mutable std::mutex streams_mutex_;  // the clocks' list, not the clocks
  uint32_t streams_ = 0;              // ever
  std::vector<const StageClocks*> clocks_;
  StageClocks old_clocks_;  // of streams that are gone
  std::atomic<int> busy_streams_{0};
  std::atomic<uint64_t> gpu_frames_{0};
  std::atomic<uint64_t> cpu_frames_{0};
  std::atomic<uint64_t> redone_frames_{0};
  std::atomic<uint64_t> gpu_imports_{0};
  std::atomic<uint64_t> gpu_refused_{0};
  std::atomic<uint64_t> self_check_turn_{0};
  std::atomic<uint64_t> self_checks_{0};
  std::atomic<uint64_t> self_check_failures_{0};
  std::atomic<uint64_t> motion_sum_{0};
  std::atomic<uint64_t> motion_frames_{0};
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_ENGINE_CORE_H_
