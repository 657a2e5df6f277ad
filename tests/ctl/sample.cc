// SPDX-License-Identifier: BSD-2-Clause
#include "tests/ctl/sample.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace perdix::ctl {
namespace {

using nlohmann::json;

constexpr uint64_t kStart = 1'767'225'600'000'000;  // 2026-01-01, UTC

constexpr uint64_t kPrivateBytes = 12 * 640 * 360 * 3;

struct Client {
  uint32_t id;
  uint32_t pid;
  const char* name;
  uint32_t width;
  uint32_t height;
  double fps;
  double median_usec;
  bool av1 = false;  // of 10 bit, with film grain
};

constexpr Client kClients[] = {
    {3, 4711, "gst-launch-1.0", 1920, 1080, 59.94, 9'400},
    {4, 4802, "chromium", 1280, 720, 30, 4'800},
    {7, 5120, "ffmpeg", 640, 360, 125.3, 1'900, true}};

uint64_t Whole(double value) { return uint64_t(std::lround(value)); }

// Log-normal, with a second hump where two clients wait for each other;
// buckets as wide as the daemon's.
json Histogram(const Client& client, double frames) {
  json rows = json::array();
  for (double upper = 500; upper < 80'000; upper *= 1.0625) {
    const double main = std::log(upper / client.median_usec) / 0.22;
    const double late = std::log(upper / client.median_usec / 2.6) / 0.12;
    const double share =
        0.10 * std::exp(-main * main / 2) + 0.012 * std::exp(-late * late / 2);
    if (const uint64_t count = Whole(frames * share); count > 0)
      rows.push_back({Whole(upper), count});
  }
  return rows;
}

json Stages(double usec) {
  return {{"entropy", "cpu", Whole(0.44 * usec)},
          {"vp9_inter_pred", "simd", Whole(0.29 * usec)},
          {"vp9_inverse_transform", "simd", Whole(0.08 * usec)},
          {"vp9_intra_pred", "simd", Whole(0.05 * usec)},
          {"vp9_loop_filter", "simd", Whole(0.02 * usec)},
          {"vp9_loop_filter", "vulkan", Whole(0.15 * usec)}};
}

json SessionStatistics(const Client& client, double seconds) {
  const double frames = client.fps * seconds;
  return {{"Id", client.id},
          {"ClientPid", client.pid},
          {"ClientName", client.name},
          {"OpenedUSec", kStart + 1'000'000 * client.id},
          {"Codec", client.av1 ? "AV1" : "VP9"},
          {"Profile", 0},
          {"Width", client.width},
          {"Height", client.height},
          {"BitDepth", client.av1 ? 10 : 8},
          {"FilmGrain", client.av1},
          {"PrivateBytes", client.av1 ? kPrivateBytes : 0},
          {"FramesDecoded", Whole(frames)},
          {"FramesFailed", client.id == 7 ? 2 : 0},
          {"FramesDropped", client.id == 4 ? 5 : 0},
          {"BytesIn", Whole(frames * client.width * client.height / 110)},
          {"Fps", client.fps},
          {"LatencyP50USec", Whole(client.median_usec)},
          {"LatencyP95USec", Whole(client.median_usec * 1.7)},
          {"LatencyP99USec", Whole(client.median_usec * 2.7)},
          {"LatencyMaxUSec", Whole(client.median_usec * 3.6)},
          {"LatencyHistogram", Histogram(client, frames)},
          {"StageUSec", Stages(frames * client.median_usec * 1.3)},
          {"LumaMean", client.id == 7 ? 16.5 : 101.25},
          {"DarkRatio", client.id == 7 ? 0.995 : 0.08},
          {"FrozenUSec", client.id == 4 ? 12'500'000 : 0},
          {"BlackUSec", client.id == 7 ? 3'200'000 : 0},
          {"Motion", client.id == 4 ? 0.0 : 2.5}};
}

}  // namespace

json SampleStatistics(double seconds) {
  json sessions = json::array();
  double usec = 0;
  uint64_t frames = 0;
  uint64_t bytes = 0;
  for (const Client& client : kClients) {
    sessions.push_back(SessionStatistics(client, seconds));
    frames += sessions.back()["FramesDecoded"].get<uint64_t>();
    bytes += sessions.back()["BytesIn"].get<uint64_t>();
    usec += client.fps * seconds * client.median_usec * 1.3;
  }
  const json daemon = {
      {"Version", "0.1.0"},
      {"Connected", true},
      {"ModuleVersion", "0.1.0"},
      {"VideoNode", "/dev/video0"},
      {"MediaNode", "/dev/media0"},
      {"Threads", 4},
      {"Gpu", "V3D 7.1.7.0"},
      {"GpuDriver", "V3DV Mesa 25.0.7"},
      {"GpuType", "integrated"},
      {"GpuNode", "/dev/dri/renderD128"},
      {"GpuDrmDriver", "v3d 1.0.0"},
      {"GpuState", "ready"},
      {"Limits",
       {{"MaxWidth", 8192}, {"MaxHeight", 8192}, {"FramesInFlight", 4}}},
      {"Recipe",
       {{"vp9_inter_pred", "simd"},
        {"vp9_inverse_transform", "simd"},
        {"vp9_intra_pred", "simd"},
        {"vp9_loop_filter", "vulkan"}}},
      {"CpuFrames",
       {{"av1 of 12 bit", "no shaders"},
        {"av1 of 4:4:4", "no shaders"},
        {"av1 frames with intrabc", "blocks read earlier ones"}}},
      {"RecipeSource", "stored"},
      {"CalibrationState", "idle"},
      {"CalibrationMessage", ""},
      {"LogLevel", "info"},
      {"Watch", true},
      {"SessionsOpen", 3},
      {"Sessions", 7},
      {"FramesDecoded", frames},
      {"FramesFailed", 2},
      {"FramesDropped", 5},
      {"BytesIn", bytes},
      {"Buffers", 38},
      {"BufferImports", 96},
      {"PrivateBytes", kPrivateBytes},
      {"GpuImports", 96},
      {"GpuImportsRefused", 0},
      {"GpuFrames", frames},
      {"GpuFramesRedone", 0},
      {"SelfChecks", 12},
      {"SelfCheckFailures", 0},
      {"StageUSec", Stages(usec)},
      {"StatisticsSince", kStart}};
  return {{"daemon", daemon}, {"sessions", sessions}};
}

}  // namespace perdix::ctl
