// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/frame.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/gpu/kernel_work.h"

namespace perdix {
namespace {

gpu::Picture PictureOf(GuardedPicture& picture) {
  return {picture.View(), picture.layout(), std::make_shared<NoMemory>()};
}

std::vector<gpu::Program> ProgramsOf(const std::vector<KernelId>& kernels,
                                     const gpu::DeviceTraits& traits,
                                     uint32_t bit_depth) {
  std::vector<gpu::Program> all;
  for (const KernelId kernel : kernels) {
    const auto programs =
        gpu::FindGpuKernel(kernel)->programs(traits, bit_depth);
    all.insert(all.end(), programs.begin(), programs.end());
  }
  return all;
}

GuardedPicture& Written(KernelInput& input, KernelId kernel) {
  return RowOf(kernel).picture == WrittenPicture::kDisplay ? input.display
                                                           : input.target;
}

void ExpectEqual(const Bytes& result, const Bytes& expected,
                 const std::string& what) {
  if (result == expected) return;
  const auto [got, want] =
      std::mismatch(result.begin(), result.end(), expected.begin());
  size_t different = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    different += result[i] != expected[i];
  }
  ADD_FAILURE() << what << ": " << different << " of " << result.size()
                << " bytes differ, the first at " << got - result.begin()
                << ": " << int{*got} << ", not " << int{*want};
}

}  // namespace

KernelInput ShaderInput(TestRandom& random, uint32_t width, uint32_t height,
                        uint32_t subsampling, Content content,
                        uint32_t bit_depth) {
  KernelInput input = vp9::NewInput(
      TestFrameParams(width, height, bit_depth, subsampling, subsampling));
  input.target.Fill(content, random);
  input.target.SetGuard(0xa5);
  return input;
}

gpu::FrameInput FrameInputOf(KernelInput& input, const WorkLists& tile) {
  gpu::FrameInput frame;
  frame.params = &input.params;
  frame.codec = &input.codec_params;
  frame.tables = input.tables.View();
  frame.tiles = {&tile, 1};
  frame.target = PictureOf(input.target);
  if (!input.display.bytes().empty()) {
    frame.display = PictureOf(input.display);
  }
  frame.coded_planes = input.coded_planes;
  for (size_t i = 0; i < PERDIX_MAX_REFERENCES; ++i) {
    if (input.references[i].bytes().empty()) continue;
    frame.references[i] = PictureOf(input.references[i]);
  }
  return frame;
}

GpuBuffers BuffersOf(const gpu::Work& work, const KernelInput& input) {
  GpuBuffers buffers;
  for (uint32_t i = 0; i < PERDIX_BINDING_COUNT; ++i) {
    buffers.by_binding[i].resize(work.staged_bytes(i));
  }
  for (const gpu::Work::Part& part : work.parts()) {
    part.write(buffers.by_binding[part.binding].data() + part.offset);
  }
  buffers.by_binding[PERDIX_BINDING_TARGET] = input.target.bytes();
  if (!input.display.bytes().empty()) {
    buffers.by_binding[PERDIX_BINDING_TARGET] = input.display.bytes();
  }
  buffers.by_binding[PERDIX_BINDING_SCRATCH].assign(work.scratch_bytes(), 0x5a);
  for (size_t i = 0; i < PERDIX_MAX_REFERENCES; ++i) {
    buffers.references[i] = input.references[i].bytes();
  }
  // What is shown is made of the target.
  if (!input.display.bytes().empty()) {
    buffers.references[0] = input.target.bytes();
  }
  return buffers;
}

void ShaderTest::SetUp() {
  std::string why;
  gpu_ = Gpu::Get(&why);
  if (gpu_ == nullptr) GTEST_SKIP() << why;
}

void ShaderTest::CompareAll(const std::vector<KernelId>& kernels,
                            KernelInput input, const std::string& what) {
  KernelInput scalar = input;
  const KernelArgs args = scalar.Args();
  for (const KernelId kernel : kernels) {
    RowOf(kernel).cpu[0][input.params.bit_depth > 8](
        args, {0, ItemCount(args, kernel)});
  }
  std::vector<std::vector<gpu::Program>> seen;
  for (const uint32_t subgroup_size : SubgroupsOfPrograms()) {
    for (const bool rounds : {false, true}) {
      if (rounds && !gpu_->traits().rounds_to_even) continue;
      const gpu::DeviceTraits traits = {subgroup_size, rounds};
      const auto programs = ProgramsOf(kernels, traits, input.params.bit_depth);
      if (std::ranges::find(seen, programs) != seen.end()) continue;
      seen.push_back(programs);
      CompareWith(
          traits, kernels, input, Written(scalar, kernels.back()).bytes(),
          what + ", programs for subgroups of " +
              std::to_string(subgroup_size) + (rounds ? ", rounding" : ""));
    }
  }
}

std::vector<uint32_t> ShaderTest::SubgroupsOfPrograms() const {
  if (Gpu::EmulatesSubgroups()) return {gpu_->traits().subgroup_size};
  if (subgroups_matter_) return {16, 32};
  return {gpu_->traits().subgroup_size >= 32 ? 32u : 16u};
}

std::vector<uint32_t> ShaderTest::SubgroupsToRun() const {
  const uint32_t device = gpu_->traits().subgroup_size;
  if (Gpu::EmulatesSubgroups()) return {device};
  if (!subgroups_matter_ && device < 32) return {0};
  return {0, device};
}

void ShaderTest::CompareWith(const gpu::DeviceTraits& traits,
                             const std::vector<KernelId>& kernels,
                             KernelInput& input, const Bytes& expected,
                             const std::string& what) {
  const WorkLists tile = input.View();
  std::vector<std::unique_ptr<gpu::KernelWork>> kernel_works;
  gpu::Work work;
  work.Clear();
  for (const KernelId kernel : kernels) {
    kernel_works.push_back(gpu::FindGpuKernel(kernel)->make(traits));
    const Status status =
        kernel_works.back()->Build(FrameInputOf(input, tile), &work);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  See(work);
  for (const uint32_t subgroup_size : SubgroupsToRun()) {
    GpuBuffers buffers = BuffersOf(work, input);
    gpu_->Run(work, subgroup_size, &buffers);
    ExpectEqual(buffers.by_binding[PERDIX_BINDING_TARGET], expected,
                what + ", subgroups of " + std::to_string(subgroup_size) +
                    " on " + gpu_->name());
  }
}

}  // namespace perdix
