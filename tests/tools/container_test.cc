// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/container.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
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
  // All packets, those behind damage too; messages_: what was wrong between.
  std::vector<Bytes> ReadOn() {
    std::vector<Bytes> all;
    messages_.clear();
    for (bool more = true; more;) {
      const std::vector<Bytes> packets = ReadAll();
      all.insert(all.end(), packets.begin(), packets.end());
      if (!status_.ok()) messages_.push_back(status_.message());
      more = !status_.ok() && container_->Resync();
    }
    return all;
  }

  std::unique_ptr<Container> container_;
  Status status_;
  std::vector<std::string> messages_;
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

// more: other elements of the track
Bytes Track(uint8_t number, const std::string& codec, const Bytes& more = {}) {
  return Element(
      {0xAE},
      Join({Element({0xD7}, {number}),
            Element({0x86}, Bytes(codec.begin(), codec.end())),
            // 1001 / 30000 s
            Element({0x23, 0xE3, 0x83}, {0x01, 0xFD, 0x22, 0x8B}), more}));
}

Bytes Block(uint8_t track, const Bytes& packet) {
  return Element({0xA3}, Join({{uint8_t(0x80 | track), 0, 0, 0x80}, packet}));
}

Bytes Cluster(const std::vector<Bytes>& blocks) {
  return Element({0x1F, 0x43, 0xB6, 0x75},
                 Join({Element({0xE7}, {1}), Join(blocks)}));
}

Bytes WebmOf(const std::vector<Bytes>& tracks,
             const std::vector<Bytes>& clusters) {
  return Join({Element({0x1A, 0x45, 0xDF, 0xA3}, {}),
               Element({0x18, 0x53, 0x80, 0x67},
                       Join({Element({0x16, 0x54, 0xAE, 0x6B}, Join(tracks)),
                             Join(clusters)}))});
}

Bytes Webm(const std::vector<Bytes>& tracks, const std::vector<Bytes>& blocks) {
  return WebmOf(tracks, {Cluster(blocks)});
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

TEST_F(ContainerTest, EmptyBlocksOfWebmAreNoPackets) {
  const Bytes group = Element({0xA0}, Element({0xA1}, {0x82, 0, 0, 0}));
  // the track's number in two bytes
  const Bytes wide = Element({0xA3}, {0x40, 2, 0, 0, 0x80});
  ASSERT_TRUE(Open(Webm({Track(2, "V_AV1")},
                        {Block(2, {}), Block(2, {0x82, 1}), group, wide,
                         Block(2, {}), Block(2, {0x86}), Block(2, {})}))
                  .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x82, 1}, {0x86}}));
  EXPECT_TRUE(status_.ok()) << status_.message();
}

// ---- WebM with damage ----

class DamagedWebmTest : public ContainerTest {
 protected:
  // Three clusters of two packets each; what changes the second one.
  Bytes File(const std::function<void(Bytes&)>& change) {
    std::vector<Bytes> clusters;
    for (uint8_t i = 0; i < 3; ++i) {
      clusters.push_back(Cluster(
          {Block(2, Packet(2 * i)), Block(2, Packet(uint8_t(2 * i + 1)))}));
    }
    change(clusters[1]);
    return WebmOf({Track(2, "V_VP9")}, clusters);
  }
  static Bytes Packet(uint8_t number) { return Bytes(60, number); }

  // The first byte of each packet that is read.
  std::string Read(const std::function<void(Bytes&)>& change) {
    EXPECT_TRUE(Open(File(change)).ok());
    std::string log;
    for (const Bytes& packet : ReadOn()) {
      log += packet == Packet(packet.at(0)) ? std::to_string(packet[0]) : "?";
    }
    return log;
  }
};

TEST_F(DamagedWebmTest, GoesOnAtTheNextCluster) {
  EXPECT_EQ(Read([](Bytes&) {}), "012345");
  EXPECT_TRUE(messages_.empty());
  // an id that is none, as in a file that lost a sector
  EXPECT_EQ(Read([](Bytes& cluster) { cluster[0] = 0; }), "0145");
  EXPECT_EQ(messages_.size(), 1u);
  EXPECT_TRUE(messages_[0].starts_with("WebM is damaged at byte "));
  // within a cluster
  EXPECT_EQ(Read([](Bytes& cluster) { cluster[10 + 67] = 0; }), "01245");
  EXPECT_EQ(messages_.size(), 1u);
}

TEST_F(DamagedWebmTest, AClusterWithAnotherIdIsMissed) {
  EXPECT_EQ(Read([](Bytes& cluster) { cluster[3] ^= 1; }), "0145");
  EXPECT_EQ(messages_.size(), 1u);
}

TEST_F(DamagedWebmTest, AClusterThatIsTooLongEndsAtTheNext) {
  EXPECT_EQ(Read([](Bytes& cluster) { cluster[5] += 100; }), "012345");
  EXPECT_EQ(messages_.size(), 1u);
}

TEST_F(DamagedWebmTest, AClusterThatIsTooShortIsSeen) {
  EXPECT_EQ(Read([](Bytes& cluster) { cluster[5] -= 30; }), "01245");
  EXPECT_EQ(messages_.size(), 1u);
}

TEST_F(DamagedWebmTest, SurvivesEveryWrongByte) {
  const Bytes file = File([](Bytes&) {});
  for (size_t at = 0; at < file.size(); ++at) {
    for (const uint8_t wrong : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      Bytes damaged = file;
      damaged[at] = wrong;
      if (!Open(damaged).ok()) continue;
      EXPECT_LE(ReadOn().size(), 6u) << at;
      EXPECT_LE(messages_.size(), 3u) << at;
    }
  }
}

// ---- WebM whose frames are packed ----

// A ContentEncoding. order: the last is undone first.
Bytes Encoding(uint8_t order, uint8_t type, const Bytes& how) {
  return Element({0x62, 0x40}, Join({Element({0x50, 0x31}, {order}),
                                     Element({0x50, 0x32}, {1}),
                                     Element({0x50, 0x33}, {type}), how}));
}

// A ContentEncoding of a ContentCompression.
Bytes Compression(uint8_t order, uint8_t algorithm, const Bytes& settings) {
  return Encoding(
      order, 0,
      Element({0x50, 0x34}, Join({Element({0x42, 0x54}, {algorithm}),
                                  Element({0x42, 0x55}, settings)})));
}

Bytes Encodings(const std::vector<Bytes>& encodings) {
  return Element({0x6D, 0x80}, Join(encodings));
}

Bytes Deflate(const Bytes& bytes) {
  uLongf size = compressBound(uLong(bytes.size()));
  Bytes packed(size);
  EXPECT_EQ(
      compress2(packed.data(), &size, bytes.data(), uLong(bytes.size()), 9),
      Z_OK);
  packed.resize(size);
  return packed;
}

TEST_F(ContainerTest, UnpacksZlib) {
  const Bytes first(100'000, 0x82);
  ASSERT_TRUE(Open(Webm({Track(2, "V_VP9", Encodings({Compression(0, 0, {})}))},
                        {Block(2, Deflate(first)), Block(2, {}),
                         Block(2, Deflate({0x86}))}))
                  .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{first, {0x86}}));
  EXPECT_TRUE(status_.ok()) << status_.message();
}

TEST_F(ContainerTest, ZlibIsWhatIsMeantIfNothingIsSaid) {
  ASSERT_TRUE(Open(Webm({Track(2, "V_VP9", Encodings({Encoding(0, 0, {})}))},
                        {Block(2, Deflate({0x86}))}))
                  .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x86}}));
}

TEST_F(ContainerTest, PutsBackStrippedHeaders) {
  ASSERT_TRUE(Open(Webm({Track(1, "A_OPUS", Encodings({Compression(0, 0, {})})),
                         Track(2, "V_VP9",
                               Encodings({Compression(0, 3, {0x82, 0x49})}))},
                        {Block(2, {1}), Block(1, {9}), Block(2, {2, 3})}))
                  .ok());
  EXPECT_EQ(ReadAll(),
            (std::vector<Bytes>{{0x82, 0x49, 1}, {0x82, 0x49, 2, 3}}));
}

TEST_F(ContainerTest, UndoesTheLastEncodingFirst) {
  Bytes encodings =
      Encodings({Compression(0, 0, {}), Compression(1, 3, {0x78})});
  Bytes packed = Deflate({0x86, 1, 2});
  ASSERT_EQ(packed[0], 0x78);
  packed.erase(packed.begin());
  ASSERT_TRUE(
      Open(Webm({Track(2, "V_VP9", encodings)}, {Block(2, packed)})).ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x86, 1, 2}}));
}

TEST_F(ContainerTest, APacketThatCannotBeUnpackedIsMissed) {
  Bytes damaged = Deflate(Bytes(500, 7)), cut = damaged;
  damaged[5] ^= 0xff;
  cut.pop_back();
  ASSERT_TRUE(Open(Webm({Track(2, "V_VP9", Encodings({Compression(0, 0, {})}))},
                        {Block(2, Deflate({1})), Block(2, damaged),
                         Block(2, cut), Block(2, Deflate({2}))}))
                  .ok());
  EXPECT_EQ(ReadOn(), (std::vector<Bytes>{{1}, {2}}));
  ASSERT_EQ(messages_.size(), 2u);
  const std::string size = std::to_string(cut.size());
  EXPECT_EQ(messages_[1], "zlib packet of " + size +
                              " bytes is damaged or cut short at byte " + size);
}

// A quarter of a megabyte that would be a quarter of a gigabyte.
TEST_F(ContainerTest, APacketThatBecomesTooLargeIsRefused) {
  const Bytes packed = Deflate(Bytes((size_t{256} << 20) + 1));
  Bytes block = {0xA3,
                 0x10,
                 uint8_t((packed.size() + 4) >> 16),
                 uint8_t((packed.size() + 4) >> 8),
                 uint8_t(packed.size() + 4),
                 0x82,
                 0,
                 0,
                 0x80};
  // sizes of four bytes, and none for what is around it
  const Bytes file =
      Join({Element({0x1A, 0x45, 0xDF, 0xA3}, {}),
            {0x18, 0x53, 0x80, 0x67, 0xFF},
            Element({0x16, 0x54, 0xAE, 0x6B},
                    Track(2, "V_VP9", Encodings({Compression(0, 0, {})}))),
            {0x1F, 0x43, 0xB6, 0x75, 0xFF},
            block,
            packed,
            Block(2, Deflate({2}))});
  ASSERT_TRUE(Open(file).ok());
  EXPECT_EQ(ReadOn(), (std::vector<Bytes>{{2}}));
  ASSERT_EQ(messages_.size(), 1u);
  EXPECT_EQ(messages_[0], "zlib packet of " + std::to_string(packed.size()) +
                              " bytes unpacks to more than 268435456, the most "
                              "that is allowed");
}

TEST_F(ContainerTest, NamesWhatItCannotUndo) {
  const auto message = [this](const Bytes& encoding) {
    return Open(Webm({Track(2, "V_VP9", Encodings({encoding}))},
                     {Block(2, {0x82})}))
        .message();
  };
  const std::string allowed = "V_VP9, allowed: V_VP9, V_AV1";
  EXPECT_EQ(message(Compression(0, 1, {})),
            "holds bzip2-compressed " + allowed);
  EXPECT_EQ(message(Compression(0, 2, {})), "holds LZO-compressed " + allowed);
  EXPECT_EQ(message(Compression(0, 9, {})),
            "holds compressed (algorithm 9) " + allowed);
  // ContentEncAlgo: AES
  const Bytes aes = Element({0x50, 0x35}, Element({0x47, 0xE1}, {5}));
  EXPECT_EQ(message(Encoding(0, 1, aes)), "holds encrypted " + allowed);
  // signed only
  const Bytes none = Element({0x50, 0x35}, Element({0x47, 0xE1}, {0}));
  EXPECT_EQ(message(Encoding(0, 1, none)), "");
  EXPECT_EQ(message(Encoding(0, 0, Element({0x50, 0x34}, {0x42, 0x54, 0x85}))),
            "ContentCompression is damaged");
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
