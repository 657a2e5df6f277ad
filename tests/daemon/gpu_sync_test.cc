// SPDX-License-Identifier: BSD-2-Clause
// DMA_BUF_IOCTL_SYNC around each frame, with a GPU that does what the test
// says: what the CPU's caches hold must never be older than the picture.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/daemon/node_backend.h"
#include "tests/daemon/playback.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

constexpr uint64_t kStartRead = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ;
constexpr uint64_t kStartBoth = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW;
constexpr uint64_t kEndRead = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
constexpr uint64_t kEndBoth = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;

constexpr const char* kClip = "resilient_176x144.ivf";

class GpuSyncTest : public ::testing::Test {
 protected:
  GpuSyncTest() { FakeGpu().imports = true; }
  ~GpuSyncTest() override {
    FakeGpu().imports = false;
    FakeGpu().watch = nullptr;
  }

  void Open(const std::string& recipe) {
    EngineOptions options = {.threads = 2};
    ASSERT_TRUE(Recipe::Parse(recipe, &options.recipe).ok());
    host_.emplace(options);
    backend_.emplace(*host_);
    playback_.emplace(*backend_, kClip);
  }

  std::map<uint64_t, uint64_t> Counts() {
    std::map<uint64_t, uint64_t> counts;
    for (const SyncCall& call : host_->channel().syncs()) ++counts[call.flags];
    return counts;
  }
  // The flags of each buffer's calls, in order.
  std::map<uint32_t, std::vector<uint64_t>> ByBuffer() {
    std::map<uint32_t, std::vector<uint64_t>> calls;
    for (const SyncCall& call : host_->channel().syncs())
      calls[call.buffer].push_back(call.flags);
    return calls;
  }

  std::optional<NodeHost> host_;
  std::optional<NodeBackend> backend_;
  std::optional<Playback> playback_;
};

TEST_F(GpuSyncTest, FramesOfTheCpuAreBracketedOnce) {
  Open("simd");
  playback_->Finish();
  const uint64_t frames = backend_->frames();
  EXPECT_EQ(Counts(), (std::map<uint64_t, uint64_t>{{kStartRead, frames},
                                                    {kEndRead, frames},
                                                    {kStartBoth, frames},
                                                    {kEndBoth, frames}}));
}

TEST_F(GpuSyncTest, FramesOfTheGpuAreReadByTheCpuBeforeTheyEnd) {
  Open("vulkan");
  playback_->Finish();
  EXPECT_EQ(playback_->failures(), 0);
  const uint64_t frames = backend_->frames();
  EXPECT_EQ(Counts(), (std::map<uint64_t, uint64_t>{{kStartRead, 2 * frames},
                                                    {kEndRead, frames},
                                                    {kStartBoth, frames},
                                                    {kEndBoth, frames}}));
  const std::vector<uint64_t> bitstream = {kStartRead, kEndRead};
  const std::vector<uint64_t> picture = {kStartBoth, kStartRead, kEndBoth};
  for (const auto& [buffer, calls] : ByBuffer()) {
    if (calls == bitstream) continue;
    for (size_t i = 0; i < calls.size(); ++i)
      EXPECT_EQ(calls[i], picture[i % 3]) << "buffer " << buffer;
  }
}

TEST_F(GpuSyncTest, FramesThatEndOnTheCpuAreNotReadAgain) {
  Open("vulkan,vp9_loop_filter=simd");
  playback_->Finish();
  EXPECT_EQ(playback_->failures(), 0);
  const uint64_t frames = backend_->frames();
  const auto counts = Counts();
  EXPECT_EQ(counts.at(kStartRead), frames) << "of the bitstream alone";
  EXPECT_EQ(counts.at(kStartBoth), 2 * frames) << "again after the GPU";
  EXPECT_EQ(counts.at(kEndBoth), frames);
}

TEST_F(GpuSyncTest, AFailedFrameThatTheGpuWroteIsReadByTheCpu) {
  Open("vulkan,vp9_loop_filter=simd");
  FakeChannel& channel = host_->channel();
  uint32_t picture = 0;
  FakeGpu().watch = [&](const gpu::FrameInput&) {
    if (picture != 0) return;
    picture = channel.syncs().back().buffer;
    channel.AddFence(picture);  // so that the CPU cannot begin after the GPU
  };
  playback_->Steps(1);
  channel.WaitForWaiters(1);
  channel.SignalFence(picture);
  playback_->Finish();
  EXPECT_GT(playback_->failures(), 0);
  const std::vector<uint64_t> calls = ByBuffer().at(picture);
  ASSERT_GE(calls.size(), 3u);
  EXPECT_EQ(calls[0], kStartBoth);
  EXPECT_EQ(calls[1], kStartRead);
  EXPECT_EQ(calls[2], kEndBoth);
}

TEST_F(GpuSyncTest, AFailedFrameThatTheGpuNeverSawEndsAtOnce) {
  Open("vulkan");
  backend_->set_truncate(20);
  playback_->Steps(3);
  host_->PumpUntilFrames(backend_->frames());
  EXPECT_EQ(Counts().at(kStartRead), backend_->frames());
}

}  // namespace
}  // namespace perdix
