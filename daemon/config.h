// SPDX-License-Identifier: BSD-2-Clause
// What the command line and /etc/perdix/perdixd.conf say.
#ifndef PERDIX_DAEMON_CONFIG_H_
#define PERDIX_DAEMON_CONFIG_H_

#include <optional>
#include <string>

#include "daemon/limits.h"
#include "daemon/picture_watch.h"
#include "engine/engine.h"
#include "engine/recipe_store.h"

namespace perdix {

struct Config {
  std::string device = "/dev/perdix";
  bool foreground = false;
  int log_priority = 0;  // of syslog.h
  // The recipe is what is stored for this machine, or engine.recipe.
  bool auto_recipe = true;
  std::string recipes;              // the store
  GpuAim gpu_aim = GpuAim::kSpeed;  // what recipes are stored for
  bool calibrate = true;            // if nothing is stored
  std::string calibrator;  // the program; empty: perdix-bench beside this one
  bool dbus = true;
  std::string metrics;        // the file; empty: none
  PictureWatchOptions watch;  // engine.watch is on with it
  bool checksum = false;      // of what sessions show
  Limits limits;
  EngineOptions engine;
};

// Options of the command line win over the file's. Returns the exit code
// (sysexits.h) when there is nothing to run, having said why.
std::optional<int> ReadConfig(int argc, const char* const* argv,
                              Config* config);

}  // namespace perdix

#endif  // PERDIX_DAEMON_CONFIG_H_
