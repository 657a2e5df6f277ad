// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine_core.h"

#include <algorithm>
#include <thread>

#include "engine/frames_in_flight.h"

namespace perdix {
namespace {

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

EngineCore::EngineCore(const EngineOptions& options)
    : tracer_(ThreadCount(options.threads)),
      pool_(ThreadCount(options.threads), options.shuffle_seed),
      gpu_options_(options.gpu),
      wait_for_gpu_(options.wait_for_gpu),
      self_check_(options.self_check),
      motion_(options.motion),
      notice_(options.notice),
      observer_(options.observer),
      measure_(options.measure) {
  gpu_options_.notice = notice_;
  SetRecipe(options.recipe);
}

Recipe EngineCore::recipe() const {
  std::lock_guard lock(mutex_);
  return recipe_;
}

void EngineCore::SetRecipe(const Recipe& recipe) {
  if (gpu() == nullptr && recipe.Uses(Variant::kVulkan)) OpenGpu();
  std::lock_guard lock(mutex_);
  recipe_ = recipe;
}

void EngineCore::OpenGpu() {
  const Status status = vulkan::Gpu::Open(gpu_options_, &own_gpu_);
  if (!status.ok()) {
    Notice(status.message() + ": the CPU decodes");
    return;
  }
  if (wait_for_gpu_) own_gpu_->WaitReady();
  gpu_.store(own_gpu_.get(), std::memory_order_release);
}

// The GPU has one frame at work and one behind it while the next is parsed. The
// CPU has the most of the smallest.
size_t EngineCore::frames_in_flight() const {
  if (gpu() != nullptr && recipe().Uses(Variant::kVulkan)) return 3;
  return CpuFramesInFlight(0, 0, threads(), true);
}

std::vector<StageTime> EngineCore::StageTimes() const {
  if (!measure_) return {};
  StageClocks all;
  {
    std::lock_guard lock(streams_mutex_);
    all.Add(old_clocks_);
    for (const StageClocks* clocks : clocks_) all.Add(*clocks);
  }
  return StageTimesOf(all, recipe());
}

uint32_t EngineCore::AddStream(const StageClocks* clocks) {
  std::lock_guard lock(streams_mutex_);
  clocks_.push_back(clocks);
  return ++streams_;
}

void EngineCore::RemoveStream(const StageClocks* clocks) {
  std::lock_guard lock(streams_mutex_);
  std::erase(clocks_, clocks);
  old_clocks_.Add(*clocks);
}

EngineCounters EngineCore::counters() const {
  return {.gpu_frames = gpu_frames_,
          .cpu_frames = cpu_frames_,
          .redone_frames = redone_frames_,
          .gpu_imports = gpu_imports_,
          .gpu_refused = gpu_refused_,
          .self_checks = self_checks_,
          .self_check_failures = self_check_failures_,
          .motion_sum = motion_sum_,
          .motion_frames = motion_frames_};
}

bool EngineCore::GpuUsable(KernelId kernel, const FrameParams& params) const {
  const vulkan::Gpu* const gpu = this->gpu();
  return gpu != nullptr && gpu->ready() && !gpu->lost() &&
         gpu->Supports(kernel, params);
}

void EngineCore::CountFrame(bool gpu) { ++(gpu ? gpu_frames_ : cpu_frames_); }

void EngineCore::ReportGpuFailure(const Status& why) {
  if (failure_reported_.exchange(true)) return;
  Notice(why.message() + ": the CPU goes on");
}

bool EngineCore::OnGpu(KernelId kernel) const {
  std::lock_guard lock(mutex_);
  return recipe_.variant(kernel) == Variant::kVulkan;
}

void EngineCore::LeaveGpu(KernelId kernel, const std::string& frame) {
  ++self_check_failures_;
  {
    std::lock_guard lock(mutex_);
    if (recipe_.variant(kernel) != Variant::kVulkan) return;
    recipe_.LeaveGpu(kernel);
  }
  Notice(std::string("self-check: ") + KernelTable()[size_t(kernel)].key +
         " on " + gpu()->name() + " differs from the CPU at " + frame +
         ": it runs on the CPU from now on");
}

bool EngineCore::SelfCheckDue() {
  return self_check_ != 0 && self_check_turn_++ % self_check_ == 0;
}

void EngineCore::CountMotion(uint64_t motion) {
  motion_sum_ += motion;
  ++motion_frames_;
}

void EngineCore::CountImport(const Status& status) {
  if (status.ok()) {
    ++gpu_imports_;
  } else if (gpu_refused_++ == 0) {
    Notice(status.message() + ": the CPU decodes such streams");
  }
}

void EngineCore::Notice(const std::string& text) const {
  if (notice_) notice_(text);
}

}  // namespace perdix
