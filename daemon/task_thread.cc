// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/task_thread.h"

#include <utility>

namespace perdix {

TaskThread::~TaskThread() {
  posted_.Release();
  if (thread_.joinable()) thread_.join();
}

void TaskThread::Post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { Work(); });
    tasks_.push_back(std::move(task));
  }
  posted_.Release();  // without the lock, for which the thread would wait
}

void TaskThread::Drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void TaskThread::Work() {
  while (true) {
    posted_.Acquire();
    std::unique_lock lock(mutex_);
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    busy_ = false;
    if (tasks_.empty()) idle_.notify_all();
  }
}

}  // namespace perdix
