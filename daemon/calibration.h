// SPDX-License-Identifier: BSD-2-Clause
// Runs perdix-bench --calibrate once beside the service, at the lowest
// priority, and hands the recipe it stores to the engine.
#ifndef PERDIX_DAEMON_CALIBRATION_H_
#define PERDIX_DAEMON_CALIBRATION_H_

#include <systemd/sd-event.h>

#include <string>

#include "codec/decoder.h"
#include "daemon/log.h"
#include "daemon/service.h"

namespace perdix {

class Calibration {
 public:
  // recipes: the store. Engine, log and loop outlive this.
  Calibration(std::string recipes, const EngineOptions& options, Engine& engine,
              const Log& log);

  // Starts the program. SIGCHLD must be blocked. What goes wrong is logged; the
  // recipe then stays what it is.
  void Start(sd_event* loop, const std::string& program);

 private:
  static int OnExit(sd_event_source*, const siginfo_t* info, void* self);
  void Finished(const siginfo_t& info);
  void NotDone(const std::string& why) const;

  const std::string recipes_;
  const vulkan::GpuOptions gpu_;
  const int threads_;  // as EngineOptions
  Engine& engine_;
  const Log& log_;
  EventSource child_;  // while it runs; ends it
};

// perdix-bench, in the folder of this program.
std::string CalibrationProgram();

}  // namespace perdix

#endif  // PERDIX_DAEMON_CALIBRATION_H_
