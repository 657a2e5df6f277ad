// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/compressed_header.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "client/bitstream/vp9/header.h"
#include "client/bitstream/vp9/superframe.h"
#include "client/container/container.h"
#include "tests/client/vp9/header_writer.h"

namespace perdix::client::vp9 {
namespace {

TEST(CompressedHeaderTest, ZeroBitsAreNoUpdates) {
  HeaderParser parser;
  FrameHeader header;
  const std::vector<uint8_t> frame = WriteFrame(TestHeader());
  ASSERT_TRUE(parser.Parse(frame, &header).ok());
  v4l2_ctrl_vp9_compressed_hdr compressed;
  ASSERT_TRUE(ParseCompressedHeader(frame, &header.control, &compressed).ok());
  const v4l2_ctrl_vp9_compressed_hdr none = {};
  EXPECT_EQ(std::memcmp(&compressed, &none, sizeof(none)), 0);
}

TEST(CompressedHeaderTest, RefusesTheMarkerBit) {
  HeaderParser parser;
  FrameHeader header;
  std::vector<uint8_t> frame = WriteFrame(TestHeader());
  ASSERT_TRUE(parser.Parse(frame, &header).ok());
  frame[header.uncompressed_bytes] = 0xff;
  v4l2_ctrl_vp9_compressed_hdr compressed;
  EXPECT_FALSE(ParseCompressedHeader(frame, &header.control, &compressed).ok());
}

TEST(CompressedHeaderTest, RefusesToReadBeyondTheFrame) {
  HeaderParser parser;
  FrameHeader header;
  const std::vector<uint8_t> frame = WriteFrame(TestHeader());
  ASSERT_TRUE(parser.Parse(frame, &header).ok());
  header.control.compressed_header_size = 6;  // one more than there is
  v4l2_ctrl_vp9_compressed_hdr compressed;
  const Status status =
      ParseCompressedHeader(frame, &header.control, &compressed);
  EXPECT_NE(status.message().find("of a frame of "), std::string::npos)
      << status.message();
}

// Real headers: each is used up to its end, and truncated fails or is short.
TEST(CompressedHeaderTest, ReadsRealHeaders) {
  std::unique_ptr<Container> container;
  ASSERT_TRUE(Container::Open(PERDIX_CLIPS "/demo.webm", &container).ok());
  HeaderParser parser;
  int frames = 0, compound = 0;
  for (;;) {
    Packet packet;
    bool end = false;
    ASSERT_TRUE(container->Next(&packet, &end).ok());
    if (end) break;
    std::vector<std::span<const uint8_t>> coded;
    ASSERT_TRUE(SplitSuperframe(packet.data, &coded).ok());
    for (const auto frame : coded) {
      FrameHeader header;
      ASSERT_TRUE(parser.Parse(frame, &header).ok());
      if (header.show_existing_frame) continue;
      v4l2_ctrl_vp9_compressed_hdr compressed;
      const Status status =
          ParseCompressedHeader(frame, &header.control, &compressed);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_LE(compressed.tx_mode, V4L2_VP9_TX_MODE_SELECT);
      compound += header.control.reference_mode !=
                  V4L2_VP9_REFERENCE_MODE_SINGLE_REFERENCE;
      ++frames;
    }
  }
  EXPECT_GE(frames, 120);
  EXPECT_GT(compound, 0);
}

}  // namespace
}  // namespace perdix::client::vp9
