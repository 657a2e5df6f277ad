// SPDX-License-Identifier: BSD-2-Clause
// What is seen of the luma of shown pictures, whoever decodes them and in which
// order, against what the scalar kernel makes of the pictures afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/decoder.h"
#include "kernels/metrics/luma.h"
#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"
#include "tests/engine/picture_frame.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr uint32_t kBlackLevel = 90;
constexpr uint32_t kAllOnGpu = (1 << kStages) - 1;

// The luma of a picture, for later.
struct KeptLuma {
  PictureView view;
  std::vector<uint8_t> bytes;

  void Keep(const PictureView& picture) {
    const Plane& luma = picture.planes[kLuma];
    view = picture;
    bytes.assign(luma.data,
                 luma.data + size_t{luma.stride_bytes} * luma.height);
    view.planes[kLuma].data = bytes.data();
  }
};

// Decodes into pictures of the engine, or into memory again as soon as nothing
// refers to it: often that of the picture shown before.
class WatchedBackend : public PictureBackend {
 public:
  WatchedBackend(Engine& engine, bool reuses)
      : PictureBackend(client::vp9::kCodec),
        engine_(engine),
        reuses_(reuses),
        decoder_(engine, *FindCodec(PERDIX_CODEC_VP9)) {}
  ~WatchedBackend() override { decoder_.Drain(); }

  size_t depth() const override { return 6; }
  size_t shown() const { return shown_; }
  size_t compared() const { return compared_; }
  uint64_t difference() const { return difference_; }

 private:
  Status Decode(const client::SubmittedFrame& coded,
                const References& references,
                std::shared_ptr<PictureFrame>* frame) override {
    const auto decoded = NewFrame(coded.format);
    FrameRequest request = RequestOf(coded, references, decoded->picture());
    request.done = [this, decoded, shown = coded.shown](const Status& status) {
      EXPECT_TRUE(status.ok()) << status.message();
      Look(*decoded->picture(), shown);
      decoded->Done(status);
    };
    decoder_.Submit(std::move(request));
    *frame = decoded;
    return Status::Ok();
  }

  std::shared_ptr<PictureFrame> NewFrame(const client::FrameFormat& format) {
    if (!reuses_)
      return std::make_shared<PictureFrame>(engine_.NewPicture(
          *FindCodec(PERDIX_CODEC_VP9), format.width, format.height,
          format.bit_depth, format.subsampling_x, format.subsampling_y, true));
    const PicturePtr picture =
        NewHeapPicture(format.width, format.height, format.bit_depth,
                       format.subsampling_x, format.subsampling_y);
    const auto made = std::make_shared<PictureFrame>(picture);
    const auto free = std::ranges::find_if(users_, [&](const auto& user) {
      return user.second.expired() && user.first.size == picture->memory.size;
    });
    if (free == users_.end()) {
      users_.emplace_back(picture->memory, made);
    } else {
      picture->memory = free->first;
      free->second = made;
    }
    return made;
  }

  // From a worker, in order.
  void Look(const Picture& picture, bool shown) {
    EXPECT_EQ(picture.seen.has_value(), shown);
    if (!shown || !picture.seen) return;
    const PictureView& view = picture.view;
    const bool same =
        last_.view.width == view.width && last_.view.height == view.height;
    EXPECT_TRUE(reuses_ || picture.seen->compared == same) << shown_;
    LumaSums expected =
        SumLuma(view, same ? &last_.view : nullptr,
                kBlackLevel << (view.bit_depth - 8), {0, view.height});
    if (!picture.seen->compared) expected.difference = 0;
    LumaSums seen = picture.seen->sums;
    if (!picture.seen->compared) seen.difference = 0;
    EXPECT_EQ(seen.total, expected.total) << shown_;
    EXPECT_EQ(seen.dark, expected.dark) << shown_;
    EXPECT_EQ(seen.difference, expected.difference) << shown_;
    compared_ += picture.seen->compared;
    difference_ += expected.difference;
    ++shown_;
    last_.Keep(view);
  }

  Engine& engine_;
  const bool reuses_;
  std::vector<std::pair<PictureMemory, std::weak_ptr<PictureFrame>>> users_;
  KeptLuma last_;
  size_t shown_ = 0;
  size_t compared_ = 0;
  uint64_t difference_ = 0;
  Decoder decoder_;
};

class LumaWatchTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { options_.watch = {true, kBlackLevel}; }
  void TearDown() override { FakeGpu().wrong_kernel = -1; }

  void Watch(bool reuses = false) {
    Engine engine(options_);
    WatchedBackend backend(engine, reuses);
    Decoded decoded;
    Play(GetParam(), backend, &decoded);
    EXPECT_EQ(decoded.failures, 0);
    EXPECT_GT(backend.shown(), 5u);
    EXPECT_GT(backend.compared(), 3u);
    EXPECT_EQ(engine.counters().motion_frames, backend.compared());
    EXPECT_EQ(engine.counters().motion_sum, backend.difference());
  }

  EngineOptions options_;
};

TEST_P(LumaWatchTest, SeesTheSameInAnyOrderOfWork) {
  for (const int threads : {1, 2, 4}) {
    options_.threads = threads;
    for (const uint32_t seed : {0u, 1u, 2u}) {
      options_.shuffle_seed = seed;
      Watch();
    }
  }
}

TEST_P(LumaWatchTest, SeesTheSameOnTheGpu) {
  options_.threads = 2;
  for (const uint32_t mask : {kAllOnGpu, 1u, 7u, 8u}) {
    options_.recipe = MixedRecipe(mask);
    Watch();
  }
}

TEST_P(LumaWatchTest, SeesWhatTheCpuDidAgain) {
  options_.threads = 2;
  options_.recipe = MixedRecipe(kAllOnGpu);
  options_.self_check = 1;
  FakeGpu().wrong_kernel = int(KernelId::kVp9LoopFilter);
  Watch();
}

// Nothing is compared with what is being overwritten.
TEST_P(LumaWatchTest, ComparesOnlyWithWhatIsStillThere) {
  for (const int threads : {1, 2, 2, 4, 4}) {
    options_.threads = threads;
    Watch(true);
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, LumaWatchTest,
                         testing::Values("odd_99x57.webm", "odd10_99x57.webm",
                                         "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
