// SPDX-License-Identifier: BSD-2-Clause
// Streams with film grain through the node, with a GPU that does what the test
// says: what later frames refer to is a picture of the daemon's own.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "tests/daemon/node_backend.h"
#include "tests/daemon/playback.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

constexpr const char* kRecipes[] = {"vulkan", "vulkan,av1_film_grain=simd",
                                    "simd,av1_film_grain=vulkan",
                                    "vulkan,av1_cdef=scalar"};

class GpuGrainTest : public ::testing::TestWithParam<const char*> {
 protected:
  GpuGrainTest() { FakeGpu().imports = true; }
  ~GpuGrainTest() override {
    FakeGpu().imports = false;
    FakeGpu().ready = true;
    FakeGpu().watch = nullptr;
  }

  void Open(const std::string& recipe, EngineOptions options = {}) {
    options.threads = 2;
    options.notice = [this](const std::string&) { ++notices_; };
    ASSERT_TRUE(Recipe::Parse(recipe, &options.recipe).ok());
    host_.emplace(options);
  }
  // The frames of the whole clip as its client sees them.
  std::vector<size_t> Play() {
    NodeBackend backend(*host_, client::av1::kCodec);
    Playback playback(backend, GetParam());
    playback.Finish();
    EXPECT_EQ(playback.failures(), 0);
    frames_ += backend.frames();
    pictures_ += backend.pictures();
    host_->PumpUntilFrames(frames_);
    return playback.frames();
  }
  EngineCounters Counters() { return host_->engine().counters(); }

  std::atomic<int> notices_{0};
  uint64_t frames_ = 0;    // that were sent to host_
  uint64_t pictures_ = 0;  // in which the client got them
  std::optional<NodeHost> host_;
};

TEST_P(GpuGrainTest, IsTheGpusAsTheRecipeSays) {
  Open("simd");
  const std::vector<size_t> expected = Play();
  ASSERT_FALSE(expected.empty());
  for (const char* recipe : kRecipes) {
    frames_ = pictures_ = 0;
    Open(recipe);
    EXPECT_EQ(Play(), expected) << recipe;
    EXPECT_EQ(Counters().gpu_frames, frames_) << recipe;
    EXPECT_EQ(Counters().redone_frames, 0u) << recipe;
    EXPECT_EQ(Counters().gpu_imports, pictures_) << recipe;
  }
  EXPECT_EQ(notices_, 0);
}

// The GPU writes the client's buffer, and the CPU's caches may be older.
TEST_P(GpuGrainTest, IsReadByTheCpuBeforeTheClientGetsIt) {
  Open("vulkan");
  Play();
  uint64_t ends = 0, starts = 0;
  for (const SyncCall& call : host_->channel().syncs()) {
    ends += call.flags == (DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
    starts += call.flags == (DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
  }
  EXPECT_EQ(ends, frames_) << "of bitstreams";
  EXPECT_EQ(starts, 2 * frames_) << "of bitstreams and of pictures";
}

TEST_P(GpuGrainTest, IsTheCpusWhereTheGpuRefusesTheClientsBuffers) {
  Open("simd");
  const std::vector<size_t> expected = Play();
  FakeGpu().imports = false;
  frames_ = 0;
  Open("vulkan");
  EXPECT_EQ(Play(), expected);
  EXPECT_EQ(Counters().gpu_frames, 0u);
  EXPECT_EQ(Counters().redone_frames, 0u);
  EXPECT_EQ(notices_, 1);
}

TEST_P(GpuGrainTest, IsTheGpusOnceThatIsReady) {
  Open("simd");
  const std::vector<size_t> expected = Play();
  FakeGpu().ready = false;
  frames_ = 0;
  Open("vulkan");
  NodeBackend backend(*host_, client::av1::kCodec);
  Playback playback(backend, GetParam());
  playback.Steps(4);
  host_->PumpUntilFrames(backend.frames());
  const uint64_t before = backend.frames();
  EXPECT_EQ(Counters().gpu_frames, 0u);
  FakeGpu().ready = true;
  playback.Finish();
  host_->PumpUntilFrames(backend.frames());
  EXPECT_EQ(playback.frames(), expected);
  EXPECT_EQ(Counters().gpu_frames, backend.frames() - before);
}

TEST_P(GpuGrainTest, IsDoneAgainWhenTheGpuIsLost) {
  Open("simd");
  const std::vector<size_t> expected = Play();
  frames_ = 0;
  EngineOptions options;
  options.gpu.test_hooks.lose_at_submit = 3;
  Open("vulkan", options);
  EXPECT_EQ(Play(), expected);
  EXPECT_GT(Counters().redone_frames, 0u);
  EXPECT_EQ(notices_, 1);
}

TEST_P(GpuGrainTest, IsCheckedAndDoneAgainWhenTheGpuIsWrong) {
  Open("simd");
  const std::vector<size_t> expected = Play();
  frames_ = 0;
  FakeGpu().wrong_kernel = int(KernelId::kAv1FilmGrain);
  EngineOptions options;
  options.self_check = 1;
  Open("vulkan", options);
  EXPECT_EQ(Play(), expected);
  FakeGpu().wrong_kernel = -1;
  EXPECT_EQ(Counters().self_check_failures, 1u);
  EXPECT_EQ(notices_, 1);
}

INSTANTIATE_TEST_SUITE_P(Clips, GpuGrainTest,
                         ::testing::Values("av1/grain_176x72.ivf",
                                           "av1/grain10_176x72.ivf"),
                         [](const auto& info) {
                           const std::string clip = info.param;
                           return clip.substr(4, clip.find('_') - 4);
                         });

}  // namespace
}  // namespace perdix
