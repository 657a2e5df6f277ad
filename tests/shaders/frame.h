// SPDX-License-Identifier: BSD-2-Clause
// The fixture that compares a shader's target with the scalar kernel's.
#ifndef PERDIX_TESTS_SHADERS_FRAME_H_
#define PERDIX_TESTS_SHADERS_FRAME_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/vulkan/vp9/work_order.h"
#include "tests/frame/vp9/random_lists.h"
#include "tests/shaders/gpu.h"

namespace perdix {

// What an order of kernels/vulkan/vp9/work_order.h writes.
template <typename Record, typename Order>
Bytes Records(const Order& order) {
  std::vector<Record> records(order.size());
  order.Write(records.data());
  return BytesOf(std::span<const Record>(records));
}

// An 8-bit frame whose target has such content, and guard bytes around it.
KernelInput ShaderInput(TestRandom& random, uint32_t width, uint32_t height,
                        uint32_t subsampling, Content content);

GpuDispatch TransformGpuDispatch(const FrameParams& params,
                                 const vp9::TransformDispatch& dispatch,
                                 const PlaneOffsets& target);

class ShaderTest : public testing::Test {
 protected:
  void SetUp() override;

  // The vp9::FrameUniforms, the pictures, the coefficients and the edges into
  // buffers.
  void SetFrame(KernelInput& input);
  // Runs without subgroup operations and, where there are any, with them; the
  // target must become what the scalar kernel makes of it.
  void Compare(const std::vector<GpuDispatch>& dispatches, KernelId kernel,
               KernelInput input, const std::string& what);

  Gpu* gpu_ = nullptr;
  GpuBuffers buffers_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_FRAME_H_
