// SPDX-License-Identifier: BSD-2-Clause
// The daemon's log: the journal, with fields that name session and frame, or
// stderr. Only the daemon logs; libraries return Status.
#ifndef PERDIX_DAEMON_LOG_H_
#define PERDIX_DAEMON_LOG_H_

#include <syslog.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace perdix {

enum class LogSink { kJournal, kStderr };

// Name to priority, of syslog.h.
const std::map<std::string, int>& LogLevels();

// What a message is about.
struct LogSubject {
  uint32_t session = 0;           // PERDIX_SESSION; 0: none
  std::optional<uint64_t> frame;  // PERDIX_FRAME: the timestamp in ns
};

class Log {
 public:
  // priority: of syslog.h; what is less important is not written.
  Log(LogSink sink, int priority) : sink_(sink), priority_(priority) {}

  // Any thread; one of LogLevels().
  void SetPriority(int priority) { priority_ = priority; }
  const char* level() const;  // the name

  void Write(int priority, std::string_view text) const;
  void Write(int priority, const LogSubject& subject,
             std::string_view text) const;

 private:
  const LogSink sink_;
  std::atomic<int> priority_;
};

// Lets a few messages pass in each interval and counts the others.
class LogLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  bool Allow(Time now);
  // Messages held back in the interval that the last Allow() ended.
  uint32_t TakeSuppressed();

 private:
  Time interval_start_{};
  uint32_t passed_ = 0;
  uint32_t suppressed_ = 0;
  uint32_t reported_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_LOG_H_
