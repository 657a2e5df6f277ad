// SPDX-License-Identifier: BSD-2-Clause
#include "engine/trace.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/recipe.h"
#include "engine/tracer.h"

namespace perdix {
namespace {

constexpr uint64_t kShortestWait = 1000;  // nanoseconds; less is no wait
constexpr const char* kOtherActivities[] = {"entropy", "gpu_submit",
                                            "self_check", "done"};
static_assert(std::size(kOtherActivities) == size_t(Activity::kKernel));

const char* NameOf(Activity activity) {
  const auto kernels = size_t(Activity::kKernel);
  const auto index = size_t(activity);
  return index < kernels ? kOtherActivities[index]
                         : KernelTable()[index - kernels].key;
}

const char* VariantOf(const TraceEvent& event) {
  return event.activity < Activity::kKernel ? "cpu"
                                            : VariantName(event.variant);
}

// Writes the Trace Event Format: times in microseconds from the first moment
// that the trace knows of.
class Writer {
 public:
  explicit Writer(const TraceData& data) : data_(data), origin_(data.begin) {
    for (const TracedFrame& frame : data.frames) {
      origin_ = std::min(origin_, BeginOf(frame));
    }
  }

  std::string Write() {
    size_t events = 0;
    for (const auto& thread : data_.events) events += thread.size();
    text_.reserve(events * 192);
    text_ =
        "{\"displayTimeUnit\":\"ms\",\"otherData\":" + OtherData() +
        ",\n\"traceEvents\":[\n"
        R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"perdix"}})";
    for (size_t i = 0; i < data_.events.size(); ++i) WriteThread(i);
    for (const TracedFrame& frame : data_.frames) WriteFrame(frame);
    return std::move(text_) + "\n]}\n";
  }

 private:
  static uint64_t BeginOf(const TracedFrame& frame) {
    const FrameTimes& times = frame.times;
    return times.submitted != 0 ? times.submitted : times.begun;
  }

  std::string OtherData() const {
    const char* clock = "none";
    if (data_.calibrated != 0) clock = "VK_EXT_calibrated_timestamps";
    if (data_.aligned != 0) clock = "aligned to submit and completion";
    return nlohmann::json({{"frames", data_.frames.size()},
                           {"frames_asked_for", data_.frames_asked_for},
                           {"events_allowed", kMaxTraceEvents},
                           {"events_dropped", data_.dropped},
                           {"gpu", data_.gpu},
                           {"gpu_clock", clock}})
        .dump();
  }

  // The last one is no worker, and has the GPU's events.
  void WriteThread(size_t index) {
    const size_t workers = data_.events.size() - 1;
    const bool worker = index < workers;
    if (!worker && data_.events[index].empty()) return;
    const std::string name =
        worker ? "perdix worker " + std::to_string(index) : "GPU " + data_.gpu;
    Print(
        ",\n"
        R"({"ph":"M","pid":1,"tid":%zu,"name":"thread_name",)"
        R"("args":{"name":)",
        index + 1);
    text_ += nlohmann::json(name).dump() + "}}";
    for (const TraceEvent& event : data_.events[index]) {
      WriteEvent(index + 1, event);
    }
  }

  void WriteEvent(size_t thread, const TraceEvent& event) {
    const char* const name = NameOf(event.activity);
    Print(
        ",\n"
        R"({"ph":"X","pid":1,"tid":%zu,"name":"%s","ts":)",
        thread, name);
    PrintTime(event.begin - origin_);
    text_ += ",\"dur\":";
    PrintTime(event.end - event.begin);
    Print(R"(,"args":{"stream":%u,"frame":%u,"stage":"%s","variant":"%s")",
          event.stream, event.frame, name, VariantOf(event));
    if (event.rows != 0) {
      Print(R"(,"row":%u,"rows":%u)", event.row, event.rows);
    }
    text_ += "}}";
  }

  // From submit to done, and in it, one after the other, what it waited for.
  void WriteFrame(const TracedFrame& frame) {
    const FrameTimes& times = frame.times;
    char name[64];
    std::snprintf(name, sizeof(name), "stream %u frame %u", frame.stream,
                  frame.frame);
    WriteEdge('b', name, frame, BeginOf(frame));
    WriteWait("waits for the parser", frame, times.submitted, times.begun);
    WriteWait("waits for the frame before", frame, times.planned,
              times.gate_open);
    if (times.gpu[0].submitted != 0) {
      WriteWait("waits for its parsing", frame, times.gate_open, times.parsed);
    }
    for (const auto& gpu : times.gpu) {
      WriteWait("waits for the GPU", frame, gpu.submitted, gpu.reported);
    }
    WriteWait("waits for its turn", frame, times.over, times.reporting);
    WriteEdge('e', name, frame, times.done);
  }

  void WriteWait(const char* name, const TracedFrame& frame, uint64_t begin,
                 uint64_t end) {
    if (begin == 0 || end < begin + kShortestWait) return;
    WriteEdge('b', name, frame, begin);
    WriteEdge('e', name, frame, end);
  }

  void WriteEdge(char phase, const char* name, const TracedFrame& frame,
                 uint64_t time) {
    Print(
        ",\n"
        R"({"ph":"%c","cat":"frame","id":"0x%x%08x","pid":1,"tid":0,)"
        R"("name":"%s","ts":)",
        phase, frame.stream, frame.frame, name);
    PrintTime(time - origin_);
    if (phase == 'b') {
      Print(R"(,"args":{"stream":%u,"frame":%u,"codec":"%s","bit_depth":%u,)"
            R"("film_grain":%s})",
            frame.stream, frame.frame, frame.codec, frame.bit_depth,
            frame.film_grain ? "true" : "false");
    }
    text_ += "}";
  }

  void PrintTime(uint64_t nanoseconds) {
    Print("%" PRIu64 ".%03u", nanoseconds / 1000, unsigned(nanoseconds % 1000));
  }

  template <typename... Values>
  void Print(const char* format, Values... values) {
    char buffer[256];
    text_.append(buffer, size_t(std::snprintf(buffer, sizeof(buffer), format,
                                              values...)));
  }

  const TraceData& data_;
  uint64_t origin_;
  std::string text_;
};

}  // namespace

uint32_t Trace::frames() const { return uint32_t(data_->frames.size()); }

std::string Trace::ToJson() const { return Writer(*data_).Write(); }

}  // namespace perdix
