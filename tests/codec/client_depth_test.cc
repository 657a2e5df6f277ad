// SPDX-License-Identifier: BSD-2-Clause
// How many frames the client has in its own engine (tools/client/).
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <vector>

#include "codec/thread_pool.h"
#include "tools/client/engine_backend.h"

namespace perdix::client {
namespace {

constexpr int kThreads = 2;

// While one lives no worker of the engine does anything else.
class BusyWorkers {
 public:
  explicit BusyWorkers(Engine& engine) {
    for (int i = 0; i < kThreads; ++i) {
      Task task;
      task.run = Wait;
      task.context = this;
      engine.pool().Post(Priority::kAwaited, task);
    }
    begun_.wait();
  }
  ~BusyWorkers() { end_.set_value(); }

 private:
  static void Wait(void* self, void*, uint32_t, uint32_t) {
    auto& workers = *static_cast<BusyWorkers*>(self);
    const std::shared_future<void> over = workers.over_;
    workers.begun_.count_down();
    over.wait();
  }

  std::promise<void> end_;
  const std::shared_future<void> over_ = end_.get_future().share();
  std::latch begun_{kThreads};
};

// Frames of <bytes> that the client submits before it waits for the first.
size_t CountSubmitted(uint32_t width, uint32_t height, size_t bytes) {
  Engine engine({.threads = kThreads});
  EngineBackend backend(engine, false);
  const std::vector<uint8_t> data(bytes);
  CodedFrame coded;
  coded.header.format.width = width;
  coded.header.format.height = height;
  coded.header.format.bit_depth = 8;
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

}  // namespace
}  // namespace perdix::client
