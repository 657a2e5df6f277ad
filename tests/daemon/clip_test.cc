// SPDX-License-Identifier: BSD-2-Clause
// Whole clips through sessions and engine, equal to the engine alone.
#include <gtest/gtest.h>
#include <linux/v4l2-controls.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"
#include "client/inprocess/engine_backend.h"
#include "codec/controls.h"
#include "daemon/present.h"
#include "tests/daemon/node_backend.h"
#include "tests/daemon/playback.h"

namespace perdix {
namespace {

constexpr int kThreads = 4;

std::vector<size_t> FramesInProcess(
    const std::string& clip,
    const client::ClientCodec& codec = client::vp9::kCodec) {
  Engine engine(EngineOptions{.threads = 1, .recipe = {}, .measure = {}});
  client::EngineBackend backend(engine, codec, true);
  Playback run(backend, clip);
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_FALSE(run.frames().empty());
  return run.frames();
}

class ClipTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ClipTest, IsEqualThroughASession) {
  NodeHost host(kThreads);
  NodeBackend backend(host);
  Playback run(backend, GetParam());
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_EQ(run.frames(), FramesInProcess(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Clips, ClipTest,
    ::testing::Values("demo.webm", "tiles_512x288.webm", "odd_99x57.webm",
                      "resize_640x360.webm", "lossless_64x48.ivf",
                      "resilient_176x144.ivf", "small_2x2.ivf"),
    [](const auto& info) {
      const std::string name = info.param;
      return name.substr(0, name.find('.'));
    });

// 8 and 10 bit, several sizes, film grain, no chroma.
class Av1ClipTest : public ::testing::TestWithParam<std::string> {};

TEST_P(Av1ClipTest, IsEqualThroughASession) {
  NodeHost host(kThreads);
  NodeBackend backend(host, client::av1::kCodec);
  Playback run(backend, GetParam());
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_EQ(run.frames(), FramesInProcess(GetParam(), client::av1::kCodec));
}

// No picture is copied: each buffer of the client's is mapped once, and only
// film grain needs pictures of the daemon's own.
TEST(Av1ClipsTest, ClientsBuffersAreEnoughWithoutGrain) {
  for (const std::string clip : {"inter_352x144.webm", "grain_176x72.ivf",
                                 "tenbit_176x72.ivf", "grain10_176x72.ivf"}) {
    NodeHost host(kThreads);
    NodeBackend backend(host, client::av1::kCodec);
    Playback run(backend, "av1/" + clip);
    run.Finish();
    EXPECT_EQ(run.failures(), 0) << clip;
    const NodeTotals totals = host.node().Totals();
    EXPECT_EQ(totals.imports, backend.bitstreams() + backend.pictures())
        << clip;
    EXPECT_EQ(totals.private_bytes != 0, clip.starts_with("grain")) << clip;
  }
}

// ---- what a client gets of chroma other than 4:2:0 ----

std::vector<size_t> FramesInProcessAs420(const std::string& clip,
                                         const client::ClientCodec& codec) {
  Engine engine(EngineOptions{.threads = 1, .recipe = {}, .measure = {}});
  client::EngineBackend backend(engine, codec, true);
  Playback run(backend, clip);
  std::vector<size_t> frames;
  run.set_shown([&frames](const PictureView& view) {
    const PicturePtr shown =
        NewHeapPicture(view.width, view.height, view.bit_depth, 1, 1);
    EXPECT_TRUE(
        SetView(*shown, view.width, view.height, view.bit_depth, 1, 1).ok());
    ShowAs420(view, shown->layout, {shown->memory.data, shown->memory.size});
    frames.push_back(HashOf({shown->view, 0, false}));
  });
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_FALSE(frames.empty());
  return frames;
}

TEST(As420Test, IsEqualToThePictureInProcessMadeSo) {
  const std::string clip = "av1/screen444_256x128.obu";
  NodeHost host(kThreads);
  NodeBackend backend(host, client::av1::kCodec);
  Playback run(backend, clip);
  run.Finish();
  EXPECT_EQ(run.failures(), 0);
  EXPECT_EQ(run.frames(), FramesInProcessAs420(clip, client::av1::kCodec));
  EXPECT_NE(host.node().Totals().private_bytes, 0u);
}

// VP9's bitstream says itself how chroma is sampled.
TEST(As420Test, FramesFailWhereAClientClaimsMoreChroma) {
  NodeHost host(kThreads);
  NodeBackend backend(host);
  backend.set_rewrite([](std::vector<uint8_t>* controls, auto*) {
    v4l2_ctrl_vp9_frame frame;
    ASSERT_TRUE(
        ReadControl(*controls, V4L2_CID_STATELESS_VP9_FRAME, &frame).ok());
    frame.flags &= ~uint32_t{V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
                             V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING};
    controls->clear();
    AppendControl(V4L2_CID_STATELESS_VP9_FRAME, frame, controls);
  });
  Playback run(backend, "odd_99x57.webm");
  run.Finish();
  EXPECT_GT(run.failures(), 0);
  EXPECT_TRUE(run.frames().empty());
}

std::vector<std::string> Av1Clips() {
  std::vector<std::string> clips;
  for (const auto& entry :
       std::filesystem::directory_iterator(PERDIX_CLIPS "/av1")) {
    const std::string name = entry.path().filename();
    if (name.find("444") != std::string::npos) continue;  // As420Test
    if (name.ends_with(".webm") || name.ends_with(".ivf") ||
        name.ends_with(".obu")) {
      clips.push_back("av1/" + name);
    }
  }
  std::ranges::sort(clips);
  return clips;
}

INSTANTIATE_TEST_SUITE_P(Clips, Av1ClipTest, ::testing::ValuesIn(Av1Clips()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

TEST(ClipsTest, AreEqualSideBySide) {
  const char* const clips[] = {"tiles_512x288.webm", "odd_99x57.webm",
                               "resilient_176x144.ivf", "odd_99x57.webm"};
  NodeHost host(kThreads);
  std::vector<std::unique_ptr<NodeBackend>> backends;
  std::vector<std::unique_ptr<Playback>> runs;
  for (const char* clip : clips) {
    backends.push_back(std::make_unique<NodeBackend>(host));
    runs.push_back(std::make_unique<Playback>(*backends.back(), clip));
  }
  for (bool more = true; more;) {
    more = false;
    for (const auto& run : runs) more |= run->Step();
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i]->failures(), 0);
    EXPECT_EQ(runs[i]->frames(), FramesInProcess(clips[i])) << clips[i];
  }
}

TEST(ClipsTest, ResumeAtTheNextKeyFrameAfterARestart) {
  const std::string clip = "odd_99x57.webm";
  const std::vector<size_t> expected = FramesInProcess(clip);
  NodeHost host(kThreads);
  NodeBackend backend(host);
  Playback interrupted(backend, clip);
  interrupted.Steps(10);
  host.Restart();
  interrupted.Finish();
  EXPECT_GT(interrupted.failures(), 0);
  // What was shown before the restart is right, and nothing wrong is after it.
  ASSERT_LE(interrupted.frames().size(), expected.size());
  for (size_t i = 0; i < interrupted.frames().size(); ++i)
    EXPECT_EQ(interrupted.frames()[i], expected[i]) << i;
  // The clip's first frame is a key frame: the same session goes on.
  Playback again(backend, clip);
  again.Finish();
  EXPECT_EQ(again.failures(), 0);
  EXPECT_EQ(again.frames(), expected);
}

// Sends what no client should: random controls of any length, bitstreams of
// noise, references to its own target.
class Vandal {
 public:
  explicit Vandal(NodeHost& host) : host_(host), session_(host.NewId()) {
    Send(PERDIX_EVENT_SESSION_NEW);
    host_.channel().AddBuffer(bitstream_, kBytes);
    host_.channel().AddBuffer(target_, kBytes);
    std::vector<uint8_t> noise(kBytes);
    for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random_());
    const int fd = host_.channel().buffer_fd(bitstream_);
    EXPECT_EQ(pwrite(fd, noise.data(), kBytes, 0), ssize_t{kBytes});
  }

  uint64_t SendFrame() {
    ChannelEvent event = Event(PERDIX_EVENT_JOB);
    perdix_job& job = event.event.job;
    job.id = host_.NewId();
    job.codec = PERDIX_CODEC_VP9;
    job.bitstream = bitstream_;
    job.bitstream_bytes = random_() % (kBytes + 2);
    job.target = target_;
    job.pixelformat = V4L2_PIX_FMT_NV12;
    job.width = 8 << random_() % 5;
    job.height = 8 << random_() % 5;
    job.stride = 8 << random_() % 5;
    for (uint32_t& reference : job.references)
      reference = random_() % 2 ? target_ : random_() % 100;
    std::vector<uint8_t> value(random_() % 2 ? sizeof(v4l2_ctrl_vp9_frame)
                                             : random_() % 300);
    for (uint8_t& byte : value)
      byte = random_() % 4 ? 0 : static_cast<uint8_t>(random_());
    if (random_() % 2)
      AppendBytes(V4L2_CID_STATELESS_VP9_FRAME, value, &event.controls);
    else
      event.controls = value;
    host_.channel().Send(std::move(event));
    return job.id;
  }

 private:
  static constexpr size_t kBytes = 8192;

  ChannelEvent Event(uint32_t type) const {
    ChannelEvent event;
    event.event.type = type;
    event.event.session = session_;
    return event;
  }
  void Send(uint32_t type) { host_.channel().Send(Event(type)); }

  NodeHost& host_;
  const uint32_t session_;
  const uint32_t bitstream_ = host_.NewId();
  const uint32_t target_ = host_.NewId();
  std::mt19937 random_{1};
};

// ---- damage ----

// What a client gets of each frame, flagged or not. Holds all pictures: so
// there must be few.
class WatchedBackend final : public client::Backend {
 public:
  explicit WatchedBackend(NodeBackend& inner)
      : client::Backend(inner.codec()), inner_(inner) {}
  Status Submit(const client::SubmittedFrame& coded,
                client::DecodedFramePtr* frame) override {
    Status status = inner_.Submit(coded, frame);
    frames_.push_back(*frame);
    return status;
  }
  size_t depth() const override { return inner_.depth(); }

  std::vector<size_t> Hashes() const {
    std::vector<size_t> hashes;
    for (const auto& frame : frames_) {
      client::Image image;
      EXPECT_TRUE(frame->Map(&image).ok());
      hashes.push_back(HashOf(image));
    }
    return hashes;
  }
  std::vector<bool> Flagged() const {
    std::vector<bool> flagged;
    for (const auto& frame : frames_) flagged.push_back(!frame->Wait().ok());
    return flagged;
  }

 private:
  NodeBackend& inner_;
  std::vector<client::DecodedFramePtr> frames_;
};

// The last bit of a frame is padding.
TEST(ClipsTest, ADamagedFrameIsFlaggedAndLaterOnesGoOn) {
  constexpr size_t kDamaged = 13;
  for (const std::string clip :
       {"keyframes_176x144.webm", "av1/keyframes_176x144.webm"}) {
    const client::ClientCodec& codec =
        clip.starts_with("av1") ? client::av1::kCodec : client::vp9::kCodec;
    std::vector<size_t> hashes[2];
    std::vector<bool> flagged;
    for (const bool damages : {false, true}) {
      NodeHost host(kThreads);
      NodeBackend node(host, codec);
      size_t number = 0;
      node.set_rewrite([&](auto*, std::vector<uint8_t>* data) {
        if (damages && number++ == kDamaged) data->back() ^= 1;
      });
      WatchedBackend backend(node);
      Playback run(backend, clip);
      run.Steps(30);
      flagged = backend.Flagged();  // waits for them
      hashes[damages] = backend.Hashes();
    }
    ASSERT_EQ(hashes[0].size(), hashes[1].size()) << clip;
    EXPECT_EQ(std::ranges::find(flagged, true) - flagged.begin(), kDamaged);
    // up to the next key frame
    EXPECT_LT(std::ranges::count(flagged, true), 12) << clip;
    // only what is behind the last symbol was damaged, and nothing is withheld
    EXPECT_EQ(hashes[0], hashes[1]) << clip;
  }
}

TEST(ClipsTest, AreEqualBesideASessionThatSendsGarbage) {
  const std::string clip = "resilient_176x144.ivf";
  NodeHost host(kThreads);
  NodeBackend backend(host);
  Playback playback(backend, clip);
  Vandal vandal(host);
  uint64_t last = 0;
  do {
    for (int i = 0; i < 100; ++i) last = vandal.SendFrame();
  } while (playback.Step());
  host.PumpUntilAnswered(last);
  EXPECT_EQ(playback.failures(), 0);
  EXPECT_EQ(playback.frames(), FramesInProcess(clip));
}

TEST(ClipsTest, AreEqualBesideASessionThatChangesWhatIsRead) {
  const std::string clip = "tiles_512x288.webm";
  NodeHost host(kThreads);
  NodeBackend backend(host);
  Playback playback(backend, clip);
  NodeBackend other(host);
  other.set_scribbles();
  Playback scribbled(other, clip);
  while (playback.Step()) scribbled.Step();
  scribbled.Finish();
  EXPECT_GT(scribbled.failures(), 0);
  EXPECT_EQ(playback.failures(), 0);
  EXPECT_EQ(playback.frames(), FramesInProcess(clip));
}

TEST(ClipsTest, LeaveNothingBehind) {
  NodeHost host(kThreads);
  for (int i = 0; i < 3; ++i) {
    NodeBackend backend(host);
    Playback run(backend, "small_2x2.ivf");
    run.Steps(4 + i);
  }
  host.Restart();
  EXPECT_EQ(host.node().Totals().buffers, 0u);
}

}  // namespace
}  // namespace perdix
