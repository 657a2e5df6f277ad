// SPDX-License-Identifier: BSD-2-Clause
// The engine as its users see it: perdixd, perdix-decode and perdix-bench open
// one, and a Decoder (decoder.h) for each stream.
#ifndef PERDIX_ENGINE_ENGINE_H_
#define PERDIX_ENGINE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codec/picture.h"
#include "engine/cpu_frames.h"
#include "engine/engine_counters.h"
#include "engine/recipe.h"
#include "engine/stage_clocks.h"
#include "engine/trace.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

struct FrameJob;

// Whether the luma of shown pictures is watched (luma_watch.h).
struct LumaWatchOptions {
  bool on = false;
  uint32_t black_level = 32;  // of 8-bit luma: at or below it a sample is dark
};

struct EngineOptions {
  int threads = 0;  // 0: one for each CPU
  // For tests; unless it is 0, what can be done is done in random order.
  uint32_t shuffle_seed = 0;
  Recipe recipe = {};
  bool measure = false;  // fill StageTimes()
  // Opened only if the recipe uses it. Its notices go where ours go.
  vulkan::GpuOptions gpu = {};
  bool wait_for_gpu = false;  // until its programs are compiled
  // One frame in so many of those with stages on the GPU is compared with what
  // the CPU makes of it; a kernel that is wrong leaves the GPU. 0: none.
  uint32_t self_check = 0;
  LumaWatchOptions watch = {};
  // Tells the operator what changed (no GPU, GPU lost, kernel wrong), once
  // each. From any thread; may be null.
  std::function<void(const std::string&)> notice = {};
  // Called with every frame once it is parsed, before it is done: its lists are
  // complete and, if there is one thread, its references. From any thread; may
  // be null.
  std::function<void(const FrameJob&)> observer = {};
};

enum class PictureHome : uint8_t {
  kHeap,    // the GPU has no part in such frames
  kShared,  // CPU and GPU work on them: memory of the host that both reach
  kGpu,     // its own memory: memory.data is perhaps null (see read_picture.h)
};

struct EngineParts;
struct CodecRow;

// What the sessions of a process share: threads, GPU and recipe.
class Engine {
 public:
  explicit Engine(const EngineOptions& options);
  // Every Decoder, and every picture in GPU memory, must be gone. EndTrace()s.
  ~Engine();

  Recipe recipe() const;
  // Holds from the next frame on. Opens the GPU if this is the first recipe
  // that uses it. One call at a time. Change the recipe only between streams
  // whose pictures are from NewPicture(): those lie where the recipe in force
  // at that moment placed them, on the heap or on the GPU.
  void SetRecipe(const Recipe& recipe);
  int threads() const;
  // So many frames of a session are at work at most (CpuFramesInFlight); more
  // wait.
  size_t frames_in_flight() const;
  // Null: not asked for, or not there.
  vulkan::Gpu* gpu() const;
  bool GpuLost() const;
  // Whether the recipe has the GPU work on such frames of the codec, perhaps
  // only once it is ready.
  bool GpuIsFor(const CodecRow& codec, uint32_t bit_depth,
                uint32_t subsampling_x, uint32_t subsampling_y) const;
  // Empty, too, where no GPU is open, or it is lost. Any thread.
  CpuFrames cpu_frames() const;
  // The times of all streams, also those that are gone. Empty unless measuring.
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

  // Where the recipe's stages reach a picture of the codec best, now. Any
  // thread.
  PictureHome HomeOf(const CodecRow& codec, uint32_t bit_depth,
                     uint32_t subsampling_x, uint32_t subsampling_y);
  // A picture with room for the frame, where HomeOf says. needs_cpu: the CPU
  // touches it whatever the recipe says, so never kGpu. Throws std::bad_alloc.
  PicturePtr NewPicture(const CodecRow& codec, uint32_t width, uint32_t height,
                        uint32_t bit_depth, uint32_t subsampling_x,
                        uint32_t subsampling_y, bool needs_cpu = false);

  // A dma-buf's memory as the GPU sees it. Null: no GPU, or it will not have it
  // (the first time that is a notice).
  gpu::MemoryPtr ImportDmaBuf(int fd, size_t size);

 private:
  friend class Decoder;  // a stream works with the parts

  // Whether a kernel of the codec is the CPU's, or not yet compiled for the
  // GPU.
  bool CpuWorksOn(const CodecRow& codec, const FrameParams& params) const;
  // Null: none fit.
  gpu::MemoryPtr NewGpuMemory(size_t size, bool crosses);

  const std::unique_ptr<EngineParts> parts_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_ENGINE_H_
