// SPDX-License-Identifier: BSD-2-Clause
// A machine on which the CPU's caches and the GPU do not see each other: what
// either wrote is there for the other only after an access begins or ends, as
// with the dma-bufs of a Raspberry Pi.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/container/container.h"
#include "client/stream/stream.h"
#include "codec/codec.h"
#include "engine/decoder.h"
#include "tests/engine/decode_clip.h"
#include "tests/engine/fake_gpu.h"
#include "tests/engine/picture_frame.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

// The memory is the GPU's, the bytes are the CPU's caches in front of it.
class CachedMemory {
 public:
  CachedMemory(Engine& engine, size_t size)
      : engine_(engine), cache_(size), clean_(size) {
    EXPECT_TRUE(engine.gpu()
                    ->Allocate(size, vulkan::Gpu::Placement::kDevice, &memory_)
                    .ok());
  }

  Status Access(CpuAccess access) {
    if (access == CpuAccess::kBegin) {
      const Status status = engine_.gpu()->Read(*memory_, 0, cache_);
      clean_ = cache_;
      return status;
    }
    return WriteBack();
  }

  // From when done() is called until it returns.
  void SetReported(bool reported) { reported_ = reported; }
  bool reported() const { return reported_; }

  uint8_t* data() { return cache_.data(); }
  const gpu::MemoryPtr& gpu() const { return memory_; }

 private:
  // Writes what the CPU has changed, and nothing else, as caches do: the GPU
  // may be reading the picture for the next frame.
  Status WriteBack() {
    Status status;
    for (size_t i = 0; i < cache_.size() && status.ok(); ++i) {
      if (cache_[i] == clean_[i]) continue;
      status = engine_.gpu()->Write(*memory_, i, {&cache_[i], 1});
    }
    clean_ = cache_;
    return status;
  }

  Engine& engine_;
  gpu::MemoryPtr memory_;
  std::vector<uint8_t> cache_;
  std::vector<uint8_t> clean_;  // the cache, when it and the memory met last
  std::atomic<bool> reported_{false};
};

// Brackets a target like the daemon's sessions (daemon/session_job.cc).
class CachedBackend : public PictureBackend {
 public:
  explicit CachedBackend(Engine& engine)
      : PictureBackend(client::vp9::kCodec),
        engine_(engine),
        decoder_(engine, *FindCodec(PERDIX_CODEC_VP9)) {}

  Status Decode(const client::SubmittedFrame& coded,
                const References& references,
                std::shared_ptr<PictureFrame>* frame) override {
    const client::FrameFormat& format = coded.format;
    auto picture = std::make_shared<Picture>();
    size_t size = 0;
    picture->layout =
        LayOutPicture(format.width, format.height, format.bit_depth,
                      format.subsampling_x, format.subsampling_y, &size);
    const auto memory = std::make_shared<CachedMemory>(engine_, size);
    picture->memory = {memory, memory->data(), size, memory->gpu()};
    memories_[picture.get()] = memory;
    const auto decoded = std::make_shared<PictureFrame>(picture);

    FrameRequest request = RequestOf(coded, references, picture);
    request.cpu_access = [memories = memories_, this](const Picture& which,
                                                      CpuAccess what) {
      CachedMemory& accessed = *memories.at(&which);
      if (accessed.reported()) ++accesses_while_reported_;
      return accessed.Access(what);
    };
    request.done = [this, decoded, memory](const Status& status) {
      memory->SetReported(true);
      std::this_thread::sleep_for(done_takes_);
      const Status ended = memory->Access(CpuAccess::kEnd);
      memory->SetReported(false);
      decoded->Done(status.ok() ? ended : status);
    };
    Status status = memory->Access(CpuAccess::kBegin);
    if (!status.ok()) return status;
    decoder_.Submit(std::move(request));
    pictures_.push_back(picture);
    *frame = decoded;
    return status;
  }
  size_t depth() const override { return 4; }

  const std::vector<PicturePtr>& pictures() const { return pictures_; }
  // By the engine, to pictures whose frame is being reported.
  int accesses_while_reported() const { return accesses_while_reported_; }
  void SetTimeOfDone(std::chrono::microseconds time) { done_takes_ = time; }

 private:
  Engine& engine_;
  Decoder decoder_;
  std::vector<PicturePtr> pictures_;  // all of them
  std::map<const Picture*, std::shared_ptr<CachedMemory>> memories_;
  std::atomic<int> accesses_while_reported_{0};
  std::chrono::microseconds done_takes_{0};
};

// What is in the memory, whatever is in the caches.
size_t HashOfMemory(Engine& engine, const Picture& picture) {
  std::string bytes(picture.memory.size, '\0');
  EXPECT_TRUE(
      engine.gpu()
          ->Read(*picture.memory.gpu, 0,
                 {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()})
          .ok());
  return std::hash<std::string>()(bytes);
}

class CachedMemoryTest : public testing::TestWithParam<const char*> {
 protected:
  std::vector<size_t> Frames(EngineOptions options) {
    options.wait_for_gpu = true;
    Engine engine(options);
    CachedBackend backend(engine);
    backend.SetTimeOfDone(done_takes_);
    client::Stream stream(backend,
                          {.shown = [](const client::Image&) { return true; },
                           .failed =
                               [](const client::Position&, const Status& why) {
                                 ADD_FAILURE() << why.message();
                                 return false;
                               }});
    std::unique_ptr<client::Container> container;
    EXPECT_TRUE(client::Container::Open(
                    PERDIX_CLIPS "/" + std::string(GetParam()), &container)
                    .ok());
    client::Packet packet;
    bool end = false;
    while (container->Next(&packet, &end).ok() && !end) {
      stream.Decode(packet.data, packet.owner);
    }
    stream.Flush();
    std::vector<size_t> hashes;
    for (const PicturePtr& picture : backend.pictures()) {
      hashes.push_back(HashOfMemory(engine, *picture));
    }
    accesses_while_reported_ = backend.accesses_while_reported();
    return hashes;
  }

  std::chrono::microseconds done_takes_{0};
  int accesses_while_reported_ = 0;  // of the last Frames()
};

TEST_P(CachedMemoryTest, EveryMixtureGivesTheSameMemory) {
  const std::vector<size_t> expected =
      Frames({.threads = 1, .recipe = MixedRecipe((1 << kStages) - 1)});
  EXPECT_FALSE(expected.empty());
  for (uint32_t mask = 1; mask < 1 << kStages; ++mask) {
    EXPECT_EQ(Frames({.threads = 2, .recipe = MixedRecipe(mask)}), expected)
        << "mask " << mask;
  }
}

TEST_P(CachedMemoryTest, WhatTheCpuDoesAgainIsInTheMemory) {
  const std::vector<size_t> expected =
      Frames({.threads = 1, .recipe = MixedRecipe((1 << kStages) - 1)});
  EXPECT_EQ(Frames({.threads = 2,
                    .recipe = MixedRecipe((1 << kStages) - 1),
                    .self_check = 2}),
            expected);
  FakeGpu().wrong_kernel = int(KernelId::kVp9LoopFilter);
  FakeGpu().wrong_from = 3;
  EXPECT_EQ(Frames({.threads = 2,
                    .recipe = MixedRecipe((1 << kStages) - 1),
                    .self_check = 1}),
            expected);
  FakeGpu().wrong_kernel = -1;
  FakeGpu().wrong_from = 1;
}

// A frame may be on the GPU behind one that is not over. What the CPU is to do
// with it then, to check it or to go on, waits until that one is.
TEST_P(CachedMemoryTest, NoReferenceIsReadBeforeItsFrameIsOver) {
  done_takes_ = std::chrono::milliseconds(2);
  for (uint32_t mask = 1; mask < 1 << kStages; ++mask) {
    EXPECT_FALSE(Frames({.threads = 2,
                         .recipe = MixedRecipe(mask),
                         .self_check = mask == (1 << kStages) - 1 ? 2u : 0u})
                     .empty());
    EXPECT_EQ(accesses_while_reported_, 0) << "mask " << mask;
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, CachedMemoryTest,
                         testing::Values("odd_99x57.webm", "tiles_512x288.webm",
                                         "resize_640x360.webm"),
                         &ClipName);

}  // namespace
}  // namespace perdix
