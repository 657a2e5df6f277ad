// SPDX-License-Identifier: BSD-2-Clause
// The daemon's figures as Prometheus text, in a file that node_exporter's
// textfile collector reads. A file, not a socket: nobody has to be allowed in,
// nothing listens, and Prometheus has no unix sockets.
#ifndef PERDIX_DAEMON_METRICS_H_
#define PERDIX_DAEMON_METRICS_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "daemon/call_queue.h"
#include "daemon/control.h"
#include "daemon/log.h"

namespace perdix {

// The text; of at most 64 open sessions, the oldest, each its own.
std::string ToPrometheus(const Snapshot& snapshot);

// Rewrites the file every 5 s, on a thread of its own; removes it at the end.
class MetricsFile {
 public:
  // The arguments are those of DbusService.
  MetricsFile(std::string path, Control& control, CallQueue& loop,
              const Log& log);
  ~MetricsFile();

 private:
  void Work(const std::stop_token& stop);
  bool Write(const std::string& text);

  const std::string path_;
  Control& control_;
  CallQueue& loop_;
  const Log& log_;
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_METRICS_H_
