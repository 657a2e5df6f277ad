// SPDX-License-Identifier: BSD-2-Clause
// A "GPU" that runs the scalar kernels on a thread of its own, stage by stage
// over the whole frame, and can be lost. Linked in place of kernels/vulkan.
#ifndef PERDIX_TESTS_CODEC_FAKE_GPU_H_
#define PERDIX_TESTS_CODEC_FAKE_GPU_H_

#include <atomic>

namespace perdix {

struct FakeGpuSettings {
  std::atomic<bool> absent{false};
  std::atomic<bool> reachable{true};  // Placement::kDevice has data()
  std::atomic<bool> refuse{false};    // every Submit: kUnsupported
  std::atomic<int> delay_us{0};       // before each frame
  std::atomic<int> wrong_kernel{-1};  // KernelId: writes one wrong sample
  std::atomic<int> idle_kernel{-1};   // KernelId: writes nothing
};
FakeGpuSettings& FakeGpu();

}  // namespace perdix

#endif  // PERDIX_TESTS_CODEC_FAKE_GPU_H_
