// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine.h"

#include <utility>

#include "codec/codec.h"
#include "engine/engine_parts.h"

namespace perdix {
namespace {

FrameParams ParamsOf(uint32_t bit_depth, uint32_t subsampling_x,
                     uint32_t subsampling_y) {
  FrameParams params = {};
  params.bit_depth = bit_depth;
  params.subsampling_x = subsampling_x;
  params.subsampling_y = subsampling_y;
  return params;
}

}  // namespace

Engine::Engine(const EngineOptions& options)
    : parts_(std::make_unique<EngineParts>(options)) {}

Engine::~Engine() { EndTrace(); }

Recipe Engine::recipe() const { return parts_->recipe.Get(); }

void Engine::SetRecipe(const Recipe& recipe) { parts_->SetRecipe(recipe); }

int Engine::threads() const { return parts_->pool.size(); }

size_t Engine::frames_in_flight() const { return parts_->FramesInFlight(); }

vulkan::Gpu* Engine::gpu() const { return parts_->gpu.get(); }

bool Engine::GpuLost() const { return parts_->gpu.lost(); }

CpuFrames Engine::cpu_frames() const {
  if (gpu() == nullptr || GpuLost()) return {};
  const Recipe recipe = this->recipe();
  return FindCpuFrames(
      {[&](KernelId kernel) {
         return recipe.variant(kernel) == Variant::kVulkan;
       },
       [this](KernelId kernel) { return parts_->recipe.HasLeft(kernel); },
       [this](KernelId kernel, const FrameParams& params) {
         return parts_->gpu.Supports(kernel, params);
       }});
}

std::vector<StageTime> Engine::StageTimes() const {
  return parts_->streams.StageTimes(recipe());
}

EngineCounters Engine::counters() const { return parts_->counters.Read(); }

Status Engine::StartTrace(uint32_t frames, std::function<void(Trace)> done) {
  return parts_->tracer.Start(frames, gpu() ? gpu()->name() : "",
                              std::move(done));
}

void Engine::EndTrace() { parts_->tracer.End(); }

PictureHome Engine::HomeOf(const CodecRow& codec, uint32_t bit_depth,
                           uint32_t subsampling_x, uint32_t subsampling_y) {
  if (!GpuIsFor(codec, bit_depth, subsampling_x, subsampling_y)) {
    return PictureHome::kHeap;
  }
  return CpuWorksOn(codec, ParamsOf(bit_depth, subsampling_x, subsampling_y))
             ? PictureHome::kShared
             : PictureHome::kGpu;
}

PicturePtr Engine::NewPicture(const CodecRow& codec, uint32_t width,
                              uint32_t height, uint32_t bit_depth,
                              uint32_t subsampling_x, uint32_t subsampling_y,
                              bool needs_cpu) {
  const PictureHome home =
      HomeOf(codec, bit_depth, subsampling_x, subsampling_y);
  if (home != PictureHome::kHeap) {
    size_t size = 0;
    auto picture = std::make_shared<Picture>();
    picture->layout = LayOutPicture(width, height, bit_depth, subsampling_x,
                                    subsampling_y, &size);
    const gpu::MemoryPtr memory =
        NewGpuMemory(size, needs_cpu || home == PictureHome::kShared);
    if (memory != nullptr) {
      picture->memory = {memory, memory->data(), size, memory};
      return picture;
    }
  }
  return NewHeapPicture(width, height, bit_depth, subsampling_x, subsampling_y);
}

bool Engine::GpuIsFor(const CodecRow& codec, uint32_t bit_depth,
                      uint32_t subsampling_x, uint32_t subsampling_y) const {
  const Recipe recipe = this->recipe();
  const FrameParams params = ParamsOf(bit_depth, subsampling_x, subsampling_y);
  return AnyKernel(codec, [&](KernelId kernel) {
    return recipe.variant(kernel) == Variant::kVulkan &&
           parts_->gpu.Supports(kernel, params);
  });
}

bool Engine::CpuWorksOn(const CodecRow& codec,
                        const FrameParams& params) const {
  const Recipe recipe = this->recipe();
  const auto on_cpu = [&](KernelId kernel) {
    return recipe.variant(kernel) != Variant::kVulkan ||
           !parts_->gpu.Takes(kernel, params);
  };
  return AnyKernel(codec, on_cpu) ||
         (params.bit_depth > 8 && on_cpu(KernelId::kFinalShift));
}

// A frame that fails its check can be done again where the CPU reaches it.
gpu::MemoryPtr Engine::NewGpuMemory(size_t size, bool crosses) {
  using Placement = vulkan::Gpu::Placement;
  gpu::MemoryPtr memory;
  if ((crosses || parts_->self_checks.any()) &&
      gpu()->Allocate(size, Placement::kShared, &memory).ok()) {
    return memory;
  }
  if (!crosses && gpu()->Allocate(size, Placement::kDevice, &memory).ok()) {
    return memory;
  }
  return nullptr;
}

gpu::MemoryPtr Engine::ImportDmaBuf(int fd, size_t size) {
  if (gpu() == nullptr || GpuLost()) return nullptr;
  gpu::MemoryPtr memory;
  const Status status = parts_->gpu.Import(fd, size, &memory);
  parts_->counters.CountImport(status.ok());
  return memory;
}

}  // namespace perdix
