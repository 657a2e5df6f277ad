// SPDX-License-Identifier: BSD-2-Clause
#include "client/container/webm_file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/client/container_fixture.h"

namespace perdix::client {
namespace {

using WebmFileTest = ContainerTest;

TEST_F(WebmFileTest, ReadsWebm) {
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

TEST_F(WebmFileTest, ReadsTheFirstVp9TrackOfWebm) {
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

TEST_F(WebmFileTest, RefusesWebmOfOtherCodecs) {
  EXPECT_EQ(Open(Webm({Track(1, "A_OPUS"), Track(2, "V_VP8")}, {})).message(),
            "holds A_OPUS, V_VP8, allowed: V_VP9, V_AV1");
  EXPECT_EQ(Open(Webm({}, {})).message(),
            "holds no stream, allowed: V_VP9, V_AV1");
}

TEST_F(WebmFileTest, EmptyBlocksOfWebmAreNoPackets) {
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

TEST_F(WebmFileTest, ABlockThatEndsWithinItsHeaderIsDamaged) {
  ASSERT_TRUE(Open(Webm({Track(2, "V_VP9")},
                        {Block(2, {0x82}), Element({0xA3}, {0x82, 0, 0})}))
                  .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x82}}));
  EXPECT_FALSE(status_.ok());
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

// A Segment of unknown size, as is written to a pipe.
Bytes LiveWebm(const std::vector<Bytes>& parts) {
  return Join({Element({0x1A, 0x45, 0xDF, 0xA3}, {}),
               {0x18, 0x53, 0x80, 0x67, 0xFF},
               Element({0x16, 0x54, 0xAE, 0x6B}, Track(2, "V_VP9")),
               Join(parts)});
}

TEST_F(DamagedWebmTest, ClustersOfUnknownSizeToo) {
  const auto cluster = [](uint8_t number) {
    return Join({{0x1F, 0x43, 0xB6, 0x75, 0xFF},
                 Element({0xE7}, {number}),
                 Block(2, Packet(number))});
  };
  Bytes unknown = cluster(1), none = cluster(1);
  unknown[3] ^= 1;
  none[0] = 0;
  for (const Bytes& damaged : {unknown, none}) {
    ASSERT_TRUE(Open(LiveWebm({cluster(0), damaged, cluster(2)})).ok());
    EXPECT_EQ(ReadOn(), (std::vector<Bytes>{Packet(0), Packet(2)}));
    EXPECT_EQ(messages_.size(), 1u);
  }
}

// What libwebm does not know ends such a Segment for it, but not for us.
TEST_F(WebmFileTest, AttachmentsDoNotEndALiveFile) {
  const Bytes attachments =
      Element({0x19, 0x41, 0xA4, 0x69}, {0x61, 0xA7, 0x80});
  ASSERT_TRUE(
      Open(LiveWebm({attachments, Cluster({Block(2, {0x82})}), attachments,
                     Cluster({Block(2, {0x86})}), Cluster({Block(2, {0x87})})}))
          .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x82}, {0x86}, {0x87}}));
  EXPECT_TRUE(status_.ok()) << status_.message();
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

TEST_F(WebmFileTest, UnpacksZlib) {
  const Bytes first(100'000, 0x82);
  ASSERT_TRUE(Open(Webm({Track(2, "V_VP9", Encodings({Compression(0, 0, {})}))},
                        {Block(2, Deflate(first)), Block(2, {}),
                         Block(2, Deflate({0x86}))}))
                  .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{first, {0x86}}));
  EXPECT_TRUE(status_.ok()) << status_.message();
}

TEST_F(WebmFileTest, ZlibIsWhatIsMeantIfNothingIsSaid) {
  ASSERT_TRUE(Open(Webm({Track(2, "V_VP9", Encodings({Encoding(0, 0, {})}))},
                        {Block(2, Deflate({0x86}))}))
                  .ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x86}}));
}

TEST_F(WebmFileTest, PutsBackStrippedHeaders) {
  ASSERT_TRUE(Open(Webm({Track(1, "A_OPUS", Encodings({Compression(0, 0, {})})),
                         Track(2, "V_VP9",
                               Encodings({Compression(0, 3, {0x82, 0x49})}))},
                        {Block(2, {1}), Block(1, {9}), Block(2, {2, 3})}))
                  .ok());
  EXPECT_EQ(ReadAll(),
            (std::vector<Bytes>{{0x82, 0x49, 1}, {0x82, 0x49, 2, 3}}));
}

TEST_F(WebmFileTest, UndoesTheLastEncodingFirst) {
  Bytes encodings =
      Encodings({Compression(0, 0, {}), Compression(1, 3, {0x78})});
  Bytes packed = Deflate({0x86, 1, 2});
  ASSERT_EQ(packed[0], 0x78);
  packed.erase(packed.begin());
  ASSERT_TRUE(
      Open(Webm({Track(2, "V_VP9", encodings)}, {Block(2, packed)})).ok());
  EXPECT_EQ(ReadAll(), (std::vector<Bytes>{{0x86, 1, 2}}));
}

TEST_F(WebmFileTest, APacketThatCannotBeUnpackedIsMissed) {
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
TEST_F(WebmFileTest, APacketThatBecomesTooLargeIsRefused) {
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

TEST_F(WebmFileTest, NamesWhatItCannotUndo) {
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

TEST_F(WebmFileTest, SurvivesEveryTruncationOfWebm) {
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

TEST_F(WebmFileTest, SurvivesEveryWrongByteOfWebm) {
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

}  // namespace
}  // namespace perdix::client
