// SPDX-License-Identifier: BSD-2-Clause
// A "GPU" that runs the scalar kernels on a thread of its own, stage by stage
// over the whole frame, and can be lost or wrong. Linked in place of
// kernels/vulkan.
#ifndef PERDIX_TESTS_ENGINE_FAKE_GPU_H_
#define PERDIX_TESTS_ENGINE_FAKE_GPU_H_

#include <atomic>
#include <functional>

#include "kernels/vulkan/gpu.h"

namespace perdix {

struct FakeGpuSettings {
  std::atomic<bool> absent{false};
  std::atomic<bool> ready{true};        // its programs; WaitReady makes them
  std::atomic<uint32_t> asked{0};       // bit: a KernelId, see Gpu::Ready
  std::atomic<bool> reachable{true};    // Placement::kDevice has data()
  std::atomic<bool> shares{true};       // has Placement::kShared
  std::atomic<bool> refuse{false};      // every Prepare: kUnsupported
  std::atomic<bool> imports{false};     // dma-bufs, or what is mapped as they
  std::atomic<int> delay_us{0};         // before each frame
  std::atomic<int> wrong_kernel{-1};    // KernelId; changes one pixel ...
  std::atomic<uint64_t> wrong_from{1};  // ... from this submit on
  std::atomic<uint64_t> checksums{0};   // were asked for
  std::atomic<int> idle_kernel{-1};     // KernelId: writes nothing
  std::atomic<int> unsupported_kernel{-1};  // KernelId
  // Sees each Prepare, from any thread; may be null.
  std::function<void()> prepares;
  // Sees each submit, one at a time; may be null.
  std::function<void(const gpu::FrameInput&)> watch;
};
FakeGpuSettings& FakeGpu();

}  // namespace perdix

#endif  // PERDIX_TESTS_ENGINE_FAKE_GPU_H_
