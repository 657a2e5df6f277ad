// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/job_stop.h"

#include <signal.h>

#include <algorithm>
#include <chrono>

namespace perdix {
namespace {

constexpr int kSignal = SIGUSR1;
constexpr std::chrono::milliseconds kAgain{5};

void Ignore(int) {}

}  // namespace

bool JobStop::Enter() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  callers_.push_back(pthread_self());
  return true;
}

void JobStop::Leave() {
  const std::lock_guard lock(mutex_);
  callers_.erase(std::ranges::find(callers_, pthread_self()));
}

bool JobStop::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const pthread_t caller : callers_) pthread_kill(caller, kSignal);
  return !callers_.empty();
}

// A handler that does nothing, so that system calls end with EINTR; without
// SA_RESTART, which would begin them again.
Interrupter::Interrupter() {
  struct sigaction action = {};
  action.sa_handler = Ignore;
  sigaction(kSignal, &action, nullptr);
  thread_ = std::jthread([this](const std::stop_token& end) { Work(end); });
}

void Interrupter::Stop(const std::shared_ptr<JobStop>& job) {
  if (!job->Stop()) return;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(job);
  changed_.notify_all();
}

void Interrupter::Work(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, end, [this] { return !waiting_.empty(); })) {
    changed_.wait_for(lock, end, kAgain, [] { return false; });
    std::erase_if(waiting_, [](const auto& job) { return !job->Stop(); });
  }
}

}  // namespace perdix
