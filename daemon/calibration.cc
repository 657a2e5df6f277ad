// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/calibration.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace perdix {
namespace {

// What it says of its progress, see perdix-bench --progress.
constexpr const char* kProgressFormat = "progress %lf %n";

// perdix-bench, in the folder of this program.
std::string DefaultProgram() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "perdix-bench").string();
}

// Signals as for any program; its standard output is the other end of *output.
int Spawn(std::vector<std::string> arguments, pid_t* pid, UniqueFd* output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
  *output = UniqueFd(ends[0]);
  const UniqueFd input(ends[1]);
  fcntl(input.get(), F_SETFL, 0);  // the program waits
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
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
  const int error =
      posix_spawn(pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

Calibration::Calibration(const Config& config, RecipeSetter& setter,
                         const Log& log, sd_event* loop)
    : recipes_(config.recipes),
      program_(config.calibrator.empty() ? DefaultProgram()
                                         : config.calibrator),
      gpu_(config.engine.gpu),
      threads_(config.engine.threads),
      aim_(config.gpu_aim),
      setter_(setter),
      log_(log),
      loop_(loop) {}

void Calibration::Start() {
  if (running()) return;
  const std::string folder =
      std::filesystem::path(recipes_).parent_path().string();
  for (const auto& [path, mode] :
       {std::pair(program_, X_OK), std::pair(folder, W_OK)}) {
    if (access(path.c_str(), mode) != 0) {
      return NotDone(path + ": " + strerror(errno));
    }
  }
  pid_t pid = 0;
  UniqueFd output;
  if (const int error = Spawn(Command(), &pid, &output)) {
    return NotDone(program_ + ": " + strerror(error));
  }
  if (!Watch(pid, std::move(output))) return;
  state_ = "running";
  message_.clear();
  log_.Write(LOG_INFO, "calibrating in the background");
}

std::vector<std::string> Calibration::Command() const {
  std::vector<std::string> arguments = {
      program_,   "--calibrate", "--background", "--progress",
      "--output", recipes_,      "--threads",    std::to_string(threads_)};
  if (aim_ != GpuAim::kSpeed) {
    arguments.insert(arguments.end(), {"--aim", "cpu"});
  }
  if (!gpu_.device.empty()) {
    arguments.insert(arguments.end(), {"--gpu", gpu_.device});
  }
  if (!gpu_.cache_file.empty()) {
    arguments.insert(arguments.end(), {"--gpu-cache", gpu_.cache_file});
  }
  return arguments;
}

bool Calibration::Watch(pid_t pid, UniqueFd output) {
  sd_event_source* source = nullptr;
  int result = sd_event_add_child(loop_, &source, pid, WEXITED, OnExit, this);
  if (result < 0) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    NotDone(strerror(-result));
    return false;
  }
  sd_event_source_set_child_process_own(source, true);
  child_.reset(source);
  source = nullptr;
  result =
      sd_event_add_io(loop_, &source, output.get(), EPOLLIN, OnOutput, this);
  if (result < 0) return true;  // without news of its progress
  output_.reset(source);
  sd_event_source_set_io_fd_own(source, true);
  output.Release();
  return true;
}

int Calibration::OnOutput(sd_event_source*, int fd, uint32_t, void* self) {
  static_cast<Calibration*>(self)->TakeOutput(fd);
  return 0;
}

void Calibration::TakeOutput(int fd) {
  char text[4096];
  ssize_t bytes;
  while ((bytes = read(fd, text, sizeof(text))) > 0) {
    for (ssize_t i = 0; i < bytes; ++i) {
      line_ += text[i];
      if (text[i] == '\n') TakeLine(std::exchange(line_, {}));
    }
  }
  if (bytes == 0) output_.reset();
}

// The rest is a table, which goes where our errors go.
void Calibration::TakeLine(const std::string& line) {
  double fraction = 0;
  int step = 0;
  if (sscanf(line.c_str(), kProgressFormat, &fraction, &step) < 1 || !step) {
    fputs(line.c_str(), stderr);
  } else if (events_.progress) {
    events_.progress(fraction, line.substr(step, line.size() - step - 1));
  }
}

int Calibration::OnExit(sd_event_source*, const siginfo_t* info, void* self) {
  static_cast<Calibration*>(self)->Exited(*info);
  return 0;
}

void Calibration::Exited(const siginfo_t& info) {
  child_.reset();
  if (output_) TakeOutput(sd_event_source_get_io_fd(output_.get()));
  output_.reset();
  line_.clear();
  if (info.si_code != CLD_EXITED || info.si_status != 0) {
    return NotDone("perdix-bench ended with " + std::to_string(info.si_status));
  }
  setting_ = true;
  setter_.SetStored([this](const Status& status, const Recipe& recipe) {
    setting_ = false;
    if (!status.ok()) return NotDone(status.message());
    Done(recipe);
  });
}

void Calibration::Done(const Recipe& recipe) {
  state_ = "done";
  message_ = recipe.ToString();
  log_.Write(LOG_INFO, "calibrated: recipe " + message_);
  if (events_.finished) events_.finished(true, message_);
}

void Calibration::NotDone(const std::string& why) {
  state_ = "failed";
  message_ = why;
  log_.Write(LOG_NOTICE, "not calibrated: " + why);
  if (events_.finished) events_.finished(false, message_);
}

}  // namespace perdix
