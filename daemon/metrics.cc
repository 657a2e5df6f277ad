// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <utility>

#include "daemon/unique_fd.h"

namespace perdix {
namespace {

constexpr std::chrono::seconds kInterval{5};
constexpr size_t kMaxSessions = 64;
constexpr mode_t kReadableByAll = 0644;
constexpr double kUSecPerSecond = 1e6;
constexpr double kNanosecondsPerSecond = 1e9;

// Upper bounds of the latencies' buckets, in seconds; 16 and 33 ms are frames
// at 60 and 30 a second.
constexpr double kBounds[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.033,
                              0.066, 0.125, 0.25,  0.5,   1};

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

class Text {
 public:
  void Family(const char* name, const char* type, const char* help) {
    name_ = std::string("perdix_") + name;
    text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type +
             "\n";
  }
  // Adds a value of the last family. labels: {name="value",...} or empty.
  void Value(const std::string& labels, double value, const char* suffix = "") {
    text_ += name_ + suffix + labels + " " + Number(value) + "\n";
  }
  void Single(const char* name, const char* type, const char* help,
              double value) {
    Family(name, type, help);
    Value("", value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

void AddLatency(Text& text, const LatencyHistogram& latency) {
  text.Family("latency_seconds", "histogram",
              "From the job's arrival to its answer, of decoded frames.");
  const auto buckets = latency.Buckets();
  auto bucket = buckets.begin();
  uint64_t frames = 0;
  for (const double bound : kBounds) {
    for (; bucket != buckets.end() &&
           double(bucket->first) <= bound * kUSecPerSecond;
         ++bucket)
      frames += bucket->second;
    text.Value("{le=\"" + Number(bound) + "\"}", double(frames), "_bucket");
  }
  text.Value("{le=\"+Inf\"}", double(latency.count()), "_bucket");
  text.Value("", double(latency.sum()) / kUSecPerSecond, "_sum");
  text.Value("", double(latency.count()), "_count");
}

void AddFrames(Text& text, const FrameCounts& frames) {
  text.Family("frames_total", "counter", "Frames that ended, by how.");
  text.Value("{result=\"decoded\"}", double(frames.decoded));
  text.Value("{result=\"failed\"}", double(frames.failed));
  text.Value("{result=\"dropped\"}", double(frames.dropped));
  text.Single("coded_bytes_total", "counter", "Coded bytes of these frames.",
              double(frames.bytes));
}

void AddGpu(Text& text, const Snapshot& now) {
  text.Single("gpu_frames_total", "counter", "Frames with a stage on the GPU.",
              double(now.engine.gpu_frames));
  text.Single("gpu_frames_redone_total", "counter",
              "Frames done again on the CPU.",
              double(now.engine.redone_frames));
  text.Single("gpu_imports_total", "counter", "Buffers imported by the GPU.",
              double(now.engine.gpu_imports));
  text.Single("gpu_imports_refused_total", "counter",
              "Buffers refused by the GPU.", double(now.engine.gpu_refused));
  text.Single("self_checks_total", "counter",
              "Frames of the GPU compared with the CPU.",
              double(now.engine.self_checks));
  text.Single("self_check_failures_total", "counter",
              "Frames of the GPU found wrong.",
              double(now.engine.self_check_failures));
}

void AddStages(Text& text, const std::vector<StageTime>& stages) {
  text.Family("stage_seconds_total", "counter",
              "Time in a stage, summed over threads.");
  for (const StageTime& stage : stages)
    text.Value("{stage=" + Quoted(stage.stage) +
                   ",variant=" + Quoted(stage.variant) + "}",
               double(stage.nanoseconds) / kNanosecondsPerSecond);
}

void AddSessions(Text& text, const std::vector<Snapshot::Session>& sessions) {
  const size_t shown = std::min(sessions.size(), kMaxSessions);
  const auto labels = [](const Snapshot::Session& session) {
    return "{session=\"" + std::to_string(session.id) +
           "\",client=" + Quoted(session.counted.client_name) + "}";
  };
  text.Family("session_info", "gauge",
              "What an open session last decoded, as labels.");
  for (size_t i = 0; i < shown; ++i) {
    const SessionStatistics& counted = sessions[i].counted;
    if (!counted.codec) continue;
    text.Value("{session=\"" + std::to_string(sessions[i].id) +
                   "\",codec=" + Quoted(counted.codec->name) + ",bit_depth=\"" +
                   std::to_string(counted.format.bit_depth) +
                   "\",film_grain=\"" +
                   (counted.format.film_grain ? "yes" : "no") + "\"}",
               1);
  }
  text.Family("session_private_picture_bytes", "gauge",
              "Of perdix_private_picture_bytes, an open session's.");
  for (size_t i = 0; i < shown; ++i)
    text.Value(labels(sessions[i]), double(sessions[i].private_bytes));
  text.Family("session_frames_per_second", "gauge",
              "Frames of an open session that ended in the last two seconds.");
  for (size_t i = 0; i < shown; ++i)
    text.Value(labels(sessions[i]), sessions[i].fps);
  text.Family("session_frames_decoded_total", "counter",
              "Frames of an open session.");
  for (size_t i = 0; i < shown; ++i)
    text.Value(labels(sessions[i]), double(sessions[i].counted.frames.decoded));
}

}  // namespace

std::string ToPrometheus(const Snapshot& now) {
  Text text;
  text.Family("info", "gauge", "The daemon's version, as a label.");
  text.Value("{version=" + Quoted(PERDIX_VERSION) + "}", 1);
  text.Single("connected", "gauge", "1: the module is there.", now.connected);
  text.Single("sessions_open", "gauge", "Open sessions.",
              double(now.sessions.size()));
  text.Single("sessions_total", "counter", "Sessions there were.",
              double(now.sessions_opened));
  text.Single("buffers", "gauge", "Buffers of clients that are mapped.",
              double(now.buffers));
  text.Single("buffer_imports_total", "counter", "Buffers mapped in all.",
              double(now.buffer_imports));
  text.Single(
      "private_picture_bytes", "gauge",
      "Pictures beside the clients': for film grain, and chroma beyond 4:2:0.",
      double(now.private_bytes));
  AddFrames(text, now.frames);
  AddLatency(text, now.latency);
  AddStages(text, now.stages);
  AddGpu(text, now);
  AddSessions(text, now.sessions);
  return text.text();
}

MetricsFile::MetricsFile(std::string path, Control& control, CallQueue& loop,
                         const Log& log)
    : path_(std::move(path)),
      control_(control),
      loop_(loop),
      log_(log),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

MetricsFile::~MetricsFile() {
  thread_.request_stop();
  thread_.join();
  unlink(path_.c_str());
}

void MetricsFile::Work(const std::stop_token& stop) {
  bool failed = false;  // said once
  while (!stop.stop_requested()) {
    try {
      const Snapshot now = loop_.Call([this] { return control_.Look(); });
      const bool written = Write(ToPrometheus(now));
      if (!written && !failed)
        log_.Write(LOG_WARNING, path_ + ": " + strerror(errno));
      failed = !written;
    } catch (const std::future_error&) {
      return;  // the daemon is ending
    }
    std::unique_lock lock(mutex_);
    ending_.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

// Readers see the old file or the new one.
bool MetricsFile::Write(const std::string& text) {
  const std::string next = path_ + ".new";
  const UniqueFd file(
      open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
           kReadableByAll));
  return file.valid() && fchmod(file.get(), kReadableByAll) == 0 &&
         write(file.get(), text.data(), text.size()) == ssize_t(text.size()) &&
         rename(next.c_str(), path_.c_str()) == 0;
}

}  // namespace perdix
