// SPDX-License-Identifier: BSD-2-Clause
// The headers that are written, beside the client's parser.
#include <gtest/gtest.h>

#include "client/bitstream/av1/packet_parser.h"
#include "client/bitstream/av1/syntax.h"
#include "client/bitstream/bit_reader.h"
#include "tests/conformance/make_stream/av1/field_writer.h"
#include "tests/conformance/make_stream/av1/make.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {
namespace {

TEST(FieldWriterTest, IsReadAsItWasWritten) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    FieldWriter writer;
    const int count = random.Between(1, 32);
    const uint32_t number = writer.Bits("", count, random.Bits(count));
    const int most = (1 << (count < 31 ? count - 1 : 29)) - 1;
    const int with_sign =
        writer.Signed("", std::min(count, 30), random.Between(-most - 1, most));
    const uint32_t values = 1 + random.Below(70000);
    const uint32_t below =
        writer.NonSymmetric("", values, random.Below(values));
    const uint32_t uvlc = writer.Uvlc("", random.Bits(random.Between(0, 31)));
    const std::vector<uint8_t> bytes = writer.Bytes(true);
    client::BitReader reader(bytes);
    EXPECT_EQ(client::av1::ReadLong(reader, count), number);
    EXPECT_EQ(client::av1::ReadSigned(reader, std::min(count, 30)), with_sign);
    EXPECT_EQ(client::av1::ReadNonSymmetric(reader, values), below);
    EXPECT_EQ(client::av1::ReadUvlc(reader), uvlc);
    EXPECT_TRUE(reader.Flag());
    EXPECT_EQ(reader.bytes_read(), bytes.size());
  }
}

TEST(FieldWriterTest, WritesLengths) {
  for (const uint32_t value : {0u, 1u, 127u, 128u, 300u, 70000u, 0xffffffffu}) {
    for (size_t least = 1; least <= 8; ++least) {
      std::vector<uint8_t> bytes;
      AppendLeb128(value, least, &bytes);
      uint32_t read = 0;
      size_t size = 0;
      ASSERT_TRUE(client::av1::ReadLeb128(bytes, &read, &size));
      EXPECT_EQ(read, value);
      EXPECT_EQ(size, bytes.size());
      EXPECT_GE(size, least);
    }
  }
}

TEST(MakeStreamTest, MakesWhatTheClientAccepts) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Stream stream = MakeStream(seed);
    const auto parser = client::av1::OpenPacketParser();
    for (const std::vector<uint8_t>& packet : stream.packets) {
      parser->Begin(packet);
      client::CodedFrame frame;
      bool end = false;
      while (!end) {
        const Status status = parser->Next(&frame, &end);
        ASSERT_TRUE(status.ok()) << seed << ": " << status.message();
      }
    }
  }
}

TEST(MakeStreamTest, MakesTheSameOfASeed) {
  for (uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_EQ(MakeStream(seed).packets, MakeStream(seed).packets);
}

}  // namespace
}  // namespace perdix::make_stream::av1
