// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "daemon/figures.h"
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
  void Family(const std::string& name, const char* type, const char* help) {
    name_ = "perdix_" + name;
    text_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type +
             "\n";
  }
  // Adds a value of the last family. labels: {name="value",...} or empty.
  void Value(const std::string& labels, double value, const char* suffix = "") {
    text_ += name_ + suffix + labels + " " + Number(value) + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

template <typename Whole>
double ValueOf(const Figure<Whole>& figure, const Whole& whole) {
  const double value = std::visit(
      [](const auto& v) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>)
          return double(v);
        return 0.;  // texts and lists have no family
      },
      figure.value(whole));
  return figure.unit == Unit::kUSec ? value / kUSecPerSecond : value;
}

void AddFigures(Text& text, const Snapshot& now) {
  std::string last;
  for (const Figure<Snapshot>& figure : DaemonFigures()) {
    const auto& [type, name, help] = figure.prometheus;
    if (!type) continue;
    const size_t end = std::string_view(name).find('{');
    const std::string family = std::string(name).substr(0, end);
    if (family != last) text.Family(family, type, help);
    text.Value(std::string(name).substr(family.size()), ValueOf(figure, now));
    last = family;
  }
}

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

void AddStages(Text& text, const std::vector<StageTime>& stages) {
  text.Family("stage_seconds_total", "counter",
              "Time in a stage, summed over threads.");
  for (const StageTime& stage : stages)
    text.Value("{stage=" + Quoted(stage.stage) +
                   ",variant=" + Quoted(stage.variant) + "}",
               double(stage.nanoseconds) / kNanosecondsPerSecond);
}

void AddSessionInfo(Text& text, std::span<const Snapshot::Session> sessions) {
  text.Family("session_info", "gauge",
              "What an open session last decoded, as labels.");
  for (const Snapshot::Session& session : sessions) {
    const SessionStatistics& counted = session.counted;
    if (!counted.codec) continue;
    text.Value("{session=\"" + std::to_string(session.id) +
                   "\",codec=" + Quoted(counted.codec->name) + ",bit_depth=\"" +
                   std::to_string(counted.format.bit_depth) +
                   "\",film_grain=\"" +
                   (counted.format.film_grain ? "yes" : "no") + "\"}",
               1);
  }
}

void AddSessions(Text& text, std::span<const Snapshot::Session> sessions) {
  AddSessionInfo(text, sessions);
  for (const Figure<Snapshot::Session>& figure : SessionFigures()) {
    const auto& [type, name, help] = figure.prometheus;
    if (!type) continue;
    text.Family(name, type, help);
    for (const Snapshot::Session& session : sessions)
      text.Value("{session=\"" + std::to_string(session.id) +
                     "\",client=" + Quoted(session.counted.client_name) + "}",
                 ValueOf(figure, session));
  }
}

}  // namespace

std::string ToPrometheus(const Snapshot& now) {
  Text text;
  text.Family("info", "gauge", "The daemon's version, as a label.");
  text.Value("{version=" + Quoted(PERDIX_VERSION) + "}", 1);
  AddFigures(text, now);
  AddLatency(text, now.latency);
  AddStages(text, now.stages);
  AddSessions(text, std::span(now.sessions)
                        .first(std::min(now.sessions.size(), kMaxSessions)));
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
