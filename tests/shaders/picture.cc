// SPDX-License-Identifier: BSD-2-Clause
#include "tests/shaders/picture.h"

#include <algorithm>

namespace perdix {
namespace {

constexpr uint32_t kGuard = 64;  // bytes

uint32_t RoundUp(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

TestPicture::TestPicture(uint32_t width_in, uint32_t height_in,
                         uint32_t subsampling_in)
    : width(width_in), height(height_in), subsampling(subsampling_in) {
  const uint32_t rows = RoundUp(height, 8);
  layout.luma_stride = RoundUp(width, 16) + 16;
  layout.chroma_stride = RoundUp(2 * (RoundUp(width, 8) >> subsampling), 16);
  layout.luma_offset = kGuard;
  layout.chroma_offset =
      RoundUp(kGuard + layout.luma_stride * rows + kGuard, 16);
  bytes.resize(layout.chroma_offset +
               layout.chroma_stride * (rows >> subsampling) + kGuard);
}

PictureView TestPicture::View() {
  PictureView view;
  view.width = width;
  view.height = height;
  view.subsampling_x = view.subsampling_y = subsampling;
  view.planes[kLuma] = {bytes.data() + layout.luma_offset, layout.luma_stride,
                        width, height};
  view.planes[kChroma] = {bytes.data() + layout.chroma_offset,
                          layout.chroma_stride,
                          (width + subsampling) >> subsampling,
                          (height + subsampling) >> subsampling};
  return view;
}

void Fill(Random& random, Content content, TestPicture* picture) {
  uint32_t level = Below(random, 256);
  const uint32_t calm = 2 + Below(random, 60);  // samples between steps
  for (uint8_t& byte : picture->bytes) {
    switch (content) {
      case Content::kNoise:
        byte = static_cast<uint8_t>(random());
        break;
      case Content::kSmooth:
        if (Below(random, calm) == 0) {
          level = std::clamp(level + Below(random, 31), 15u, 270u) - 15;
        }
        byte = static_cast<uint8_t>(
            std::min(level + (Below(random, 8) == 0 ? 1u : 0u), 255u));
        break;
      case Content::kExtremes:
        if (Below(random, 5) == 0) level = level < 128 ? 255 : 0;
        byte = level < 128 ? 0 : 255;
        break;
    }
  }
}

FrameParams ParamsOf(const TestPicture& picture) {
  FrameParams params = {};
  params.width = picture.width;
  params.height = picture.height;
  params.sb_log2 = 6;
  params.sb_cols = (picture.width + 63) / 64;
  params.sb_rows = (picture.height + 63) / 64;
  params.bit_depth = 8;
  params.subsampling_x = params.subsampling_y = picture.subsampling;
  return params;
}

}  // namespace perdix
