// SPDX-License-Identifier: BSD-2-Clause
#include "codec/decoder.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "codec/scheduler.h"
#include "codec/thread_pool.h"

namespace perdix {
namespace {

int ThreadCount(int wanted) {
  if (wanted > 0) return wanted;
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Engine::Engine(const EngineOptions& options)
    : pool_(std::make_unique<ThreadPool>(ThreadCount(options.threads))),
      gpu_options_(options.gpu),
      wait_for_gpu_(options.wait_for_gpu),
      notice_(options.notice),
      observer_(options.observer) {
  SetRecipe(options.recipe);
  if (!options.measure) return;
  clocks_ = std::make_unique<StageClocks>();
  const size_t kernels = KernelTable().size();
  clocks_->kernels = std::make_unique<std::atomic<uint64_t>[]>(kernels);
  clocks_->gpu = std::make_unique<std::atomic<uint64_t>[]>(kernels);
}

Engine::~Engine() = default;

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

std::vector<StageTime> Engine::StageTimes() const {
  std::vector<StageTime> times;
  if (clocks_ == nullptr) return times;
  times.push_back({"entropy", "cpu", clocks_->entropy.load()});
  const auto table = KernelTable();
  const Recipe recipe = this->recipe();
  for (size_t i = 0; i < table.size(); ++i) {
    const uint64_t gpu = clocks_->gpu[i].load();
    const uint64_t cpu = clocks_->kernels[i].load();
    const Variant variant = recipe.CpuVariant(KernelId(i), 8);
    if (gpu != 0) times.push_back({table[i].key, "vulkan", gpu});
    if (cpu != 0 || gpu == 0) {
      times.push_back({table[i].key, VariantName(variant), cpu});
    }
  }
  return times;
}

EngineCounters Engine::counters() const {
  return {gpu_frames_.load(), cpu_frames_.load(), redone_frames_.load(),
          gpu_imports_.load(), gpu_refused_.load()};
}

bool Engine::GpuUsable(const FrameParams& params) {
  const vulkan::Gpu* const gpu = this->gpu();
  return gpu != nullptr && gpu->ready() && !gpu->lost() &&
         gpu->Supports(params);
}

void Engine::CountFrame(bool gpu) { ++(gpu ? gpu_frames_ : cpu_frames_); }

void Engine::CountRedone(const Status& why) {
  if (redone_frames_++ == 0) Notice(why.message() + ": the CPU goes on");
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
  const Recipe recipe = this->recipe();
  if (recipe.Uses(Variant::kVulkan) && GpuUsable(params)) {
    using Placement = vulkan::Gpu::Placement;
    const bool crosses =
        recipe.Uses(Variant::kScalar) || recipe.Uses(Variant::kSimd);
    size_t size = 0;
    auto picture = std::make_shared<Picture>();
    picture->layout = LayOutPicture(width, height, bit_depth, subsampling_x,
                                    subsampling_y, &size);
    vulkan::GpuMemoryPtr memory;
    const Status status = gpu()->Allocate(
        size, crosses ? Placement::kShared : Placement::kDevice, &memory);
    if (status.ok()) {
      picture->memory = {memory, memory->data(), size, memory, {}};
      return picture;
    }
  }
  return NewHeapPicture(width, height, bit_depth, subsampling_x, subsampling_y);
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

}  // namespace perdix
