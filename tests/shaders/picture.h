// SPDX-License-Identifier: BSD-2-Clause
// Random pictures with guard bytes.
#ifndef PERDIX_TESTS_SHADERS_PICTURE_H_
#define PERDIX_TESTS_SHADERS_PICTURE_H_

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/shared/dispatch.h"

namespace perdix {

using Bytes = std::vector<uint8_t>;
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
template <typename T>
Bytes BytesOfOne(const T& item) {
  return BytesOf(std::span<const T>(&item, 1));
}

}  // namespace perdix

#endif  // PERDIX_TESTS_SHADERS_PICTURE_H_
