// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/container.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/client/container_fixture.h"
#include "tests/client/temp_path.h"

namespace perdix::client {
namespace {

void Append(Bytes& bytes, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(uint8_t(value >> 8 * i));
}

void AppendText(Bytes& bytes, const std::string& text) {
  for (const char c : text) bytes.push_back(uint8_t(c));
}

// An IVF file, 30 frames per second.
Bytes Ivf(const std::string& fourcc, const std::vector<Bytes>& packets) {
  Bytes file;
  AppendText(file, "DKIF");
  Append(file, 0, 2);
  Append(file, 32, 2);
  AppendText(file, fourcc);
  Append(file, 64, 2);
  Append(file, 48, 2);
  Append(file, 30, 4);
  Append(file, 1, 4);
  Append(file, packets.size(), 8);
  for (size_t i = 0; i < packets.size(); ++i) {
    Append(file, packets[i].size(), 4);
    Append(file, i, 8);
    file.insert(file.end(), packets[i].begin(), packets[i].end());
  }
  return file;
}

TEST_F(ContainerTest, ReadsIvfWhateverItsName) {
  const std::vector<Bytes> packets = {{0x82, 1, 2, 3}, {0x86}, {0x86, 5}};
  const Status status = Open(Ivf("VP90", packets));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(ReadAll(), packets);
  EXPECT_TRUE(status_.ok());
  EXPECT_EQ(container_->frame_rate().numerator, 30);
  EXPECT_EQ(container_->frame_rate().denominator, 1);
}

TEST_F(ContainerTest, RefusesAnotherCodec) {
  const Status status = Open(Ivf("VP80", {{1, 2, 3}}));
  EXPECT_EQ(status.message(), "holds VP80, allowed: VP90, AV01");
}

TEST_F(ContainerTest, SaysWhatAnUnknownFileBeginsWith) {
  const std::string allowed =
      ", allowed: WebM, Matroska, IVF, MP4, OBUs of AV1";
  Bytes avi;
  AppendText(avi, "RIFF");
  Append(avi, 0x1234ff, 4);
  AppendText(avi, "AVI LIST");
  EXPECT_EQ(
      Open(avi).message(),
      "cannot open: begins with 52 49 46 46 ff 34 12 00 (RIFF.4..)" + allowed);
  EXPECT_EQ(Open({0x0a}).message(),
            "cannot open: begins with 0a (.)" + allowed);
  EXPECT_EQ(Open({}).message(), "cannot open: is empty" + allowed);
}

// ---- IVF with damage ----

// Packets of some hundred bytes that look like nothing.
std::vector<Bytes> SomePackets(size_t count) {
  std::vector<Bytes> packets(count);
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    packets[i].resize(200 + 37 * i);
    for (uint8_t& byte : packets[i]) {
      state = state * 1664525 + 1013904223;
      byte = uint8_t(state >> 24);
    }
  }
  return packets;
}

// Where the packet's header begins in a file of Ivf().
size_t IvfHeader(const std::vector<Bytes>& packets, size_t index) {
  size_t at = 32;
  for (size_t i = 0; i < index; ++i) at += 12 + packets[i].size();
  return at;
}

std::vector<Bytes> Without(std::vector<Bytes> packets, size_t index) {
  packets.erase(packets.begin() + ptrdiff_t(index));
  return packets;
}

TEST_F(ContainerTest, IvfGoesOnBehindASizeThatCannotBe) {
  const std::vector<Bytes> packets = SomePackets(7);
  for (size_t damaged = 0; damaged < packets.size(); ++damaged) {
    for (const uint8_t high : {0x7f, 0xff, 0x01}) {  // byte 3 of the size
      SCOPED_TRACE(std::to_string(damaged) + " " + std::to_string(high));
      Bytes file = Ivf("VP90", packets);
      file[IvfHeader(packets, damaged) + 3] = high;
      ASSERT_TRUE(Open(file).ok());
      EXPECT_EQ(ReadOn(), Without(packets, damaged));
      EXPECT_EQ(messages_.size(), 1u);
      // and without going on nothing else changes
      ASSERT_TRUE(Open(file).ok());
      EXPECT_EQ(ReadAll().size(), damaged);
    }
  }
}

TEST_F(ContainerTest, SaysWhichSizeAnIvfPacketMayHave) {
  Bytes file = Ivf("VP90", {{0x82}});
  file[32 + 3] = 0x80;
  ASSERT_TRUE(Open(file).ok());
  EXPECT_TRUE(ReadAll().empty());
  EXPECT_EQ(status_.message(),
            "packet has 2147483649 bytes or more, allowed: 1073741824");
}

// What it lacks it takes from those behind it, until one is found whole.
TEST_F(ContainerTest, IvfGoesOnBehindAPacketThatLacksBytes) {
  const std::vector<Bytes> packets = SomePackets(9);
  for (const int bytes : {1, 3, 11, 12, 50}) {
    SCOPED_TRACE(bytes);
    Bytes file = Ivf("VP90", packets);
    const auto at = file.begin() + ptrdiff_t(IvfHeader(packets, 3)) + 12 + 20;
    file.erase(at, at + bytes);
    ASSERT_TRUE(Open(file).ok());
    const std::vector<Bytes> read = ReadOn();
    EXPECT_EQ(messages_.size(), 1u);
    ASSERT_GE(read.size(), 6u);
    EXPECT_TRUE(std::equal(read.begin(), read.begin() + 3, packets.begin()));
    EXPECT_TRUE(std::equal(read.end() - 2, read.end(), packets.end() - 2));
  }
}

TEST_F(ContainerTest, AnIvfThatEndsEarlyEnds) {
  const std::vector<Bytes> packets = SomePackets(3);
  Bytes file = Ivf("VP90", packets);
  file.resize(file.size() - 5);
  ASSERT_TRUE(Open(file).ok());
  EXPECT_EQ(ReadOn(), Without(packets, 2));
  EXPECT_EQ(messages_.size(), 1u);
}

TEST_F(ContainerTest, GivesEmptyPacketsOfIvf) {
  const std::vector<Bytes> packets = {{0x82, 1}, {}, {0x86, 5}, {}};
  ASSERT_TRUE(Open(Ivf("AV01", packets)).ok());
  EXPECT_EQ(ReadAll(), packets);
  EXPECT_TRUE(status_.ok());
}

TEST_F(ContainerTest, ReadsIvfWithALongerHeader) {
  Bytes file = Ivf("VP90", {{0x82, 1}});
  file[6] = 36;
  file.insert(file.begin() + 32, {9, 9, 9, 9});
  ASSERT_TRUE(Open(file).ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x82, 1}}));
  file[7] = 0xff;  // it would end behind the file
  ASSERT_TRUE(Open(file).ok());
  EXPECT_TRUE(ReadAll().empty());
  EXPECT_TRUE(status_.ok());
}

TEST_F(ContainerTest, SaysThatAFileIsMissing) {
  const Status status = Container::Open("/nonexistent.ivf", &container_);
  EXPECT_EQ(status.message(), "cannot open: No such file or directory");
}

TEST_F(ContainerTest, RefusesAPacketCutShort) {
  Bytes file = Ivf("VP90", {{0x82, 1, 2, 3}, {0x86, 1, 2, 3, 4, 5}});
  file.pop_back();
  ASSERT_TRUE(Open(file).ok());
  EXPECT_EQ(ReadAll().size(), 1u);
  EXPECT_EQ(status_.message(),
            "packet of 5 bytes is cut short by the end of the file");
}

TEST_F(ContainerTest, SurvivesEveryTruncation) {
  const Bytes file = Ivf("VP90", {{0x82, 1, 2, 3}, {0x86, 5}});
  for (size_t size = 0; size < file.size(); ++size) {
    if (Open(Bytes(file.begin(), file.begin() + ptrdiff_t(size))).ok()) {
      EXPECT_LE(ReadAll().size(), 1u);
    }
  }
}

// ---- MP4: a clip whose packets were put into another container ----

class Mp4Test : public ContainerTest {
 protected:
  void SetUp() override {
    const Status status = Container::Open(kMp4, &container_);
    if (status.message().find("MP4 needs libavformat") != std::string::npos) {
      GTEST_SKIP() << status.message();
    }
    ASSERT_TRUE(status.ok()) << status.message();
    std::ifstream file(kMp4, std::ios::binary);
    file_.assign(std::istreambuf_iterator<char>(file), {});
  }

  // The first byte of a box's content in file_.
  size_t Content(const std::string& type) const {
    const auto at =
        std::search(file_.begin(), file_.end(), type.begin(), type.end());
    EXPECT_NE(at, file_.end()) << type;
    return size_t(at - file_.begin()) + type.size();
  }
  void Put32(size_t at, uint32_t value) {
    for (int i = 0; i < 4; ++i) file_[at + i] = uint8_t(value >> (24 - 8 * i));
  }

  static constexpr const char* kMp4 = PERDIX_CLIPS "/odd_99x57.mp4";
  Bytes file_;
};

TEST_F(Mp4Test, HasThePacketsOfTheWebm) {
  EXPECT_STREQ(container_->codec().name, "VP9");
  EXPECT_NEAR(double(container_->frame_rate().numerator) /
                  double(container_->frame_rate().denominator),
              24, 0.01);
  const std::vector<Bytes> packets = ReadAll();
  EXPECT_TRUE(status_.ok()) << status_.message();
  EXPECT_EQ(packets.size(), 40u);
  ASSERT_TRUE(
      Container::Open(PERDIX_CLIPS "/odd_99x57.webm", &container_).ok());
  EXPECT_EQ(packets, ReadAll());
}

TEST_F(Mp4Test, WhatAnEditListLeavesOutIsNotOutput) {
  const size_t list = Content("elst");  // an empty edit, and all of the track
  const size_t durations = Content("stts");
  const uint32_t frame = file_[durations + 14] << 8 | file_[durations + 15];
  Put32(list + 24, 7 * frame);  // media_time
  ASSERT_TRUE(Open(file_).ok());
  std::vector<bool> output;
  for (;;) {
    Packet packet;
    bool end = false;
    ASSERT_TRUE(container_->Next(&packet, &end).ok());
    if (end) break;
    output.push_back(packet.output);
  }
  std::vector<bool> expected(40, true);
  std::fill_n(expected.begin(), 7, false);
  EXPECT_EQ(output, expected) << output.size();
}

TEST_F(Mp4Test, NamesEncryptedPackets) {
  ASSERT_TRUE(
      Container::Open(PERDIX_CLIPS "/encrypted_99x57.mp4", &container_).ok());
  EXPECT_TRUE(ReadAll().empty());
  EXPECT_EQ(status_.message(),
            "packet is encrypted, allowed: packets that are not");
}

// libavformat finds out no more about such a track.
TEST_F(Mp4Test, NamesAnEncryptedTrack) {
  std::ranges::copy(std::string("encv"),
                    file_.begin() + ptrdiff_t(Content("vp09") - 4));
  EXPECT_EQ(Open(file_).message(),
            "holds encrypted video (encv), allowed: vp9, av1");
}

TEST_F(Mp4Test, NamesDolbyVision) {
  for (const std::string entry : {"dav1", "dvav", "dva1", "dvh1", "dvhe"}) {
    std::ranges::copy(entry, file_.begin() + ptrdiff_t(Content("vp09") - 4));
    EXPECT_EQ(Open(file_).message(),
              "holds Dolby Vision (" + entry + "), allowed: vp9, av1");
    std::ranges::copy(std::string("vp09"),
                      file_.begin() + ptrdiff_t(Content(entry) - 4));
  }
}

TEST_F(Mp4Test, SaysThatItsIndexIsDamaged) {
  file_.resize(Content("mdat"));
  const Status status = Open(file_);
  EXPECT_TRUE(status.message().starts_with("cannot open: MP4 is damaged: "))
      << status.message();
}

TEST_F(Mp4Test, RefusesAnotherCodec) {
  const size_t entry = Content("vp09");
  file_[entry - 4] = 'a', file_[entry - 3] = 'v', file_[entry - 2] = 'c',
                file_[entry - 1] = '1';
  EXPECT_EQ(Open(file_).message(), "holds h264, allowed: vp9, av1");
}

TEST_F(Mp4Test, RefusesAPacketCutShort) {
  const size_t sizes = Content("stsz");
  Put32(sizes + 12 + 39 * 4, 1 << 20);  // of the last packet
  ASSERT_TRUE(Open(file_).ok());
  EXPECT_EQ(ReadAll().size(), 39u);
  EXPECT_NE(status_.message().find("is cut short"), std::string::npos)
      << status_.message();
}

// 4 billion packets of one byte, whose index would have 100 GB.
TEST_F(Mp4Test, AHugeIndexIsRefused) {
  const size_t sizes = Content("stsz");
  Put32(sizes + 4, 1);
  Put32(sizes + 8, UINT32_MAX);
  const size_t chunks = Content("stsc");
  Put32(chunks + 12, UINT32_MAX);
  if (Open(file_).ok()) {
    EXPECT_LE(ReadAll().size(), file_.size());
  }
}

// What opens a file of its own, or a connection, is not looked at.
TEST_F(Mp4Test, RefusesAPlaylist) {
  const std::string path = TempPath(".session");
  std::ofstream(path) << "ffconcat version 1.0\nfile " << kMp4 << "\n";
  EXPECT_FALSE(Container::Open(path, &container_).ok());
  std::ofstream(path) << "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n"
                      << "file://" << kMp4 << "\n#EXT-X-ENDLIST\n";
  EXPECT_FALSE(Container::Open(path, &container_).ok());
}

TEST_F(Mp4Test, SurvivesTruncation) {
  for (size_t size = 0; size < file_.size(); size += size < 64 ? 1 : 61) {
    const Bytes cut(file_.begin(), file_.begin() + ptrdiff_t(size));
    if (Open(cut).ok()) {
      EXPECT_LE(ReadAll().size(), 40u);
    }
  }
}

TEST_F(Mp4Test, SurvivesEveryWrongByteOfItsIndex) {
  for (size_t at = Content("moov"); at < file_.size(); ++at) {
    for (const uint8_t wrong : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      Bytes damaged = file_;
      damaged[at] = wrong;
      if (!Open(damaged).ok()) continue;
      EXPECT_LE(ReadAll().size(), file_.size()) << at;
    }
  }
}

}  // namespace
}  // namespace perdix::client
