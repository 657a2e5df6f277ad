// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/calibration.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "codec/recipe_store.h"

namespace perdix {
namespace {

// Its table goes where the daemon's errors go; signals as for any program.
int Spawn(std::vector<std::string> arguments, pid_t* pid) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  sigset_t none;
  sigset_t pipe;
  sigemptyset(&none);
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const int error =
      posix_spawn(pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

Calibration::Calibration(std::string recipes, const EngineOptions& options,
                         Engine& engine, const Log& log)
    : recipes_(std::move(recipes)),
      gpu_(options.gpu),
      threads_(options.threads),
      engine_(engine),
      log_(log) {}

void Calibration::Start(sd_event* loop, const std::string& program) {
  const std::string folder =
      std::filesystem::path(recipes_).parent_path().string();
  for (const auto& [path, mode] :
       {std::pair(program, X_OK), std::pair(folder, W_OK)}) {
    if (access(path.c_str(), mode) != 0) {
      return NotDone(path + ": " + strerror(errno));
    }
  }
  std::vector<std::string> arguments = {
      program,  "--calibrate", "--background",          "--output",
      recipes_, "--threads",   std::to_string(threads_)};
  if (!gpu_.device.empty()) {
    arguments.insert(arguments.end(), {"--gpu", gpu_.device});
  }
  if (!gpu_.cache_file.empty()) {
    arguments.insert(arguments.end(), {"--gpu-cache", gpu_.cache_file});
  }
  pid_t pid = 0;
  if (const int error = Spawn(arguments, &pid)) {
    return NotDone(program + ": " + strerror(error));
  }
  sd_event_source* source = nullptr;
  const int result =
      sd_event_add_child(loop, &source, pid, WEXITED, OnExit, this);
  if (result < 0) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return NotDone(strerror(-result));
  }
  sd_event_source_set_child_process_own(source, true);
  child_.reset(source);
  log_.Write(LOG_INFO, "calibrating in the background");
}

int Calibration::OnExit(sd_event_source*, const siginfo_t* info, void* self) {
  static_cast<Calibration*>(self)->Finished(*info);
  return 0;
}

void Calibration::Finished(const siginfo_t& info) {
  child_.reset();
  if (info.si_code != CLD_EXITED || info.si_status != 0) {
    return NotDone("perdix-bench ended with " + std::to_string(info.si_status));
  }
  Recipe recipe;
  const Status status = LoadRecipe(recipes_, ThisMachine(gpu_), &recipe);
  if (!status.ok()) return NotDone(status.message());
  engine_.SetRecipe(recipe);
  log_.Write(LOG_INFO, "calibrated: recipe " + recipe.ToString());
}

void Calibration::NotDone(const std::string& why) const {
  log_.Write(LOG_NOTICE, "not calibrated: " + why);
}

std::string CalibrationProgram() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "perdix-bench").string();
}

}  // namespace perdix
