// SPDX-License-Identifier: BSD-2-Clause
#include "engine/gpu_owner.h"

namespace perdix {
namespace {

vulkan::GpuOptions WithNotice(vulkan::GpuOptions options,
                              const GpuOwner::Notice& notice) {
  options.notice = notice;
  return options;
}

}  // namespace

GpuOwner::GpuOwner(const vulkan::GpuOptions& options, bool wait,
                   const Notice& notice)
    : notice_(notice), options_(WithNotice(options, notice)), wait_(wait) {}

void GpuOwner::Open() {
  if (own_gpu_ != nullptr) return;
  const Status status = vulkan::Gpu::Open(options_, &own_gpu_);
  if (!status.ok()) {
    Tell(status.message() + ": the CPU decodes");
    return;
  }
  gpu_.store(own_gpu_.get(), std::memory_order_release);
}

void GpuOwner::Prepare(const Recipe& recipe) {
  static_assert(kMaxKernels <= 32);
  uint32_t wanted = 0;
  for (size_t i = 0; i < kKernelCount; ++i) {
    const bool on_gpu = recipe.variant(KernelId(i)) == Variant::kVulkan;
    wanted |= uint32_t{on_gpu} << i;
  }
  prepared_ = wanted;
  FrameParams params = {};
  params.bit_depth = 8;
  Ask([](KernelId) { return true; }, params);
}

void GpuOwner::Ask(const std::function<bool(KernelId)>& of,
                   const FrameParams& params) {
  vulkan::Gpu* const gpu = get();
  for (size_t i = 0; gpu != nullptr && i < kKernelCount; ++i) {
    const auto kernel = static_cast<KernelId>(i);
    if ((prepared_ >> i & 1) != 0 && of(kernel)) gpu->Ready(kernel, params);
  }
}

bool GpuOwner::Supports(KernelId kernel, const FrameParams& params) const {
  const vulkan::Gpu* const gpu = get();
  return gpu != nullptr && !gpu->lost() && gpu->Supports(kernel, params);
}

bool GpuOwner::Takes(KernelId kernel, const FrameParams& params) {
  if (!Supports(kernel, params)) return false;
  vulkan::Gpu* const gpu = get();
  if (wait_) gpu->WaitReady(kernel, params);
  if (gpu->Ready(kernel, params)) return true;
  const KernelCodec codec = RowOf(kernel).codec;
  Ask(
      [codec](KernelId other) {
        const KernelCodec own = RowOf(other).codec;
        return own == codec || own == KernelCodec::kAny;
      },
      params);
  return false;
}

Status GpuOwner::Import(int fd, size_t size, gpu::MemoryPtr* memory) {
  Status status = get()->ImportDmaBuf(fd, size, memory);
  if (!status.ok() && !refusal_told_.exchange(true))
    Tell(status.message() + ": the CPU decodes such streams");
  return status;
}

void GpuOwner::ReportFailure(const Status& why) {
  if (failure_told_.exchange(true)) return;
  Tell(why.message() + ": the CPU goes on");
}

void GpuOwner::ReportWrong(KernelId kernel, const std::string& frame) const {
  Tell(std::string("self-check: ") + RowOf(kernel).key + " on " +
       get()->name() + " differs from the CPU at " + frame +
       ": it runs on the CPU from now on");
}

void GpuOwner::Tell(const std::string& text) const {
  if (notice_) notice_(text);
}

}  // namespace perdix
