// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/obu.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "client/bitstream/av1/syntax.h"
#include "tests/client/av1/stream_writer.h"

namespace perdix::client::av1 {
namespace {

bool Leb128(const Bytes& bytes, uint32_t* value, size_t* size) {
  return ReadLeb128(bytes, value, size);
}

TEST(Leb128Test, HasSevenBitsAByteTheLowOnesFirst) {
  uint32_t value = 0;
  size_t size = 0;
  ASSERT_TRUE(Leb128({0x7f}, &value, &size));
  EXPECT_EQ(value, 127u);
  ASSERT_TRUE(Leb128({0xe5, 0x8e, 0x26, 0xff}, &value, &size));
  EXPECT_EQ(value, 624485u);
  EXPECT_EQ(size, 3u);
  ASSERT_TRUE(Leb128({0xff, 0xff, 0xff, 0xff, 0x0f}, &value, &size));
  EXPECT_EQ(value, UINT32_MAX);
}

TEST(Leb128Test, MayBePaddedUpToEightBytes) {
  uint32_t value = 0;
  size_t size = 0;
  ASSERT_TRUE(
      Leb128({0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, &value, &size));
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(size, 8u);
  EXPECT_FALSE(Leb128(Bytes(9, 0x80), &value, &size));
}

TEST(Leb128Test, RefusesMoreThan32BitsAndWhatIsCut) {
  uint32_t value = 0;
  size_t size = 0;
  EXPECT_FALSE(Leb128({0x80, 0x80, 0x80, 0x80, 0x10}, &value, &size));
  EXPECT_FALSE(Leb128({0x80}, &value, &size));
  EXPECT_FALSE(Leb128({}, &value, &size));
}

TEST(ObuTest, TakesOneAfterTheOther) {
  const Bytes bytes = Join({WriteObu(ObuType::kTemporalDelimiter, {}),
                            WriteObu(ObuType::kFrame, {1, 2, 3},
                                     {.temporal_id = 5, .spatial_id = 2})});
  std::span<const uint8_t> rest = bytes;
  Obu obu;
  ASSERT_TRUE(TakeObu(&rest, &obu).ok());
  EXPECT_EQ(obu.type, ObuType::kTemporalDelimiter);
  EXPECT_FALSE(obu.has_extension);
  EXPECT_TRUE(obu.payload.empty());
  ASSERT_TRUE(TakeObu(&rest, &obu).ok());
  EXPECT_EQ(obu.type, ObuType::kFrame);
  EXPECT_EQ(obu.temporal_id, 5);
  EXPECT_EQ(obu.spatial_id, 2);
  EXPECT_EQ(obu.payload.size(), 3u);
  EXPECT_TRUE(rest.empty());
}

TEST(ObuTest, WithoutASizeReachesToTheEnd) {
  const Bytes bytes = {uint8_t(ObuType::kPadding) << 3, 7, 8, 9};
  std::span<const uint8_t> rest = bytes;
  Obu obu;
  ASSERT_TRUE(TakeObu(&rest, &obu).ok());
  EXPECT_EQ(obu.payload.size(), 3u);
}

TEST(ObuTest, SaysBothSizesWhereOneIsTooLarge) {
  const Bytes bytes = {0x32, 5, 1, 2};
  std::span<const uint8_t> rest = bytes;
  Obu obu;
  const Status status = TakeObu(&rest, &obu);
  EXPECT_EQ(status.message(), "obu_size is 5, allowed: 0 to 2, which follow");
}

TEST(ObuTest, RefusesTheForbiddenBit) {
  const Bytes bytes = {0x92, 0};
  std::span<const uint8_t> rest = bytes;
  Obu obu;
  EXPECT_FALSE(TakeObu(&rest, &obu).ok());
}

TEST(ObuTest, IsDroppedByLayerOnlyIfItHasOne) {
  constexpr uint32_t kIdc = 0x101;  // temporal layer 0, spatial layer 0
  Obu obu;
  obu.type = ObuType::kFrame;
  obu.spatial_id = 1;
  EXPECT_FALSE(IsDropped(obu, kIdc));
  obu.has_extension = true;
  EXPECT_TRUE(IsDropped(obu, kIdc));
  EXPECT_FALSE(IsDropped(obu, 0));
  EXPECT_FALSE(IsDropped(obu, 0x301));
  obu.type = ObuType::kSequenceHeader;
  EXPECT_FALSE(IsDropped(obu, kIdc));
}

// A unit of a delimiter and a padding OBU, with and without obu_size.
const Bytes kAnnexB = {8, 7, 1, 0x10, 4, 0x7a, 2, 0xaa, 0xbb};

TEST(AnnexBTest, GivesEachObuASize) {
  Bytes units;
  ASSERT_TRUE(FromAnnexB(std::span(kAnnexB).subspan(1), &units).ok());
  EXPECT_EQ(units, (Bytes{0x12, 0, 0x7a, 2, 0xaa, 0xbb}));
}

TEST(AnnexBTest, ATemporalUnitHasOneDelimiter) {
  Bytes units;
  // two frame units of a delimiter and a padding OBU
  const Bytes frame_unit = {5, 1, 0x10, 2, 0x78, 9};
  ASSERT_TRUE(FromAnnexB(Join({frame_unit, frame_unit}), &units).ok());
  EXPECT_EQ(units, (Bytes{0x12, 0, 0x7a, 1, 9, 0x7a, 1, 9}));
  // and the next unit has its own
  ASSERT_TRUE(FromAnnexB(frame_unit, &units).ok());
  EXPECT_EQ(units.size(), 8u + 5);
}

TEST(AnnexBTest, ADelimiterThatIsNotTheFirstIsLeftOut) {
  Bytes units;
  ASSERT_TRUE(FromAnnexB(Bytes{5, 2, 0x78, 9, 1, 0x10}, &units).ok());
  EXPECT_EQ(units, (Bytes{0x7a, 1, 9}));
}

TEST(AnnexBTest, RefusesSizesThatDoNotFit) {
  Bytes units;
  EXPECT_FALSE(FromAnnexB(Bytes{3, 1, 0x10}, &units).ok());
  EXPECT_FALSE(FromAnnexB(Bytes{2, 2, 0x10}, &units).ok());
  // obu_length 4, obu_size 1
  EXPECT_FALSE(FromAnnexB(Bytes{5, 4, 0x7a, 1, 1, 1}, &units).ok());
}

TEST(ObuFormatTest, IsToldByTheFirstBytes) {
  EXPECT_EQ(ProbeObuFormat(kAnnexB), ObuFormat::kAnnexB);
  EXPECT_EQ(ProbeObuFormat(Bytes{0x12, 0, 0x0a, 1}), ObuFormat::kLowOverhead);
  EXPECT_EQ(ProbeObuFormat(Bytes{0x12, 0}), ObuFormat::kLowOverhead);
}

TEST(ObuFormatTest, SizesMayBePadded) {
  EXPECT_EQ(ProbeObuFormat(Bytes{0x94, 0x80, 0x00, 0x88, 0x00, 0x83, 0x00, 0x12,
                                 0x80, 0x00}),
            ObuFormat::kAnnexB);
}

TEST(ObuFormatTest, TheDelimiterMayHaveAnExtension) {
  EXPECT_EQ(ProbeObuFormat(Bytes{0x16, 0x08, 0, 0x0a, 1}),
            ObuFormat::kLowOverhead);
  EXPECT_EQ(ProbeObuFormat(Bytes{9, 8, 2, 0x14, 0x08, 4, 0x7a, 2, 0xaa, 0xbb}),
            ObuFormat::kAnnexB);
}

TEST(ObuFormatTest, TheDelimiterMayBeMissing) {
  const Bytes sequence = WriteSequence({});
  const Bytes obu = WriteObu(ObuType::kSequenceHeader, sequence);
  EXPECT_EQ(ProbeObuFormat(obu), ObuFormat::kLowOverhead);
  EXPECT_EQ(ProbeObuFormat(Join({obu, {0x32, 1}})), ObuFormat::kLowOverhead);
  EXPECT_EQ(ProbeObuFormat(Join({obu, {0x30, 1}})), ObuFormat::kNone);
  const Bytes plain = Join({{uint8_t(sequence.size() + 1), 0x08}, sequence});
  const Bytes frame_unit = Join({{uint8_t(plain.size())}, plain});
  EXPECT_EQ(ProbeObuFormat(Join({{uint8_t(frame_unit.size())}, frame_unit})),
            ObuFormat::kAnnexB);
  // no sequence header
  EXPECT_EQ(ProbeObuFormat(Bytes{0x0a, 3, 'a', 'b', 'c'}), ObuFormat::kNone);
  EXPECT_EQ(ProbeObuFormat(WriteFrame({}, {})), ObuFormat::kNone);
}

TEST(ObuFormatTest, OthersAreNeither) {
  EXPECT_EQ(ProbeObuFormat({}), ObuFormat::kNone);
  // MP4: a box's size comes first
  EXPECT_EQ(ProbeObuFormat(Bytes{0, 0, 0, 0x20, 'f', 't', 'y', 'p'}),
            ObuFormat::kNone);
  // the delimiter has a payload
  EXPECT_EQ(ProbeObuFormat(Bytes{0x12, 1, 0}), ObuFormat::kNone);
  // the frame unit is larger than its temporal unit
  EXPECT_EQ(ProbeObuFormat(Bytes{8, 9, 1, 0x10}), ObuFormat::kNone);
}

TEST(ConfigurationTest, IsBehindTheFixedBytes) {
  const Bytes obus = WriteObu(ObuType::kSequenceHeader, {1, 2});
  EXPECT_EQ(ConfigurationObus(Join({{0x81, 0, 0, 0}, obus})), obus);
  EXPECT_TRUE(ConfigurationObus(Join({{0x01, 0, 0, 0}, obus})).empty());
  EXPECT_TRUE(ConfigurationObus(Bytes{0x81, 0, 0, 0, 0x0a, 9}).empty());
  EXPECT_TRUE(ConfigurationObus({}).empty());
}

}  // namespace
}  // namespace perdix::client::av1
