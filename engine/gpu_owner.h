// SPDX-License-Identifier: BSD-2-Clause
// The GPU of an engine: opened for the first recipe that uses it, kept to the
// end, and what the operator is told about it.
#ifndef PERDIX_ENGINE_GPU_OWNER_H_
#define PERDIX_ENGINE_GPU_OWNER_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "engine/recipe.h"
#include "kernels/kernel.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

// Has no lock: one task opens the GPU, and all see it from then on. Any thread
// may call anything here, unless a comment says otherwise.
class GpuOwner {
 public:
  using Notice = std::function<void(const std::string&)>;

  // Opens nothing. The GPU's own notices go to <notice>, too, which may be
  // null. wait: the first frame that a kernel could run on waits until the
  // kernel's programs are compiled.
  GpuOwner(const vulkan::GpuOptions& options, bool wait, const Notice& notice);

  // Opens it unless it is open; that there is none is a notice. One call at a
  // time.
  void Open();
  // Null: not opened, or not there.
  vulkan::Gpu* get() const { return gpu_.load(std::memory_order_acquire); }
  bool lost() const { return get() != nullptr && get()->lost(); }
  // Has the programs of the recipe's kernels compiled, for 8-bit frames, before
  // the first frame asks for them. Returns at once.
  void Prepare(const Recipe& recipe);
  // Whether it has shaders of the kernel for such frames. They may yet have to
  // be compiled.
  bool Supports(KernelId kernel, const FrameParams& params) const;
  // Whether it can run the kernel on such frames now; if not, maybe soon: then
  // programs of the recipe's other kernels of the codec are compiled as well.
  bool Takes(KernelId kernel, const FrameParams& params);

  // Makes a dma-buf the GPU's memory, too; it must be open. The first failure
  // is a notice.
  Status Import(int fd, size_t size, gpu::MemoryPtr* memory);
  // It would not take a frame, or is lost: the first time that is a notice.
  void ReportFailure(const Status& why);
  // The kernel was wrong in that frame, and has left the GPU: a notice.
  void ReportWrong(KernelId kernel, const std::string& frame) const;

 private:
  void Tell(const std::string& text) const;
  // Has what is prepared of the kernels compiled for such frames.
  void Ask(const std::function<bool(KernelId)>& of, const FrameParams& params);

  const Notice notice_;
  const vulkan::GpuOptions options_;
  const bool wait_;
  std::unique_ptr<vulkan::Gpu> own_gpu_;
  std::atomic<vulkan::Gpu*> gpu_{nullptr};
  std::atomic<uint32_t> prepared_{0};  // bit: a KernelId
  std::atomic<bool> failure_told_{false};
  std::atomic<bool> refusal_told_{false};
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_GPU_OWNER_H_
