// SPDX-License-Identifier: BSD-2-Clause
// Runs perdix-bench --calibrate once beside the service, at the lowest
// priority, and sets the recipe it stores.
#ifndef PERDIX_DAEMON_CALIBRATION_H_
#define PERDIX_DAEMON_CALIBRATION_H_

#include <systemd/sd-event.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/config.h"
#include "daemon/log.h"
#include "daemon/recipe_setter.h"
#include "daemon/service.h"
#include "daemon/unique_fd.h"

namespace perdix {

// Both may be null.
struct CalibrationEvents {
  std::function<void(double fraction, const std::string& step)> progress;
  std::function<void(bool success, const std::string& message)> finished;
};

class Calibration {
 public:
  // config: program and store. Setter, log and loop outlive this. Loop may be
  // null where nothing is started.
  Calibration(const Config& config, RecipeSetter& setter, const Log& log,
              sd_event* loop);

  void set_events(CalibrationEvents events) { events_ = std::move(events); }

  // Starts the program, unless it runs. SIGCHLD must be blocked. What goes
  // wrong is logged; the recipe then stays what it is.
  void Start();

  bool running() const { return child_ != nullptr || setting_; }
  const char* state() const { return state_; }  // idle, running, done, failed
  // Why the last one failed, or what it stored.
  const std::string& message() const { return message_; }

 private:
  static int OnExit(sd_event_source*, const siginfo_t* info, void* self);
  static int OnOutput(sd_event_source*, int fd, uint32_t, void* self);
  std::vector<std::string> Command() const;
  bool Watch(pid_t pid, UniqueFd output);
  void TakeOutput(int fd);
  void TakeLine(const std::string& line);
  void Exited(const siginfo_t& info);
  void Done(const Recipe& recipe);
  void NotDone(const std::string& why);

  const std::string recipes_;
  const std::string program_;
  const vulkan::GpuOptions gpu_;
  const int threads_;  // as EngineOptions
  const GpuAim aim_;
  RecipeSetter& setter_;
  const Log& log_;
  sd_event* const loop_;
  CalibrationEvents events_;
  const char* state_ = "idle";
  std::string message_;
  EventSource child_;     // while it runs; ends it
  EventSource output_;    // what it says; closes the pipe
  std::string line_;      // of it, so far
  bool setting_ = false;  // what it stored
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_CALIBRATION_H_
