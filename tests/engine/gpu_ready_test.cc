// SPDX-License-Identifier: BSD-2-Clause
// Streams that begin before the GPU's programs are compiled, or before there is
// a GPU at all, on a device whose own memory the CPU does not reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"
#include "client/inprocess/engine_backend.h"
#include "engine/engine.h"
#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"

namespace perdix {
namespace {

class GpuReadyTest : public testing::TestWithParam<const char*> {
 protected:
  GpuReadyTest() { FakeGpu().reachable = false; }
  ~GpuReadyTest() override {
    FakeGpu().reachable = true;
    FakeGpu().ready = true;
  }

  static Recipe Parsed(const std::string& text) {
    Recipe recipe;
    EXPECT_TRUE(Recipe::Parse(text, &recipe).ok());
    return recipe;
  }

  // later: called before one of the first packets.
  template <typename Function>
  Decoded Play(Engine& engine, Function later) {
    constexpr int kPacket = 4;
    Decoded decoded;
    client::EngineBackend backend(engine, Codec(), true);
    perdix::Play(GetParam(), backend, &decoded, [&](int packet) {
      if (packet != kPacket) return;
      EXPECT_EQ(engine.counters().gpu_frames, 0u);
      later();
    });
    decoded.counters = engine.counters();
    return decoded;
  }

  void ExpectSameFrames(const Decoded& decoded) {
    const Decoded expected =
        Decode(GetParam(), {.threads = 1, .recipe = Parsed("scalar")});
    EXPECT_EQ(decoded.failures, 0);
    EXPECT_EQ(decoded.frames, expected.frames);
    EXPECT_EQ(decoded.counters.redone_frames, 0u);
  }

 private:
  static const client::ClientCodec& Codec() {
    return std::string(GetParam()).starts_with("av1/") ? client::av1::kCodec
                                                       : client::vp9::kCodec;
  }
};

TEST_P(GpuReadyTest, TakesOverInTheMiddleOfAStream) {
  for (const int threads : {1, 2, 8}) {
    FakeGpu().ready = false;
    Engine engine({.threads = threads, .recipe = Parsed("vulkan")});
    const Decoded decoded = Play(engine, [] { FakeGpu().ready = true; });
    ExpectSameFrames(decoded);
    EXPECT_GT(decoded.counters.gpu_frames, 0u);
  }
}

// What is predicted from the heap stays on the CPU: perhaps all of the stream.
TEST_P(GpuReadyTest, DoesNotMissPicturesOnTheHeap) {
  Engine engine({.threads = 2, .recipe = Parsed("simd")});
  ExpectSameFrames(Play(engine, [&] { engine.SetRecipe(Parsed("vulkan")); }));
}

INSTANTIATE_TEST_SUITE_P(Clips, GpuReadyTest,
                         testing::Values("resize_640x360.webm",
                                         "odd10_99x57.webm",
                                         "av1/svt_480x200.ivf",
                                         "av1/grain10_176x72.ivf"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name = name.substr(0, name.find('.'));
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace perdix
