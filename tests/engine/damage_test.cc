// SPDX-License-Identifier: BSD-2-Clause
// What damaged and missing data does to a stream: which frames are withheld.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "tests/engine/decode_clip.h"

namespace perdix {
namespace {

using Bytes = std::vector<uint8_t>;

struct Clip {
  const client::ClientCodec* codec;
  std::vector<Bytes> packets;
};

Clip ReadClip(const std::string& name) {
  std::unique_ptr<client::Container> container;
  EXPECT_TRUE(
      client::Container::Open(PERDIX_CLIPS "/" + name, &container).ok());
  Clip clip = {&container->codec(), {}};
  client::Packet packet;
  bool end = false;
  while (container->Next(&packet, &end).ok() && !end)
    clip.packets.emplace_back(packet.data.begin(), packet.data.end());
  return clip;
}

struct Shown {
  std::vector<size_t> frames;            // hashes
  std::vector<uint64_t> failed_packets;  // from 1 on
  std::vector<std::string> messages;
};

Shown DecodePackets(const Clip& clip, int threads) {
  Shown shown;
  Engine engine({.threads = threads});
  client::EngineBackend backend(engine, *clip.codec, true);
  client::Stream stream(
      backend,
      {.shown =
           [&](const client::Image& image) {
             shown.frames.push_back(HashOf(image.view));
             return true;
           },
       .failed =
           [&](const client::Position& position, const Status& status) {
             shown.failed_packets.push_back(position.packet);
             shown.messages.push_back(status.message());
             return true;
           }});
  for (const Bytes& packet : clip.packets) {
    const auto copy = std::make_shared<const Bytes>(packet);
    stream.Decode(*copy, copy);
  }
  stream.Flush();
  return shown;
}

// Without the frames of these packets, counted from 0, each of which shows one.
std::vector<size_t> Without(std::vector<size_t> frames, size_t begin,
                            size_t end) {
  frames.erase(frames.begin() + ptrdiff_t(begin),
               frames.begin() + ptrdiff_t(end));
  return frames;
}

class DamageTest : public testing::TestWithParam<int> {
 protected:
  static Shown Decode(const Clip& clip) {
    return DecodePackets(clip, GetParam());
  }
};

// The last bit of a packet is padding: behind it everything is as it was.
TEST_P(DamageTest, WrongPaddingIsSeenInEachFrame) {
  for (const std::string name :
       {"resilient_176x144.ivf", "keyframes_176x144.webm", "odd_99x57.webm",
        "av1/odd_99x57.webm", "av1/mono_98x42.obu"}) {
    const Clip clip = ReadClip(name);
    for (size_t i = 0; i < clip.packets.size(); i += 5) {
      // ends with an index: the frame's end is elsewhere
      if ((clip.packets[i].back() & 0xe0) == 0xc0) continue;
      Clip damaged = clip;
      damaged.packets[i].back() ^= 1;
      const Shown shown = Decode(damaged);
      ASSERT_FALSE(shown.failed_packets.empty()) << name << " " << i;
      EXPECT_EQ(shown.failed_packets[0], i + 1) << name;
      EXPECT_NE(shown.messages[0].find("damaged data"), std::string::npos)
          << shown.messages[0];
    }
  }
}

// VP9's frames follow each other, up to the next key frame: every tenth packet.
TEST_P(DamageTest, FramesBehindADamagedOneAreWithheldUpToAKeyFrame) {
  Clip clip = ReadClip("keyframes_176x144.webm");
  const Shown whole = Decode(clip);
  ASSERT_EQ(whole.frames.size(), clip.packets.size());
  clip.packets[14].back() ^= 1;
  EXPECT_EQ(Decode(clip).frames, Without(whole.frames, 14, 20));
}

TEST_P(DamageTest, FramesBehindAMissingHeaderAreWithheldUpToAKeyFrame) {
  for (const std::string name :
       {"keyframes_176x144.webm", "av1/keyframes_176x144.webm"}) {
    Clip clip = ReadClip(name);
    const Shown whole = Decode(clip);
    ASSERT_EQ(whole.frames.size(), clip.packets.size());
    clip.packets[14] = {0xff};
    EXPECT_EQ(Decode(clip).frames, Without(whole.frames, 14, 20)) << name;
  }
}

// Only what refers to the damaged frame goes, although no key frame comes: the
// frames of AV1's pyramids that were coded before it, and those of its upper
// levels, do not.
TEST_P(DamageTest, FramesThatDoNotReferToADamagedOneAreShown) {
  Clip clip = ReadClip("av1/svt_480x200.ivf");
  const Shown whole = Decode(clip);
  size_t fewest = whole.frames.size();
  for (size_t i = 1; i < clip.packets.size(); ++i) {
    Clip damaged = clip;
    if (clip.packets[i].size() < 20) continue;  // shows a frame again
    damaged.packets[i].back() ^= 1;
    const Shown shown = Decode(damaged);
    ASSERT_FALSE(shown.failed_packets.empty());
    // each is one of the whole clip's, in the same order
    auto at = whole.frames.begin();
    for (const size_t frame : shown.frames) {
      at = std::find(at, whole.frames.end(), frame);
      ASSERT_NE(at, whole.frames.end()) << "packet " << i;
      ++at;
    }
    fewest = std::min(fewest, whole.frames.size() - shown.frames.size());
  }
  EXPECT_EQ(fewest, 1u);
}

// ---- frames of a packet without an index ----

void Append(const Bytes& bytes, Bytes* packet) {
  packet->insert(packet->end(), bytes.begin(), bytes.end());
}

// A packet shows its last frame, as with libvpx.
TEST_P(DamageTest, AllFramesOfAPacketWithoutAnIndexAreDecoded) {
  const Clip clip = ReadClip("resilient_176x144.ivf");
  const Shown whole = Decode(clip);
  ASSERT_EQ(whole.frames.size(), 30u);
  // Packets of one frame to three, with zeros between.
  Clip joined = {clip.codec, {}};
  std::vector<size_t> expected;
  size_t next = 0;
  for (size_t count = 1; next < clip.packets.size(); count = count % 3 + 1) {
    Bytes packet;
    for (size_t i = 0; i < count && next < clip.packets.size(); ++i) {
      if (i > 1) packet.push_back(0);
      Append(clip.packets[next++], &packet);
    }
    joined.packets.push_back(packet);
    expected.push_back(whole.frames[next - 1]);
  }
  const Shown shown = Decode(joined);
  EXPECT_TRUE(shown.failed_packets.empty()) << shown.messages.front();
  EXPECT_EQ(shown.frames, expected);
}

TEST_P(DamageTest, DamageInAFrameOfSuchAPacketIsSeen) {
  Clip clip = ReadClip("resilient_176x144.ivf");
  const Shown whole = Decode(clip);
  Append(clip.packets[11], &clip.packets[10]);
  clip.packets[10].back() ^= 1;
  clip.packets.erase(clip.packets.begin() + 11);
  const Shown shown = Decode(clip);
  ASSERT_FALSE(shown.failed_packets.empty());
  EXPECT_EQ(shown.failed_packets[0], 11u);
  EXPECT_EQ(shown.frames, Without(whole.frames, 10, 30));
}

INSTANTIATE_TEST_SUITE_P(Threads, DamageTest, testing::Values(1, 2, 4));

}  // namespace
}  // namespace perdix
