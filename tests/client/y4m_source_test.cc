// SPDX-License-Identifier: BSD-2-Clause
#include "client/y4m_source.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "client/output.h"
#include "client/planar.h"

namespace perdix::client {
namespace {

std::string MessageOf(const std::string& header) {
  Y4mHeader parsed;
  return ParseY4mHeader(header, &parsed).message();
}

class Y4mSourceTest : public testing::Test {
 protected:
  // A file that has gone by name, but holds <bytes>.
  Status Open(const std::string& bytes) {
    std::FILE* const file = std::tmpfile();
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::rewind(file);
    return Y4mSource::Open(InputFile(file), &source_);
  }
  // The next frame's planes as they are in a file, "end" or the failure.
  std::string Next() {
    ShownFrame frame;
    bool end = false;
    const Status status = source_->Next(&frame, &end);
    if (!status.ok()) return status.message();
    if (end) return "end";
    PlanarFrame planar;
    ToPlanar(frame.image, &planar);
    return {planar.bytes.begin(), planar.bytes.end()};
  }

  std::unique_ptr<FrameSource> source_;
};

TEST_F(Y4mSourceTest, GivesFramesAsTheyAre) {
  ASSERT_TRUE(Open("YUV4MPEG2 W3 H2 F25:2 Ip A1:1 C420jpeg XYSCSS=420JPEG\n"
                   "FRAME\nABCabcUuVvFRAME Ip\nabcABCuUvV")
                  .ok());
  EXPECT_EQ(source_->frame_rate().numerator, 25);
  EXPECT_EQ(source_->frame_rate().denominator, 2);
  EXPECT_EQ(Next(), "ABCabcUuVv");
  EXPECT_EQ(Next(), "abcABCuUvV");
  EXPECT_EQ(Next(), "end");
  EXPECT_EQ(Next(), "end");
}

TEST_F(Y4mSourceTest, ReadsEachSubsampling) {
  ASSERT_TRUE(Open("YUV4MPEG2 W3 H2 C422\nFRAME\nABCabcUuVvPpQq").ok());
  EXPECT_EQ(Next(), "ABCabcUuVvPpQq");
  ASSERT_TRUE(Open("YUV4MPEG2 W2 H1 C444\nFRAME\nABUuVv").ok());
  EXPECT_EQ(Next(), "ABUuVv");
  ASSERT_TRUE(Open("YUV4MPEG2 W2 H2 Cmono\nFRAME\nABCDFRAME\nEFGH").ok());
  EXPECT_EQ(Next(), "ABCD");
  EXPECT_EQ(Next(), "EFGH");
}

TEST_F(Y4mSourceTest, ReadsTwoBytesASampleAboveEightBit) {
  const std::string ten("\xff\x03\x01\x02\x03\x00", 6);
  ASSERT_TRUE(
      Open("YUV4MPEG2 W1 H1 C420p10 XYSCSS=420P10\nFRAME\n" + ten).ok());
  EXPECT_EQ(Next(), ten);
  const std::string twelve("\x00\x04", 2);
  ASSERT_TRUE(Open("YUV4MPEG2 W1 H1 Cmono12\nFRAME\n" + twelve).ok());
  EXPECT_EQ(Next(), twelve);
}

TEST_F(Y4mSourceTest, RefusesASampleThatTheDepthDoesNotHave) {
  ASSERT_TRUE(
      Open("YUV4MPEG2 W1 H1 Cmono10\nFRAME\n" + std::string("\0\4", 2)).ok());
  EXPECT_EQ(Next(), "frame 1 has a sample above 1023, the most of 10 bit");
}

// What FileSink writes.
TEST_F(Y4mSourceTest, ReadsWhatWeWrite) {
  for (const FrameFormat& format :
       {FrameFormat{5, 3, 8, 1, 1}, FrameFormat{5, 3, 10, 1, 1},
        FrameFormat{5, 3, 12, 1, 0}, FrameFormat{5, 3, 8, 0, 0},
        FrameFormat{5, 3, 10, 1, 1, true}}) {
    const std::string path = testing::TempDir() + "perdix_y4m_source_test.y4m";
    std::unique_ptr<PlanarSink> sink;
    ASSERT_TRUE(FileSink::Open(path, FileFormat::kY4m, {}, &sink).ok());
    const uint32_t bytes = format.bit_depth > 8 ? 2 : 1;
    const uint32_t chroma =
        format.monochrome
            ? 0
            : ((5 + format.subsampling_x) >> format.subsampling_x) *
                  ((3 + format.subsampling_y) >> format.subsampling_y);
    const PlanarFrame frame = {
        format, std::vector<uint8_t>((15 + 2 * chroma) * bytes, 2)};
    ASSERT_TRUE(sink->Write(frame).ok());
    ASSERT_TRUE(sink->Finish().ok());
    sink.reset();
    InputFile file;
    ASSERT_TRUE(OpenFile(path, &file).ok());
    std::remove(path.c_str());
    ASSERT_TRUE(Y4mSource::Open(std::move(file), &source_).ok());
    ShownFrame shown;
    bool end = false;
    ASSERT_TRUE(source_->Next(&shown, &end).ok());
    PlanarFrame read;
    ToPlanar(shown.image, &read);
    EXPECT_EQ(read.format, format);
    EXPECT_EQ(read.bytes, frame.bytes);
  }
}

TEST_F(Y4mSourceTest, AFrameThatIsHeldKeepsItsPixels) {
  ASSERT_TRUE(Open("YUV4MPEG2 W1 H1 Cmono\nFRAME\nAFRAME\nBFRAME\nC").ok());
  ShownFrame first, other;
  bool end = false;
  ASSERT_TRUE(source_->Next(&first, &end).ok());
  ASSERT_TRUE(source_->Next(&other, &end).ok());
  const uint8_t* const second = other.image.view.planes[kLuma].data;
  EXPECT_EQ(*first.image.view.planes[kLuma].data, 'A');
  ASSERT_TRUE(source_->Next(&other, &end).ok());
  EXPECT_EQ(other.image.view.planes[kLuma].data, second);
  EXPECT_EQ(*second, 'C');
}

TEST_F(Y4mSourceTest, SaysWhereAFileIsCutShort) {
  const std::string header = "YUV4MPEG2 W2 H2\n";
  for (const std::string frame : {"F", "FRAME", "FRAME\n", "FRAME\nABCDU"}) {
    ASSERT_TRUE(Open(header + "FRAME\nABCDUV" + frame).ok());
    EXPECT_EQ(Next(), "ABCDUV");
    EXPECT_EQ(Next(), "frame 2 is cut short by the end of the file") << frame;
    EXPECT_EQ(Next(), "end");
  }
}

TEST_F(Y4mSourceTest, SaysWhereAFrameShouldBegin) {
  ASSERT_TRUE(Open("YUV4MPEG2 W1 H1 Cmono\nFRAME\nABFRAME\nC").ok());
  EXPECT_EQ(Next(), "A");
  EXPECT_EQ(Next(), "frame 2 begins with BFRAM, allowed: FRAME");
}

// A header that promises much: memory is there when the file fills it.
TEST_F(Y4mSourceTest, ALargeFrameThatIsNotThereIsCutShort) {
  ASSERT_TRUE(Open("YUV4MPEG2 W16384 H16384 C420jpeg\nFRAME\n").ok());
  EXPECT_EQ(Next(), "frame 1 is cut short by the end of the file");
}

TEST_F(Y4mSourceTest, AHeaderWithoutEndIsRefused) {
  for (const std::string& bytes :
       {std::string("YUV4MPEG2 W1 H1"), "YUV4MPEG2 " + std::string(2000, 'X')})
    EXPECT_EQ(Open(bytes).message(),
              "the header's line does not end within 1024 bytes");
}

TEST(Y4mHeaderTest, SaysWhatIsWrong) {
  EXPECT_EQ(MessageOf("YUV4MPEG2 H1"), "the header lacks W, the width");
  EXPECT_EQ(MessageOf("YUV4MPEG2 W1"), "the header lacks H, the height");
  EXPECT_EQ(MessageOf("YUV4MPEG2 W0 H1"),
            "the header says W0, allowed: 1 to 65536");
  EXPECT_EQ(MessageOf("YUV4MPEG2 W1 H65537"),
            "the header says H65537, allowed: 1 to 65536");
  EXPECT_EQ(MessageOf("YUV4MPEG2 W1x H1"),
            "the header says W1x, allowed: 1 to 65536");
  for (const std::string tag : {"C411", "C420p9", "C420p16", "C444alpha", "C"})
    EXPECT_EQ(MessageOf("YUV4MPEG2 W1 H1 " + tag),
              "the header says " + tag +
                  ", allowed: 420, 422, 444 and mono, of 8, 10 or 12 bit");
}

TEST(Y4mHeaderTest, ARateThatSaysNothingIsThirty) {
  for (const std::string rate : {"F0:0", "F", "Fx:1", "F25", "F-1:1"}) {
    Y4mHeader header;
    ASSERT_TRUE(ParseY4mHeader("YUV4MPEG2 W1 H1 " + rate, &header).ok());
    EXPECT_EQ(header.rate.numerator, 30) << rate;
    EXPECT_EQ(header.rate.denominator, 1) << rate;
  }
}

}  // namespace
}  // namespace perdix::client
