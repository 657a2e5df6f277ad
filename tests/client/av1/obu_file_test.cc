// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/obu_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "client/container/container.h"
#include "tests/client/av1/stream_writer.h"
#include "tests/client/temp_path.h"

namespace perdix::client::av1 {
namespace {

class ObuFileTest : public testing::Test {
 protected:
  // The packets' sizes, and "!" for a failure, behind which it goes on if it
  // can.
  std::string Packets(const Bytes& bytes) {
    const std::string path = TempPath(".obu");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               std::streamsize(bytes.size()));
    std::unique_ptr<Container> container;
    const Status opened = Container::Open(path, &container);
    std::remove(path.c_str());
    if (!opened.ok()) return opened.message();
    EXPECT_STREQ(container->codec().name, "AV1");
    std::string log;
    for (;;) {
      Packet packet;
      bool end = false;
      const Status status = container->Next(&packet, &end);
      if (!status.ok()) log += "!";
      if (!status.ok() && container->Resync()) continue;
      if (!status.ok() || end) return log;
      log += std::to_string(packet.data.size()) + " ";
    }
  }
};

const Bytes kDelimiter = {0x12, 0};
const Bytes kPadding = {0x7a, 2, 1, 2};

TEST_F(ObuFileTest, ATemporalUnitIsAPacket) {
  EXPECT_EQ(Packets(Join({kDelimiter, kPadding, kPadding, kDelimiter, kPadding,
                          kDelimiter})),
            "10 6 2 ");
}

TEST_F(ObuFileTest, TheFirstDelimiterMayBeMissing) {
  const Bytes sequence = WriteObu(ObuType::kSequenceHeader, WriteSequence({}));
  EXPECT_EQ(Packets(Join({sequence, kPadding, kDelimiter, kPadding})),
            std::to_string(sequence.size() + 4) + " 6 ");
}

TEST_F(ObuFileTest, ADelimiterWithAnExtensionBeginsAUnit) {
  const Bytes delimiter = {0x16, 0x08, 0};
  EXPECT_EQ(Packets(Join({delimiter, kPadding, delimiter, kPadding})), "7 7 ");
}

TEST_F(ObuFileTest, SaysThatAnObuIsCut) {
  EXPECT_EQ(Packets(Join({kDelimiter, kPadding, kDelimiter, {0x7a, 9, 1}})),
            "6 !");
  EXPECT_EQ(Packets(Join({kDelimiter, {0x7a}})), "!");
}

TEST_F(ObuFileTest, AnnexBUnitsGetSizes) {
  const Bytes unit = {6, 5, 1, 0x10, 2, 0x78, 9};  // a padding of one byte
  EXPECT_EQ(Packets(Join({unit, {0}, unit})), "5 5 ");
}

TEST_F(ObuFileTest, GoesOnBehindAnAnnexBUnitThatIsDamagedInside) {
  const Bytes unit = {6, 5, 1, 0x10, 2, 0x78, 9};
  const Bytes damaged = {6, 5, 1, 0x10, 3, 0x78, 9};
  EXPECT_EQ(Packets(Join({unit, damaged, unit})), "5 !5 ");
}

TEST_F(ObuFileTest, SaysThatAnAnnexBUnitIsCut) {
  const Bytes unit = {6, 5, 1, 0x10, 2, 0x78, 9};
  EXPECT_EQ(Packets(Join({unit, {6, 5, 1}})), "5 !");
}

}  // namespace
}  // namespace perdix::client::av1
