// SPDX-License-Identifier: BSD-2-Clause
// The fixture that compares what a kernel's work for the GPU leaves in the
// target with what the scalar kernel does.
#ifndef PERDIX_TESTS_SHADERS_FRAME_H_
#define PERDIX_TESTS_SHADERS_FRAME_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gpu/work.h"
#include "tests/frame/vp9/random_lists.h"
#include "tests/shaders/gpu.h"

namespace perdix {

// A frame whose target has such content, and guard bytes around it.
KernelInput ShaderInput(TestRandom& random, uint32_t width, uint32_t height,
                        uint32_t subsampling, Content content,
                        uint32_t bit_depth = 8);

// Says that a picture is there.
class NoMemory final : public gpu::Memory {
 public:
  uint8_t* data() const override { return nullptr; }
  size_t size() const override { return 0; }
};

// What the kernel's stage works on. The tile and the input must stay.
gpu::FrameInput FrameInputOf(KernelInput& input, const WorkLists& tile);

// All that the work reads or writes; the scratch memory has some content. The
// target's binding has the display, if there is one, and the first reference is
// the target then.
GpuBuffers BuffersOf(const gpu::Work& work, const KernelInput& input);

class ShaderTest : public testing::Test {
 protected:
  void SetUp() override;

  // Runs the kernel's programs for GPUs with small and with large subgroups,
  // with and without half floats that round, each without subgroup operations
  // and, where there are any, with them: the target, or the display if the
  // kernel writes that, must become what the scalar kernel makes of it.
  void Compare(KernelId kernel, KernelInput input, const std::string& what) {
    CompareAll({kernel}, std::move(input), what);
  }
  // The same of several kernels, one after the other in one submit.
  void CompareAll(const std::vector<KernelId>& kernels, KernelInput input,
                  const std::string& what);
  // Called with each work that Compare runs.
  virtual void See(const gpu::Work& /*work*/) {}

  Gpu* gpu_ = nullptr;
  // Whether the kernel's shaders have subgroup operations. Without them there
  // is nothing to compare for subgroups of other sizes below 32, and programs
  // for small subgroups differ from those for large ones in their width alone:
  // the device's suffice.
  bool subgroups_matter_ = true;

  // For subgroups of how many lanes programs are made, and with how many they
  // are run. Emulated ones: with those that they are made for.
  std::vector<uint32_t> SubgroupsOfPrograms() const;
  std::vector<uint32_t> SubgroupsToRun() const;

 private:
  void CompareWith(const gpu::DeviceTraits& traits,
                   const std::vector<KernelId>& kernels, KernelInput& input,
                   const Bytes& expected, const std::string& what);
};

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_FRAME_H_
