// SPDX-License-Identifier: BSD-2-Clause
// How many frames the client has in its own engine (client/).
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/vp9/codec.h"
#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "codec/codec.h"
#include "engine/decoder.h"
#include "engine/engine.h"

namespace perdix::client {
namespace {

constexpr int kThreads = 2;

// While one lives no worker of the engine does anything else: each calls done()
// of a frame, of a stream of its own, that has no controls and so fails.
class BusyWorkers {
 public:
  explicit BusyWorkers(Engine& engine) {
    for (int i = 0; i < kThreads; ++i) {
      streams_.push_back(std::make_unique<Decoder>(engine, *Codecs()[0]));
      FrameRequest request;
      request.target = NewHeapPicture(64, 64, 8, 1, 1);
      request.done = [this](const Status&) {
        begun_.count_down();
        over_.wait();
      };
      streams_.back()->Submit(std::move(request));
    }
    begun_.wait();
  }
  ~BusyWorkers() { end_.set_value(); }

 private:
  std::promise<void> end_;
  const std::shared_future<void> over_ = end_.get_future().share();
  std::latch begun_{kThreads};
  std::vector<std::unique_ptr<Decoder>> streams_;  // each waits for its frame
};

// Frames of <bytes> that the client submits before it waits for the first.
size_t CountSubmitted(uint32_t width, uint32_t height, size_t bytes) {
  Engine engine({.threads = kThreads});
  EngineBackend backend(engine, vp9::kCodec, false);
  const std::vector<uint8_t> data(bytes);
  SubmittedFrame coded;
  coded.format.width = width;
  coded.format.height = height;
  coded.format.bit_depth = 8;
  coded.data = data;
  std::vector<DecodedFramePtr> frames;
  {
    const BusyWorkers busy(engine);
    while (frames.size() < 100 && frames.size() < backend.depth()) {
      EXPECT_TRUE(backend.Submit(coded, &frames.emplace_back()).ok());
    }
  }
  for (const DecodedFramePtr& frame : frames) {
    EXPECT_FALSE(frame->Wait().ok()) << "of zeros";
  }
  return frames.size();
}

TEST(ClientDepthTest, OfSmallFramesManyWait) {
  EXPECT_EQ(CountSubmitted(352, 288, 500), 27u);
}

TEST(ClientDepthTest, OfLargeFramesFewWait) {
  EXPECT_LE(CountSubmitted(1920, 1080, 100 << 10), 7u);
}

// The coded frames of a clip's first packets.
std::vector<SubmittedFrame> Frames(const std::string& clip, size_t count) {
  std::unique_ptr<Container> container;
  EXPECT_TRUE(Container::Open(PERDIX_CLIPS "/" + clip, &container).ok());
  const std::unique_ptr<PacketParser> parser = container->codec().open();
  std::vector<SubmittedFrame> frames;
  while (frames.size() < count) {
    Packet packet;
    bool end = false;
    EXPECT_TRUE(container->Next(&packet, &end).ok() && !end);
    parser->Begin(packet.data);
    SubmittedFrame& frame = frames.emplace_back();
    EXPECT_TRUE(parser->Next(&frame, &end).ok() && !end);
    frame.owner = packet.owner;
  }
  return frames;
}

// The first frame loses its slot to the second, but was copied to another one.
TEST(ClientSlotTest, ACopiedSlotKeepsItsPicture) {
  std::vector<SubmittedFrame> coded = Frames("lossless_64x48.ivf", 2);
  coded[0].refresh = 1 << 3;
  SubmittedFrame again = coded[0];
  for (const bool copied : {true, false}) {
    Engine engine({.threads = kThreads});
    EngineBackend backend(engine, vp9::kCodec, false);
    DecodedFramePtr first, second, third;
    ASSERT_TRUE(backend.Submit(coded[0], &first).ok());
    if (copied) backend.CopySlot(3, 1);
    ASSERT_TRUE(backend.Submit(again, &second).ok());
    EXPECT_TRUE(first->Wait().ok());
    EXPECT_TRUE(second->Wait().ok());
    for (int i = 0; i < 3; ++i) coded[1].references[i] = first;
    ASSERT_TRUE(backend.Submit(coded[1], &third).ok());
    EXPECT_EQ(third->Wait().ok(), copied);
  }
}

}  // namespace
}  // namespace perdix::client
