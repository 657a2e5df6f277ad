// SPDX-License-Identifier: BSD-2-Clause
// Whole clips through sessions and engine, equal to the engine alone.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/daemon/node_backend.h"
#include "tools/client/container.h"
#include "tools/client/engine_backend.h"
#include "tools/client/stream.h"

namespace perdix {
namespace {

constexpr int kThreads = 4;

size_t HashOf(const PictureView& view) {
  std::string pixels;
  for (const Plane& plane : view.planes) {
    const size_t row_bytes = plane.width * (&plane == view.planes ? 1 : 2);
    for (uint32_t y = 0; y < plane.height; ++y)
      pixels.append(plane.Row<char>(y), row_bytes);
  }
  return std::hash<std::string>()(pixels);
}

// A client that plays a clip, a packet at a time.
class Playback {
 public:
  Playback(client::Backend& backend, const std::string& clip)
      : stream_(backend, {.shown =
                              [this](const client::Image& image) {
                                frames_.push_back(HashOf(image.view));
                                return true;
                              },
                          .failed =
                              [this](const client::Position&, const Status&) {
                                ++failures_;
                                return true;
                              }}) {
    const Status status =
        client::Container::Open(PERDIX_CLIPS "/" + clip, &container_);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  // False at the end of the clip.
  bool Step() {
    client::Packet packet;
    bool end = false;
    if (!container_->Next(&packet, &end).ok() || end) {
      stream_.Flush();
      return false;
    }
    return stream_.Decode(packet.data, packet.owner);
  }
  void Steps(int packets) {
    while (packets-- > 0) Step();
  }
  void Finish() {
    while (Step()) continue;
  }

  const std::vector<size_t>& frames() const { return frames_; }
  int failures() const { return failures_; }

 private:
  std::vector<size_t> frames_;
  int failures_ = 0;
  std::unique_ptr<client::Container> container_;
  client::Stream stream_;
};

std::vector<size_t> FramesInProcess(const std::string& clip) {
  Engine engine(EngineOptions{.threads = 1, .recipe = {}, .measure = {}});
  client::EngineBackend backend(engine);
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
