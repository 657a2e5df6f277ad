// SPDX-License-Identifier: BSD-2-Clause
// Pictures whose samples are shifted once they are final (PictureView::shift).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/bitstream/av1/codec.h"
#include "client/inprocess/engine_backend.h"
#include "kernels/final_shift.h"
#include "tests/engine/decode_clip.h"

namespace perdix {
namespace {

class UpperBitsTest : public testing::TestWithParam<const char*> {};

Decoded Decode10(const std::string& clip, int threads, bool upper_bits) {
  Decoded decoded;
  Engine engine({.threads = threads});
  client::EngineBackend backend(engine, client::av1::kCodec, true);
  if (upper_bits) backend.UseUpperBits();
  Play(clip, backend, &decoded);
  return decoded;
}

// With references of both kinds where some frames have film grain.
TEST_P(UpperBitsTest, HoldTheSameFrames) {
  const std::string clip = GetParam();
  const Decoded expected = Decode10(clip, 1, false);
  EXPECT_FALSE(expected.frames.empty());
  for (const int threads : {1, 2, 8}) {
    const Decoded decoded = Decode10(clip, threads, true);
    EXPECT_EQ(decoded.failures, 0);
    EXPECT_EQ(decoded.frames, expected.frames) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, UpperBitsTest,
                         testing::Values("av1/tenbit_176x72.ivf",
                                         "av1/grain10_176x72.ivf",
                                         "av1/screen10_256x128.ivf",
                                         "av1/inter_352x144.webm"),
                         [](const auto& info) {
                           const std::string name = info.param + 4;
                           return name.substr(0, name.find('.'));
                         });

// Two rows of superblocks of 64, of which the last 8 lines wait for the next.
class FinalShiftTest : public testing::Test {
 protected:
  static constexpr uint32_t kWidth = 70, kHeight = 90;

  FinalShiftTest() {
    params_.height = kHeight;
    params_.sb_cols = params_.sb_rows = 2;
    params_.sb_log2 = 6;
    args_.params = &params_;
    args_.target = picture_->view;
    args_.filter_lag = 8;
    for (uint32_t i = 0; i < kPlaneCount; ++i) {
      const Plane& plane = picture_->view.planes[i];
      for (uint32_t y = 0; y < plane.height; ++y) {
        std::fill_n(plane.Row<uint16_t>(y), Samples(i) + 1, uint16_t{1});
      }
    }
  }

  // The samples of a line of a plane; there is room for more.
  static uint32_t Samples(uint32_t plane) {
    return plane == kLuma ? kWidth : kWidth + kWidth % 2;
  }
  // Lines at the top of a plane that are shifted, as the others are not.
  uint32_t Shifted(uint32_t i) const {
    const Plane& plane = picture_->view.planes[i];
    uint32_t count = 0;
    for (uint32_t y = 0; y < plane.height; ++y) {
      const uint16_t* const line = plane.Row<uint16_t>(y);
      const bool shifted = line[0] == 64;
      count += shifted;
      EXPECT_EQ(shifted, y < count) << "line " << y;
      EXPECT_EQ(line[Samples(i) - 1], line[0]);
      EXPECT_EQ(line[Samples(i)], 1);
    }
    return count;
  }

  static PicturePtr NewPicture() {
    const PicturePtr picture = NewHeapPicture(kWidth, kHeight, 10, 1, 1);
    picture->layout.shift = 6;
    EXPECT_TRUE(SetView(*picture, kWidth, kHeight, 10, 1, 1).ok());
    return picture;
  }

  const PicturePtr picture_ = NewPicture();
  FrameParams params_ = {};
  KernelArgs args_;
};

TEST_F(FinalShiftTest, ShiftsWhatIsFinal) {
  FinalShift<uint16_t>(args_, {0, 2});
  EXPECT_EQ(Shifted(kLuma), 56u);
  EXPECT_EQ(Shifted(kChroma), 28u);
  FinalShift<uint16_t>(args_, {2, 4});
  EXPECT_EQ(Shifted(kLuma), 90u);
  EXPECT_EQ(Shifted(kChroma), 45u);
}

TEST_F(FinalShiftTest, WaitsForTheLastRowIfNothingIsFinalBefore) {
  args_.filter_lag = kHeight;
  FinalShift<uint16_t>(args_, {0, 2});
  EXPECT_EQ(Shifted(kLuma), 0u);
  FinalShift<uint16_t>(args_, {2, 4});
  EXPECT_EQ(Shifted(kLuma), 90u);
}

TEST_F(FinalShiftTest, LeavesChromaThatIsNotCoded) {
  args_.coded_planes = 1;
  FinalShift<uint16_t>(args_, {0, 4});
  EXPECT_EQ(Shifted(kLuma), 90u);
  EXPECT_EQ(Shifted(kChroma), 0u);
}

}  // namespace
}  // namespace perdix
