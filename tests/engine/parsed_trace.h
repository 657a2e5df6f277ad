// SPDX-License-Identifier: BSD-2-Clause
// A trace's JSON, read back.
#ifndef PERDIX_TESTS_ENGINE_PARSED_TRACE_H_
#define PERDIX_TESTS_ENGINE_PARSED_TRACE_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perdix {

struct TraceSpan {
  std::string name;
  double begin = 0;  // microseconds
  double end = 0;
};

// What a thread or the GPU did.
struct TraceWork : TraceSpan {
  std::string thread;  // its name
  std::string stage;
  std::string variant;
  std::pair<uint32_t, uint32_t> frame;  // stream, number
  uint32_t row = 0;                     // of superblocks
  uint32_t rows = 0;                    // 0: not of rows

  bool OnGpu() const { return thread.starts_with("GPU "); }
};

struct TraceFrame : TraceSpan {
  std::vector<TraceSpan> waits;
};

struct ParsedTrace {
  nlohmann::json metadata;  // otherData
  std::vector<TraceWork> work;
  std::map<std::pair<uint32_t, uint32_t>, TraceFrame> frames;

  // Microseconds in a stage, on the GPU or not.
  double Sum(const std::string& stage, bool gpu) const;
};

// What is wrong with the JSON itself fails the test: a frame that is there
// twice, spans that do not nest, a thread or the GPU doing two things at once.
ParsedTrace ParseTrace(const std::string& json);

// The GPU's work for a frame lies between its submit and its end.
void ExpectGpuInsideFrames(const ParsedTrace& trace);

}  // namespace perdix

#endif  // PERDIX_TESTS_ENGINE_PARSED_TRACE_H_
