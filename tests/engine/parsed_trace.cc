// SPDX-License-Identifier: BSD-2-Clause
#include "tests/engine/parsed_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace perdix {
namespace {

using nlohmann::json;

constexpr double kRounding = 0.0015;  // microseconds: times are printed in ns

TraceWork WorkOf(const json& event, const std::map<int, std::string>& threads) {
  const json& args = event["args"];
  TraceWork work;
  work.name = event["name"];
  work.begin = event["ts"];
  work.end = work.begin + event["dur"].get<double>();
  work.thread = threads.at(event["tid"]);
  work.stage = args["stage"];
  work.variant = args["variant"];
  work.frame = {args["stream"], args["frame"]};
  work.row = args.value("row", 0u);
  work.rows = args.value("rows", 0u);
  EXPECT_GE(work.begin, 0);
  EXPECT_GE(work.end, work.begin);
  return work;
}

// The edges of one frame, in the order of the file.
TraceFrame FrameOf(const std::vector<json>& edges) {
  TraceFrame frame;
  EXPECT_EQ(edges.size() % 2, 0u);
  frame.name = edges.front()["name"];
  frame.begin = edges.front()["ts"];
  frame.end = edges.back()["ts"];
  double last = frame.begin;
  for (size_t i = 1; i + 1 < edges.size(); i += 2) {
    EXPECT_EQ(edges[i]["ph"], "b");
    EXPECT_EQ(edges[i + 1]["ph"], "e");
    EXPECT_EQ(edges[i]["name"], edges[i + 1]["name"]);
    const double begin = edges[i]["ts"];
    const double end = edges[i + 1]["ts"];
    EXPECT_LE(last, begin) << frame.name << " " << edges[i]["name"];
    EXPECT_LE(begin, end);
    frame.waits.push_back({edges[i]["name"], begin, end});
    last = end;
  }
  EXPECT_LE(last, frame.end) << frame.name;
  EXPECT_EQ(edges.front()["name"], edges.back()["name"]);
  return frame;
}

void ExpectOneThingAtATime(std::vector<TraceWork> work) {
  std::sort(work.begin(), work.end(), [](const auto& a, const auto& b) {
    return std::tie(a.thread, a.begin, a.end) <
           std::tie(b.thread, b.begin, b.end);
  });
  for (size_t i = 1; i < work.size(); ++i) {
    if (work[i].thread != work[i - 1].thread) continue;
    EXPECT_LE(work[i - 1].end, work[i].begin + kRounding)
        << work[i].thread << ": " << work[i - 1].name << ", " << work[i].name;
  }
}

}  // namespace

double ParsedTrace::Sum(const std::string& stage, bool gpu) const {
  double sum = 0;
  for (const TraceWork& w : work) {
    if (w.stage == stage && w.OnGpu() == gpu) sum += w.end - w.begin;
  }
  return sum;
}

ParsedTrace ParseTrace(const std::string& text) {
  ParsedTrace trace;
  const json root = json::parse(text, nullptr, false);
  EXPECT_FALSE(root.is_discarded());
  if (root.is_discarded()) return trace;
  trace.metadata = root["otherData"];
  std::map<int, std::string> threads;
  std::map<std::string, std::vector<json>> edges;  // by id
  for (const json& event : root["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "M" && event["name"] == "thread_name") {
      threads[event["tid"]] = event["args"]["name"];
    } else if (phase == "X") {
      trace.work.push_back(WorkOf(event, threads));
    } else if (phase == "b" || phase == "e") {
      edges[event["id"]].push_back(event);
    }
  }
  for (const auto& [id, of_frame] : edges) {
    const json& args = of_frame.front()["args"];
    const bool first =
        trace.frames
            .insert({{args["stream"], args["frame"]}, FrameOf(of_frame)})
            .second;
    EXPECT_TRUE(first) << args;
  }
  EXPECT_EQ(trace.frames.size(), trace.metadata["frames"].get<size_t>());
  ExpectOneThingAtATime(trace.work);
  return trace;
}

void ExpectGpuInsideFrames(const ParsedTrace& trace) {
  for (const TraceWork& work : trace.work) {
    const auto frame = trace.frames.find(work.frame);
    if (!work.OnGpu() || frame == trace.frames.end()) continue;
    EXPECT_EQ(work.variant, "vulkan");
    EXPECT_GE(work.begin, frame->second.begin) << work.name;
    EXPECT_LE(work.end, frame->second.end + kRounding) << work.name;
    const bool waited = std::any_of(
        frame->second.waits.begin(), frame->second.waits.end(),
        [&](const TraceSpan& wait) {
          return wait.name == "waits for the GPU" && wait.begin <= work.begin &&
                 work.end <= wait.end + kRounding;
        });
    EXPECT_TRUE(waited) << work.name << " of " << frame->second.name;
  }
}

}  // namespace perdix
