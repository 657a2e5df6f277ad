// SPDX-License-Identifier: BSD-2-Clause
#include "codec/decoder.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "codec/scheduler.h"
#include "codec/stage_clocks.h"
#include "codec/thread_pool.h"
#include "codec/tracer.h"

namespace perdix {
namespace {

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

std::string ToString(const EngineCounters& counters) {
  std::string text =
      "frames on the GPU " + std::to_string(counters.gpu_frames) +
      ", on the CPU " + std::to_string(counters.cpu_frames) + ", done again " +
      std::to_string(counters.redone_frames) + "; buffers imported " +
      std::to_string(counters.gpu_imports) + ", refused " +
      std::to_string(counters.gpu_refused);
  if (counters.self_checks != 0) {
    text += "; self-checks " + std::to_string(counters.self_checks) +
            ", failed " + std::to_string(counters.self_check_failures);
  }
  if (counters.motion_frames != 0) {
    text += "; motion a frame " +
            std::to_string(counters.motion_sum / counters.motion_frames);
  }
  return text;
}

Engine::Engine(const EngineOptions& options)
    : tracer_(std::make_unique<Tracer>(ThreadCount(options.threads))),
      pool_(std::make_unique<ThreadPool>(ThreadCount(options.threads))),
      gpu_options_(options.gpu),
      wait_for_gpu_(options.wait_for_gpu),
      self_check_(options.self_check),
      motion_(options.motion),
      notice_(options.notice),
      observer_(options.observer),
      measure_(options.measure),
      old_clocks_(std::make_unique<StageClocks>()) {
  gpu_options_.notice = notice_;
  SetRecipe(options.recipe);
}

Engine::~Engine() { EndTrace(); }

Recipe Engine::recipe() const {
  std::lock_guard lock(mutex_);
  return recipe_;
}

void Engine::SetRecipe(const Recipe& recipe) {
  if (gpu() == nullptr && recipe.Uses(Variant::kVulkan)) OpenGpu();
  std::lock_guard lock(mutex_);
  recipe_ = recipe;
}

void Engine::OpenGpu() {
  const Status status = vulkan::Gpu::Open(gpu_options_, &own_gpu_);
  if (!status.ok()) {
    Notice(status.message() + ": the CPU decodes");
    return;
  }
  if (wait_for_gpu_) own_gpu_->WaitReady();
  gpu_.store(own_gpu_.get(), std::memory_order_release);
}

int Engine::threads() const { return pool_->size(); }

// The GPU has one frame at work and one behind it while the next is parsed. The
// CPU has the most of the smallest.
size_t Engine::frames_in_flight() const {
  if (gpu() != nullptr && recipe().Uses(Variant::kVulkan)) return 3;
  return CpuFramesInFlight(0, 0, threads());
}

std::vector<StageTime> Engine::StageTimes() const {
  if (!measure_) return {};
  StageClocks all;
  {
    std::lock_guard lock(streams_mutex_);
    all.Add(*old_clocks_);
    for (const StageClocks* clocks : clocks_) all.Add(*clocks);
  }
  return StageTimesOf(all, recipe());
}

uint32_t Engine::AddStream(const StageClocks* clocks) {
  std::lock_guard lock(streams_mutex_);
  clocks_.push_back(clocks);
  return ++streams_;
}

void Engine::RemoveStream(const StageClocks* clocks) {
  std::lock_guard lock(streams_mutex_);
  std::erase(clocks_, clocks);
  old_clocks_->Add(*clocks);
}

Status Engine::StartTrace(uint32_t frames, std::function<void(Trace)> done) {
  return tracer_->Start(frames, gpu() ? gpu()->name() : "", std::move(done));
}

void Engine::EndTrace() { tracer_->End(); }

EngineCounters Engine::counters() const {
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

bool Engine::GpuUsable(KernelId kernel, const FrameParams& params) {
  const vulkan::Gpu* const gpu = this->gpu();
  return gpu != nullptr && gpu->ready() && !gpu->lost() &&
         gpu->Supports(kernel, params);
}

void Engine::CountFrame(bool gpu) { ++(gpu ? gpu_frames_ : cpu_frames_); }

void Engine::ReportGpuFailure(const Status& why) {
  if (failure_reported_.exchange(true)) return;
  Notice(why.message() + ": the CPU goes on");
}

bool Engine::OnGpu(KernelId kernel) const {
  std::lock_guard lock(mutex_);
  return recipe_.variant(kernel) == Variant::kVulkan;
}

void Engine::LeaveGpu(KernelId kernel, const std::string& frame) {
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

bool Engine::SelfCheckDue() {
  return self_check_ != 0 && self_check_turn_++ % self_check_ == 0;
}

void Engine::CountMotion(uint64_t motion) {
  motion_sum_ += motion;
  ++motion_frames_;
}

bool Engine::CpuNeedsPictures() const {
  const Recipe recipe = this->recipe();
  return recipe.Uses(Variant::kScalar) || recipe.Uses(Variant::kSimd);
}

void Engine::Notice(const std::string& text) const {
  if (notice_) notice_(text);
}

PicturePtr Engine::NewPicture(uint32_t width, uint32_t height,
                              uint32_t bit_depth, uint32_t subsampling_x,
                              uint32_t subsampling_y) {
  FrameParams params = {};
  params.bit_depth = bit_depth;
  params.subsampling_x = subsampling_x;
  params.subsampling_y = subsampling_y;
  if (GpuTakes(params)) {
    size_t size = 0;
    auto picture = std::make_shared<Picture>();
    picture->layout = LayOutPicture(width, height, bit_depth, subsampling_x,
                                    subsampling_y, &size);
    const vulkan::GpuMemoryPtr memory = NewGpuMemory(size);
    if (memory != nullptr) {
      picture->memory = {memory, memory->data(), size, memory};
      return picture;
    }
  }
  return NewHeapPicture(width, height, bit_depth, subsampling_x, subsampling_y);
}

bool Engine::GpuTakes(const FrameParams& params) {
  const Recipe recipe = this->recipe();
  for (size_t i = 0; i < kKernelCount; ++i) {
    const KernelId kernel = KernelId(i);
    if (recipe.variant(kernel) == Variant::kVulkan &&
        GpuUsable(kernel, params)) {
      return true;
    }
  }
  return false;
}

// A frame that fails its check can be done again where the CPU reaches it.
vulkan::GpuMemoryPtr Engine::NewGpuMemory(size_t size) {
  using Placement = vulkan::Gpu::Placement;
  const bool crosses = CpuNeedsPictures();
  vulkan::GpuMemoryPtr memory;
  if ((crosses || self_check_ != 0) &&
      gpu()->Allocate(size, Placement::kShared, &memory).ok()) {
    return memory;
  }
  if (!crosses && gpu()->Allocate(size, Placement::kDevice, &memory).ok()) {
    return memory;
  }
  return nullptr;
}

vulkan::GpuMemoryPtr Engine::ImportDmaBuf(int fd, size_t size) {
  if (gpu() == nullptr || gpu()->lost()) return nullptr;
  vulkan::GpuMemoryPtr memory;
  const Status status = gpu()->ImportDmaBuf(fd, size, &memory);
  if (status.ok()) {
    ++gpu_imports_;
  } else if (gpu_refused_++ == 0) {
    Notice(status.message() + ": the CPU decodes such streams");
  }
  return memory;
}

Status ReadPicture(Engine& engine, const Picture& picture, PicturePtr* copy) {
  const PictureView& view = picture.view;
  const PicturePtr read =
      NewHeapPicture(picture.layout.max_width, picture.layout.max_height,
                     view.bit_depth, view.subsampling_x, view.subsampling_y);
  Status status = engine.gpu()->Read(*picture.memory.gpu, 0,
                                     {read->memory.data, read->memory.size});
  if (!status.ok()) return status;
  status = SetView(*read, view.width, view.height, view.bit_depth,
                   view.subsampling_x, view.subsampling_y);
  if (!status.ok()) return status;
  *copy = read;
  return status;
}

Decoder::Decoder(Engine& engine, const CodecRow& codec)
    : scheduler_(std::make_unique<Scheduler>(engine, codec)) {}

Decoder::~Decoder() = default;

void Decoder::Submit(FrameRequest request) {
  scheduler_->Submit(std::move(request));
}

void Decoder::Drain() { scheduler_->Drain(); }

StreamCounters Decoder::counters() const {
  return scheduler_->meter().counters();
}

uint32_t Decoder::number() const { return scheduler_->meter().stream(); }

}  // namespace perdix
