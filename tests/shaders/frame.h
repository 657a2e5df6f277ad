// SPDX-License-Identifier: BSD-2-Clause
// Pictures with guard bytes, and the fixture that compares a shader's target
// with the scalar kernel's.
#ifndef PERDIX_TESTS_SHADERS_FRAME_H_
#define PERDIX_TESTS_SHADERS_FRAME_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "tests/shaders/gpu.h"

namespace perdix {

using Random = std::mt19937;

inline uint32_t Below(Random& random, uint32_t end) {
  return static_cast<uint32_t>(random() % end);
}

// A picture in one buffer, guard bytes before, between and after its planes.
struct TestPicture {
  TestPicture(uint32_t width, uint32_t height, uint32_t subsampling);
  PictureView View();

  uint32_t width;
  uint32_t height;
  uint32_t subsampling;
  PlaneOffsets layout;
  Bytes bytes;
};

enum class Content { kNoise, kSmooth, kExtremes };
void Fill(Random& random, Content content, TestPicture* picture);

FrameParams ParamsOf(const TestPicture& picture);

template <typename T>
Bytes BytesOf(std::span<const T> items) {
  const auto* data = reinterpret_cast<const uint8_t*>(items.data());
  return Bytes(data, data + items.size_bytes());
}

// What an order of kernels/vulkan/work_order.h writes.
template <typename Record, typename Order>
Bytes Records(const Order& order) {
  std::vector<Record> records(order.size());
  order.Write(records.data());
  return BytesOf(std::span<const Record>(records));
}

class ShaderTest : public testing::Test {
 protected:
  void SetUp() override;

  // The FrameUniforms, the target and the coefficients of args into buffers.
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
