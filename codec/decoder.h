// SPDX-License-Identifier: BSD-2-Clause
// The engine as its two users see it: perdixd (one Decoder for each V4L2
// context) and perdix-decode (in process).
#ifndef PERDIX_CODEC_DECODER_H_
#define PERDIX_CODEC_DECODER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "codec/frame_request.h"
#include "codec/picture.h"
#include "codec/recipe.h"
#include "codec/trace.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

// Time spent since the engine started, summed over threads.
struct StageTime {
  std::string stage;    // "entropy" or a kernel's key
  std::string variant;  // "cpu", "scalar", "simd", "vulkan"
  uint64_t nanoseconds = 0;
  uint64_t steps = 0;  // on the GPU: GpuFrameResult::steps, summed
};

struct FrameJob;

struct EngineOptions {
  int threads = 0;  // 0: one for each CPU
  Recipe recipe = {};
  bool measure = false;  // fill StageTimes()
  // Opened only if the recipe uses it. Its notices go where ours go.
  vulkan::GpuOptions gpu = {};
  bool wait_for_gpu = false;  // until its pipelines are compiled
  // Of the frames with stages on the GPU, every so many is compared with what
  // the CPU makes of it; a kernel that is wrong leaves the GPU. 0: none.
  uint32_t self_check = 0;
  bool motion = false;  // measure it, of frames that end on the GPU
  // Tells the operator what changed (no GPU, GPU lost, kernel wrong), once
  // each. From any thread; may be null.
  std::function<void(const std::string&)> notice = {};
  // Called with every frame once it is parsed, before it is done: its lists are
  // complete and, if there is one thread, its references. From any thread; may
  // be null.
  std::function<void(const FrameJob&)> observer = {};
};

struct EngineCounters {
  uint64_t gpu_frames = 0;     // with at least one stage on the GPU
  uint64_t cpu_frames = 0;     // without, whatever the recipe says
  uint64_t redone_frames = 0;  // on the CPU, after the GPU was lost or wrong
  uint64_t gpu_imports = 0;    // dma-bufs, once each
  uint64_t gpu_refused = 0;    // dma-bufs that the GPU would not have
  uint64_t self_checks = 0;    // frames
  uint64_t self_check_failures = 0;  // of these
  // Absolute differences of luma to the frame decoded before, and how many
  // frames they are of.
  uint64_t motion_sum = 0;
  uint64_t motion_frames = 0;
};

std::string ToString(const EngineCounters& counters);

// Of one stream, since it began.
struct StreamCounters {
  std::vector<StageTime> stages;  // empty unless EngineOptions::measure
  uint64_t motion_sum = 0;        // as EngineCounters'
  uint64_t motion_frames = 0;
};

class ThreadPool;
class Scheduler;
struct StageClocks;
class Tracer;

// What the sessions of a process share: threads, GPU and recipe.
class Engine {
 public:
  explicit Engine(const EngineOptions& options);
  // Every Decoder, and every picture in GPU memory, must be gone. EndTrace()s.
  ~Engine();

  ThreadPool& pool() { return *pool_; }
  Recipe recipe() const;
  // Holds from the next frame on. Opens the GPU if this is the first recipe
  // that uses it. One call at a time. Change the recipe only between streams
  // whose pictures are from NewPicture(): those lie where the recipe in force
  // at that moment placed them, on the heap or on the GPU.
  void SetRecipe(const Recipe& recipe);
  int threads() const;
  // Of a session, at most (CpuFramesInFlight); more wait.
  size_t frames_in_flight() const;
  // Null: not asked for, or not there.
  vulkan::Gpu* gpu() const { return gpu_.load(std::memory_order_acquire); }
  bool GpuLost() const { return gpu() != nullptr && gpu()->lost(); }
  // Whether some kernel runs on the CPU, whatever the GPU does.
  bool CpuNeedsPictures() const;
  // Of all streams, also those that are gone. Empty unless measuring.
  std::vector<StageTime> StageTimes() const;
  EngineCounters counters() const;

  // From now on collects what the threads and the GPU do, until <frames> (1 to
  // kMaxTraceFrames) frames of any streams that begin from now on have ended;
  // then calls done with it, once, from a worker thread, which decodes on when
  // done returns: it must not wait for decoding. Independent of
  // EngineOptions::measure. Any thread. Fails with kInvalidArgument, and never
  // calls done, on another number of frames or while a trace is running.
  Status StartTrace(uint32_t frames, std::function<void(Trace)> done);
  // Ends the trace that is running, if one is, with what there is: calls done
  // before it returns, unless a worker is about to. Any thread.
  void EndTrace();

  // A picture with room for the frame, where the recipe's stages reach it best:
  // in memory of the GPU (memory.data is null unless the CPU may touch it; see
  // ReadPicture) or on the heap. Throws std::bad_alloc.
  PicturePtr NewPicture(uint32_t width, uint32_t height, uint32_t bit_depth,
                        uint32_t subsampling_x, uint32_t subsampling_y);

  // A dma-buf's memory as the GPU sees it. Null: no GPU, or it will not have it
  // (the first time that is a notice).
  vulkan::GpuMemoryPtr ImportDmaBuf(int fd, size_t size);

  // The scheduler's.
  bool measures() const { return measure_; }
  // A stream's own clocks, while it lives. Returns its number, from 1 on.
  uint32_t AddStream(const StageClocks* clocks);
  void RemoveStream(const StageClocks* clocks);
  Tracer& tracer() { return *tracer_; }
  // Streams that have frames in flight.
  int busy_streams() const { return busy_streams_; }
  void StreamBusy() { ++busy_streams_; }
  void StreamIdle() { --busy_streams_; }
  // Whether the GPU can run the kernel on such frames now.
  bool GpuUsable(KernelId kernel, const FrameParams& params);
  void CountFrame(bool gpu);
  void CountRedone() { ++redone_frames_; }
  void ReportGpuFailure(const Status& why);
  bool OnGpu(KernelId kernel) const;  // by the recipe
  // <kernel> was wrong in that frame.
  void LeaveGpu(KernelId kernel, const std::string& frame);
  // Of each frame with stages on the GPU, once.
  bool SelfCheckDue();
  void CountSelfCheck() { ++self_checks_; }
  bool measures_motion() const { return motion_; }
  void CountMotion(uint64_t motion);
  bool observed() const { return observer_ != nullptr; }
  void Observe(const FrameJob& job) const {
    if (observer_) observer_(job);
  }

 private:
  void OpenGpu();
  void Notice(const std::string& text) const;
  // Whether the recipe has the GPU work on such frames, of any codec.
  bool GpuTakes(const FrameParams& params);
  vulkan::GpuMemoryPtr NewGpuMemory(size_t size);  // null: none fit

  std::unique_ptr<Tracer> tracer_;  // the workers report to it
  std::unique_ptr<ThreadPool> pool_;
  vulkan::GpuOptions gpu_options_;
  bool wait_for_gpu_ = false;
  std::unique_ptr<vulkan::Gpu> own_gpu_;  // goes before pool_: it posts there
  std::atomic<vulkan::Gpu*> gpu_{nullptr};
  mutable std::mutex mutex_;
  Recipe recipe_;  // under mutex_
  const uint32_t self_check_ = 0;
  const bool motion_ = false;
  std::function<void(const std::string&)> notice_;
  std::atomic<bool> failure_reported_{false};
  const std::function<void(const FrameJob&)> observer_;
  const bool measure_ = false;
  mutable std::mutex streams_mutex_;  // the clocks' list, not the clocks
  uint32_t streams_ = 0;              // ever
  std::vector<const StageClocks*> clocks_;
  std::unique_ptr<StageClocks> old_clocks_;  // of streams that are gone
  std::atomic<int> busy_streams_{0};
  std::atomic<uint64_t> gpu_frames_{0};
  std::atomic<uint64_t> cpu_frames_{0};
  std::atomic<uint64_t> redone_frames_{0};
  std::atomic<uint64_t> gpu_imports_{0};
  std::atomic<uint64_t> gpu_refused_{0};
  std::atomic<uint64_t> self_check_turn_{0};
  std::atomic<uint64_t> self_checks_{0};
  std::atomic<uint64_t> self_check_failures_{0};
  std::atomic<uint64_t> motion_sum_{0};
  std::atomic<uint64_t> motion_frames_{0};
};

// A copy on the heap of a picture of Engine::NewPicture that the CPU cannot
// touch. Fails with kDeviceLost.
Status ReadPicture(Engine& engine, const Picture& picture, PicturePtr* copy);

// Whether the CPU may begin frames of that size (luma samples) before the frame
// before them is whole. It takes a picture more, which is too much for what two
// threads gain above a mebisample; four gain nothing at 2160p
// (docs/measurements/cpu.md).
inline bool FramesOverlap(uint32_t width, uint32_t height, int threads) {
  return threads > 1 &&
         uint64_t{width} * height <= (threads > 2 ? 1u << 22 : 1u << 20);
}

// Frames of that size (luma samples) that the CPU has in flight. With one
// thread a second would only cool the cache; a third is parsed by workers that
// would wait for the two at work, and its records are worth their place in the
// caches of two threads only where frames are small (docs/measurements/cpu.md).
inline size_t CpuFramesInFlight(uint32_t width, uint32_t height, int threads) {
  if (threads < 2) return 1;
  const uint64_t small = threads > 2 ? 1u << 20 : 1u << 19;
  return uint64_t{width} * height <= small ? 3 : 2;
}

struct CodecRow;

// One stream. Submit() and the destructor belong to one thread.
class Decoder {
 public:
  // codec: a row of Codecs(). The engine must outlive the decoder.
  Decoder(Engine& engine, const CodecRow& codec);
  ~Decoder();  // waits for what is in flight, like Drain()
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Takes the frame; never waits for decoding. Any number may be queued.
  void Submit(FrameRequest request);

  // Returns when done() of every submitted frame has returned.
  void Drain();

  StreamCounters counters() const;  // any thread
  // As a trace names the stream: from 1 on, in the order of an engine's
  // streams.
  uint32_t number() const;

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_DECODER_H_
