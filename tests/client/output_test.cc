// SPDX-License-Identifier: BSD-2-Clause
#include "client/output.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/client/temp_path.h"

namespace perdix::client {
namespace {

// A semi-planar picture with padding between rows; luma counts from 1, U from
// 101, V from 201, each plus <high>.
template <typename Sample>
class TestPicture {
 public:
  TestPicture(uint32_t width, uint32_t height, uint32_t bit_depth,
              uint32_t subsampling_x, uint32_t subsampling_y, uint32_t high) {
    PictureView& view = image.view;
    view.width = width;
    view.height = height;
    view.bit_depth = bit_depth;
    view.subsampling_x = subsampling_x;
    view.subsampling_y = subsampling_y;
    const uint32_t chroma_width = (width + subsampling_x) >> subsampling_x;
    const uint32_t chroma_height = (height + subsampling_y) >> subsampling_y;
    luma_.assign(kStride * height, kPadding);
    chroma_.assign(kStride * chroma_height, kPadding);
    for (uint32_t y = 0, n = high; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) {
        luma_[y * kStride + x] = Sample(++n);
      }
    }
    for (uint32_t y = 0, n = high + 100; y < chroma_height; ++y) {
      for (uint32_t x = 0; x < chroma_width; ++x) {
        chroma_[y * kStride + 2 * x] = Sample(++n);
        chroma_[y * kStride + 2 * x + 1] = Sample(n + 100);
      }
    }
    constexpr uint32_t kStrideBytes = kStride * sizeof(Sample);
    view.planes[kLuma] = {reinterpret_cast<uint8_t*>(luma_.data()),
                          kStrideBytes, width, height};
    view.planes[kChroma] = {reinterpret_cast<uint8_t*>(chroma_.data()),
                            kStrideBytes, chroma_width, chroma_height};
  }

  Image image;

 private:
  static constexpr uint32_t kStride = 16;
  static constexpr Sample kPadding = 0xee;
  std::vector<Sample> luma_;
  std::vector<Sample> chroma_;
};

template <typename Sample>
std::vector<Sample> Planar(const Image& image) {
  PlanarFrame frame;
  ToPlanar(image, &frame);
  std::vector<Sample> samples(frame.bytes.size() / sizeof(Sample));
  std::memcpy(samples.data(), frame.bytes.data(), frame.bytes.size());
  return samples;
}

TEST(OutputTest, Rounds420ChromaUp) {
  const TestPicture<uint8_t> picture(3, 3, 8, 1, 1, 0);
  EXPECT_EQ(Planar<uint8_t>(picture.image),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 101, 102, 103, 104,
                                  201, 202, 203, 204}));
}

TEST(OutputTest, KeepsTheChromaFormat) {
  EXPECT_EQ(Planar<uint8_t>(TestPicture<uint8_t>(2, 2, 8, 0, 0, 0).image),
            (std::vector<uint8_t>{1, 2, 3, 4, 101, 102, 103, 104, 201, 202, 203,
                                  204}));
  EXPECT_EQ(Planar<uint8_t>(TestPicture<uint8_t>(2, 2, 8, 1, 0, 0).image),
            (std::vector<uint8_t>{1, 2, 3, 4, 101, 102, 201, 202}));
  EXPECT_EQ(Planar<uint8_t>(TestPicture<uint8_t>(2, 3, 8, 0, 1, 0).image),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 101, 102, 103, 104, 201,
                                  202, 203, 204}));
}

TEST(OutputTest, WritesSixteenBitsAboveEight) {
  const TestPicture<uint16_t> picture(2, 1, 10, 1, 1, 700);
  EXPECT_EQ(Planar<uint16_t>(picture.image),
            (std::vector<uint16_t>{701, 702, 801, 901}));
  PlanarFrame frame;
  ToPlanar(picture.image, &frame);
  EXPECT_EQ(frame.bytes[0], 701 & 0xff);  // little endian
  EXPECT_EQ(frame.format, (FrameFormat{2, 1, 10, 1, 1}));
}

TEST(OutputTest, ShiftsSamplesWithLowPadding) {
  TestPicture<uint16_t> picture(1, 1, 10, 1, 1, 0);
  picture.image.shift = 1;
  EXPECT_EQ(Planar<uint16_t>(picture.image),
            (std::vector<uint16_t>{0, 50, 100}));
}

TEST(OutputTest, Md5IsOfTheBytesAndStartsAgain) {
  Md5 md5;
  EXPECT_EQ(md5.Hex(), "d41d8cd98f00b204e9800998ecf8427e");
  md5.Update({'a'});
  md5.Update({'b', 'c'});
  EXPECT_EQ(md5.Hex(), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5.Hex(), "d41d8cd98f00b204e9800998ecf8427e");
}

class FileSinkTest : public testing::Test {
 protected:
  Status Open(FileFormat format) {
    return FileSink::Open(path_, format, {25, 2}, &sink_);
  }
  std::string Content() {
    EXPECT_TRUE(sink_->Finish().ok());
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static PlanarFrame Frame(const FrameFormat& format, std::string bytes) {
    return {format, {bytes.begin(), bytes.end()}};
  }
  const std::string path_ = TempPath("");
  std::unique_ptr<PlanarSink> sink_;
};

TEST_F(FileSinkTest, WritesY4m) {
  ASSERT_TRUE(Open(FileFormat::kY4m).ok());
  ASSERT_TRUE(sink_->Write(Frame({2, 2, 8, 1, 1}, "YYYYUV")).ok());
  ASSERT_TRUE(sink_->Write(Frame({2, 2, 8, 1, 1}, "yyyyuv")).ok());
  EXPECT_EQ(Content(),
            "YUV4MPEG2 W2 H2 F25:2 Ip C420jpeg\nFRAME\nYYYYUVFRAME\nyyyyuv");
}

TEST_F(FileSinkTest, NamesTheY4mSampleFormat) {
  ASSERT_TRUE(Open(FileFormat::kY4m).ok());
  ASSERT_TRUE(sink_->Write(Frame({1, 1, 12, 1, 0}, "YyUuVv")).ok());
  EXPECT_EQ(Content(),
            "YUV4MPEG2 W1 H1 F25:2 Ip C422p12 XYSCSS=422P12\nFRAME\nYyUuVv");
}

TEST_F(FileSinkTest, Y4mRefusesWhatItCannotSay) {
  ASSERT_TRUE(Open(FileFormat::kY4m).ok());
  EXPECT_FALSE(sink_->Write(Frame({1, 1, 8, 0, 1}, "YUV")).ok());
  ASSERT_TRUE(sink_->Write(Frame({1, 1, 8, 1, 1}, "YUV")).ok());
  EXPECT_EQ(sink_->Write(Frame({2, 1, 8, 1, 1}, "YYUV")).message(),
            "frame is 2x1 at 8 bit, the Y4M file 1x1 at 8 bit; raw output may "
            "change");
}

TEST_F(FileSinkTest, RawIsPlanesOnly) {
  ASSERT_TRUE(Open(FileFormat::kRaw).ok());
  ASSERT_TRUE(sink_->Write(Frame({1, 1, 8, 1, 1}, "YUV")).ok());
  ASSERT_TRUE(sink_->Write(Frame({2, 1, 8, 1, 1}, "YYUV")).ok());
  EXPECT_EQ(Content(), "YUVYYUV");
}

TEST_F(FileSinkTest, SaysWhatItCannotWrite) {
  const Status status =
      FileSink::Open("/nonexistent/file", FileFormat::kRaw, {}, &sink_);
  EXPECT_EQ(status.message(),
            "cannot write /nonexistent/file: No such file or directory");
}

}  // namespace
}  // namespace perdix::client
