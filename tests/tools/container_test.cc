// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/container.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/tools/temp_path.h"

namespace perdix::client {
namespace {

using Bytes = std::vector<uint8_t>;

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

class ContainerTest : public testing::Test {
 protected:
  Status Open(const Bytes& bytes) {
    const std::string path = TempPath(":with:colons.vp9");
    std::remove(path.c_str());  // cheaper than writing over it
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               std::streamsize(bytes.size()));
    return Container::Open(path, &container_);
  }
  // All packets up to the end or to what is in status_.
  std::vector<Bytes> ReadAll() {
    std::vector<Bytes> packets;
    for (;;) {
      Packet packet;
      bool end = false;
      status_ = container_->Next(&packet, &end);
      if (!status_.ok() || end) return packets;
      packets.emplace_back(packet.data.begin(), packet.data.end());
    }
  }
  std::unique_ptr<Container> container_;
  Status status_;
};

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

TEST_F(ContainerTest, RefusesWhatIsNoContainer) {
  const Status status = Open(Bytes(100, 'x'));
  EXPECT_TRUE(
      status.message().starts_with("cannot open: no IVF, WebM or Matroska, "
                                   "and "))
      << status.message();
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

TEST_F(ContainerTest, ReadsWebm) {
  ASSERT_TRUE(
      Container::Open(PERDIX_CLIPS "/tiles_512x288.webm", &container_).ok());
  EXPECT_EQ(container_->frame_rate().numerator, 30);
  EXPECT_EQ(container_->frame_rate().denominator, 1);
  EXPECT_EQ(ReadAll().size(), 24u);  // hidden frames are in superframes
  EXPECT_TRUE(status_.ok());
}

// ---- WebM, made by hand: every size in two bytes ----

Bytes Element(const Bytes& id, const Bytes& content) {
  Bytes bytes = id;
  bytes.push_back(uint8_t(0x40 | content.size() >> 8));
  bytes.push_back(uint8_t(content.size()));
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

Bytes Join(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

Bytes Track(uint8_t number, const std::string& codec) {
  return Element({0xAE},
                 Join({Element({0xD7}, {number}),
                       Element({0x86}, Bytes(codec.begin(), codec.end())),
                       // 1001 / 30000 s
                       Element({0x23, 0xE3, 0x83}, {0x01, 0xFD, 0x22, 0x8B})}));
}

Bytes Block(uint8_t track, const Bytes& packet) {
  return Element({0xA3}, Join({{uint8_t(0x80 | track), 0, 0, 0x80}, packet}));
}

Bytes Webm(const std::vector<Bytes>& tracks, const std::vector<Bytes>& blocks) {
  return Join(
      {Element({0x1A, 0x45, 0xDF, 0xA3}, {}),
       Element({0x18, 0x53, 0x80, 0x67},
               Join({Element({0x16, 0x54, 0xAE, 0x6B}, Join(tracks)),
                     Element({0x1F, 0x43, 0xB6, 0x75}, Join(blocks))}))});
}

TEST_F(ContainerTest, ReadsTheFirstVp9TrackOfWebm) {
  const Status status =
      Open(Webm({Track(1, "A_OPUS"), Track(2, "V_VP9"), Track(3, "V_VP9")},
                {Block(2, {0x82, 1}), Block(1, {7}), Block(3, {0x83}),
                 Block(2, {0x86})}));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x82, 1}, {0x86}}));
  EXPECT_TRUE(status_.ok()) << status_.message();
  EXPECT_EQ(container_->frame_rate().numerator, 30000);
  EXPECT_EQ(container_->frame_rate().denominator, 1001);
}

TEST_F(ContainerTest, RefusesWebmOfOtherCodecs) {
  EXPECT_EQ(Open(Webm({Track(1, "A_OPUS"), Track(2, "V_VP8")}, {})).message(),
            "holds A_OPUS, V_VP8, allowed: V_VP9, V_AV1");
  EXPECT_EQ(Open(Webm({}, {})).message(),
            "holds no stream, allowed: V_VP9, V_AV1");
}

TEST_F(ContainerTest, SurvivesEveryTruncationOfWebm) {
  const Bytes file =
      Webm({Track(2, "V_VP9")}, {Block(2, {0x82, 1, 2, 3}), Block(2, {0x86})});
  for (size_t size = 0; size < file.size(); ++size) {
    if (Open(Bytes(file.begin(), file.begin() + ptrdiff_t(size))).ok()) {
      EXPECT_LE(ReadAll().size(), 1u);
    }
  }
  Bytes cut = file;
  cut.resize(file.size() - 9);  // in the first packet
  ASSERT_TRUE(Open(cut).ok());
  EXPECT_TRUE(ReadAll().empty());
  EXPECT_EQ(status_.message(),
            "packet of 3 bytes is cut short by the end of the file");
}

TEST_F(ContainerTest, SurvivesEveryWrongByteOfWebm) {
  const Bytes file =
      Webm({Track(2, "V_VP9")}, {Block(2, {0x82, 1, 2, 3}), Block(2, {0x86})});
  for (size_t at = 0; at < file.size(); ++at) {
    for (const uint8_t wrong : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      Bytes damaged = file;
      damaged[at] = wrong;
      if (!Open(damaged).ok()) continue;
      EXPECT_LE(ReadAll().size(), 3u);
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
