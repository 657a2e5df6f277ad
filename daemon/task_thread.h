// SPDX-License-Identifier: BSD-2-Clause
// A thread that runs tasks one after the other. It starts with the first task,
// so that who has none costs none.
#ifndef PERDIX_DAEMON_TASK_THREAD_H_
#define PERDIX_DAEMON_TASK_THREAD_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/semaphore.h"

namespace perdix {

class TaskThread {
 public:
  TaskThread() = default;
  ~TaskThread();  // runs what waits first

  // Any thread; does not wait. Throws std::system_error if the thread is to
  // start and cannot.
  void Post(std::function<void()> task);

  // Returns when every task posted so far has returned and is destroyed.
  void Drain();

 private:
  void Work();

  Semaphore posted_;  // once for each task and for the end
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false;  // with a task that is no longer in tasks_
  std::thread thread_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_TASK_THREAD_H_
