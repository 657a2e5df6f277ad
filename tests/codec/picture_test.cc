// SPDX-License-Identifier: BSD-2-Clause
#include "codec/picture.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace perdix {
namespace {

// Kernels read and write up to 64 bytes at once: across two cache lines, if
// lines of samples begin anywhere.
TEST(PictureTest, LinesOfHeapPicturesBeginWithACacheLine) {
  constexpr uintptr_t kCacheLine = 64;
  for (const uint32_t width : {16, 330, 800, 1280, 1920}) {
    const PicturePtr picture = NewHeapPicture(width, width / 2, 8, 1, 1);
    const PictureLayout& layout = picture->layout;
    const auto begin = reinterpret_cast<uintptr_t>(picture->memory.data);
    EXPECT_EQ((begin + layout.luma_offset) % kCacheLine, 0) << width;
    EXPECT_EQ((begin + layout.chroma_offset) % kCacheLine, 0) << width;
    EXPECT_EQ(layout.stride_bytes % kCacheLine, 0) << width;
    EXPECT_EQ(layout.chroma_stride_bytes % kCacheLine, 0) << width;
  }
}

}  // namespace
}  // namespace perdix
