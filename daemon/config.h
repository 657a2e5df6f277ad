// SPDX-License-Identifier: BSD-2-Clause
// What the command line and /etc/perdix/perdixd.conf say.
#ifndef PERDIX_DAEMON_CONFIG_H_
#define PERDIX_DAEMON_CONFIG_H_

#include <optional>
#include <string>

#include "codec/decoder.h"

namespace perdix {

struct Config {
  std::string device = "/dev/perdix";
  bool foreground = false;
  int log_priority = 0;  // of syslog.h
  EngineOptions engine;
};

// Options of the command line win over the file's. Returns the exit code
// (sysexits.h) when there is nothing to run, having said why.
std::optional<int> ReadConfig(int argc, const char* const* argv,
                              Config* config);

}  // namespace perdix

#endif  // PERDIX_DAEMON_CONFIG_H_
