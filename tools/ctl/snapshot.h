// SPDX-License-Identifier: BSD-2-Clause
// All that the daemon says about itself at one moment, as its method
// GetStatistics returns it: names, meanings and units are those of
// systemd/org.perdix.Decoder1.xml and systemd/org.perdix.Decoder1.Session.xml.
#ifndef PERDIX_TOOLS_CTL_SNAPSHOT_H_
#define PERDIX_TOOLS_CTL_SNAPSHOT_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace perdix::ctl {

struct StageTime {
  std::string stage;
  std::string variant;
  uint64_t usec = 0;

  bool on_gpu() const { return variant == "vulkan"; }
};

struct Bucket {
  uint64_t upper_usec = 0;
  uint64_t frames = 0;
};

struct Frames {
  uint64_t decoded = 0;
  uint64_t failed = 0;
  uint64_t dropped = 0;
};

struct Session {
  uint32_t id = 0;
  uint32_t client_pid = 0;
  std::string client_name;
  uint64_t opened_usec = 0;
  std::string codec;  // empty before the first frame
  uint32_t profile = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t bit_depth = 0;
  bool film_grain = false;
  uint64_t private_bytes = 0;
  Frames frames;
  uint64_t bytes_in = 0;
  double fps = 0;
  uint64_t latency_p50_usec = 0;
  uint64_t latency_p95_usec = 0;
  uint64_t latency_p99_usec = 0;
  uint64_t latency_max_usec = 0;
  std::vector<Bucket> latency_histogram;
  std::vector<StageTime> stages;
  double motion = 0;
};

struct Daemon {
  std::string version;
  bool connected = false;
  std::string module_version;
  std::string video_node;
  std::string media_node;
  uint32_t threads = 0;
  std::string gpu;
  std::string gpu_driver;
  std::string gpu_type;
  std::string gpu_node;
  std::string gpu_drm_driver;
  std::string gpu_state;
  std::map<std::string, uint32_t> limits;
  std::map<std::string, std::string> recipe;
  std::string recipe_source;
  std::string calibration_state;
  std::string calibration_message;
  std::string log_level;
  uint32_t sessions_open = 0;
  uint64_t sessions = 0;
  Frames frames;
  uint64_t bytes_in = 0;
  uint32_t buffers = 0;
  uint64_t buffer_imports = 0;
  uint64_t private_bytes = 0;
  uint64_t gpu_imports = 0;
  uint64_t gpu_imports_refused = 0;
  uint64_t gpu_frames = 0;
  uint64_t gpu_frames_redone = 0;
  uint64_t self_checks = 0;
  uint64_t self_check_failures = 0;
  std::vector<StageTime> stages;
  uint64_t statistics_since = 0;
};

struct Snapshot {
  Daemon daemon;
  std::vector<Session> sessions;  // by id
  uint64_t taken_usec = 0;        // CLOCK_REALTIME, by us
};

// From {"daemon": {property: value}, "sessions": [{property: value}]}, which is
// also what --json prints. A property that is not there (an older daemon) keeps
// its default above; throws Failure (EX_PROTOCOL) when one has another type.
Snapshot ParseSnapshot(const nlohmann::json& statistics);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_SNAPSHOT_H_
