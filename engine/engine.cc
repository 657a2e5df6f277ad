// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine.h"

#include <utility>

#include "codec/codec.h"
#include "engine/engine_core.h"

namespace perdix {

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
    : core_(std::make_unique<EngineCore>(options)) {}

Engine::~Engine() { EndTrace(); }

Recipe Engine::recipe() const { return core_->recipe(); }

void Engine::SetRecipe(const Recipe& recipe) { core_->SetRecipe(recipe); }

int Engine::threads() const { return core_->threads(); }

size_t Engine::frames_in_flight() const { return core_->frames_in_flight(); }

vulkan::Gpu* Engine::gpu() const { return core_->gpu(); }

bool Engine::GpuLost() const { return gpu() != nullptr && gpu()->lost(); }

bool Engine::CpuNeedsPictures(const CodecRow& codec) const {
  const Recipe recipe = this->recipe();
  return AnyKernel(codec, [&](KernelId kernel) {
    return recipe.variant(kernel) != Variant::kVulkan;
  });
}

std::vector<StageTime> Engine::StageTimes() const {
  return core_->StageTimes();
}

EngineCounters Engine::counters() const { return core_->counters(); }

Status Engine::StartTrace(uint32_t frames, std::function<void(Trace)> done) {
  return core_->tracer().Start(frames, gpu() ? gpu()->name() : "",
                               std::move(done));
}

void Engine::EndTrace() { core_->tracer().End(); }

PicturePtr Engine::NewPicture(const CodecRow& codec, uint32_t width,
                              uint32_t height, uint32_t bit_depth,
                              uint32_t subsampling_x, uint32_t subsampling_y) {
  FrameParams params = {};
  params.bit_depth = bit_depth;
  params.subsampling_x = subsampling_x;
  params.subsampling_y = subsampling_y;
  if (GpuTakes(codec, params)) {
    size_t size = 0;
    auto picture = std::make_shared<Picture>();
    picture->layout = LayOutPicture(width, height, bit_depth, subsampling_x,
                                    subsampling_y, &size);
    const vulkan::GpuMemoryPtr memory = NewGpuMemory(codec, size);
    if (memory != nullptr) {
      picture->memory = {memory, memory->data(), size, memory};
      return picture;
    }
  }
  return NewHeapPicture(width, height, bit_depth, subsampling_x, subsampling_y);
}

bool Engine::GpuTakes(const CodecRow& codec, const FrameParams& params) const {
  const Recipe recipe = this->recipe();
  return AnyKernel(codec, [&](KernelId kernel) {
    return recipe.variant(kernel) == Variant::kVulkan &&
           core_->GpuUsable(kernel, params);
  });
}

// A frame that fails its check can be done again where the CPU reaches it.
vulkan::GpuMemoryPtr Engine::NewGpuMemory(const CodecRow& codec, size_t size) {
  using Placement = vulkan::Gpu::Placement;
  const bool crosses = CpuNeedsPictures(codec);
  vulkan::GpuMemoryPtr memory;
  if ((crosses || core_->self_checks()) &&
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
  core_->CountImport(gpu()->ImportDmaBuf(fd, size, &memory));
  return memory;
}

}  // namespace perdix
