// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/snapshot.h"

#include <sysexits.h>

#include <algorithm>

#include "tools/ctl/failure.h"

namespace perdix::ctl {
namespace {

using nlohmann::json;

void Read(const json& from, const char* name, auto* to) {
  const auto found = from.find(name);
  if (found == from.end()) return;
  try {
    found->get_to(*to);
  } catch (const json::exception&) {
    throw Failure(EX_PROTOCOL, std::string("the daemon's property ") + name +
                                   " is " + found->dump() +
                                   ", which is not of the type expected: are "
                                   "perdixd and perdixctl of one version?");
  }
}

void from_json(const json& from, StageTime& to) {
  to = {from.at(0), from.at(1), from.at(2)};
}

void from_json(const json& from, Bucket& to) { to = {from.at(0), from.at(1)}; }

// Reads rows that are an array of arrays in JSON.
template <typename Row>
void ReadRows(const json& from, const char* name, std::vector<Row>* to) {
  std::vector<json> rows;
  Read(from, name, &rows);
  for (const json& row : rows) {
    try {
      from_json(row, to->emplace_back());
    } catch (const json::exception&) {
      throw Failure(EX_PROTOCOL, std::string("the daemon's property ") + name +
                                     " has an element " + row.dump());
    }
  }
}

void Read(const json& from, Frames* to) {
  Read(from, "FramesDecoded", &to->decoded);
  Read(from, "FramesFailed", &to->failed);
  Read(from, "FramesDropped", &to->dropped);
}

Session ParseSession(const json& from) {
  Session to;
  Read(from, "Id", &to.id);
  Read(from, "ClientPid", &to.client_pid);
  Read(from, "ClientName", &to.client_name);
  Read(from, "OpenedUSec", &to.opened_usec);
  Read(from, "Codec", &to.codec);
  Read(from, "Profile", &to.profile);
  Read(from, "Width", &to.width);
  Read(from, "Height", &to.height);
  Read(from, "BitDepth", &to.bit_depth);
  Read(from, "FilmGrain", &to.film_grain);
  Read(from, "PrivateBytes", &to.private_bytes);
  Read(from, &to.frames);
  Read(from, "BytesIn", &to.bytes_in);
  Read(from, "Fps", &to.fps);
  Read(from, "LatencyP50USec", &to.latency_p50_usec);
  Read(from, "LatencyP95USec", &to.latency_p95_usec);
  Read(from, "LatencyP99USec", &to.latency_p99_usec);
  Read(from, "LatencyMaxUSec", &to.latency_max_usec);
  ReadRows(from, "LatencyHistogram", &to.latency_histogram);
  ReadRows(from, "StageUSec", &to.stages);
  Read(from, "Motion", &to.motion);
  return to;
}

Daemon ParseDaemon(const json& from) {
  Daemon to;
  Read(from, "Version", &to.version);
  Read(from, "Connected", &to.connected);
  Read(from, "ModuleVersion", &to.module_version);
  Read(from, "VideoNode", &to.video_node);
  Read(from, "MediaNode", &to.media_node);
  Read(from, "Threads", &to.threads);
  Read(from, "Gpu", &to.gpu);
  Read(from, "GpuDriver", &to.gpu_driver);
  Read(from, "GpuType", &to.gpu_type);
  Read(from, "GpuNode", &to.gpu_node);
  Read(from, "GpuDrmDriver", &to.gpu_drm_driver);
  Read(from, "GpuState", &to.gpu_state);
  Read(from, "Limits", &to.limits);
  Read(from, "Recipe", &to.recipe);
  Read(from, "RecipeSource", &to.recipe_source);
  Read(from, "CalibrationState", &to.calibration_state);
  Read(from, "CalibrationMessage", &to.calibration_message);
  Read(from, "LogLevel", &to.log_level);
  Read(from, "SessionsOpen", &to.sessions_open);
  Read(from, "Sessions", &to.sessions);
  Read(from, &to.frames);
  Read(from, "BytesIn", &to.bytes_in);
  Read(from, "Buffers", &to.buffers);
  Read(from, "BufferImports", &to.buffer_imports);
  Read(from, "PrivateBytes", &to.private_bytes);
  Read(from, "GpuImports", &to.gpu_imports);
  Read(from, "GpuImportsRefused", &to.gpu_imports_refused);
  Read(from, "GpuFrames", &to.gpu_frames);
  Read(from, "GpuFramesRedone", &to.gpu_frames_redone);
  Read(from, "SelfChecks", &to.self_checks);
  Read(from, "SelfCheckFailures", &to.self_check_failures);
  ReadRows(from, "StageUSec", &to.stages);
  Read(from, "StatisticsSince", &to.statistics_since);
  return to;
}

}  // namespace

Snapshot ParseSnapshot(const json& statistics) {
  json daemon = json::object();
  std::vector<json> sessions;
  Read(statistics, "daemon", &daemon);
  Read(statistics, "sessions", &sessions);
  Snapshot snapshot;
  snapshot.daemon = ParseDaemon(daemon);
  for (const json& session : sessions) {
    snapshot.sessions.push_back(ParseSession(session));
  }
  std::ranges::sort(snapshot.sessions, {}, &Session::id);
  return snapshot;
}

}  // namespace perdix::ctl
