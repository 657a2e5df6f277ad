// SPDX-License-Identifier: BSD-2-Clause
// How waiting in the kernel for a client's buffers ends when the job is over:
// DMA_BUF_IOCTL_SYNC waits for fences that a client can attach at any moment
// and need never signal.
#ifndef PERDIX_DAEMON_JOB_STOP_H_
#define PERDIX_DAEMON_JOB_STOP_H_

#include <errno.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace perdix {

// Says whether one job was stopped. Any thread.
class JobStop {
 public:
  bool stopped() const { return stopped_; }

  // Returns what call() does (0 or a negative errno), or -ECANCELED once the
  // job is stopped. call() is one system call that signals interrupt.
  template <typename Call>
  int Run(Call call) {
    if (!Enter()) return -ECANCELED;
    int result;
    do {
      result = call();
    } while (result == -EINTR && !stopped_);
    Leave();
    return result == -EINTR ? -ECANCELED : result;
  }

  // From now on Run() fails. Interrupts the calls that wait; false: none do. A
  // signal that comes just before the system call is lost, so call it again.
  bool Stop();

 private:
  bool Enter();
  void Leave();

  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::vector<pthread_t> callers_;  // threads in Run()
};

// Stops jobs without waiting for them: its thread signals theirs until they
// have noticed.
class Interrupter {
 public:
  Interrupter();  // handles the process's SIGUSR1; throws std::system_error

  void Stop(const std::shared_ptr<JobStop>& job);

 private:
  void Work(const std::stop_token& end);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<JobStop>> waiting_;
  std::jthread thread_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_JOB_STOP_H_
