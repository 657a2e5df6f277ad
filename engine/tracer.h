// SPDX-License-Identifier: BSD-2-Clause
// Collects what a Trace shows. The scheduler reports to it from all threads;
// while no trace is running each report is one relaxed load.
#ifndef PERDIX_ENGINE_TRACER_H_
#define PERDIX_ENGINE_TRACER_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/ticks.h"
#include "engine/trace.h"
#include "kernels/kernel.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

enum class Activity : uint8_t {
  kEntropy,
  kGpuSubmit,  // work lists ordered, commands recorded, on the CPU
  kSelfCheck,
  kDone,    // FrameRequest::done
  kKernel,  // the first; the others follow in the order of KernelId
};

inline Activity ActivityOf(KernelId kernel) {
  return Activity(uint8_t(Activity::kKernel) + uint8_t(kernel));
}

// Something that a thread, or the GPU, did for a frame.
struct TraceEvent {
  uint64_t begin = 0;  // nanoseconds
  uint64_t end = 0;
  uint32_t stream = 0;
  uint32_t frame = 0;
  Activity activity = Activity::kEntropy;
  Variant variant = Variant::kScalar;  // of a kernel; kVulkan: the GPU did it
  uint16_t row = 0;                    // superblocks
  uint16_t rows = 0;                   // 0: not of rows
};
static_assert(sizeof(TraceEvent) == 32);

// When a frame passed what it waits for, in nanoseconds; 0: it did not (yet),
// or no trace was running.
struct FrameTimes {
  uint64_t trace = 0;  // in which the frame begins; 0: none
  uint64_t submitted = 0;
  uint64_t begun = 0;      // headers are being read
  uint64_t planned = 0;    // they are read
  uint64_t gate_open = 0;  // reconstruction may start
  uint64_t parsed = 0;
  uint64_t over = 0;       // nothing is left to do
  uint64_t reporting = 0;  // the frames before are done
  uint64_t done = 0;
  struct {
    uint64_t submitted = 0;
    uint64_t reported = 0;
  } gpu[kMaxStages];  // by segment
};

struct TracedFrame {
  uint32_t stream = 0;
  uint32_t frame = 0;
  const char* codec = "";  // CodecRow::name
  uint32_t bit_depth = 0;
  bool film_grain = false;
  FrameTimes times;
};

struct TraceData {
  uint64_t begin = 0;  // nanoseconds
  uint32_t frames_asked_for = 0;
  std::string gpu;  // its name; empty: none
  // A list for each worker, and a last one for other threads and the GPU.
  std::vector<std::deque<TraceEvent>> events;
  uint64_t dropped = 0;  // events, beyond kMaxTraceEvents
  std::vector<TracedFrame> frames;
  uint32_t calibrated = 0;  // submits placed by the GPU's own clock
  uint32_t aligned = 0;     // placed to end at their report
};

class Tracer {
 public:
  explicit Tracer(int workers) : buffers_(size_t(workers) + 1) {}

  // See Engine::StartTrace and EndTrace. gpu: its name.
  Status Start(uint32_t frames, const std::string& gpu,
               std::function<void(Trace)> done);
  void End();

  // The trace that is running, from 1 on; 0: none.
  uint64_t running() const { return running_.load(std::memory_order_relaxed); }
  void Stamp(uint64_t* time) const {
    if (running() != 0) *time = TraceNow();
  }

  // What began before the trace is left out.
  void Add(const TraceEvent& event);
  // The GPU ran <kernels> for what. From the Gpu's own thread, in the order of
  // its reports. Where it cannot say when, or its clock strays, the events are
  // moved, and shortened if they must be, to lie between what.begin (the
  // submit), the end of what it did before, and what.end (the report).
  void AddGpu(TraceEvent what, std::span<const KernelId> kernels,
              const vulkan::GpuFrameResult& result);
  // All events of the frame have been added. May end the trace.
  void AddFrame(const TracedFrame& frame);

 private:
  // The events of one thread, which waits for the mutex only at the end of a
  // trace.
  struct alignas(64) Buffer {
    std::mutex mutex;
    uint64_t begin = UINT64_MAX;  // of the trace; UINT64_MAX: none is running
    std::deque<TraceEvent> events;
  };

  // With mutex_ held. The caller calls the function.
  std::function<void()> Collect();
  void Append(Buffer& buffer, const TraceEvent& event);  // its mutex held

  std::vector<Buffer> buffers_;
  std::atomic<uint64_t> running_{0};
  std::atomic<uint32_t> events_{0};  // asked for, also those dropped
  uint64_t gpu_idle_from_ = 0;       // under buffers_.back().mutex

  std::mutex mutex_;
  uint64_t traces_ = 0;
  TraceData data_;  // of the trace that is running
  std::function<void(Trace)> done_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_TRACER_H_
