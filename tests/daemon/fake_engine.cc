// SPDX-License-Identifier: BSD-2-Clause
#include "tests/daemon/fake_engine.h"

#include <linux/videodev2.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "codec/codec.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  bool released = false;
  std::vector<SubmittedFrame> frames;
};

State& TheState() {
  static State state;
  return state;
}

void WaitForRelease() {
  State& state = TheState();
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.released; });
}

StreamFormat FakeFormat(std::span<const uint8_t>) { return {2, 320, 240, 8}; }

constexpr CodecRow kCodec = {.name = "vp9",
                             .id = PERDIX_CODEC_VP9,
                             .pixelformat = V4L2_PIX_FMT_VP9_FRAME,
                             .open = nullptr,
                             .format = FakeFormat,
                             .passes = {},
                             .lowest_lines = nullptr};

}  // namespace

void ResetFakeEngine() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.released = false;
  state.frames.clear();
}

void ReleaseHeld() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.released = true;
  state.changed.notify_all();
}

void WaitForSubmitted(size_t frames) {
  State& state = TheState();
  std::unique_lock lock(state.mutex);
  state.changed.wait(lock, [&] { return state.frames.size() >= frames; });
}

std::vector<SubmittedFrame> SubmittedFrames() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  return state.frames;
}

// One thread for each decoder; done() is called in order.
class Scheduler {
 public:
  Scheduler() : thread_([this] { Work(); }) {}
  ~Scheduler() {
    Push({});
    thread_.join();
  }

  void Submit(FrameRequest request) {
    const uint8_t fate = request.controls.empty() ? 0 : request.controls[0];
    Record(request);
    Push({std::move(request), fate});
  }

 private:
  struct Frame {
    FrameRequest request;
    uint8_t fate = 0;  // a FakeFrame
  };

  static void Record(const FrameRequest& request) {
    SubmittedFrame frame;
    frame.controls.assign(request.controls.begin(), request.controls.end());
    frame.bitstream_bytes = request.bitstream.size();
    frame.has_memory = request.target->memory.data != nullptr;
    frame.target = request.target;
    for (int i = 0; i < kMaxReferences; ++i)
      frame.references[i] = request.references[i];
    State& state = TheState();
    const std::lock_guard lock(state.mutex);
    state.frames.push_back(std::move(frame));
    state.changed.notify_all();
  }

  void Push(Frame frame) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(frame));
    pushed_.notify_one();
  }

  Frame Pop() {
    std::unique_lock lock(mutex_);
    pushed_.wait(lock, [&] { return !waiting_.empty(); });
    Frame next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  void Work() {
    for (Frame next = Pop(); next.request.done; next = Pop()) Decode(next);
  }

  static void Decode(const Frame& frame) {
    if (frame.fate == kHeld || frame.fate == kAccesses ||
        frame.fate == kReadsReference) {
      WaitForRelease();
    }
    if (frame.fate == kReadsReference) {
      const volatile uint8_t* pixels = frame.request.references[0]->memory.data;
      (void)pixels[0];
    }
    Picture& target = *frame.request.target;
    const bool fails = frame.fate == kFails || !target.memory.data;
    if (!fails && frame.fate == kAccesses) {
      const Status status = frame.request.cpu_access(target, CpuAccess::kBegin);
      if (!status.ok()) {
        target.broken = true;
        return frame.request.done(status);
      }
    }
    if (fails)
      target.broken = true;
    else if (!frame.request.bitstream.empty())
      memset(target.memory.data, frame.request.bitstream[0],
             target.memory.size);
    frame.request.done(
        fails ? Status(StatusCode::kInvalidBitstream, "fake failure")
              : Status::Ok());
  }

  std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<Frame> waiting_;
  std::thread thread_;
};

struct EngineParts {};

Engine::Engine(const EngineOptions&) {}
Engine::~Engine() = default;
int Engine::threads() const { return 1; }
gpu::MemoryPtr Engine::ImportDmaBuf(int, size_t) { return nullptr; }
CpuFrames Engine::cpu_frames() const { return {}; }
bool Engine::GpuIsFor(const CodecRow&, uint32_t, uint32_t, uint32_t) const {
  return false;
}
PicturePtr Engine::NewPicture(const CodecRow&, uint32_t width, uint32_t height,
                              uint32_t bit_depth, uint32_t subsampling_x,
                              uint32_t subsampling_y, bool) {
  return NewHeapPicture(width, height, bit_depth, subsampling_x, subsampling_y);
}

Decoder::Decoder(Engine&, const CodecRow&)
    : scheduler_(std::make_unique<Scheduler>()) {}
Decoder::~Decoder() = default;
StreamCounters Decoder::counters() const { return {}; }
void Decoder::Submit(FrameRequest request) {
  scheduler_->Submit(std::move(request));
}

const CodecRow* FindCodec(uint32_t id) {
  return id == kCodec.id ? &kCodec : nullptr;
}

Recipe::Recipe() = default;
Status Recipe::Parse(std::string_view text, Recipe*) {
  if (text == "auto" || text == "a=scalar,b=simd") return Status::Ok();
  return Status(StatusCode::kInvalidArgument, std::string(text));
}

}  // namespace perdix
