// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "client/output.h"
#include "tests/client/temp_path.h"

namespace perdix::client {
namespace {

// 2x2 in 4:2:0, as a decoder gives it: chroma is neutral.
Image GrayImage() {
  static uint8_t luma[] = {1, 2, 3, 4};
  static uint8_t chroma[] = {128, 128};
  Image image;
  image.view.width = image.view.height = 2;
  image.view.bit_depth = 8;
  image.view.planes[kLuma] = {luma, 2, 2, 2};
  image.view.planes[kChroma] = {chroma, 2, 1, 1};
  image.monochrome = true;
  return image;
}

TEST(MonochromeTest, IsLumaAlone) {
  PlanarFrame frame;
  ToPlanar(GrayImage(), &frame);
  EXPECT_EQ(frame.bytes, (std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_TRUE(frame.format.monochrome);
}

TEST(MonochromeTest, HasAY4mTagOfItsOwn) {
  const std::string path = TempPath(".y4m");
  PlanarFrame frame;
  ToPlanar(GrayImage(), &frame);
  std::unique_ptr<PlanarSink> sink;
  ASSERT_TRUE(FileSink::Open(path, FileFormat::kY4m, FrameRate(), &sink).ok());
  ASSERT_TRUE(sink->Write(frame).ok());
  ASSERT_TRUE(sink->Finish().ok());
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::remove(path.c_str());
  EXPECT_EQ(text,
            "YUV4MPEG2 W2 H2 F30:1 Ip Cmono\nFRAME\n"
            "\x01\x02\x03\x04");
}

}  // namespace
}  // namespace perdix::client
