// SPDX-License-Identifier: BSD-2-Clause
// Targets that get their memory when it is about to be written
// (Picture::take_memory).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <utility>

#include "codec/codec.h"
#include "engine/decoder.h"
#include "tests/engine/decode_clip.h"
#include "tests/engine/picture_frame.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr int kNone = -1;

class LateBackend : public PictureBackend {
 public:
  // without: the frame that there is no memory for.
  explicit LateBackend(Engine& engine, int without = kNone)
      : PictureBackend(client::vp9::kCodec),
        without_(without),
        decoder_(engine, *FindCodec(PERDIX_CODEC_VP9)) {}

  Status Decode(const client::SubmittedFrame& coded,
                const References& references,
                std::shared_ptr<PictureFrame>* frame) override {
    const auto decoded = std::make_shared<PictureFrame>(NewPicture(coded));
    FrameRequest request = RequestOf(coded, references, decoded->picture());
    request.done = [this, decoded,
                    number = submitted_++](const Status& status) {
      EXPECT_EQ(done_++, number);
      if (number == without_) status_ = status;
      decoded->Done(status);
    };
    decoder_.Submit(std::move(request));
    *frame = decoded;
    return Status::Ok();
  }
  size_t depth() const override { return 4; }

  int submitted() const { return submitted_; }
  int taken() const { return taken_; }
  // What became of the frame without memory.
  const Status& status() const { return status_; }

 private:
  PicturePtr NewPicture(const client::CodedFrame& coded) {
    const client::FrameFormat& format = coded.format;
    auto picture = std::make_shared<Picture>();
    picture->layout = LayOutPicture(
        format.width, format.height, format.bit_depth, format.subsampling_x,
        format.subsampling_y, &picture->memory.size);
    picture->take_memory = [this, format, number = submitted_] {
      ++taken_;
      EXPECT_GE(done_, number - 1) << "two frames before were not done";
      if (number == without_) throw std::bad_alloc();
      return NewHeapPicture(format.width, format.height, format.bit_depth,
                            format.subsampling_x, format.subsampling_y)
          ->memory;
    };
    return picture;
  }

  const int without_;
  int submitted_ = 0;
  std::atomic<int> done_{0};
  std::atomic<int> taken_{0};
  Status status_;
  Decoder decoder_;
};

class TakeMemoryTest : public testing::TestWithParam<const char*> {};

TEST_P(TakeMemoryTest, OnceTheFramesBeforeAreDoneButForOne) {
  const Decoded expected = Decode(GetParam(), {.threads = 1});
  for (const int threads : {1, 2, 8}) {
    Engine engine({.threads = threads});
    LateBackend backend(engine);
    Decoded decoded;
    Play(GetParam(), backend, &decoded);
    EXPECT_EQ(decoded.failures, 0);
    EXPECT_EQ(decoded.frames, expected.frames);
    EXPECT_EQ(backend.taken(), backend.submitted());
  }
}

TEST_P(TakeMemoryTest, ThereIsNone) {
  const Decoded expected = Decode(GetParam(), {.threads = 1});
  for (const int threads : {1, 2, 8}) {
    Engine engine({.threads = threads});
    LateBackend backend(engine, 2);
    Decoded decoded;
    Play(GetParam(), backend, &decoded);
    EXPECT_EQ(backend.status().code(), StatusCode::kOutOfMemory)
        << backend.status().message();
    EXPECT_GT(decoded.failures, 0);
    // those that are left are right, and in their order
    auto rest = expected.frames.begin();
    for (const size_t frame : decoded.frames) {
      rest = std::find(rest, expected.frames.end(), frame);
      ASSERT_NE(rest, expected.frames.end());
    }
    EXPECT_EQ(decoded.frames.at(0), expected.frames[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, TakeMemoryTest,
                         testing::Values("keyframes_176x144.webm",
                                         "odd_99x57.webm", "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
