// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/log.h"

#include <stdio.h>
#include <sys/uio.h>

#include <utility>
#include <vector>

// The place in log.cc that calls the journal would say nothing.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

namespace perdix {
namespace {

constexpr uint32_t kMessagesPerInterval = 5;
constexpr std::chrono::seconds kInterval{5};

std::string WithSubject(const LogSubject& subject, std::string_view text) {
  std::string line;
  if (subject.session)
    line += "session " + std::to_string(subject.session) + ": ";
  if (subject.frame) line += "frame " + std::to_string(*subject.frame) + ": ";
  line += text;
  return line;
}

void WriteJournal(int priority, const LogSubject& subject,
                  const std::string& line) {
  std::vector<std::string> fields = {"MESSAGE=" + line,
                                     "PRIORITY=" + std::to_string(priority)};
  if (subject.session)
    fields.push_back("PERDIX_SESSION=" + std::to_string(subject.session));
  if (subject.frame)
    fields.push_back("PERDIX_FRAME=" + std::to_string(*subject.frame));
  std::vector<iovec> parts;
  for (std::string& field : fields)
    parts.push_back({field.data(), field.size()});
  sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

}  // namespace

const std::map<std::string, int>& LogLevels() {
  static const std::map<std::string, int> levels = {{"error", LOG_ERR},
                                                    {"warning", LOG_WARNING},
                                                    {"notice", LOG_NOTICE},
                                                    {"info", LOG_INFO},
                                                    {"debug", LOG_DEBUG}};
  return levels;
}

const char* Log::level() const {
  for (const auto& [name, priority] : LogLevels())
    if (priority == priority_) return name.c_str();
  return "";
}

void Log::Write(int priority, std::string_view text) const {
  Write(priority, {}, text);
}

void Log::Write(int priority, const LogSubject& subject,
                std::string_view text) const {
  if (priority > priority_) return;
  const std::string line = WithSubject(subject, text);
  if (sink_ == LogSink::kStderr)
    fprintf(stderr, "perdixd: %s\n", line.c_str());
  else
    WriteJournal(priority, subject, line);
}

bool LogLimit::Allow(Time now) {
  if (now - interval_start_ >= kInterval) {
    interval_start_ = now;
    passed_ = 0;
    reported_ = std::exchange(suppressed_, 0);
  }
  if (passed_ >= kMessagesPerInterval) {
    ++suppressed_;
    return false;
  }
  ++passed_;
  return true;
}

uint32_t LogLimit::TakeSuppressed() { return std::exchange(reported_, 0); }

}  // namespace perdix
