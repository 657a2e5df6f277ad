// SPDX-License-Identifier: BSD-2-Clause
// The fixture that compares a shader's target with the scalar kernel's.
#ifndef PERDIX_TESTS_SHADERS_FRAME_H_
#define PERDIX_TESTS_SHADERS_FRAME_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/shaders/gpu.h"
#include "tests/shaders/picture.h"

namespace perdix {

// What an order of kernels/vulkan/vp9/work_order.h writes.
template <typename Record, typename Order>
Bytes Records(const Order& order) {
  std::vector<Record> records(order.size());
  order.Write(records.data());
  return BytesOf(std::span<const Record>(records));
}

GpuDispatch TransformGpuDispatch(const FrameParams& params,
                                 const vp9::TransformDispatch& dispatch,
                                 const PlaneOffsets& target);

class ShaderTest : public testing::Test {
 protected:
  void SetUp() override;

  // The vp9::FrameUniforms, the target, the coefficients and the edges of args
  // into buffers.
  void SetFrame(const KernelArgs& args, const TestPicture& target);
  // Runs without subgroup operations and, where there are any, with them; the
  // target must become what the scalar kernel made of it.
  void Compare(const std::vector<GpuDispatch>& dispatches,
               const Bytes& expected, const std::string& what);

  Gpu* gpu_ = nullptr;
  GpuBuffers buffers_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_FRAME_H_
