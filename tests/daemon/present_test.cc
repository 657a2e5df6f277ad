// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/present.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace perdix {
namespace {

TEST(PresentTest, NoChromaIsGray) {
  size_t bytes = 0;
  for (const bool p010 : {false, true}) {
    const PictureLayout layout =
        LayOutPicture(16, 8, p010 ? 10 : 8, 1, 1, &bytes);
    std::vector<uint8_t> buffer(bytes + 1);
    FillNeutralChroma(layout, p010, buffer);
    EXPECT_EQ(buffer[layout.chroma_offset - 1], 0);
    EXPECT_EQ(buffer[layout.chroma_offset], p010 ? 0 : 0x80);
    EXPECT_EQ(buffer[bytes - 1], 0x80);
    EXPECT_EQ(buffer[bytes], 0);
  }
}

struct Case {
  uint32_t bit_depth;
  uint32_t subsampling_x;
  uint32_t subsampling_y;
};

class ShowAs420Test : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr uint32_t kWidth = 13, kHeight = 7;  // odd

  // Sample i of a row, of 8 or 16 bit.
  static uint32_t At(const uint8_t* row, size_t i) {
    uint16_t wide = 0;
    if (GetParam().bit_depth == 8) return row[i];
    memcpy(&wide, row + 2 * i, sizeof(wide));
    return wide;
  }

  // The sum of what <view> has of U or V around two by two luma samples, each
  // luma sample counting once, by the number of those inside the picture.
  static uint32_t MeanAround(const PictureView& view, uint32_t x, uint32_t y,
                             uint32_t v) {
    const Plane& chroma = view.planes[kChroma];
    uint32_t sum = 0, count = 0;
    for (uint32_t luma_y = 2 * y; luma_y < 2 * y + 2; ++luma_y) {
      for (uint32_t luma_x = 2 * x; luma_x < 2 * x + 2; ++luma_x) {
        if (luma_x >= view.width || luma_y >= view.height) continue;
        sum += At(chroma.Row<uint8_t>(luma_y >> view.subsampling_y),
                  2 * (luma_x >> view.subsampling_x) + v);
        ++count;
      }
    }
    return (sum + count / 2) / count;
  }
};

TEST_P(ShowAs420Test, LumaIsAsItWasAndChromaTheMeanOfWhatIsThere) {
  const auto& [bit_depth, subsampling_x, subsampling_y] = GetParam();
  const PicturePtr picture =
      NewHeapPicture(kWidth, kHeight, bit_depth, subsampling_x, subsampling_y);
  ASSERT_TRUE(SetView(*picture, kWidth, kHeight, bit_depth, subsampling_x,
                      subsampling_y)
                  .ok());
  std::minstd_rand random(1);
  for (size_t i = 0; i < picture->memory.size; ++i) {
    const bool upper = bit_depth > 8 && i % 2 == 1;
    picture->memory.data[i] =
        uint8_t(upper ? random() % (1u << (bit_depth - 8)) : random());
  }
  size_t bytes = 0;
  PictureLayout layout =
      LayOutPicture(kWidth, kHeight, bit_depth, 1, 1, &bytes);
  layout.shift = bit_depth > 8 ? 16 - bit_depth : 0;
  std::vector<uint8_t> buffer(bytes);
  ShowAs420(picture->view, layout, buffer);
  for (uint32_t y = 0; y < kHeight; ++y) {
    const uint8_t* const row = buffer.data() + y * layout.stride_bytes;
    for (uint32_t x = 0; x < kWidth; ++x)
      ASSERT_EQ(At(row, x), At(picture->view.planes[kLuma].Row<uint8_t>(y), x)
                                << layout.shift)
          << x << "," << y;
  }
  for (uint32_t y = 0; y < (kHeight + 1) / 2; ++y) {
    const uint8_t* const row =
        buffer.data() + layout.chroma_offset + y * layout.chroma_stride_bytes;
    for (uint32_t i = 0; i < (kWidth + 1) / 2 * 2; ++i)
      ASSERT_EQ(At(row, i), MeanAround(picture->view, i / 2, y, i % 2)
                                << layout.shift)
          << i << "," << y;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShowAs420Test,
                         ::testing::Values(Case{8, 0, 0}, Case{8, 1, 0},
                                           Case{8, 0, 1}, Case{10, 0, 0},
                                           Case{10, 1, 0}, Case{12, 0, 0},
                                           Case{12, 1, 0}, Case{12, 0, 1},
                                           Case{12, 1, 1}),
                         [](const auto& info) {
                           const Case& of = info.param;
                           return std::to_string(of.bit_depth) + "_" +
                                  std::to_string(of.subsampling_x) +
                                  std::to_string(of.subsampling_y);
                         });

}  // namespace
}  // namespace perdix
