// SPDX-License-Identifier: BSD-2-Clause
// What the threads and the GPU did while some frames were decoded, as a file
// for ui.perfetto.dev or chrome://tracing. docs/trace.md shows one.
#ifndef PERDIX_ENGINE_TRACE_H_
#define PERDIX_ENGINE_TRACE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace perdix {

inline constexpr uint32_t kMaxTraceFrames = 1000;
// A trace holds at most so many events, of 32 bytes: 8 MiB for all threads
// together. Those beyond are only counted.
inline constexpr uint32_t kMaxTraceEvents = 1 << 18;

struct TraceData;

// Cheap to copy; may outlive the engine.
class Trace {
 public:
  explicit Trace(std::shared_ptr<const TraceData> data)
      : data_(std::move(data)) {}

  // The number of frames that began and ended in the trace.
  uint32_t frames() const;
  // The trace in the Trace Event Format: {"traceEvents": [...], "otherData":
  // {...}}. At most about 200 bytes for each event.
  std::string ToJson() const;

 private:
  std::shared_ptr<const TraceData> data_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_TRACE_H_
