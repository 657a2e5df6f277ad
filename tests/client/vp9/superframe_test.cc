// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/superframe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perdix::client::vp9 {
namespace {

using Bytes = std::vector<uint8_t>;

// Frames of <sizes> bytes, each filled with its number, and their index.
Bytes Superframe(const std::vector<size_t>& sizes, int size_bytes) {
  Bytes packet;
  for (size_t i = 0; i < sizes.size(); ++i) {
    packet.insert(packet.end(), sizes[i], uint8_t(i + 1));
  }
  const uint8_t marker =
      uint8_t(0xc0 | (size_bytes - 1) << 3 | (sizes.size() - 1));
  packet.push_back(marker);
  for (const size_t size : sizes) {
    for (int i = 0; i < size_bytes; ++i) {
      packet.push_back(uint8_t(size >> 8 * i));
    }
  }
  packet.push_back(marker);
  return packet;
}

std::string Message(const Bytes& packet) {
  std::vector<std::span<const uint8_t>> frames;
  return SplitSuperframe(packet, &frames).message();
}

TEST(SuperframeTest, APacketWithoutIndexIsOneFrame) {
  const Bytes packet = {1, 2, 3};
  std::vector<std::span<const uint8_t>> frames;
  ASSERT_TRUE(SplitSuperframe(packet, &frames).ok());
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].data(), packet.data());
  EXPECT_EQ(frames[0].size(), 3u);
}

TEST(SuperframeTest, SplitsEveryCountAndSizeOfSize) {
  for (int size_bytes = 1; size_bytes <= 4; ++size_bytes) {
    for (size_t count = 1; count <= 8; ++count) {
      std::vector<size_t> sizes;
      for (size_t i = 0; i < count; ++i) sizes.push_back(1 + 30 * i);
      const Bytes packet = Superframe(sizes, size_bytes);
      std::vector<std::span<const uint8_t>> frames;
      ASSERT_TRUE(SplitSuperframe(packet, &frames).ok());
      ASSERT_EQ(frames.size(), count);
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(frames[i].size(), sizes[i]);
        EXPECT_EQ(frames[i].front(), i + 1);
        EXPECT_EQ(frames[i].back(), i + 1);
      }
    }
  }
}

TEST(SuperframeTest, RefusesAnEmptyPacket) {
  EXPECT_EQ(Message({}), "packet is empty");
}

TEST(SuperframeTest, RefusesAnIndexWithoutItsFirstMarker) {
  Bytes packet = Superframe({5, 6}, 1);
  packet[11] = 0;
  EXPECT_EQ(Message(packet),
            "superframe: first index byte is 0, must equal the last, 193");
}

TEST(SuperframeTest, RefusesAnIndexLongerThanThePacket) {
  EXPECT_EQ(Message({0xdf}), "superframe: index of 34 bytes in a packet of 1");
}

TEST(SuperframeTest, RefusesAFrameBeyondThePacket) {
  Bytes packet = Superframe({5, 6}, 1);
  packet[13] = 11;
  EXPECT_EQ(Message(packet),
            "superframe: frame 2 of 2 has size 11, allowed 1 to 10");
  packet[13] = 0;
  EXPECT_EQ(Message(packet),
            "superframe: frame 2 of 2 has size 0, allowed 1 to 10");
}

}  // namespace
}  // namespace perdix::client::vp9
