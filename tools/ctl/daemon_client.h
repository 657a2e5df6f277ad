// SPDX-License-Identifier: BSD-2-Clause
// The daemon, over the system bus. Every call throws Failure when the daemon is
// not there, refuses, or does not answer.
#ifndef PERDIX_TOOLS_CTL_DAEMON_CLIENT_H_
#define PERDIX_TOOLS_CTL_DAEMON_CLIENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/ctl/snapshot.h"

namespace perdix::ctl {

struct CalibrationResult {
  bool success = false;
  std::string message;
};

struct ShownPictures {
  uint64_t pictures = 0;
  uint64_t checksum = 0;
};

class DaemonClient {
 public:
  DaemonClient();
  ~DaemonClient();

  // {"daemon": {...}, "sessions": [...]}, see ParseSnapshot.
  nlohmann::json Statistics();
  Snapshot TakeSnapshot();

  std::map<std::string, std::string> SetRecipe(const std::string& recipe);
  ShownPictures Checksum(uint32_t session);
  void ResetStatistics();
  void SetLogLevel(const std::string& level);

  // Starts a calibration and returns when it is over. <progress> gets a
  // fraction from 0 to 1 and what is being measured; it is called from another
  // thread.
  using Progress = std::function<void(double, const std::string&)>;
  CalibrationResult Calibrate(const Progress& progress);

  // Writes a trace to the open file <fd>; returns the number of frames in it.
  uint32_t Trace(uint32_t frames, uint32_t timeout_ms, int fd);

 private:
  class Proxy;
  struct Bus;
  std::unique_ptr<Bus> bus_;
};

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_DAEMON_CLIENT_H_
